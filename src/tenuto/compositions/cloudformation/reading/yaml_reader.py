"""YAML to tree, from the parser's events.

The events are read instead of a loaded document because a loader hides the facts that a diagnostic needs: where a key
stands, that it was there twice, how a number was spelled, which tag a value carried. A short form such as `!Ref Vpc`
becomes the long one, `{"Ref": "Vpc"}`, so that nothing after the reader knows two spellings. Plain scalars follow YAML
1.2's core schema: `no` is a text and a date is a text.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tenuto.compositions.cloudformation.reading import building, forms
from tenuto.compositions.cloudformation.reading.building import UnreadableError
from tenuto.compositions.cloudformation.reading.yaml_mistakes import Mark, mistake_in
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Broken, Entry, Fields, Items, Node, Scalar, moved
from tenuto.compositions.diagnostics.problems import Problems, is_storable
from tenuto.kit.nearest import did_you_mean
from tenuto.model.diagnostic import Position

_STANDARD = "tag:yaml.org,2002:"
_PLAIN_TAGS = frozenset({"str", "int", "float", "bool", "null", "map", "seq"})
_FUNCTIONS = (*forms.FORMS, *sorted(forms.UNSUPPORTED.keys() | forms.RULE_FUNCTIONS))
_SHORT_FORMS = {
    "!Ref": "Ref",
    "!Condition": "Condition",
    **{f"!{name.removeprefix('Fn::')}": name for name in _FUNCTIONS if name != "Ref"},
}
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}


def parse(text: str, problems: Problems) -> Node | None:
    """Parse the document; None when the text holds none. Raises UnreadableError."""
    builder = _Builder(problems, building.most_nodes(text))
    for event in _events(text, problems.file):
        builder.take(event)
    return builder.root


def _events(text: str, file: str) -> Iterator[Any]:
    # Imported here because it costs more than all of `tenuto --help`, and only a compilation needs it.
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    from tenuto.compositions.cloudformation.reading.block_scanner import BlockScanner

    yaml = YAML(typ="safe", pure=True)
    yaml.Scanner = BlockScanner
    try:
        yield from yaml.parse(text)
    except MarkedYAMLError as error:
        at, since = _mark(error.problem_mark or error.context_mark), _mark(error.context_mark)
        found = mistake_in(text, error.problem or "", at or Mark(0, 0), error.context or "", since)
        position = Position(file=file, line=found.line + 1, column=found.column + 1, length=found.length)
        raise UnreadableError(codes.YAML_SYNTAX, position, found.detail, found.hint) from error
    except YAMLError as error:
        detail = "A control character stands here, which YAML does not allow."
        raise UnreadableError(
            codes.YAML_SYNTAX, _place(error, text, file), detail, "Remove the control character."
        ) from error


def _place(error: Exception, text: str, file: str) -> Position | None:
    """Return the place of a character that YAML does not allow; such errors carry an offset instead of a mark."""
    offset = getattr(error, "position", None)
    if not isinstance(offset, int):
        return None
    before = text[:offset]
    return Position(file=file, line=before.count("\n") + 1, column=offset - (before.rfind("\n") + 1) + 1)


def _mark(mark: Any) -> Mark | None:
    return None if mark is None else Mark(mark.line, mark.column)


@dataclass(slots=True, kw_only=True)
class _Frame:
    """A collection that is still open. In a mapping, keys and values alternate in `nodes`."""

    is_mapping: bool
    tag: str | None
    anchor: str | None
    position: Position
    nodes: list[Node] = field(default_factory=list)


class _Builder:
    """Builds the tree from events, with its own stack: depth is a limit here and not the interpreter's."""

    def __init__(self, problems: Problems, most_nodes: int) -> None:
        self.root: Node | None = None
        self._most_nodes = most_nodes
        self._problems = problems
        self._stack: list[_Frame] = []
        self._anchors: dict[str, Node] = {}
        self._nodes = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            self._add(self._scalar(event), event.anchor)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, kind == "MappingStartEvent")
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            frame = self._stack.pop()
            self._add(self._collection(frame), frame.anchor)
        elif kind == "AliasEvent":
            self._alias(event)
        elif kind == "DocumentStartEvent":
            self._documents += 1
            if self._documents > 1:
                detail = "A second document starts here, after a line of three dashes."
                raise UnreadableError(codes.MORE_DOCUMENTS, self._at(event), detail)

    def _open(self, event: Any, is_mapping: bool) -> None:
        position = self._at(event)
        if len(self._stack) >= building.DEEPEST:
            raise UnreadableError(
                codes.TOO_DEEP, position, f"The document is deeper than {building.DEEPEST} levels here."
            )
        frame = _Frame(is_mapping=is_mapping, tag=_tag(event), anchor=event.anchor, position=position)
        self._stack.append(frame)

    def _alias(self, event: Any) -> None:
        position = self._at(event, 1 + len(event.anchor))
        if any(frame.anchor == event.anchor for frame in self._stack):
            detail = f"The alias *{event.anchor} stands inside of its own anchor &{event.anchor}."
            raise UnreadableError(codes.CIRCULAR_ALIAS, position, detail)
        if event.anchor not in self._anchors:
            detail = f"There is no anchor &{event.anchor} above."
            raise UnreadableError(
                codes.YAML_SYNTAX,
                position,
                detail,
                "Name an anchor that stands above the alias, or put the value in quotes if it is a text.",
            )
        node = self._anchors[event.anchor]
        if len(self._stack) + building.height(node) > building.DEEPEST:
            raise UnreadableError(
                codes.TOO_DEEP, position, f"With its alias followed, it has over {building.DEEPEST} levels."
            )
        self._count(building.size(node), position)
        self._add(moved(node, position) if isinstance(node, Scalar) else node, None)

    def _add(self, node: Node, anchor: str | None) -> None:
        self._count(1, node.position)
        if anchor:
            self._anchors[anchor] = node
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        if frame.is_mapping and len(frame.nodes) % 2 == 0 and not isinstance(node, Scalar):
            raise UnreadableError(
                codes.KEY_NOT_TEXT, node.position, "A list, a mapping or a function is used as a key here."
            )
        frame.nodes.append(node)

    def _count(self, more: int, position: Position) -> None:
        self._nodes += more
        if self._nodes > self._most_nodes:
            raise UnreadableError(codes.TOO_MANY_NODES, position, f"It has more than {self._most_nodes:,} values.")

    def _collection(self, frame: _Frame) -> Node:
        if not frame.is_mapping:
            return self._tagged(Items(items=tuple(frame.nodes), position=frame.position), frame.tag, frame.position)
        entries: list[Entry] = []
        merged: list[Entry] = []
        for key, value in zip(frame.nodes[::2], frame.nodes[1::2], strict=True):
            if isinstance(key, Scalar) and key.text == "<<":
                merged.extend(_merged(value))
            elif isinstance(key, Scalar):
                entries.append(Entry(key=key, value=value))
        own = {entry.name for entry in entries}
        inherited = {entry.name: entry for entry in reversed(merged) if entry.name not in own}
        position = frame.position
        if entries and not frame.tag:
            # A mapping is shown by its first key: its own mark may be a brace, or nothing at all.
            position = entries[0].key.position
        fields = building.mapping([*entries, *reversed(inherited.values())], position, self._problems)
        return self._tagged(fields, frame.tag, frame.position)

    def _scalar(self, event: Any) -> Node:
        tag = _tag(event)
        start, end = event.start_mark, event.end_mark
        length = end.column - start.column if end.line == start.line else 1
        if end.line != start.line and tag:
            length = len(tag)
        position = self._at(event, length)
        if not event.value and event.style is None and not tag:
            position = self._key_position() or position
        is_plain = event.style is None and tag != f"{_STANDARD}str"
        text = event.value
        if not is_storable(text):
            raise UnreadableError(codes.YAML_SYNTAX, position, "The text holds half of a surrogate pair.")
        value: str | int | float | bool | None = text
        if is_plain and not (tag and not text):
            value = _WORDS[text] if text in _WORDS else building.number(text)
        if isinstance(value, bool):
            # CloudFormation reads `True` as a boolean first; where it wants a text, it compares and sends `true`.
            text = text.lower()
        node = Scalar(value=value, text=text, position=position, last_line=end.line + 1)
        return self._tagged(node, tag, position)

    def _key_position(self) -> Position | None:
        """The key that waits for its value: the parser sees a missing value only where the next thing begins."""
        frame = self._stack[-1] if self._stack else None
        return frame.nodes[-1].position if frame and frame.is_mapping and len(frame.nodes) % 2 else None

    def _tagged(self, node: Node, tag: str | None, position: Position) -> Node:
        if tag is None or tag == "!" or tag.removeprefix(_STANDARD) in _PLAIN_TAGS:
            return node
        if tag not in _SHORT_FORMS:
            building.check_directive(tag.removeprefix("!"), position)
            hint = did_you_mean(tag, _SHORT_FORMS)
            self._problems.add(codes.UNKNOWN_TAG, position, f"There is no short form {tag}.", hint=hint)
            return Broken(position=position)
        position = replace(position, length=max(position.length, len(tag)))
        name = _SHORT_FORMS[tag]
        key = Scalar(value=name, text=name, position=position, last_line=position.line)
        return Fields(entries=(Entry(key=key, value=node),), position=position)

    def _at(self, event: Any, length: int = 1) -> Position:
        mark = event.start_mark
        return Position(file=self._problems.file, line=mark.line + 1, column=mark.column + 1, length=max(1, length))


def _tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)


def _merged(value: Node) -> list[Entry]:
    """The entries that a merge key brings in; of several mappings the earlier one wins."""
    if isinstance(value, Fields):
        return list(value.entries)
    if isinstance(value, Items):
        return [entry for item in value.items if isinstance(item, Fields) for entry in item.entries]
    return []
