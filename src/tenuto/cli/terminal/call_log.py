"""The log of the command line: every call, one JSON document a line, in a file for the user's eyes only.

Theory of operation. A call is written when it has ended, with its exit code. A word that could be a secret is masked by
its place, not by its look: values of parameters and of every option that is named after a secret, and everything before
and after the host in a URL. It is better to lose a harmless word than to keep a harmful one. The file is replaced by an
empty one when it is full, and the one before is kept, so the log never takes more than twice its bound. A log that
cannot be written never fails a command.
"""

import fcntl
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from tenuto.kit.shown_urls import without_passwords

LARGEST_BYTES = 1_048_576
"""About five thousand calls."""
_LONGEST_WORD = 200
_MOST_WORDS = 60
_MASK = "****"
_SECRET = re.compile(r"param|secret|token|passw|credential|external-id|header|key|auth|command|setting", re.IGNORECASE)
_SHORT = re.compile(r"-[A-Za-z]*?p", re.ASCII)
"""`-p`, alone or behind other switches: a parameter's value is the rest of the word, or the next one."""
_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*://)(?:[^/?#]*@)?(?P<host>(?:\[[^\]/?#]*\]|[^/?#:]*)(?::\d+)?)(?P<rest>.*)",
    re.DOTALL,
)
"""A URL. A password may hold an unescaped `/`, `?` or `#`: then it looks like a port, and is among the rest."""
_USER_SECRET = re.compile(r"tenuto\.[A-Za-z0-9]+\.\S+|tnt_[A-Za-z0-9_-]{20,}")


def append(path: Path, arguments: Sequence[str], *, exit_code: int, began: float, took_s: float) -> None:
    """Add one call. Never raises."""
    line = json.dumps(
        {
            "at": datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "arguments": list(masked(arguments)),
            "folder": _folder(),
            "exit_code": exit_code,
            "took_s": round(took_s, 3),
        }
    )
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write(path, f"{line}\n".encode())


def masked(arguments: Sequence[str]) -> Iterator[str]:
    """The words of a call without those that could be a secret."""
    is_value = False
    for word in arguments[:_MOST_WORDS]:
        name, separator, value = word.partition("=")
        if is_value:
            # NAME=VALUE of a parameter keeps its name.
            yield f"{_shortened(name)}={_MASK}" if separator and re.fullmatch(r"\w+", name) else _MASK
            is_value = False
        elif name.startswith("--"):
            is_secret = _SECRET.search(name) is not None
            is_value = is_secret and not separator
            yield f"{name}={_MASK if is_secret else _plain(value)}" if separator else _shortened(name)
        elif match := _SHORT.match(word):
            rest = word[match.end() :]
            is_value = not rest
            yield f"{match[0]}{_MASK}" if rest else word
        else:
            yield f"{_shortened(name)}={_MASK}" if separator and "://" not in name else _plain(word)
    if len(arguments) > _MOST_WORDS:
        yield f"… and {len(arguments) - _MOST_WORDS} more"


def _plain(word: str) -> str:
    """A word that is no secret by its place."""
    if match := _URL.fullmatch(word):
        rest = match["rest"]
        word = f"{match['scheme']}{match['host']}{f'/{_MASK}' if rest not in ('', '/') else rest}"
    return _shortened(_USER_SECRET.sub(_MASK, without_passwords(word)))


def _shortened(word: str) -> str:
    return word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}…"


def _folder() -> str:
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _write(path: Path, line: bytes) -> None:
    """Append under a lock on the folder, so that of two calls only one replaces a full file. Raises OSError."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if path.stat().st_size + len(line) > LARGEST_BYTES:
                path.replace(path.with_name(f"{path.name}.1"))
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.fchmod(descriptor, 0o600)
            os.write(descriptor, line)
        finally:
            os.close(descriptor)
    finally:
        os.close(folder)
