"""`Fn::ForEach`: entries that are written once and stand once for each item of a list.

Theory of operation. A loop is text that stands for other text, so it is expanded before anything else is read, and the
later passes never know of it: `{"Fn::ForEach::NAME": [IDENTIFIER, LIST, {KEY: VALUE}]}` becomes the entries `{KEY:
VALUE}` for each item, with the item in place of `${IDENTIFIER}`, of `&{IDENTIFIER}` (without signs that are no letter
or digit) and of `!Ref IDENTIFIER`. All loops are expanded in one walk that carries the items of the loops around it; so
the cost of a loop in a loop is that of its result. Copies keep the places of their source: a problem in one of them is
shown at the line that was written. The result is bounded, since three loops of a thousand items fit in a few lines.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import forms
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Entry,
    Expression,
    Fields,
    Items,
    Node,
    Scalar,
    describe,
    is_broken,
    walk,
)
from tenuto.compositions.diagnostics.problems import Problems, shortened
from tenuto.core.language.resolve import open_expressions
from tenuto.errors import TenutoError
from tenuto.model.diagnostic import Diagnostic

PREFIX = "Fn::ForEach"
SECTIONS = ("Conditions", "Resources", "Outputs")
"""The sections in which loops work, at any depth."""
_FORM = '"Fn::ForEach::NAME": [IDENTIFIER, LIST, {KEY: VALUE}]'
_NAME = re.compile(r"Fn::ForEach::[A-Za-z0-9]+")
_PLACEHOLDER = re.compile(r"([$&])\{([^{}!]+)\}")
_NO_LETTER = re.compile(r"[^A-Za-z0-9]")
_MOST_CHARACTERS = 67_108_864
"""The most characters of all the texts that loops make: as many as a file may have."""
_FOLLOW = frozenset(
    one.code
    for one in (
        *(codes.NO_RESOURCES, codes.NOTHING_LEFT, codes.UNKNOWN_NAME, codes.UNKNOWN_RESOURCE),
        *(codes.UNKNOWN_CONDITION, codes.UNKNOWN_DEPENDENCY),
    )
)

_Bound = Mapping[str, str]
"""The items of the loops around a place, by identifier."""


class _FullError(TenutoError):
    """The loops make more than is allowed. Never leaves this module."""


class Loops:
    """Expands the loops of one template. `evaluate` folds a list of items; `most_nodes` may be made, and no more."""

    def __init__(
        self,
        evaluate: Callable[[Node], Node | None],
        problems: Problems,
        *,
        secrets: Collection[str],
        is_allowed: bool,
        most_nodes: int,
    ) -> None:
        self._evaluate = evaluate
        self._secrets = secrets
        self._problems = problems
        self._is_allowed = is_allowed
        self._most_nodes = most_nodes
        self._nodes = 0
        self._characters = 0
        self._at: Entry | None = None

    def expand(self, root: Fields) -> Fields | None:
        """The template without loops; None when they make too much, which is reported."""
        try:
            entries = tuple(
                replace(entry, value=self._expanded(entry.value, {}))
                if entry.name in SECTIONS and _has_loops(entry.value)
                else entry
                for entry in root.entries
            )
        except _FullError:
            detail = (
                f"The loops of a template may make {self._most_nodes:,} values and {_MOST_CHARACTERS:,} characters, "
                "and here they make more."
            )
            self._problems.add(codes.LOOP_TOO_LARGE, self._at.key if self._at else root, detail)
            return None
        return replace(root, entries=entries)

    def _expanded(self, node: Node, bound: _Bound) -> Node:
        if bound:
            self._count()
        if isinstance(node, Scalar):
            return self._filled(node, bound) if bound else node
        if isinstance(node, Items):
            return replace(node, items=tuple(self._expanded(item, bound) for item in node.items))
        if not isinstance(node, Fields):
            return node
        if bound and node.names == ("Ref",):
            item = bound.get(forms.text(node.entries[0].value))
            if item is not None:
                return Scalar(value=item, text=item, position=node.position, last_line=node.position.line)
        if bound and node.names == ("Fn::Sub",) and isinstance(node.entries[0].value, Scalar):
            # A rest without a variable is a text, also where no function may stand (DependsOn, Condition).
            text = self._filled(node.entries[0].value, bound)
            if "${" not in text.text and text is not node.entries[0].value:
                return replace(text, position=node.position)
        kept: dict[str, Entry] = {}
        for entry in self._entries(node, bound):
            if kept.setdefault(entry.name, entry) is not entry:
                self._twice(entry)
        return replace(node, entries=tuple(kept.values()))

    def _entries(self, node: Fields, bound: _Bound) -> Iterator[Entry]:
        for entry in node.entries:
            if entry.name.startswith(PREFIX):
                yield from self._loop(entry, bound)
            else:
                key = self._filled(entry.key, bound) if bound else entry.key
                yield Entry(key=key, value=self._expanded(entry.value, bound))

    def _loop(self, entry: Entry, bound: _Bound) -> Iterator[Entry]:
        self._at = entry
        self._count()
        if not self._is_allowed:
            detail = f"{PREFIX} is one of the language extensions, and the template does not ask for them."
            hint = "Add the line `Transform: AWS::LanguageExtensions`."
            self._problems.add(codes.FUNCTION_NOT_SUPPORTED, entry.key, detail, hint=hint)
        parts = _parts(entry)
        if parts is None:
            self._malformed(entry.key, f"A loop is written {_FORM}.")
            return
        identifier, collection, body = parts
        if identifier in bound:
            self._malformed(entry.key, f"{identifier} is the identifier of a loop around this one already.")
            return
        for item in self._collection(collection, bound):
            self._count()
            yield from self._entries(body, {**bound, identifier: item})
            self._at = entry

    def _collection(self, node: Node, bound: _Bound) -> list[str]:
        """The items, which must be known before anything else is."""
        filled = self._expanded(node, bound)
        if any(isinstance(one, Fields) and one.names == ("Fn::If",) for one in walk(filled)):
            self._malformed(node, "The list of a loop is known before the conditions are, so it cannot hold Fn::If.")
            return []
        found = self._evaluate(filled)
        if found is None or is_broken(found):
            self._skip()
            return []
        waiting = [one for one in walk(found) if isinstance(one, Expression)]
        if waiting:
            self._unknown(waiting[0])
            return []
        if not isinstance(found, Items):
            self._malformed(node, f"The list of a loop must be a list, and is {describe(found)}.")
            return []
        for one in found.items:
            if not isinstance(one, Scalar):
                self._malformed(one, f"An item of a loop must be text, and is {describe(one)}.")
        return [one.text for one in found.items if isinstance(one, Scalar)]

    def _unknown(self, waiting: Expression) -> None:
        secret = next((one.name for one in open_expressions(waiting.value) if one.name in self._secrets), "")
        if secret:
            self._malformed(waiting, f"{secret} has NoEcho, and the items of a loop stand in the composition in clear.")
            return
        report_undecidable(waiting, "The list of a loop", self._problems)
        self._skip()

    def _filled(self, scalar: Scalar, bound: _Bound) -> Scalar:
        """The text with the items in place of their identifiers; paid for before it is made."""
        if not isinstance(scalar.value, str) or "{" not in scalar.text:
            return scalar
        growth = 0
        for match in _PLACEHOLDER.finditer(scalar.text):
            growth += len(bound.get(match[2], match[0])) - len(match[0])
        self._characters += len(scalar.text) + growth
        if self._characters > _MOST_CHARACTERS:
            raise _FullError("characters")
        text = _PLACEHOLDER.sub(lambda match: _item(match, bound), scalar.text)
        return scalar if text == scalar.text else replace(scalar, value=text, text=text)

    def _count(self) -> None:
        self._nodes += 1
        if self._nodes > self._most_nodes:
            raise _FullError("values")

    def _twice(self, entry: Entry) -> None:
        detail = f"{shortened(entry.name)} is made more than once; only one of them can count."
        hint = "Put ${IDENTIFIER} of the loop into the key, and each item into the list once."
        at = entry.key.position
        once = f"{at.line}:{at.column}"  # A thousand copies of one key are one mistake.
        self._problems.add(codes.DUPLICATE_KEY, entry.key, detail, subject=entry.name, hint=hint, once=once)

    def _malformed(self, node: Node, detail: str) -> None:
        self._problems.add(codes.WRONG_ARGUMENTS, node, detail, subject=PREFIX)
        self._skip()

    def _skip(self) -> None:
        """Excuse references to the names that the loop would have made: their absence is no mistake of those who refer
        to them.
        """
        self._problems.excuse(_follows)


def _has_loops(section: Node) -> bool:
    """Whether there is anything to expand: most templates have no loop, and none is copied for nothing."""
    waiting = [section]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Fields):
            for entry in node.entries:
                if entry.key.text.startswith(PREFIX):
                    return True
                waiting.append(entry.value)
        elif isinstance(node, Items):
            waiting.extend(node.items)
    return False


def _follows(diagnostic: Diagnostic) -> bool:
    return diagnostic.code in _FOLLOW


def _parts(entry: Entry) -> tuple[str, Node, Fields] | None:
    """The identifier, the list and the entries of a loop; None when it is malformed."""
    if not _NAME.fullmatch(entry.name) or not isinstance(entry.value, Items) or len(entry.value.items) != 3:
        return None
    identifier, collection, body = entry.value.items
    if not isinstance(body, Fields) or not forms.is_text(identifier) or not forms.text(identifier):
        return None
    return forms.text(identifier), collection, body


def _item(match: re.Match[str], bound: _Bound) -> str:
    item = bound.get(match[2])
    if item is None:
        return match[0]
    return item if match[1] == "$" else _NO_LETTER.sub("", item)
