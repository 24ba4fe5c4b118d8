"""The Conductor's own secret, which makes its bearer the owner: in a file that only that person can read.

The Conductor makes the secret at its first start and leaves it, with its URL, in the credentials file; the command
line reads it there. A file that others can read is refused by both: it is no secret any more.
"""

import configparser
import hmac
import io
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tenuto.errors import ForbiddenError, NotFoundError, UserError
from tenuto.kit.address import LOOPBACK
from tenuto.kit.private_file import private_draft
from tenuto.service.access.user_secrets import is_user_secret

_SECTION = "default"
_SECRET_BYTES = 32
"""256 bits: cannot be guessed, and needs no limit on attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """The URL of a Conductor, and the secret that it asks for."""

    url: str
    secret: str

    def is_for(self, url: str) -> bool:
        """Whether the secret may be sent to this URL: the same place, or any port of this machine."""
        mine, other = urlsplit(self.url), urlsplit(url)
        if {mine.hostname, other.hostname} <= LOOPBACK:
            return True
        return (mine.scheme, mine.hostname, mine.port) == (other.scheme, other.hostname, other.port)


def is_secret(given: str, secret: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(), secret.encode())


def ensure_credentials(path: Path, url: str) -> str:
    """The secret in the file, which is made (0600, in a folder 0700) when there is none, and told the URL.

    Raises ForbiddenError when others can read the file, UserError when it cannot be read or written.
    """
    try:
        known = load_credentials(path)
    except NotFoundError:
        known = Credentials(url="", secret=secrets.token_urlsafe(_SECRET_BYTES))
    if is_user_secret(known.secret):
        # It would become the owner's: its bearer is known by another name.
        raise UserError(
            f"The credentials file {path} holds the secret of a user, not that of this Conductor. Let "
            "TENUTO_CREDENTIALS name another file for the Conductor, or move this one away."
        )
    if known.url != url:
        save_credentials(path, Credentials(url=url, secret=known.secret))
    return known.secret


def load_credentials(path: Path) -> Credentials:
    """Read the file. Raises NotFoundError, ForbiddenError (others can read it) or UserError (damaged)."""
    try:
        with path.open(encoding="utf-8") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read()
    except FileNotFoundError as missing:
        raise NotFoundError(f"There is no credentials file at {path}. A Conductor writes it at its first start.") from (
            missing
        )
    except (OSError, UnicodeDecodeError) as failed:
        raise UserError(f"The credentials file {path} cannot be read: {failed}.") from failed
    if mode & 0o077:
        raise ForbiddenError(
            f"The credentials file {path} can be read by others (mode {mode:04o}), so it is not used. "
            f"Close it with 'chmod 600 {path}'; if others may have read it, delete it and restart the Conductor."
        )
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
        section = parser[_SECTION]
        return Credentials(url=section["url"], secret=section["secret"])
    except (configparser.Error, KeyError) as damaged:
        raise UserError(
            f"The credentials file {path} is damaged: it needs a section [{_SECTION}] with 'url' and 'secret'. "
            "Delete it and restart the Conductor, which makes a new secret."
        ) from damaged


def save_credentials(path: Path, credentials: Credentials) -> None:
    """Write for its owner's eyes only, as a whole."""
    parser = configparser.ConfigParser(interpolation=None)
    parser[_SECTION] = {"url": credentials.url, "secret": credentials.secret}
    text = io.StringIO()
    parser.write(text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with private_draft(path, text.getvalue().encode()) as draft:
            draft.replace(path)
    except OSError as failed:
        raise UserError(f"The credentials file {path} cannot be written: {failed}.") from failed
