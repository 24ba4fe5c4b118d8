"""The reader of CEL expressions, which refuses at once an expression that could only fail later.

CEL has types, but the input of a rule has none before it is there. All that can be told without the input is told when
the rule is added: that it can be read, that every name and function means something, that nothing in it belongs to
another dialect. `cel-python` reads it, and is imported for the first expression: a Conductor without rules does without
it.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tenuto.compositions.rules.trees import UnusableError, endless_text, primary, unlinked
from tenuto.errors import UserError
from tenuto.kit.nearest import perhaps
from tenuto.model.rule import WHOLE

LONGEST_EXPRESSION = 4096
"""Characters. A page of CEL is half of it; a longer text is several rules."""

OF_A_RESOURCE = frozenset({"composition", "properties", "resource"})
OF_THE_WHOLE = frozenset({"composition"})
OUR_FUNCTIONS = frozenset({"expression", "is_open", "is_secret", "references"})
TYPES = frozenset(
    {"bool", "bytes", "double", "duration", "int", "list", "map", "null_type", "string", "timestamp", "uint"}
)
_FUNCTIONS = (OUR_FUNCTIONS | TYPES | {"dyn", "has", "matches", "size", "type"}) - {"list", "map", "null_type"}
_METHODS = frozenset(
    {"contains", "endsWith", "matches", "size", "startsWith"}
    | {f"get{part}" for part in ("Date", "DayOfMonth", "DayOfWeek", "DayOfYear", "FullYear", "Month")}
    | {f"get{part}" for part in ("Hours", "Minutes", "Seconds", "Milliseconds")}
)
_MACROS = frozenset({"all", "exists", "exists_one", "filter", "map"})
_ELSEWHERE = {
    "member_object": "CEL's messages (Name{…}) mean nothing here",
    "dot_ident": "a name cannot begin with a dot",
    "dot_ident_arg": "a name cannot begin with a dot",
}


class ExpressionError(UserError):
    """An expression that cannot be used. The message says why; `line` and `column` count from 1 in the expression."""

    def __init__(self, message: str, *, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """An expression that was read. `names` are the variables that it uses."""

    code: Any
    names: frozenset[str]


@lru_cache(maxsize=256)  # as many as a Conductor has rules, and some that are tried; a long one has half a megabyte
def read_expression(text: str, applies_to: str) -> Program:
    """Read an expression of a rule that applies to a type or the composition. Raises ExpressionError."""
    if len(text) > LONGEST_EXPRESSION:
        raise ExpressionError(f"it has {len(text):,} characters, and {LONGEST_EXPRESSION:,} are allowed")
    at = endless_text(text)
    if at is not None:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        raise ExpressionError("it is not CEL: a text has no end", line=line, column=column)
    known = OF_THE_WHOLE if applies_to == WHOLE else OF_A_RESOURCE
    try:
        tree = _tree(text)
        names = frozenset(_names(tree, known))
        return Program(code=_code(tree), names=names & known)
    except UnusableError as error:
        raise ExpressionError(str(error), line=error.place.line, column=error.place.column) from None
    except RecursionError:
        raise ExpressionError("it is nested too deeply") from None


def _tree(text: str) -> Any:
    import celpy

    limit = sys.getrecursionlimit()
    try:
        return celpy.Environment().compile(text)
    except celpy.CELParseError as error:
        raise ExpressionError("it is not CEL", line=error.line or 1, column=error.column or 1) from error
    finally:
        # An environment sets the limit of the whole process, and may lower it.
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))


def _code(tree: Any) -> Any:
    from tenuto.compositions.rules.interpreter import code_of

    return code_of(tree)


def _names(tree: Any, known: frozenset[str]) -> Iterator[str]:
    """The variables that are used. Raises ExpressionError for a name that means nothing."""
    if not hasattr(tree, "data"):
        return
    tree = unlinked(tree)
    if tree.data in _ELSEWHERE:
        raise ExpressionError(_ELSEWHERE[tree.data], line=tree.meta.line, column=tree.meta.column)
    if tree.data == "ident":
        yield _known(tree.children[0], known | TYPES, "variable")
        return
    if tree.data == "member_dot_arg":
        yield from _method(tree, known)
        return
    if tree.data == "ident_arg":
        _known(tree.children[0], _FUNCTIONS, "function")
        _check_has(tree)
    for child in tree.children:
        yield from _names(child, known)


def _method(tree: Any, known: frozenset[str]) -> Iterator[str]:
    receiver, name, *arguments = tree.children
    yield from _names(receiver, known)
    if name not in _MACROS:
        _known(name, _METHODS | _MACROS, "function")
        for argument in arguments:
            yield from _names(argument, known)
        return
    parts = arguments[0].children if arguments else []
    variable = primary(unlinked(parts[0])) if len(parts) == 2 else None
    if variable is None or variable.data != "ident":
        raise ExpressionError(f"{name} takes the form {name}(VARIABLE, EXPRESSION)", line=name.line, column=name.column)
    yield from _names(parts[1], known | {str(variable.children[0])})


def _check_has(tree: Any) -> None:
    name, *arguments = tree.children
    if name != "has":
        return
    parts = arguments[0].children if arguments else []
    if len(parts) != 1 or unlinked(parts[0]).data != "member_dot":
        raise ExpressionError("has takes the form has(SOMETHING.MEMBER)", line=name.line, column=name.column)


def _known(token: Any, known: frozenset[str], what: str) -> str:
    if token not in known:
        raise ExpressionError(
            f"there is no {what} {token}{perhaps(token, known - TYPES)}; there are {', '.join(sorted(known - TYPES))}",
            line=token.line,
            column=token.column,
        )
    return str(token)
