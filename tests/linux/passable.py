"""A folder through which every user of the machine may pass: those of machines reach their homes in it."""

from pathlib import Path


def passable(folder: Path) -> Path:
    """Let all users pass through a folder and those above it that a test made."""
    for one in (folder, *folder.parents):
        if not one.stat().st_mode & 0o001:
            one.chmod(one.stat().st_mode | 0o011)
    return folder
