"""Asks CEL expressions, with a meter.

Rejected: an engine in another language. It is faster, but cannot be counted, and nothing else runs while it does.
"""

import re
from typing import Any

from celpy import celtypes
from celpy.evaluation import Activation, CELEvalError, Evaluator, base_functions

from tenuto.compositions.rules.expressions import TYPES, Program, unlinked
from tenuto.compositions.rules.functions import Reason, functions
from tenuto.compositions.rules.meter import ExhaustedError, Meter

_TYPES = {name: base_functions[name] for name in sorted(TYPES)}
"""As what `type(x)` is compared with; to call one is another thing."""


class AskError(Exception):
    """An expression has no answer for these values; the message says why."""


def ask(program: Program, variables: dict[str, Any], meter: Meter) -> Any:
    """The answer: True, False, or a list of texts. Raises AskError for any other, and when there is none."""
    activation = Activation(functions=functions(meter))
    activation.identifiers.load_values(_TYPES | {name: variables[name] for name in sorted(program.names)})
    try:
        answer = _Metered(program.tree, activation, meter).evaluate()
    except CELEvalError as error:
        raise AskError(_told(error)) from error
    except ExhaustedError as error:
        raise AskError("it takes too many steps") from error
    except RecursionError as error:
        raise AskError("it is nested too deeply") from error
    except Exception as error:
        raise AskError("it fails on these values") from error
    if isinstance(answer, celtypes.BoolType):
        return bool(answer)
    if isinstance(answer, celtypes.ListType) and all(isinstance(one, celtypes.StringType) for one in answer):
        return [str(one) for one in answer]
    raise AskError("its answer is neither true, false, nor a list of logical ids")


class _Metered(Evaluator):  # type: ignore[misc] # it is skipped by the type checker
    """CEL's interpreter, counting."""

    def __init__(self, tree: Any, activation: Any, meter: Meter) -> None:
        super().__init__(tree, activation)
        self._meter = meter

    def sub_evaluator(self, ast: Any) -> "_Metered":
        return _Metered(ast, self.activation, self._meter)

    def visit(self, tree: Any) -> Any:
        self._meter.spend()
        return super().visit(unlinked(tree))

    def visit_children(self, tree: Any) -> list[Any]:
        return [self.visit(child) if hasattr(child, "data") else child for child in tree.children]


_MEMBER = re.compile(r"no such member in mapping: '(.*)'")
_KINDS = re.compile(r"(?:celtypes\.(\w+?)Type|values\.(Open)|(NoneType))'")


def _told(error: Any) -> str:
    """What went wrong, without the values: the engine's own words can hold all that the expression was asked about."""
    text = next(iter(error.args), "")
    if isinstance(text, Reason):
        return str(text)
    member = _MEMBER.fullmatch(str(text))
    if member:
        return f"there is no {member[1]}; ask has first"
    if text == "no such key":
        return "a key is not there"
    if text == "invalid_argument":
        return "an index is beyond the end of its list"
    kinds = [next(filter(None, found)) for found in _KINDS.findall(str(text))]
    if "overload" in str(text):
        on = f" ({', '.join(kinds)})" if kinds else f" ({error.token})" if error.token else ""
        return f"values are of kinds that do not go together{on}"
    if "field selection" in str(text):
        return "a member is asked of something that has none"
    return "it fails on these values"
