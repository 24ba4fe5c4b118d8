"""JSON to tree. The standard library's parser forgets where things stood, and YAML's refuses tabs."""

import json
import re
from bisect import bisect_right
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]

from tenuto.compositions.cloudformation.reading import building
from tenuto.compositions.cloudformation.reading.building import UnreadableError
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems, is_storable
from tenuto.model.diagnostic import Position

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_BARE = re.compile(r"[A-Za-z_$][\w$.-]*")
_PYTHON = {"true": "true", "false": "false", "none": "null", "null": "null", "nan": "a number", "undefined": "null"}
"""Words of people who think of another language."""
_QUOTES = "JSON puts keys and texts in double quotes."


def parse(text: str, problems: Problems) -> Node:
    """The document. Raises UnreadableError."""
    return _Parser(text, problems).document()


class _Parser:
    """Recursive descent; `_at` is the offset of the next character."""

    def __init__(self, text: str, problems: Problems) -> None:
        self._text = text
        self._problems = problems
        self._at = 1 if text.startswith("\ufeff") else 0
        self._starts = [0, *(match.end() for match in re.finditer(r"\n", text))]
        self._nodes = 0
        self._most_nodes = building.most_nodes(text)

    def document(self) -> Node:
        node = self._value(0)
        sign = self._peek()
        if sign and sign in "]}":
            raise self._error(f"This {sign} closes nothing.", "Remove it, or look for the bracket that it belongs to.")
        if sign:
            raise self._error("The document ends before this.", "Keep one document in a file.")
        return node

    def _value(self, depth: int) -> Node:
        first = self._peek()
        start = self._at
        self._nodes += 1
        if depth > building.DEEPEST:
            raise UnreadableError(
                codes.TOO_DEEP, self._position(start), f"The document is deeper than {building.DEEPEST} levels here."
            )
        if self._nodes > self._most_nodes:
            detail = f"It has more than {self._most_nodes:,} values."
            raise UnreadableError(codes.TOO_MANY_NODES, self._position(start), detail)
        if first == "{":
            return self._mapping(depth)
        if first == "[":
            return self._list(depth)
        if first == '"':
            return self._string()
        return self._word()

    def _mapping(self, depth: int) -> Node:
        start = self._at
        self._at += 1
        entries: list[Entry] = []
        while self._more(start, bool(entries), "}"):
            key = self._key(start)
            if self._peek() != ":":
                at = key.position
                raise self._error(f"A colon is missing after {json.dumps(key.text)}.", 'Write "KEY": VALUE.', at=at)
            self._at += 1
            entries.append(Entry(key=key, value=self._value(depth + 1)))
        position = entries[0].key.position if entries else self._position(start)
        return building.mapping(entries, position, self._problems)

    def _key(self, start: int) -> Scalar:
        sign = self._peek()
        if sign == '"':
            return self._string()
        self._check_end(start, "}")
        if _BARE.match(self._text, self._at):
            raise self._error("A key stands without quotes.", _QUOTES)
        raise self._unexpected("A key in double quotes is expected here.")

    def _list(self, depth: int) -> Node:
        start = self._at
        self._at += 1
        items: list[Node] = []
        while self._more(start, bool(items), "]"):
            items.append(self._value(depth + 1))
        return Items(items=tuple(items), position=self._position(start))

    def _more(self, start: int, has_before: bool, end: str) -> bool:
        """Whether another member follows; takes the comma or the closing bracket."""
        before = self._at
        sign = self._peek()
        if sign == end:
            self._at += 1
            return False
        if not has_before:
            self._check_end(start, end)
            return True
        if sign != ",":
            self._check_end(start, end)
            self._check_comment()
            if sign == ":" and end == "]":
                raise self._colon_in_list(start)
            # Where the value before it ends: the next one may be many lines below.
            raise self._error(
                "A comma is missing behind this value.", "Separate values by commas.", at=self._position(before - 1)
            )
        comma = self._at
        self._at += 1
        if self._peek() == end:
            raise self._error(f"Trailing comma before {end}.", "Remove it.", at=self._position(comma))
        self._check_end(start, end)
        return True

    def _colon_in_list(self, start: int) -> UnreadableError:
        place = self._position(start)
        if place.line < self._position(self._at).line:
            return self._error("The bracket [ that opens here is not closed.", "Close it with ].", at=place)
        return self._error("A colon stands in a list.", "Put keys with their values in braces: { … }.")

    def _check_end(self, start: int, end: str) -> None:
        """Raise where the bracket at `start` is not closed: the file ends, or another one is closed."""
        sign = self._peek()
        name = "bracket" if end == "]" else "brace"
        opener = self._text[start]
        if not sign:
            place = self._position(start)
            raise self._error(f"The {name} {opener} that opens here is not closed.", f"Close it with {end}.", at=place)
        if sign in "]}" and sign != end:
            line = self._position(start).line
            raise self._error(f"The {name} {opener} of line {line} is closed by {sign} here.", f"Close it with {end}.")

    def _string(self) -> Scalar:
        start = self._at
        try:
            text, self._at = scanstring(self._text, start + 1, True)
        except JSONDecodeError as error:
            raise self._bad_string(start, error) from error
        if not is_storable(text):
            self._at = start
            raise self._error("The text holds half of a surrogate pair.", "")
        return self._scalar(text, text, start)

    def _bad_string(self, start: int, error: JSONDecodeError) -> UnreadableError:
        self._at = error.pos
        sign = self._text[error.pos : error.pos + 1]
        if "Unterminated" in error.msg or ("control" in error.msg and sign in "\r\n"):
            self._at = start
            detail = "The quote that opens here is not closed."
            return self._error(detail, 'Write " at the end of the text; a line break inside of it is written \\n.')
        if "control" in error.msg:
            what = "A tab" if sign == "\t" else "A control character"
            return self._error(f"{what} stands in a text.", "Write \\t for a tab, \\u and four digits for others.")
        detail = "This escape means nothing in a text."
        return self._error(detail, 'A backslash is written \\\\; escapes are \\n, \\t, \\" and \\u with four digits.')

    def _word(self) -> Node:
        start = self._at
        match = _NUMBER.match(self._text, start)
        if match:
            self._at = match.end()
            return self._scalar(building.number(match[0]), match[0], start)
        for word, value in _WORDS.items():
            if self._text.startswith(word, start):
                self._at += len(word)
                return self._scalar(value, "" if value is None else word, start)
        raise self._no_value(start)

    def _no_value(self, start: int) -> UnreadableError:
        word = _BARE.match(self._text, start)
        if word and word[0].lower() in _PYTHON:
            meant = _PYTHON[word[0].lower()]
            return self._error(f"{word[0]} is no word of JSON.", f"Write {meant}, or put the text in double quotes.")
        if word:
            return self._error("A text stands without quotes.", _QUOTES)
        return self._unexpected("A value is expected here.")

    def _unexpected(self, detail: str) -> UnreadableError:
        self._check_comment()
        sign = self._peek()
        if sign == "'":
            return self._error("A text stands in single quotes.", _QUOTES)
        if sign == ",":
            return self._error("A comma stands where a value belongs.", "Remove it, or give the value.")
        if sign:
            return self._error(detail, "")
        last = self._position(len(self._text.rstrip()) - 1)
        return self._error("The file ends here, and a value is missing.", "", at=last)

    def _check_comment(self) -> None:
        if self._text.startswith(("//", "/*", "#"), self._at):
            raise self._error("A comment stands here, and JSON has none.", "Remove it; notes go into Metadata.")

    def _scalar(self, value: str | int | float | bool | None, text: str, start: int) -> Scalar:
        position = self._position(start, self._at - start)
        return Scalar(value=value, text=text, position=position, last_line=position.line)

    def _peek(self) -> str:
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _position(self, offset: int, length: int = 1) -> Position:
        line = bisect_right(self._starts, offset)
        column = offset - self._starts[line - 1] + 1
        return Position(file=self._problems.file, line=line, column=column, length=length)

    def _error(self, detail: str, hint: str, *, at: Position | None = None) -> UnreadableError:
        place = at or self._position(min(self._at, len(self._text)))
        return UnreadableError(codes.JSON_SYNTAX, place, detail, hint)
