"""An HTTP request and an HTTP answer, as values that the server and the in-process hook share."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request. `target` is path and query string as sent; header names are in small letters."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.target).query, keep_blank_values=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """One answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Refusal(Exception):  # noqa: N818 - an answer like any other, not an error of ours
    """The refusal that AWS answers: a code, a message, and an HTTP status (0: the code's usual one)."""

    def __init__(self, code: str, message: str, status: int = 0) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
