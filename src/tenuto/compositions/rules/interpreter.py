"""Turns the tree of an expression into functions that count their steps.

Each node of the tree becomes one function of a frame, which holds the variables and the meter. The library that reads
CEL has an interpreter too; it is not used. Its errors show the values that they are about, with each path into a value
that holds another many times; `%` formats texts; a duration is read with a pattern that goes back and tries again; and
any function that the next version adds would be one more to be metered. Here an operation that is not in a table does
not exist.

An error of CEL is an exception (NoAnswerError). `||`, `&&`, `all` and `exists` keep it until the other side decides.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from tenuto.compositions.rules import arithmetic
from tenuto.compositions.rules.equality import is_member, is_same
from tenuto.compositions.rules.functions import FUNCTIONS, METHODS
from tenuto.compositions.rules.kinds import NoAnswerError, key_of, known, mismatch
from tenuto.compositions.rules.literals import literal
from tenuto.compositions.rules.macros import MACROS
from tenuto.compositions.rules.meter import Meter
from tenuto.compositions.rules.trees import UnusableError, primary, unlinked


class Frame:
    """The state of one evaluation: the variables by name, and the meter."""

    __slots__ = ("meter", "names")

    def __init__(self, names: dict[str, Any], meter: Meter) -> None:
        self.names = names
        self.meter = meter


Code = Callable[[Frame], Any]


def code_of(tree: Any) -> Code:
    """The function of a tree whose names were checked."""
    tree = primary(unlinked(tree))
    return _MAKERS[tree.data](tree)


def _operator(function: Callable[[Any, Any, Meter], Any]) -> Callable[[Any], Code]:
    def made(tree: Any) -> Code:
        head, right_tree = tree.children
        left, right = code_of(head.children[0]), code_of(right_tree)

        def run(frame: Frame) -> Any:
            frame.meter.spend()
            first = left(frame)
            return function(first, right(frame), frame.meter)

        return run

    return made


_OPERATORS: Final = {
    "addition_add": _operator(arithmetic.add),
    "addition_sub": _operator(arithmetic.subtract),
    "multiplication_div": _operator(arithmetic.divide),
    "multiplication_mod": _operator(arithmetic.remainder),
    "multiplication_mul": _operator(arithmetic.multiply),
    "relation_eq": _operator(is_same),
    "relation_ge": _operator(arithmetic.order(operator.ge)),
    "relation_gt": _operator(arithmetic.order(operator.gt)),
    "relation_in": _operator(is_member),
    "relation_le": _operator(arithmetic.order(operator.le)),
    "relation_lt": _operator(arithmetic.order(operator.lt)),
    "relation_ne": _operator(lambda left, right, meter: not is_same(left, right, meter)),
}


def _with_operator(tree: Any) -> Code:
    return _OPERATORS[tree.children[0].data](tree)


def _logic(decisive: bool) -> Callable[[Any], Code]:
    """Make the code of `||`, which a true side decides, or of `&&`, which a false one decides: either side may."""

    def made(tree: Any) -> Code:
        sides = tuple(code_of(one) for one in tree.children)

        def run(frame: Frame) -> bool:
            frame.meter.spend()
            error = None
            for side in sides:
                try:
                    found = side(frame)
                    if type(found) is not bool:
                        raise mismatch(found)
                    if found is decisive:
                        return decisive
                except NoAnswerError as absorbed:
                    error = error or absorbed
            if error:
                raise error
            return not decisive

        return run

    return made


def _choice(tree: Any) -> Code:
    condition, first, second = (code_of(one) for one in tree.children)

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        found = condition(frame)
        if type(found) is not bool:
            raise mismatch(found)
        return first(frame) if found else second(frame)

    return run


def _unary(tree: Any) -> Code:
    sign, operand = tree.children
    value = code_of(operand)

    def opposite(frame: Frame) -> bool:
        frame.meter.spend()
        found = value(frame)
        if type(found) is not bool:
            raise mismatch(found)
        return not found

    def negative(frame: Frame) -> Any:
        frame.meter.spend()
        return arithmetic.negate(value(frame), frame.meter)

    return opposite if sign.data == "unary_not" else negative


def _member(tree: Any) -> Code:
    owner, name = code_of(tree.children[0]), str(tree.children[1])

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        found = owner(frame)
        known(found)
        if type(found) is not dict:
            raise NoAnswerError("a value that is no mapping has no members")
        try:
            return found[name]
        except KeyError:
            raise NoAnswerError(f"there is no {name}; ask has first") from None

    return run


def _item(tree: Any) -> Code:
    owner, index = (code_of(one) for one in tree.children)

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        found = owner(frame)
        return arithmetic.item(found, index(frame), frame.meter)

    return run


def _call(tree: Any) -> Code:
    name, *rest = tree.children
    values = _values(rest)
    if name == "has":
        return _has(values[0])
    return _called(FUNCTIONS, name, values)


def _method(tree: Any) -> Code:
    receiver, name, *rest = tree.children
    if name in MACROS:
        variable, body = rest[0].children
        named = str(primary(unlinked(variable)).children[0])
        macro: Code = MACROS[name](code_of(receiver), named, code_of(body))
        return macro
    return _called(METHODS, name, (code_of(receiver), *_values(rest)))


def _values(rest: list[Any]) -> tuple[Code, ...]:
    return tuple(code_of(one) for one in rest[0].children) if rest else ()


def _called(
    table: Mapping[str, tuple[Callable[..., Any], tuple[int, ...]]], name: Any, values: tuple[Code, ...]
) -> Code:
    function, numbers = table[name]
    if len(values) not in numbers:
        raise UnusableError(f"the call of {name} gives it the wrong number of values", name)

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        return function(*[value(frame) for value in values], frame.meter)

    return run


def _has(value: Code) -> Code:
    def run(frame: Frame) -> bool:
        frame.meter.spend()
        try:
            value(frame)
        except NoAnswerError:
            return False
        return True

    return run


def _name(tree: Any) -> Code:
    name = str(tree.children[0])

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        return frame.names[name]

    return run


def _literal(tree: Any) -> Code:
    try:
        value = literal(tree.children[0])
    except ValueError as error:
        raise UnusableError(str(error), tree.children[0]) from None

    def run(frame: Frame) -> Any:
        frame.meter.spend()
        return value

    return run


def _list(tree: Any) -> Code:
    values = _values(tree.children)

    def run(frame: Frame) -> list[Any]:
        frame.meter.spend()
        return [value(frame) for value in values]

    return run


def _map(tree: Any) -> Code:
    inits = _values(tree.children)
    pairs = tuple(zip(inits[0::2], inits[1::2], strict=True))

    def run(frame: Frame) -> dict[Any, Any]:
        frame.meter.spend(1 + len(pairs))
        made: dict[Any, Any] = {}
        for key, value in pairs:
            found = key_of(key(frame))
            if found in made:
                raise NoAnswerError("a mapping has a key twice")
            made[found] = value(frame)
        return made

    return run


_MAKERS: Final[dict[str, Callable[[Any], Code]]] = {
    "addition": _with_operator,
    "conditionaland": _logic(False),
    "conditionalor": _logic(True),
    "expr": _choice,
    "ident": _name,
    "ident_arg": _call,
    "list_lit": _list,
    "literal": _literal,
    "map_lit": _map,
    "member_dot": _member,
    "member_dot_arg": _method,
    "member_index": _item,
    "multiplication": _with_operator,
    "paren_expr": lambda tree: code_of(tree.children[0]),
    "relation": _with_operator,
    "unary": _unary,
}
