"""Files for their owner's eyes only: no reader ever sees half of one, or an open mode."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


@contextmanager
def private_draft(path: Path, content: bytes, *, mode: int = 0o600) -> Iterator[Path]:
    """A file beside `path` with this content, on the disk and never of another mode, for the caller to bring into its
    place.

    If it is still there at the end, it is removed. Raises OSError.
    """
    draft = path.with_name(f"{path.name}.{token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)
