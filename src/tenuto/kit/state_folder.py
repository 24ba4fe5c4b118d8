"""The folder in which a host keeps its records of its machines and networks. It survives the agent and the executor.

Paths are derived from ids and numbers that were checked, and each file is opened without following a link. Files are
root's alone (0600). Folders may be passed through and not listed (0711), since a machine reaches its own home in one.
"""

import errno
import os
import re
import shutil
import stat
from pathlib import Path
from secrets import token_hex

from tenuto.kit.private_file import private_draft

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_LARGEST = 1 << 20


def is_name(text: str) -> bool:
    """Whether a text can be the name of a folder here, and so the id of a thing."""
    return _ID.fullmatch(text) is not None


class StateFolder:
    """Folders by kind and name, each with small texts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(mode=0o711, parents=True, exist_ok=True)

    def names(self, kind: str) -> list[str]:
        """The names of the things of a kind that have a folder. Entries of others, which have no id, are left out."""
        return sorted(entry.name for entry in self._entries(kind) if _is_thing(entry))

    def foreign(self, kind: str) -> list[Path]:
        """The entries among the folders of a kind that are none of a thing: others have put them there."""
        return sorted(self.path / kind / entry.name for entry in self._entries(kind) if not _is_thing(entry))

    def has(self, kind: str, name: str) -> bool:
        """Whether anything is kept of one thing. Raises ValueError for a name that is no id."""
        folder = self.folder(kind, name)
        return folder.is_dir() and not folder.is_symlink()

    def folder(self, kind: str, name: str) -> Path:
        """The folder of one thing. Raises ValueError for a name that is no id."""
        if not is_name(name):
            raise ValueError(f"{name!r} is no id")
        return self.path / kind / name

    def made(self, kind: str, name: str) -> Path:
        """The folder of one thing, which is there from now on."""
        folder = self.folder(kind, name)
        folder.parent.mkdir(mode=0o711, exist_ok=True)
        folder.mkdir(mode=0o711, exist_ok=True)
        return folder

    def _entries(self, kind: str) -> list[os.DirEntry[str]]:
        try:
            return list(os.scandir(self.path / kind))
        except FileNotFoundError:
            return []

    def read(self, kind: str, name: str, file: str, *, largest: int = _LARGEST) -> str | None:
        """A text of a thing, of at most so many characters; None when there is none. A path that is no regular file has
        an empty one: a pipe in its place would be read for ever, and a link leads to files of others."""
        try:
            descriptor = os.open(self.folder(kind, name) / file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        except OSError as failed:
            if failed.errno == errno.ELOOP:
                return ""
            raise
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            return ""
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as opened:
            return opened.read(largest)

    def write(self, kind: str, name: str, file: str, text: str, *, mode: int = 0o600) -> Path:
        """Write a text of a thing as a whole: a death in between leaves the old one. A folder of others in its place is
        moved aside, and goes with the thing."""
        path = self.made(kind, name) / file
        with private_draft(path, text.encode(), mode=mode) as draft:
            _move_aside(path)
            draft.replace(path)
        return path

    def remove(self, kind: str, name: str) -> None:
        """Remove everything of a thing."""
        folder = self.folder(kind, name)
        if folder.exists():
            shutil.rmtree(folder)


def make_way(path: Path) -> None:
    """Remove a file for the next one of this name, if it is there. A folder of others in its place is moved aside."""
    _move_aside(path)
    path.unlink(missing_ok=True)


def _move_aside(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rename(path.with_name(f"{path.name}.{token_hex(4)}"))


def _is_thing(entry: os.DirEntry[str]) -> bool:
    return is_name(entry.name) and entry.is_dir(follow_symlinks=False)
