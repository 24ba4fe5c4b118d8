"""The reach of users without rights: folders, and Python itself."""

import os
import subprocess
from pathlib import Path

import tenuto


def passable(folder: Path) -> Path:
    """Let all users pass through a folder and those above it that a test made."""
    for one in (folder, *folder.parents):
        if not one.stat().st_mode & 0o001:
            one.chmod(one.stat().st_mode | 0o011)
    return folder


def plain_user() -> str:
    """A user without rights who can run Tenuto; root where Tenuto is installed in a home that is closed to others."""
    dropped = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups")
    read = [subprocess.run([*dropped, "test", "-r", one], check=False) for one in (os.__file__, tenuto.__file__)]
    return "root" if any(one.returncode for one in read) else "nobody"
