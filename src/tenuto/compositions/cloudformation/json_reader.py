"""JSON to tree. The standard library's parser forgets where things stood, and YAML's refuses tabs."""

import json
import re
from bisect import bisect_right
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]

from tenuto.compositions import codes
from tenuto.compositions.cloudformation import building
from tenuto.compositions.cloudformation.building import UnreadableError
from tenuto.compositions.nodes import Entry, Items, Node, Scalar
from tenuto.compositions.problems import Problems, is_storable
from tenuto.model.diagnostic import Position

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


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
        if self._peek():
            raise self._error("There is something after the end of the document")
        return node

    def _value(self, depth: int) -> Node:
        first = self._peek()
        start = self._at
        self._nodes += 1
        if depth > building.DEEPEST:
            raise UnreadableError(
                codes.TOO_DEEP, self._position(start), f"More than {building.DEEPEST} levels are open here."
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
        while self._more(entries, "}"):
            if self._peek() != '"':
                raise self._error("A key in double quotes is expected")
            key = self._string()
            if self._peek() != ":":
                raise self._error("A colon is expected after the key")
            self._at += 1
            entries.append(Entry(key=key, value=self._value(depth + 1)))
        position = entries[0].key.position if entries else self._position(start)
        return building.mapping(entries, position, self._problems)

    def _list(self, depth: int) -> Node:
        start = self._at
        self._at += 1
        items: list[Node] = []
        while self._more(items, "]"):
            items.append(self._value(depth + 1))
        return Items(items=tuple(items), position=self._position(start))

    def _more(self, before: list[Entry] | list[Node], end: str) -> bool:
        """Whether another member follows; takes the comma or the closing bracket."""
        sign = self._peek()
        if sign == end:
            self._at += 1
            return False
        if not before:
            return True
        if sign != ",":
            raise self._error(f"A comma or {end} is expected")
        self._at += 1
        if self._peek() == end:
            raise self._error(f"The comma before {end} is one too many")
        return True

    def _string(self) -> Scalar:
        start = self._at
        try:
            text, self._at = scanstring(self._text, start + 1, True)
        except JSONDecodeError as error:
            self._at = error.pos
            raise self._error(error.msg) from error
        if not is_storable(text):
            self._at = start
            raise self._error("The text holds half of a surrogate pair")
        return self._scalar(text, text, start)

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
        raise self._error("A value is expected")

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

    def _error(self, detail: str) -> UnreadableError:
        found = self._text[self._at : self._at + 1]
        what = f"; found {json.dumps(found)}" if found else "; the file ends here"
        return UnreadableError(codes.JSON_SYNTAX, self._position(min(self._at, len(self._text))), f"{detail}{what}.")
