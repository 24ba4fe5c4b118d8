"""The users of the machines of a host: each has one of its own, for as long as the machine is here.

Theory of operation. The number of a user is in the folder of its machine. A file that a person has emptied or changed
must give no machine the rights of root, nor those of another machine. So only a number of the range that no other
machine has counts, and else the owner of the files that the machine had. A machine whose number is damaged has its own
one by the owner of its files, so no other machine gets that meanwhile.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tenuto.kit.state_folder import StateFolder

_UID = "uid"
_MOST = 65536
_NUMBER = re.compile("[0-9]{1,10}")


class Users:
    """The users of the machines of one kind. `files` names the folder in that of a machine which its user owns."""

    def __init__(self, state: StateFolder, kind: str, *, files: str, first: int) -> None:
        self._state = state
        self._kind = kind
        self._files = files
        self._numbers = range(first, first + _MOST)

    def of(self, name: str) -> int:
        """The number of the user of a machine, which it has from now on."""
        kept = self._noted(name)
        taken = {self._known(other) for other in self._state.names(self._kind) if other != name}
        free = (one for one in (kept, self._owner(name), *self._numbers) if one and one not in taken)
        uid: int = next(free)
        if uid != kept:
            self._state.write(self._kind, name, _UID, str(uid))
        return uid

    def _known(self, name: str) -> int:
        """The number that a machine has; 0 for none."""
        with suppress(OSError):  # The file of one machine, which cannot be read, keeps no other one from its start.
            if noted := self._noted(name):
                return noted
        return self._owner(name)

    def _noted(self, name: str) -> int:
        text = (self._state.read(self._kind, name, _UID) or "").strip()
        return self._counted(int(text) if _NUMBER.fullmatch(text) else 0)

    def _owner(self, name: str) -> int:
        with suppress(OSError):
            return self._counted((self._state.folder(self._kind, name) / self._files).lstat().st_uid)
        return 0

    def _counted(self, uid: int) -> int:
        return uid if uid in self._numbers else 0


def give(folder: Path, uid: int) -> None:
    """Give a folder to a user, with all that is in it where another user had it. Its machine does not run."""
    if folder.lstat().st_uid != uid:
        for path in _within(folder):
            with suppress(FileNotFoundError):
                os.chown(path, uid, uid, follow_symlinks=False)
    # Last, so that one that was cut off is begun again.
    os.chown(folder, uid, uid, follow_symlinks=False)


def _within(folder: Path) -> Iterator[str]:
    """The paths below a folder; links are not followed."""
    for above, folders, files in os.walk(folder):
        yield from (os.path.join(above, one) for one in (*folders, *files))
