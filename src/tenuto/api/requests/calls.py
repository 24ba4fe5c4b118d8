"""A request as handlers see it: read and checked, with nothing of HTTP left in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import NoReturn

from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import Instant, JsonMap
from tenuto.service.access.callers import Caller
from tenuto.service.commands.process_commands import Commands
from tenuto.service.queries.process_queries import Queries
from tenuto.service.services import Services

MAXIMUM_EVENTS = 10_000
"""The most events or jobs in one answer; a reader of more goes on with `after`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """Named values of a query string or a body. A value of a wrong kind raises UserError with its name."""

    values: JsonMap
    where: str

    @staticmethod
    def of_query(given: Iterable[tuple[str, str]]) -> "Fields":
        """The values of a query string. A value given several times is a list: to take the last would be a guess."""
        found: dict[str, list[str]] = {}
        for name, value in given:
            found.setdefault(name, []).append(value)
        return Fields(values={name: one[0] if len(one) == 1 else one for name, one in found.items()}, where="query")

    def text(self, name: str) -> str | None:
        value = self.values.get(name)
        if value is not None and not isinstance(value, str):
            self._wrong(name, "text")
        return value

    def required(self, name: str) -> str:
        value = self.text(name)
        if not value:
            raise UserError(f"The {self.where} needs {name!r}.")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; in a query string, separated by commas, or given several times."""
        value = self.values.get(name, [])
        if self.where == "query" and isinstance(value, list):
            value = ",".join(value)
        if isinstance(value, str):
            value = [part for part in value.split(",") if part]
        if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
            self._wrong(name, "a list of texts")
        return tuple(value)

    def flag(self, name: str) -> bool:
        value = self.values.get(name, False)
        if self.where == "query" and value in ("true", "false"):
            value = value == "true"
        if not isinstance(value, bool):
            self._wrong(name, "true or false")
        return bool(value)

    def mapping(self, name: str) -> JsonMap:
        value = self.values.get(name, {})
        if not isinstance(value, Mapping):
            self._wrong(name, "an object")
        return value

    def number(self, name: str, default: int, maximum: int) -> int:
        """A whole number of at most `maximum`, to which a larger one is lowered. A body has a number of JSON there: its
        text would be taken here and refused by each client that reads the schema.
        """
        value = self.values.get(name, default)
        text = str(value)
        if (self.where != "query" and type(value) is not int) or not text.isdecimal() or len(text) > 18:
            self._wrong(name, "a whole number")
        return min(int(text), maximum)

    def instant(self, name: str) -> Instant | None:
        """Seconds since 1970, or ISO 8601 (UTC unless it says otherwise)."""
        text = self.text(name)
        if text is None:
            return None
        try:
            seconds = float(text)
        except ValueError:
            try:
                moment = datetime.fromisoformat(text)
            except ValueError:
                self._wrong(name, "a time such as 2026-01-31T12:00:00Z")
            return Instant((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
        if not isfinite(seconds):
            self._wrong(name, "a time")
        return Instant(seconds)

    def check(self, names: Sequence[str]) -> None:
        """Raise UserError for a value that is not one of `names`: it would be ignored without a word."""
        strange = sorted(self.values.keys() - set(names))
        if strange:
            guess = meant(strange[0], names)
            known = f"it knows {', '.join(names)}" if names else "it takes nothing"
            raise UserError(f"The {self.where} does not know {', '.join(strange)}; {known}.{guess}")

    def _wrong(self, name: str, expected: str) -> NoReturn:
        if self.where == "query" and isinstance(self.values.get(name), list):
            raise UserError(f"The query gives {name!r} more than once, and it takes one value. Give it once.")
        raise UserError(f"{name!r} in the {self.where} must be {expected}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request to a handler, by a user who was recognised."""

    services: Services
    caller: Caller
    path: Mapping[str, str]
    query: Fields
    body: Fields = field(default_factory=lambda: Fields(values={}, where="body"))
    content: bytes = b""
    """The body of a request that takes bytes."""
    address: str = ""
    """The network address that the request comes from."""

    @property
    def commands(self) -> Commands:
        return self.services.commands

    @property
    def queries(self) -> Queries:
        return self.services.queries

    @property
    def actor(self) -> str:
        """The name that the history keeps."""
        return self.caller.name
