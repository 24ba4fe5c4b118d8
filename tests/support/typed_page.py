"""A page of the documents, typed from its first line to its last by somebody who follows it.

Theory of operation. The blocks of a page are taken in their order. A block of `yaml`, `toml`, `json`, `python` that the
text before it (or its first line, as a comment) names a file for is written to that file; each line of a block of `sh`,
and each line of a block of `console` that begins with `$`, is typed into one shell, which stays. What a block of
`console` shows below a line must come out, line by line and in this order; what differs from one time to the next
(numbers, ids, moments, widths) may differ, and `…` stands for anything.

`Reader.said` is what came in truth. A page that is to show exactly that is written anew from it (`with_answers`).

A page supposes things: a process that runs, a file of the reader's. A test gives it these: `instead` of a name that
cannot be had here it types another one, `before` a line it does what the text asks for, and `skipped` are lines that
nobody should type in a test, each with its reason. All of these must occur in the page, so that none outlives its line.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_FILE = re.compile(r"`([\w./-]+\.(?:yaml|toml|json|py))`[^`]*\Z")
_FIRST = re.compile(r"\A# ([\w./-]+\.(?:yaml|toml|py))\n")
_WRITTEN = frozenset({"yaml", "toml", "json", "python"})
_VARIABLE = re.compile(r"\S*…|[a-z]+-(?=[0-9a-f]*\d)[0-9a-f]{4,}|\d[\w:.,-]*|\b[kKMG]?B\b|-{3,}|\s+")
"""What may differ: what was left out, ids, numbers and moments, units, lines of tables, widths."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is typed, and what the page shows of its answer."""

    text: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class File:
    """A file that the page gives."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a line."""

    code: int
    out: str


class Bash:
    """A bash in a folder, in which `tenuto` is this Tenuto, and every question is answered with yes."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        programs = folder / ".programs"
        programs.mkdir()
        for name, module in {"tenuto": "tenuto -y", "python": "", "python3": ""}.items():
            program = programs / name
            called = f"-m {module}" if module else ""
            given = "</dev/null" if module else ""
            program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {called} "$@" {given}\n')
            program.chmod(0o755)
        path = f"{programs}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        self._bash = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=dict(environment) | {"PATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def type(self, line: str) -> Done:
        """Type a line, and wait until the shell wants another one."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        end = uuid.uuid4().hex
        self._bash.stdin.write(f"{line}\n_code=$?; echo; echo {end} $_code\n")
        self._bash.stdin.flush()
        told: list[str] = []
        for answer in self._bash.stdout:
            if answer.startswith(end):
                return Done(code=int(answer.split()[1]), out="".join(told))
            told.append(answer)
        raise AssertionError(f"the shell ended at {line!r}: {''.join(told)}")

    def close(self) -> None:
        """End the shell, and all that was begun in it."""
        os.killpg(self._bash.pid, signal.SIGTERM)
        self._bash.communicate()


@dataclass(kw_only=True)
class Reader:
    """Somebody who follows a page, and what the test gives to it."""

    page: Path
    bash: Bash
    section: str = ""
    """The heading of the part that is typed; all of the page without."""
    instead: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    """The exit codes of lines that do not end with 0."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    conductor: Callable[..., str] | None = None
    """What starts a Conductor with the options of a line that would do so in the foreground; what that says."""
    is_blind: bool = False
    """True to type without a check of what the page shows."""
    passing: str = r"(?!)"
    """A pattern of lines that come or not, as fast as things go: they are shown, and not waited for."""
    said: dict[str, str] = field(default_factory=dict)
    """What came, by the line that was typed."""

    @property
    def text(self) -> str:
        """What is typed of the page."""
        whole = self.page.read_text(encoding="utf-8")
        return whole.split(f"\n## {self.section}\n")[1].split("\n## ")[0] if self.section else whole

    def follow(self) -> None:
        """Type the whole page. Raises AssertionError where the page promises what does not come."""
        for key in (*self.instead, *self.before, *self.codes, *self.skipped):
            assert key in self.text, f"{self.page.name} does not say {key!r} any more"
        for part in parts(self.text):
            if isinstance(part, File):
                path = Path(self.bash.type("pwd").out.strip()) / part.name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._mine(part.text))
            else:
                self._type(part)

    def _type(self, line: Line) -> None:
        if any(key in line.text for key in self.skipped):
            return
        for key, prepare in self.before.items():
            if key in line.text:
                prepare()
        mine = self._mine(line.text)
        if self.conductor is not None and mine.startswith("tenuto conductor") and not mine.endswith("&"):
            done = Done(code=0, out=self.conductor(*shlex.split(mine)[2:]))
        else:
            done = self.bash.type(mine)
        self.said[line.text] = done.out
        wanted = next((code for key, code in self.codes.items() if key in line.text), 0)
        assert done.code == wanted, f"{self.page.name}: {line.text} ended with {done.code}:\n{done.out}"
        shown = [self._mine(one) for one in line.shown if not re.match(self.passing, one)]
        missing = first_missing(shown, done.out.splitlines())
        assert missing is None or self.is_blind, (
            f"{self.page.name}: {line.text} is to show {missing!r}, and shows:\n{done.out}"
        )

    def _mine(self, text: str) -> str:
        if not self.instead:
            return text
        return re.sub("|".join(map(re.escape, self.instead)), lambda found: self.instead[found[0]], text)


def with_answers(text: str, said: Mapping[str, str], most: int = 9) -> str:
    """A page whose blocks of `console` show what came of each line, and of a long answer its first and last lines."""

    def block(found: re.Match[str]) -> str:
        kind, body = found.groups()
        if kind != "console":
            return found[0]
        lines = [line for line in _typed(_joined(body)) if line.text in said]
        shown = "\n\n".join("\n".join([f"$ {line.text}", *_shortened(said[line.text], most)]) for line in lines)
        return f"```console\n{shown}\n```" if lines else found[0]

    return _BLOCK.sub(block, text)


def _shortened(told: str, most: int) -> list[str]:
    """An answer of at most about `most` lines: its beginning, and how it ended, with the outputs below that."""
    lines = told.strip("\n").splitlines()
    if len(lines) <= most:
        return lines
    end = max((index for index, line in enumerate(lines) if line.startswith("Process ")), default=len(lines) - 2)
    return [*lines[:3], f"  … {end - 3} lines more", *lines[end:]]


def parts(text: str) -> Iterator[Line | File]:
    """What is to be typed and written, in the order of the page."""
    for block in _BLOCK.finditer(text):
        kind, body = block.groups()
        if kind == "sh":
            yield from (Line(line) for line in _joined(body) if line.strip() and not line.startswith("#"))
        elif kind == "console":
            yield from _typed(_joined(body))
        elif kind in _WRITTEN:
            named = _FIRST.match(body) or _FILE.search(text[: block.start()][-200:])
            if named:
                yield File(named[1], body)


def _joined(body: str) -> list[str]:
    """Lines as a shell reads them."""
    return body.replace("\\\n", " ").splitlines()


def _typed(lines: list[str]) -> Iterator[Line]:
    typed, shown = "", []
    for line in lines:
        if line.startswith("$ "):
            if typed:
                yield Line(typed, tuple(shown))
            typed, shown = line[2:], []
        elif line.strip() and not line.strip().startswith("…"):
            shown.append(line)
    if typed:
        yield Line(typed, tuple(shown))


def first_missing(shown: list[str], told: list[str]) -> str | None:
    """The first line of `shown` that does not come in `told`, after those before it; None when all do."""
    rest = iter(told)
    for line in shown:
        pattern = _pattern(line)
        if not any(pattern.fullmatch(found.strip()) for found in rest):
            return line
    return None


def _pattern(line: str) -> re.Pattern[str]:
    pieces: list[str] = []
    end = 0
    text = line.strip()
    for found in _VARIABLE.finditer(text):
        pieces += [re.escape(text[end : found.start()]), _anything_like(found[0])]
        end = found.end()
    return re.compile("".join([*pieces, re.escape(text[end:])]))


def _anything_like(text: str) -> str:
    if text.endswith("…"):
        return ".*"
    if text.endswith("B"):
        return "[kKMG]?B"
    if text.startswith("---"):
        return "-+"
    if text.isspace():
        return r"\s+"
    return r"[a-z]+-[0-9a-f]+" if text[0].isalpha() else r"\d[\w:.,-]*"
