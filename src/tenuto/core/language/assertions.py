"""Assertions about parameters: trees of comparisons, decided as far as values are known.

A tree is `true`, `false`, null (not decided), or a mapping with one key. `Fn::And`, `Fn::Or`, `Fn::Not` and `Fn::If`
stand over trees; `Fn::Equals`, `Fn::Contains`, `Fn::EachMemberEquals` and `Fn::EachMemberIn` over two values, which may
hold residual expressions (`core.language.resolve`). The compiler folds a tree with the parameters, and the Conductor
folds the rest of it with the values that it looked up: the same code at both times, as with all expressions.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tenuto.core.language.expressions import is_list
from tenuto.core.language.resolve import Environment, is_resolved, resolve
from tenuto.model.ids import Json


def _members(value: Json) -> list[Json]:
    """The texts of a list, and of the lists in it; a single text is a list of one."""
    return [found for one in value for found in _members(one)] if is_list(value) else [value]


def _is_equal(left: Json, right: Json) -> bool:
    return bool(left == right)


def _contains(left: Json, right: Json) -> bool:
    return right in _members(left)


def _is_each_equal(left: Json, right: Json) -> bool:
    return all(one == right for one in _members(left))


def _is_each_in(left: Json, right: Json) -> bool:
    allowed = _members(right)
    return all(one in allowed for one in _members(left))


COMPARISONS: Final[Mapping[str, Callable[[Json, Json], bool]]] = {
    "Fn::Equals": _is_equal,
    "Fn::Contains": _contains,
    "Fn::EachMemberEquals": _is_each_equal,
    "Fn::EachMemberIn": _is_each_in,
}
_DECIDES: Final[Mapping[str, bool]] = {"Fn::And": False, "Fn::Or": True}
"""The answer of one member that decides the whole: the other members no longer matter."""
MOST_MEMBERS: Final = 10
"""The number of members of one `Fn::And` or `Fn::Or`, as in CloudFormation."""


def fold(tree: Json, environment: Environment) -> Json:
    """The tree, folded as far as the environment decides it: true, false, or the part that is still open."""
    if not isinstance(tree, Mapping):
        return tree
    name, argument = next(iter(tree.items()))
    if name in _DECIDES:
        return _fold_members(name, [fold(one, environment) for one in argument])
    if name == "Fn::Not":
        inner = fold(argument[0], environment)
        return inner if inner is None else not inner if isinstance(inner, bool) else {name: [inner]}
    if name == "Fn::If":
        holds, *branches = argument
        holds = fold(holds, environment)
        if isinstance(holds, bool):
            return fold(branches[0 if holds else 1], environment)
        return {name: [holds, *(fold(one, environment) for one in branches)]}
    values = [resolve(one, environment) for one in argument]
    return COMPARISONS[name](values[0], values[1]) if is_resolved(values) else {name: values}


def _fold_members(name: str, members: list[Json]) -> Json:
    decisive = _DECIDES[name]
    if any(one is decisive for one in members):
        return decisive
    waiting = [one for one in members if not isinstance(one, bool)]
    if not waiting:
        return not decisive
    return waiting[0] if len(waiting) == 1 else {name: waiting}


def is_unknowable(tree: Json) -> bool:
    """Whether something in it can never be told."""
    if isinstance(tree, Mapping):
        name, argument = next(iter(tree.items()))
        return name not in COMPARISONS and any(map(is_unknowable, argument))
    return tree is None


def values_of(tree: Json) -> Iterator[Json]:
    """The values that are compared, in the order of the tree."""
    if isinstance(tree, Mapping):
        name, argument = next(iter(tree.items()))
        for one in argument:
            if name in COMPARISONS:
                yield one
            else:
                yield from values_of(one)


def is_tree(value: Json) -> bool:
    """Whether the value has the form of a tree."""
    if not isinstance(value, Mapping):
        return isinstance(value, bool)
    if len(value) != 1:
        return False
    name, argument = next(iter(value.items()))
    if not is_list(argument):
        return False
    if name in COMPARISONS:
        return len(argument) == 2
    if name == "Fn::Not":
        return len(argument) == 1 and is_tree(argument[0])
    if name == "Fn::If":
        return len(argument) == 3 and all(map(is_tree, argument))
    return name in _DECIDES and 1 <= len(argument) <= MOST_MEMBERS and all(map(is_tree, argument))
