"""The guard checks each request of a browser before a page sees it, and each answer gets its headers here.

*Host.* A name that leads to this machine only since a moment ago (DNS rebinding) is refused: the host must be a number,
loopback, the address that the server listens at, or that of `--public-url`.

*Origin.* A request that changes something must come from a page of this very server: its `Origin` is our own, and
`Sec-Fetch-Site`, where a browser sends it, says so too. The form carries a token of the session besides.

*Referrer.* The policy is `same-origin` and not `no-referrer`: with the latter, browsers send `Origin: null` with our
own forms.
"""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from tenuto.kit.address import LOOPBACK

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types tenuto"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STRICT_TRANSPORT = "max-age=31536000"
_TOKEN_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """The address of the site: where it listens, whether with TLS, and the URL that people use, where that differs."""

    host: str
    port: int
    is_encrypted: bool = False
    public_url: str = ""

    @property
    def cookie(self) -> str:
        """The name of the session's cookie. Cookies do not know ports, so a plain one is named by it."""
        return "__Host-tenuto" if self.is_secure else f"tenuto-{self.port}"

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach it with TLS, be it that of a proxy."""
        return self.is_encrypted or self.public_url.startswith("https://")

    def origin_of(self, host: str) -> str | None:
        """The origin of a request with this `Host`; None for a host that is not ours."""
        if self.public_url:
            public = urlsplit(self.public_url)
            if host.lower() == public.netloc.lower():
                return f"{public.scheme}://{public.netloc.lower()}"
        try:
            parts = urlsplit(f"//{host}")
            name, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            return None
        if (port or (443 if self.is_encrypted else 80)) != self.port or "@" in host:
            return None
        if not (name in LOOPBACK or name == self.host.lower() or _is_number(name)):
            return None
        return f"{'https' if self.is_encrypted else 'http'}://{host.lower()}"


def is_own(headers: Mapping[str, str], origin: str) -> bool:
    """Whether a request that changes something comes from a page of the site itself."""
    return headers.get("origin", "").lower() == origin and headers.get("sec-fetch-site", "same-origin") == "same-origin"


def form_token(token: bytes) -> str:
    """The token of a session as a form carries it: masked, and so another text in each answer."""
    mask = secrets.token_bytes(_TOKEN_BYTES)
    return urlsafe_b64encode(mask + _mixed(mask, token)).decode()


def is_form_token(text: str, token: bytes) -> bool:
    """Whether a form carries the token of the session."""
    try:
        raw = urlsafe_b64decode(text.encode())
    except ValueError:
        return False
    return len(raw) == 2 * _TOKEN_BYTES and hmac.compare_digest(_mixed(raw[:_TOKEN_BYTES], raw[_TOKEN_BYTES:]), token)


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(first ^ second for first, second in zip(one, other, strict=True))


def _is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
