"""Secrets of users: made once, told once, and recognised ever after without being kept.

A secret of a user is `tenuto.KEY.REST`, a token `tnt_KEYRESTCHECK`: all of one length, with a checksum, so that a
program that looks for secrets in texts finds tokens and little else. The key finds the row; of the rest only a digest
is stored, made by scrypt, which is slow on purpose: a thief of the database cannot try many. That costs a twentieth of
a second, too much for each request, so the first success is remembered as a plain SHA-256, in memory and bound to the
stored digest: a secret that was revoked or replaced finds no row, and one whose row changed is derived again.
"""

import base64
import hashlib
import hmac
import re
import secrets
import threading
import zlib
from dataclasses import dataclass

from tenuto.errors import BugError
from tenuto.model.access import UserSecret
from tenuto.model.ids import Instant

_PREFIX = "tenuto"
_KEY_BYTES = 9
_REST_BYTES = 32
"""256 bits: cannot be guessed, and needs no limit on attempts."""
_SALT_BYTES = 16
_SCHEME = "scrypt"
_COST, _BLOCK, _PARALLEL = 2**14, 8, 1
"""16 MB and about 50 ms on a small machine. A digest names its own cost, so that a later one may cost more."""
TOKEN_PREFIX = "tnt_"
_KEY_LETTERS, _REST_LETTERS, _CHECK_LETTERS = 15, 43, 8
TOKEN_LETTERS = len(TOKEN_PREFIX) + _KEY_LETTERS + _REST_LETTERS + _CHECK_LETTERS
"""The length of every token: `tnt_[0-9A-Za-z_-]{66}`."""
_ANY = re.compile(r"tenuto\.[A-Za-z0-9]+\.[A-Za-z0-9_-]+|tnt_[A-Za-z0-9_-]{20,}")
_LONGEST = 200
"""Longer ones are none of ours, and cost nothing to refuse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeSecret:
    """A new secret: its text, which is told once, and the record that is kept of it."""

    text: str
    kept: UserSecret


def make_secret(user: str, *, at: Instant, by: str) -> MadeSecret:
    """A secret that was never made before."""
    key = base64.b32encode(secrets.token_bytes(_KEY_BYTES)).decode().rstrip("=").lower()
    rest = secrets.token_urlsafe(_REST_BYTES)
    salt = secrets.token_bytes(_SALT_BYTES)
    derived = _derive(rest, salt, _COST, _BLOCK, _PARALLEL)
    fields = (_SCHEME, str(_COST), str(_BLOCK), str(_PARALLEL), salt.hex(), derived.hex())
    kept = UserSecret(user=user, key=key, digest="$".join(fields), created_at=at, created_by=by)
    return MadeSecret(text=f"{_PREFIX}.{key}.{rest}", kept=kept)


def make_token(user: str, *, at: Instant, by: str) -> MadeSecret:
    """A token that was never made before: a secret in the form of tokens."""
    made = make_secret(user, at=at, by=by)
    _, key, rest = made.text.split(".")
    return MadeSecret(text=f"{TOKEN_PREFIX}{key}{rest}{_checksum(key + rest)}", kept=made.kept)


def is_user_secret(text: str) -> bool:
    """Whether the text has the form of a user's secret or a token, valid or not; the owner's never has."""
    return _parts(text) is not None


def key_of(text: str) -> str:
    """The public part of a text that has the form."""
    return _known_parts(text)[0]


def _parts(text: str) -> tuple[str, str] | None:
    """The key and the rest of a text that has one of the forms; None for any other text."""
    if len(text) > _LONGEST or not text.isascii():
        return None
    if text.startswith(TOKEN_PREFIX):
        body, check = text[len(TOKEN_PREFIX) : -_CHECK_LETTERS], text[-_CHECK_LETTERS:]
        is_whole = len(text) == TOKEN_LETTERS and check == _checksum(body)
        return (body[:_KEY_LETTERS], body[_KEY_LETTERS:]) if is_whole else None
    prefix, *parts = text.split(".")
    return (parts[0], parts[1]) if prefix == _PREFIX and len(parts) == 2 else None


def _known_parts(text: str) -> tuple[str, str]:
    parts = _parts(text)
    if parts is None:
        raise BugError("a text was taken for a secret that has no form of one")
    return parts


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


def without_secrets(text: str) -> str:
    """The text with stars for all in it that has the form of a secret or a token: a name may be one by mistake."""
    return _ANY.sub("****", text)


class SecretChecks:
    """Compares given secrets with the kept ones. Thread-safe."""

    def __init__(self) -> None:
        self._proven: dict[str, tuple[str, bytes]] = {}
        self._deriving = threading.Lock()

    def is_right(self, text: str, kept: UserSecret) -> bool:
        """Whether the text is the secret that was kept. Slow the first time, and one at a time then."""
        rest = _known_parts(text)[1]
        short = hashlib.sha256(rest.encode(errors="replace")).digest()
        digest, proven = self._proven.get(kept.user, ("", b""))
        if digest == kept.digest:
            return hmac.compare_digest(short, proven)
        with self._deriving:
            is_right = _is_derived(rest, kept.digest)
        if is_right:
            self._proven[kept.user] = (kept.digest, short)
        return is_right


def _is_derived(rest: str, digest: str) -> bool:
    scheme, cost, block, parallel, salt, derived = digest.split("$")
    if scheme != _SCHEME:
        return False
    given = _derive(rest, bytes.fromhex(salt), int(cost), int(block), int(parallel))
    return hmac.compare_digest(given, bytes.fromhex(derived))


def _derive(rest: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    memory = 2 * 128 * cost * block * parallel
    return hashlib.scrypt(
        rest.encode(errors="replace"), salt=salt, n=cost, r=block, p=parallel, maxmem=memory, dklen=32
    )
