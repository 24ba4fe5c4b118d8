"""Rights of this process: a program that began as root goes on as another user, and never gets root back."""

import ctypes
import os
import pwd
from pathlib import Path

_NO_NEW_PRIVILEGES = 38
"""The number of PR_SET_NO_NEW_PRIVS, which no header for Python names."""


def become(user: str, folder: Path) -> None:
    """Go on as a user of this machine, who owns the folder and all in it from now on.

    Raises KeyError when there is no such user, and OSError when this process may not.
    """
    entry = pwd.getpwnam(user)
    for path in (folder, *folder.rglob("*")):
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)
    os.setgroups([])
    os.setresgid(entry.pw_gid, entry.pw_gid, entry.pw_gid)
    # A process of root that changes all its users loses every capability by it.
    os.setresuid(entry.pw_uid, entry.pw_uid, entry.pw_uid)
    if ctypes.CDLL(None, use_errno=True).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the process cannot refuse new privileges")
