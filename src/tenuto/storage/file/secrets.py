"""Sealing of secrets with keys that lie beside the store, not in it.

Theory of operation. A copy of the database alone (a backup, a support bundle) shows no secret. The key file is made at
the first start, mode 0600; one that others can read is refused, like every file with a secret.

A seal is good for one place: the process and the parameter that it was made for are authenticated with it (AES-256-GCM
with associated data), so a seal that is copied to another process, or to another parameter, does not open. Each line of
the key file is a key. The first one seals, all of them open: a new key is put in front of the others, and secrets that
were sealed before stay readable. A seal names its key by a few letters of the key's digest.

Seals of the form before this one (Fernet tokens) named no place. They still open, because stores hold them; `is_bound`
tells them apart, so that none is accepted from outside.
"""

import base64
import hashlib
import hmac
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tenuto.errors import PermanentError, UserError
from tenuto.kit.private_file import private_draft
from tenuto.ports.secrets import remedy

_FORM = "s2"
_NONCE = 12
"""Bytes. Drawn at random: one key may seal four thousand million texts before two of them are likely to meet."""
_KEY = 32


@dataclass(frozen=True, slots=True)
class _Key:
    """One key, and the keys that are derived from it: each use has a key of its own."""

    raw: bytes

    @property
    def name(self) -> str:
        return hashlib.sha256(b"tenuto name" + self.raw).hexdigest()[:8]

    @property
    def cipher(self) -> AESGCM:
        return AESGCM(self._derived(b"tenuto seal"))

    def signature(self, text: str) -> str:
        return hmac.new(self._derived(b"tenuto sign"), text.encode(), hashlib.sha256).hexdigest()

    def _derived(self, use: bytes) -> bytes:
        return hmac.new(self.raw, use, hashlib.sha256).digest()


class KeyedSecrets:
    """Implements `ports.secrets.Secrets` with authenticated encryption. `keys`: the newest first."""

    def __init__(self, keys: Iterable[bytes]) -> None:
        found = tuple(keys)
        self._keys = tuple(_Key(base64.urlsafe_b64decode(key)) for key in found)
        self._before = MultiFernet([Fernet(key) for key in found])

    def seal(self, text: str, place: str) -> str:
        key, nonce = self._keys[0], os.urandom(_NONCE)
        sealed = key.cipher.encrypt(nonce, text.encode(), place.encode())
        return f"{_FORM}.{key.name}.{base64.urlsafe_b64encode(nonce + sealed).decode()}"

    def unseal(self, sealed: str, place: str) -> str:
        if not self.is_bound(sealed):
            return self._unsealed_before(sealed, place)
        _, name, text = sealed.split(".", 2)
        key = next((one for one in self._keys if one.name == name), None)
        if key is None:
            raise _wrong_key(place)
        try:
            raw = base64.urlsafe_b64decode(text)
            return key.cipher.decrypt(raw[:_NONCE], raw[_NONCE:], place.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise PermanentError(
                f"a secret cannot be opened: it was not sealed for {place}, or was changed. To go on, {remedy(place)}.",
                code="WrongPlace",
            ) from error

    def opens(self, sealed: str) -> bool:
        """Whether one of the keys is the one that it was sealed with."""
        if self.is_bound(sealed):
            return any(one.name == sealed.split(".", 2)[1] for one in self._keys)
        try:
            self._before.decrypt(sealed.encode())
        except InvalidToken:
            return False
        return True

    def is_bound(self, sealed: str) -> bool:
        return sealed.startswith(f"{_FORM}.") and sealed.count(".") == 2

    def is_current(self, sealed: str) -> bool:
        return self.is_bound(sealed) and sealed.split(".", 2)[1] == self._keys[0].name

    def sign(self, text: str) -> str:
        return self._keys[0].signature(text)

    def is_signed(self, text: str, signature: str) -> bool:
        return any(hmac.compare_digest(key.signature(text), signature) for key in self._keys)

    def _unsealed_before(self, sealed: str, place: str) -> str:
        try:
            return self._before.decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise _wrong_key(place) from error


def _wrong_key(place: str) -> PermanentError:
    return PermanentError(
        f"a secret cannot be opened: the key file does not hold the key that {place} was sealed with. Put that key "
        f"back as a further line of the key file and restart the Conductor, or {remedy(place)}.",
        code="WrongKey",
    )


def new_keys() -> tuple[bytes, ...]:
    """Return a fresh key, for a store in memory."""
    return (base64.urlsafe_b64encode(os.urandom(_KEY)),)


def load_keys(path: Path) -> tuple[bytes, ...]:
    """The keys in the file, which is made when there is none. Raises UserError when it cannot be read or is open."""
    if not path.exists():
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Make the key file whole or not at all: half a key, left by a start on a full disk, would be refused by the next
    one. Of two that start at once the first one's is the key of both.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with private_draft(path, new_keys()[0]) as draft, suppress(FileExistsError):
            path.hardlink_to(draft)
    except OSError as error:
        raise UserError(
            f"the key file {path} cannot be made: {error.strerror}. Free some space, see who owns the folder, or give "
            "another place for the database."
        ) from error


def _read(path: Path) -> tuple[bytes, ...]:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        keys = tuple(path.read_bytes().split())
    except OSError as error:
        raise UserError(f"the key file {path} cannot be read: {error}.") from error
    if mode & 0o077:
        raise UserError(
            f"the key file {path} can be read by others (mode {mode:04o}): close it with 'chmod 600 {path}'."
        )
    for number, key in enumerate(keys, start=1):
        try:
            Fernet(key)
        except ValueError as error:
            raise UserError(f"the key file {path} holds no key in line {number}: restore it from a backup.") from error
    if not keys:
        raise UserError(f"the key file {path} holds no key: restore it from a backup.")
    return keys
