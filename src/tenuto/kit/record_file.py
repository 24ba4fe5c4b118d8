"""A short record in a file, which is written anew without more room: a full disk refuses no later one.

Theory of operation. The file has one size from its first record on, and each later one is written over it. A reader may
meet a record that is half written, so the text is in it twice, and counts where both are equal. A record that must
outlive the machine belongs into a file that is replaced as a whole (`kit.private_file`).
"""

import os
import time
from pathlib import Path

LONGEST = 200
_SIZE = 2 * LONGEST + 2
_TRIES = 20


def write_record(path: Path, text: str) -> None:
    """Write a text of one line. Raises OSError, ValueError for one that is too long."""
    content = f"{text}\n{text}\n".encode()
    if len(content) > _SIZE or "\n" in text:
        raise ValueError(f"{text[:80]!r} is no record")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.pwrite(descriptor, content.ljust(_SIZE), 0)
    finally:
        os.close(descriptor)


def read_record(path: Path) -> str:
    """The text of a record; empty where there is none that is whole. Raises OSError."""
    for _ in range(_TRIES):
        first, _, rest = path.read_text(errors="replace").partition("\n")
        if first == rest.strip() or not rest.strip():
            return first
        time.sleep(0.001)
    return ""
