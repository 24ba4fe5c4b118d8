"""Tokens and secrets of hosts: the token that a person carries to a new host, and the secret by which its agent is
known afterwards.

A token holds all that an agent needs to join: the URL of the Conductor, the fingerprint of its certificate, the zone
and name of the host, and a secret for one use. A bearer is the line that goes with each call: the key of the host and
its secret. Secrets are 256 random bits, so a plain digest of one is safe to keep.
"""

import base64
import hashlib
import json
import re
import secrets
from dataclasses import asdict, dataclass

from tenuto.errors import UserError

PREFIX = "tenuto-join."
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """The content of a token. `fingerprint` is the SHA-256 of the certificate, in hexadecimal digits."""

    url: str
    fingerprint: str
    zone: str
    name: str
    secret: str

    def text(self) -> str:
        """The token as it is printed: one word."""
        content = json.dumps(asdict(self), separators=(",", ":")).encode()
        return PREFIX + base64.urlsafe_b64encode(content).decode().rstrip("=")

    @staticmethod
    def parse(text: str) -> "Token":
        """The content of a printed token. Raises UserError."""
        try:
            coded = text.strip().removeprefix(PREFIX)
            content = json.loads(base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)))
            token = Token(**{name: str(content[name]) for name in Token.__dataclass_fields__})
        except (ValueError, KeyError, TypeError) as wrong:
            raise UserError(
                "This is no token, or not all of one. Give the whole word that 'tenuto node enroll' printed."
            ) from wrong
        is_whole = text.strip().startswith(PREFIX) and _FINGERPRINT.fullmatch(token.fingerprint)
        if not is_whole or not token.url.startswith("https://"):
            raise UserError("This is no token that a Conductor made: make one with 'tenuto node enroll'.")
        return token


def new_secret() -> str:
    """A secret that was never made before."""
    return secrets.token_urlsafe(32)


def digest_of(secret: str) -> str:
    """The digest of a secret that is kept."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def bearer(zone: str, name: str, secret: str) -> str:
    """The line by which an agent is known."""
    return f"{zone}/{name}:{secret}"


def bearer_parts(text: str) -> tuple[str, str]:
    """The key of the host and the secret in such a line; empty texts for another line."""
    key, separator, secret = text.partition(":")
    return (key, secret) if separator and len(text) < 500 else ("", "")


def check_name(what: str, name: str) -> None:
    """Raise UserError unless the text can be the name of a host or a zone."""
    if not _NAME.fullmatch(name):
        raise UserError(
            f"{name!r} cannot be the name of a {what}: use up to 63 small letters, digits and hyphens, such as h1."
        )
