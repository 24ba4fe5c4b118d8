"""`AWS::Include`: the content of a local file in place of the function, or of the transform, that names it.

Theory of operation. An include is text that stands for other text; it is put in before loops and names are read, and a
problem in it is shown in the file that has it. It may stand where a mapping stands: alone, it becomes the content of
the file; beside other keys, the keys of the file join them. Only parameters and values that follow from the region can
be part of its Location, since nothing else is known yet. A file that is included may include others.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePath

from tenuto.compositions.cloudformation.functions.undecidable import report_undecidable
from tenuto.compositions.cloudformation.reading import local_files
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Expression, Fields, Items, Node, Scalar, walk
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.template_files import read_text

INCLUDE = "AWS::Include"
_FUNCTION = "Fn::Transform"
_MOST = 500
"""Includes of one template: a file that includes two others twice would otherwise grow without end."""
_DEEPEST = 16


class Includes:
    """Puts the files into one template. `evaluate` folds the known parts of a Location."""

    def __init__(self, file: str, evaluate: Callable[[Node], Node | None], problems: Problems) -> None:
        self._folder = PurePath(file).parent
        self._evaluate = evaluate
        self._problems = problems
        self._count = 0
        self._roots: dict[Path, Fields | None] = {}

    def expand(self, root: Fields) -> Fields:
        """The template with the content of the files."""
        whole = self._transforms(root)
        found = self._expanded(whole, 0)
        return found if isinstance(found, Fields) else whole

    def _transforms(self, root: Fields) -> Fields:
        """The template with the sections of the files that its Transform section includes."""
        section = root.entry("Transform")
        if section is None:
            return root
        includes, kept = _parted(section.value)
        if not includes:
            return root
        entries = tuple(entry for entry in root.entries if entry is not section) + _left(section, kept)
        for one in includes:
            content = self._content(one)
            entries = _joined(entries, content.entries if content else ())
        return replace(root, entries=entries)

    def _expanded(self, node: Node, depth: int) -> Node:
        if isinstance(node, Items):
            return replace(node, items=tuple(self._expanded(item, depth) for item in node.items))
        if not isinstance(node, Fields):
            return node
        entries: tuple[Entry, ...] = ()
        for entry in node.entries:
            includes, kept = _parted(entry.value) if entry.name == _FUNCTION else ((), ())
            if not includes:
                entries = _joined(entries, (replace(entry, value=self._expanded(entry.value, depth)),))
                continue
            entries += _left(entry, kept)
            for one in includes:
                entries = _joined(entries, tuple(self._included(one, entry.key, depth)))
        return replace(node, entries=entries)

    def _included(self, include: Node, key: Scalar, depth: int) -> Iterator[Entry]:
        self._count += 1
        if depth >= _DEEPEST or self._count > _MOST:
            detail = f"Files include each other without end, or more than {_MOST} times."
            self._problems.add(codes.NESTED_TOO_DEEP, key, detail, once=INCLUDE)
            return
        content = self._content(include)
        inner = self._expanded(content, depth + 1) if content is not None else None
        if isinstance(inner, Fields):
            yield from inner.entries

    def _content(self, include: Node) -> Fields | None:
        location = _location(include)
        found = self._evaluate(location) if location is not None else None
        if isinstance(found, Expression):
            report_undecidable(found, f"The Location of {INCLUDE}", self._problems)
            return None
        if not isinstance(found, Scalar):
            return None
        path = local_files.find(found.text, self._folder, "Location")
        if isinstance(path, local_files.Absent):
            detail = f"The file that {INCLUDE} names {path.reason}."
            self._problems.add(codes.NOT_INCLUDED, location, detail, hint=path.hint)
            return None
        if path not in self._roots:
            self._roots[path] = self._read(path)
        return self._roots[path]

    def _read(self, path: Path) -> Fields | None:
        text = read_text(path, self._problems)
        if text is None:
            return None
        self._problems.learn(str(path), text)
        return read(text, self._problems.other(str(path), text))


def _location(node: Node) -> Node | None:
    """The Location of an include; None for anything else."""
    if not isinstance(node, Fields):
        return None
    name, parameters = node.get("Name"), node.get("Parameters")
    is_include = isinstance(name, Scalar) and name.text == INCLUDE
    return parameters.get("Location") if is_include and isinstance(parameters, Fields) else None


def _parted(calls: Node) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The includes of a transform, and the other macros that it calls; it calls one, or a list of them."""
    named = calls.items if isinstance(calls, Items) else (calls,)
    includes = tuple(one for one in named if _location(one) is not None)
    return includes, tuple(one for one in named if _location(one) is None)


def _left(entry: Entry, kept: tuple[Node, ...]) -> tuple[Entry, ...]:
    """The entry of a transform with the macros that no include replaces; none when nothing is left."""
    return (replace(entry, value=Items(items=kept, position=entry.value.position)),) if kept else ()


def _joined(entries: tuple[Entry, ...], more: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """The entries with others. A later one of the same name counts, but sections of a template grow together."""
    found = {entry.name: entry for entry in entries}
    for entry in more:
        before = found.get(entry.name)
        if before is not None and isinstance(before.value, Fields) and isinstance(entry.value, Fields):
            both = _joined(before.value.entries, entry.value.entries)
            found[entry.name] = replace(before, value=replace(before.value, entries=both))
        else:
            found[entry.name] = entry
    return tuple(found.values())


def has_includes(root: Fields) -> bool:
    """Whether there may be anything to include: most templates have nothing, and none is copied for that."""
    section = root.get("Transform")
    if section is not None and any(_location(one) is not None for one in walk(section)):
        return True
    waiting: list[Node] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Fields):
            if node.entry(_FUNCTION) is not None:
                return True
            waiting.extend(entry.value for entry in node.entries)
        elif isinstance(node, Items):
            waiting.extend(node.items)
    return False
