"""Files of templates: read with a bound, decoded, and refused with a reason when they hold no text."""

from pathlib import Path

from tenuto.compositions.cloudformation.reading.reader import LARGEST_FILE_BYTES
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import Problems

_NO_TEXT = (
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"\x1f\x8b", "compressed by gzip"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"SQLite format 3\x00", "a database"),
)
"""The first bytes of files that are given by mistake, each with the name of the format."""


def read_text(path: Path, problems: Problems) -> str | None:
    """The text of a file without a byte order mark; None, reported, when there is none. A file that is too large is
    cut, and the reader of the text reports that."""
    try:
        # One byte more than is allowed tells that a file is too large without reading all of a huge one.
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE_BYTES + 1)
    except OSError as error:
        problems.add(codes.FILE_UNREADABLE, None, f"{path}: {error.strerror or error}.")
        return None
    if kind := next((kind for mark, kind in _NO_TEXT if content.startswith(mark)), ""):
        is_text = kind.startswith("text")
        hint = "" if is_text else "Give the template itself, which is text in YAML or JSON."
        problems.add(codes.NOT_UTF8, None, f"{path} is {kind}.", hint=hint)
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(content) <= LARGEST_FILE_BYTES:
            line = content.count(b"\n", 0, error.start) + 1
            detail = f"Byte {error.start} of {path}, on line {line}, cannot be part of UTF-8 text."
            problems.add(codes.NOT_UTF8, None, detail)
            return None
        text = content.decode("utf-8", errors="replace")
    return text.removeprefix("\ufeff")
