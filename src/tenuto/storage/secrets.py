"""Sealing of secrets with a key that lies beside the store, not in it.

A copy of the database alone (a backup, a support bundle) shows no secret. The key file is made at the first start, mode
0600; one that others can read is refused, like every file with a secret.
"""

import stat
from contextlib import suppress
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken

from tenuto.errors import PermanentError, UserError
from tenuto.kit.private_file import private_draft


class FernetSecrets:
    """Implements `ports.secrets.Secrets` with authenticated encryption (AES-128-CBC and HMAC-SHA256)."""

    def __init__(self, key: bytes) -> None:
        self._fernet = Fernet(key)

    def seal(self, text: str) -> str:
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, sealed: str) -> str:
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken as error:
            raise PermanentError(
                "a secret cannot be opened: the key file is not the one it was sealed with. Restore the key file, "
                "or give the NoEcho parameters again with 'update'.",
                code="WrongKey",
            ) from error


def new_key() -> bytes:
    """A key for a store that is not kept."""
    return Fernet.generate_key()


def load_key(path: Path) -> bytes:
    """The key in the file, which is made when there is none. Raises UserError when it cannot be read or is open."""
    if not path.exists():
        _make(path)
    return _read(path)


def _make(path: Path) -> None:
    """Whole or not at all: half a key, left by a start on a full disk, would be refused by the next one. Of two that
    start at once the first one's is the key of both.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with private_draft(path, new_key()) as draft, suppress(FileExistsError):
            path.hardlink_to(draft)
    except OSError as error:
        raise UserError(
            f"the key file {path} cannot be made: {error.strerror}. Free some space, see who owns the folder, or give "
            "another place for the database."
        ) from error


def _read(path: Path) -> bytes:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        key = path.read_bytes()
    except OSError as error:
        raise UserError(f"the key file {path} cannot be read: {error}.") from error
    if mode & 0o077:
        raise UserError(
            f"the key file {path} can be read by others (mode {mode:04o}): close it with 'chmod 600 {path}'."
        )
    try:
        Fernet(key)
    except ValueError as error:
        raise UserError(f"the key file {path} holds no key: restore it from a backup.") from error
    return key
