"""The folder of a demonstration, and the removal of the things that killed demonstrations have left.

Theory of operation. A living demonstration holds a lock on a file in its folder, and the kernel gives the lock back
however its process ends. So a folder with a lock that no process holds is that of a dead one, and the things that its
host keeps (`bootstrap.demo.linux_leavings`) belong to no other: names on a host come from ids, and paths from the
folder. Its remover holds the lock meanwhile. The file goes last, so a removal that is cut off is begun again by the
next one. Folders of other users, and without the file, are left alone.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tenuto.bootstrap.demo.linux_leavings import clear_host, left_on_host
from tenuto.bootstrap.demo.telling import Say
from tenuto.errors import TenutoError

PREFIX = "tenuto-demo-"
LOCK = "alive"
HOST = "h1"
"""The name of the host that a demonstration makes of this machine, and of its state directory."""


@contextmanager
def demo_folder() -> Iterator[Path]:
    """A folder for one demonstration. At its end it is removed, with all that its host keeps; where something of that
    cannot be removed, the folder stays for the next try, and TenutoError says so."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield folder
        finally:
            remove(folder)
    finally:
        os.close(lock)


def remove_dead(say: Say) -> None:
    """Remove the things that dead demonstrations of this user have left in the folder of temporary files, and tell it.
    A thing that cannot be removed is told, too, and hinders nothing."""
    for folder in sorted(Path(tempfile.gettempdir()).glob(f"{PREFIX}*")):
        with _taken(folder) as is_dead:
            if not is_dead:
                continue
            found = [f"its folder {folder}", *left_on_host(folder / HOST)]
            say(f"A demonstration that was killed has left this, which is removed: {', '.join(found)}.")
            try:
                remove(folder)
            except (TenutoError, OSError) as failed:
                say(f"  {failed}")


def remove_dead_one(folder: Path) -> None:
    """Remove the things that one demonstration has left, whose process ends or has ended. Raises TenutoError and
    OSError.
    """
    with _taken(folder, waits=True) as is_dead:
        if is_dead:
            remove(folder)


def remove(folder: Path) -> None:
    """Remove a demonstration whose lock is held. Raises TenutoError for things that cannot be removed, OSError."""
    if problems := clear_host(folder / HOST):
        raise TenutoError(
            f"The demonstration in {folder} left what could not be removed: {'; '.join(problems)}. The next 'tenuto "
            "demo' tries it again."
        )
    for entry in sorted(folder.iterdir()):
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != LOCK:
            entry.unlink()
    (folder / LOCK).unlink(missing_ok=True)
    folder.rmdir()


@contextmanager
def _taken(folder: Path, *, waits: bool = False) -> Iterator[bool]:
    """Whether a folder is that of a dead demonstration of this user. Its lock is held until the end. `waits` waits for
    the death of one that lives."""
    lock = -1
    with suppress(OSError):
        if folder.lstat().st_uid == os.geteuid() and not folder.is_symlink():
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        yield lock >= 0 and _is_locked(lock, waits=waits)
    finally:
        if lock >= 0:
            os.close(lock)


def _is_locked(lock: int, *, waits: bool) -> bool:
    """Lock a file that no process has locked; whether that went."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    # Another remover may have ended in between: then the file is gone.
    return os.fstat(lock).st_nlink > 0
