"""Compositions that a Python program makes: with troposphere, or as plain dictionaries.

Theory of operation. The program runs on the user's machine, as `python FILE` would; the Conductor only ever sees the
result. The program gives its result by a name: `template`, or a function `composition(parameters)`. A program of
troposphere that only prints its template is understood, too, when it holds a single one. The template becomes a tree
with places: the entry of a section stands where its name is written in the program, a property at its name behind that.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Node, scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

ENDING = ".py"
_MODULE = "tenuto_composition"
_TEMPLATE, _FUNCTION = "template", "composition"
_NAMED = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs", "Rules")
_NEAR = 4000
"""Characters behind the name of a resource in which its properties are looked for."""
_DEEPEST = 64
_FORM = "Assign the template to `template`, or return it from `def composition(parameters)`."


def run_program(path: Path, text: str, given: Mapping[str, str], problems: Problems) -> tuple[Fields, set[str]] | None:
    """The template that the program makes, and the names of the parameters that it took for itself; None, reported,
    when it makes none."""
    try:
        module = _executed(path, text)
        made, taken = _made(module, given)
        plain = _plain(made)
    except SyntaxError as error:
        wrong = Position(file=problems.file, line=error.lineno or 1, column=max(error.offset or 1, 1))
        problems.add(codes.PROGRAM_FAILED, wrong, f"{path} is not Python: {error.msg}.", hint="Correct the line.")
        return None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the program of a user may raise anything
        lines = [one.lineno for one in extract_tb(error.__traceback__) if one.filename == str(path)]
        at = Position(file=problems.file, line=lines[-1], column=1) if lines and lines[-1] else None
        detail = f"{path} raised {type(error).__name__}: {error}."
        problems.add(codes.PROGRAM_FAILED, at, detail, hint="Correct the program; 'python FILE' raises the same.")
        return None
    if not isinstance(plain, dict):
        hint = _FORM
        if "aws_cdk" in sys.modules and any(name in text for name in ("aws_cdk", "cdk.App")):
            hint = "It is an app of the CDK: 'cdk synth' writes the folder cdk.out; give that to Tenuto."
        what = "no template" if made is None else f"{type(made).__name__}, which is no template"
        problems.add(codes.PROGRAM_FAILED, None, f"{path} makes {what}.", hint=hint)
        return None
    root = _Tree(problems.file, text).of(plain)
    return root, taken


def _executed(path: Path, text: str) -> ModuleType:
    """The module of the program. It imports the modules beside it, as `python FILE` lets it."""
    module = ModuleType(_MODULE)
    module.__file__ = str(path)
    folder, before = str(path.resolve().parent), sys.modules.get(_MODULE)
    sys.modules[_MODULE] = module
    sys.path.insert(0, folder)
    try:
        exec(compile(text, str(path), "exec"), vars(module))
    finally:
        sys.path.remove(folder)
        sys.modules.pop(_MODULE)
        if before is not None:
            sys.modules[_MODULE] = before
    return module


def _made(module: ModuleType, given: Mapping[str, str]) -> tuple[Any, set[str]]:
    """The object that is the template, and the parameters that were given to its maker."""
    function = getattr(module, _FUNCTION, None)
    if callable(function):
        return function(dict(given)), set(given)
    if hasattr(module, _TEMPLATE):
        return getattr(module, _TEMPLATE), set()
    found = {id(one): one for one in vars(module).values() if _is_template(one)}
    return (next(iter(found.values())), set()) if len(found) == 1 else (None, set())


def _is_template(value: object) -> bool:
    """Whether it is a template of troposphere, or of a library like it."""
    return not isinstance(value, type) and hasattr(value, "resources") and callable(getattr(value, "to_dict", None))


def _plain(made: Any) -> Json:
    """The template as plain JSON."""
    if made is None:
        return None
    if isinstance(made, str):
        return json.loads(made)
    text = json.dumps(made, default=lambda one: one.to_dict())
    return json.loads(text)


class _Tree:
    """Puts a template into a tree, its names where the program has them."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text
        self._start = Position(file=file, line=1, column=1)

    def of(self, template: dict[str, Json]) -> Fields:
        entries = []
        for name, value in template.items():
            node = self._section(value) if name in _NAMED and isinstance(value, dict) else self._node(value, -1, 0)
            entries.append(Entry(key=scalar(name, self._start), value=node))
        return Fields(entries=tuple(entries), position=self._start)

    def _section(self, section: dict[str, Json]) -> Fields:
        entries = []
        for name, value in section.items():
            match = re.search(rf"""(["']){re.escape(name)}\1""", self._text)
            offset = match.start(0) + 1 if match else -1
            entries.append(Entry(key=scalar(name, self._at(offset, name)), value=self._node(value, offset, 0)))
        return Fields(entries=tuple(entries), position=self._start)

    def _node(self, value: Json, offset: int, depth: int) -> Node:
        """The value, behind a place in the program; a negative one is not known."""
        here = self._at(offset, "")
        if isinstance(value, dict) and depth < _DEEPEST:
            entries = []
            for name, member in value.items():
                near = self._near(name, offset)
                entries.append(Entry(key=scalar(name, self._at(near, name)), value=self._node(member, near, depth + 1)))
            return Fields(entries=tuple(entries), position=here)
        if isinstance(value, list) and depth < _DEEPEST:
            return Items(items=tuple(self._node(one, offset, depth + 1) for one in value), position=here)
        return scalar(value if not isinstance(value, dict | list) else str(value), here)

    def _near(self, name: str, offset: int) -> int:
        """The place of a name behind another place; that place itself when it is not near."""
        if offset < 0:
            return offset
        found = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(self._text, offset, offset + _NEAR)
        return found.start() if found else offset

    def _at(self, offset: int, name: str) -> Position:
        if offset < 0:
            return self._start
        line = self._text.count("\n", 0, offset) + 1
        column = offset - (self._text.rfind("\n", 0, offset) + 1) + 1
        is_here = bool(name) and self._text.startswith(name, offset)
        return Position(file=self._file, line=line, column=column, length=len(name) if is_here else 1)
