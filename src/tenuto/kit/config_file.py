"""A configuration file: a flat TOML document of known keys, each value as the text that it stands for.

The readers of the environment want texts, so a file gives texts too, with the place of each. Paths in a file are
relative to the file, not to the user who happens to read it.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from tenuto.kit.nearest import meant

LARGEST_BYTES = 65_536
"""A few dozen lines are usual."""
DAEMONS = ("syslog", "journald")
"""Daemons that keep lines on many machines. A file of such a name is given with its folder."""


class Kind(Enum):
    """The kind of a value in the file."""

    TEXT = "text"
    NUMBER = "a number"
    FLAG = "true or false"
    PATH = "a path"
    PATHS = "a list of paths"
    PLACE = "a path or URL"
    SINK = "a path, or a daemon for logs"
    LINES = "a list of texts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value as text, and the line it stands on."""

    text: str
    line: int


class ConfigFileError(ValueError):
    """The file cannot be used. The message names it, with the line where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The environment over a configuration file. A variable that is set to nothing is as good as unset.

    `variables` are the names by which the environment may give each key; the first one that is set counts.
    """

    environ: Mapping[str, str]
    variables: Mapping[str, Sequence[str]]
    given: Mapping[str, Given]
    file: Path | None

    def text(self, key: str) -> str:
        """The text of a key; empty when neither the environment nor the file has one."""
        name = self._variable(key)
        return self.environ[name] if name else self.given[key].text if key in self.given else ""

    def origin(self, key: str) -> str:
        """Return the place that the text comes from: a variable, or a line of the file; empty for none."""
        return self._variable(key) or (f"{self.file}, line {self.given[key].line}" if key in self.given else "")

    def _variable(self, key: str) -> str:
        return next((name for name in self.variables[key] if self.environ.get(name)), "")


def check_owner(path: Path) -> None:
    """Raise ConfigFileError when another user could have written the file, FileNotFoundError or another OSError."""
    found = path.stat()
    if found.st_uid not in (os.getuid(), 0) or found.st_mode & 0o022:
        raise ConfigFileError(
            f"{path} can be written by others, or belongs to another user: it could lead to another person's "
            "servers or code; make it your own ('chown', 'chmod go-w')"
        )


def read_config(path: Path, known: Mapping[str, Kind]) -> Mapping[str, Given]:
    """The values in the file by key. Raises ConfigFileError, FileNotFoundError and other OSErrors."""
    with path.open("rb") as file:
        content = file.read(LARGEST_BYTES + 1)
    if len(content) > LARGEST_BYTES:
        raise ConfigFileError(f"{path} is larger than {LARGEST_BYTES} bytes")
    document, lines = _parsed(path, content)
    given: dict[str, Given] = {}
    for key, value in document.items():
        line = _line_of(key, lines)
        if key not in known:
            raise ConfigFileError(
                f"{path}, line {line}: there is no option {key!r}.{meant(key, known)} "
                f"There are {', '.join(sorted(known))}"
            )
        text = _text(value, known[key], path.parent)
        if text is None:
            raise ConfigFileError(f"{path}, line {line}: {key} must be {known[key].value}")
        given[key] = Given(text=text, line=line)
    return given


def _parsed(path: Path, content: bytes) -> tuple[dict[str, Any], list[str]]:
    # Imported here because most calls of a program find no file.
    import tomllib

    try:
        text = content.decode("utf-8")
        return tomllib.loads(text), text.splitlines()
    except UnicodeDecodeError as error:
        raise ConfigFileError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigFileError(f"{path} is not TOML: {error}") from error


def _line_of(key: str, lines: list[str]) -> int:
    """The line of a key or table of the document; tomllib does not tell."""
    name = re.escape(key)
    wanted = re.compile(rf"""\s*\[*\s*(?:{name}|"{name}"|'{name}')\s*[=.\]]""")
    return next((number for number, line in enumerate(lines, start=1) if wanted.match(line)), 1)


def _text(value: Any, kind: Kind, folder: Path) -> str | None:
    """The text of a value; None when it is of another kind."""
    match kind:
        case Kind.FLAG:
            return ("1" if value else "0") if isinstance(value, bool) else None
        case Kind.NUMBER:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return str(value) if is_number else None
        case Kind.PATHS:
            paths = [_text(one, Kind.PATH, folder) for one in value] if isinstance(value, list) else [None]
            return None if None in paths else os.pathsep.join(path for path in paths if path)
        case Kind.LINES:
            is_list = isinstance(value, list) and all(isinstance(one, str) for one in value)
            return "\n".join(value) if is_list else None
        case Kind.PLACE if isinstance(value, str) and ":" in value:
            return value
        case Kind.SINK if value in DAEMONS:
            return str(value)
        case Kind.PATH | Kind.PLACE | Kind.SINK:
            return str(folder / Path(value).expanduser()) if isinstance(value, str) and value else None
        case Kind.TEXT:
            return value if isinstance(value, str) else None
