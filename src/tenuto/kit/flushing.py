"""Files and folders brought to the disk, so that they outlive the machine."""

import os
from pathlib import Path


def flush(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk. Raises OSError, also for a symbolic link."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
