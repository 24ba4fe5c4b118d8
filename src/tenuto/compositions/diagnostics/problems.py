"""The collector of diagnostics: one per compilation, so that all problems of a file are shown together.

It keeps the rules of DECISIONS 29 in one place: the order of the file, no problem twice, and one entry for a name that
is unknown in ten places. It also knows the text of the file, to quote the line and to find a word inside a long text.
"""

from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from tenuto.compositions.diagnostics.codes import NOT_IN_ENUM, Code, acceptable
from tenuto.compositions.diagnostics.nodes import Node, Scalar
from tenuto.kit.first_names import first_of
from tenuto.model.diagnostic import Diagnostic, Position, Severity

_MANY = 8
"""The number of names that a message lists before it counts the rest."""
_ACCEPTED = "The composition accepts it: AWS decides."
_SHOWN = 255
"""Characters of a name in a message; a logical id has no more."""
_Key = tuple[str, object, str, bool]
"""The code, the place or word, the detail, and whether it is accepted: by an alias, two resources have one place."""


class Problems:
    """Collects the diagnostics of one file, and has a collector like itself for each file that it brings in."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._lines = {file: text.splitlines()}
        self._others: list[Problems] = []
        self._found: dict[_Key, Diagnostic] = {}
        self._also: dict[_Key, list[int]] = {}
        self._excuses: list[Callable[[Diagnostic], bool]] = []
        self._acceptable: Container[str] = ()
        self._accepted: Container[str] = ()
        self._keys: dict[str, str] = {}
        self._waits: dict[str, None] = {}

    @property
    def waits(self) -> tuple[str, ...]:
        """The keys of the parameter store whose values would have decided more, in all files."""
        return tuple(self._waits)

    @property
    def open_parameters(self) -> Container[str]:
        """The parameters whose values only the running process knows, in all files."""
        return self._keys.keys()

    def leave_open(self, parameter: str, key: str = "") -> None:
        """Know that this parameter, named as in the whole composition, has no value yet, but perhaps a key."""
        self._keys[parameter] = key

    def wait_for(self, name: str) -> str:
        """Remember that a decision waits for the parameter of this name, and return its key; empty for all but
        parameters that the provider looks up."""
        key = self._keys.get(name, "")
        if key:
            self._waits[key] = None
        return key

    def other(self, file: str, text: str) -> "Problems":
        """Return the collector of another file; its problems are told after those of this one."""
        other = Problems(file, text)
        other._lines = {**self._lines, **other._lines}
        other._keys, other._waits = self._keys, self._waits
        self._others.append(other)
        return other

    def learn(self, file: str, text: str) -> None:
        """Know the lines of a file whose parts stand in this one."""
        self._lines[file] = text.splitlines()

    def excuse(self, is_excused: Callable[[Diagnostic], bool]) -> None:
        """Be silent from now on about problems that follow from a reported error."""
        self._excuses.append(is_excused)

    @contextmanager
    def judging(self, type_name: str, accepted: Container[str]) -> Iterator[None]:
        """Check the properties of a resource within the context. Errors of the codes that it accepts are warnings; the
        others that it could accept say how."""
        self._acceptable, self._accepted = acceptable(type_name), accepted
        try:
            yield
        finally:
            self._acceptable, self._accepted = (), ()

    def add(
        self,
        code: Code,
        at: Position | Node | None,
        detail: str,
        *,
        hint: str = "",
        subject: str = "",
        once: str = "",
        rule: str = "",
        source_line: str | None = None,
    ) -> None:
        """Report a problem. With `once`, later ones of the same code and word only add their line to the first.

        `source_line` is the line of a place in another file.
        """
        position = at if isinstance(at, Position) or at is None else at.position
        is_accepted = code.code in self._accepted
        key = (code.code, once or position, "" if once else detail, is_accepted)
        if key in self._found:
            if position and self._found[key].position != position:
                self._also[key].append(position.line)
            return
        found = Diagnostic(
            severity=Severity.WARNING if is_accepted else code.severity,
            code=code.code,
            summary=code.summary,
            detail=detail,
            subject=subject,
            hint=_ACCEPTED if is_accepted else self._advice(code, hint or code.hint),
            position=position,
            source_line=self._line(position) if source_line is None else source_line,
            rule=rule,
        )
        if not any(is_excused(found) for is_excused in self._excuses):
            self._also[key] = []
            self._found[key] = found

    def _advice(self, code: Code, hint: str) -> str:
        """The hint, with the way to accept the problem. A word of today is near one of yesterday: its neighbour alone
        would be no help."""
        if code.code not in self._acceptable or (hint and code is not NOT_IN_ENUM):
            return hint
        way = f"If AWS takes it, write 'Metadata: {{Tenuto: {{accept: [{code.code}]}}}}' into the resource."
        return f"{hint} {way}".strip()

    @property
    def has_errors(self) -> bool:
        own = any(found.severity is Severity.ERROR for found in self._found.values())
        return own or any(other.has_errors for other in self._others)

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, by place and code; those without a place first. A file that was brought in twice
        tells the same only once.
        """
        found = sorted((self._with_also(key, one) for key, one in self._found.items()), key=_order)
        for other in self._others:
            found += other.diagnostics()
        return tuple(dict.fromkeys(found))

    def _with_also(self, key: _Key, diagnostic: Diagnostic) -> Diagnostic:
        lines = sorted(set(self._also[key]) - {diagnostic.position.line if diagnostic.position else 0})
        if not lines:
            return diagnostic
        return replace(diagnostic, detail=f"{diagnostic.detail} Also on line {', '.join(map(str, lines))}.")

    def _line(self, position: Position | None) -> str:
        lines = self._lines.get(position.file, ()) if position else ()
        if position is None or not 1 <= position.line <= len(lines):
            return ""
        return lines[position.line - 1]

    def find(self, word: str, inside: Scalar) -> Position:
        """Return the position of `word` inside a text; the text's own when it is spelled differently there."""
        return self.found(word, inside, inside.position) or inside.position

    def found(self, word: str, inside: Scalar, start: Position) -> Position | None:
        """Return the position of `word` inside a text, at `start` or behind it; None when it is spelled differently
        there.
        """
        lines = self._lines.get(start.file, ())
        for number in range(start.line, min(inside.last_line, len(lines)) + 1):
            column = lines[number - 1].find(word, start.column - 1 if number == start.line else 0)
            if column >= 0:
                return Position(file=start.file, line=number, column=column + 1, length=len(word))
        return None


def _order(diagnostic: Diagnostic) -> tuple[int, int, str, str]:
    position = diagnostic.position
    return (position.line if position else 0, position.column if position else 0, diagnostic.code, diagnostic.detail)


def is_storable(text: str) -> bool:
    """Whether the text can be written as UTF-8: JSON's escapes and a shell's arguments can hold a text that cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shortened(text: str) -> str:
    """The beginning of a text that can be of any length, for a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def sentence(text: str) -> str:
    """The message of another program, with an end."""
    text = text.strip()
    return text if text.endswith((".", "!", "?")) else f"{text}."


def listed(names: Iterable[str]) -> str:
    """Names for a message, sorted, and how many more there are."""
    every = sorted(set(names))
    return first_of(every, _MANY) or "none"
