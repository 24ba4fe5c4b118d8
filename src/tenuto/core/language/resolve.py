"""The one evaluator of residual expressions, at compile time and in the Conductor.

Theory of operation. A value is JSON with expressions (see `model.composition`). `resolve` folds the expressions that
the environment can decide, and leaves the rest as expressions in one normal form: texts of a join that stand side by
side are one text, a join inside a join with the same delimiter is part of it, an empty zone region is the composition's
own. The normal form makes folding order-free: resolving with half of the known values and then with the other half
gives the same value as resolving with all of them at once, so the compiler and the Conductor can share the work in any
proportion. (Only an error may go unnoticed: in a member of a list that folding did not select, and so dropped.)

A missing entry of the environment never is an error here, it is simply not known yet. `ResolveError` says that no later
knowledge can help: an index beyond the end of a list, a network that does not hold the subnets that were asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.core.language import expressions
from tenuto.core.language.expressions import (
    KEPT_SECRET,
    NO_VALUE,
    SCALARS,
    ResolveError,
    call_of,
    is_expression,
    is_list,
    is_mapping,
)
from tenuto.model.ids import Json

__all__ = [
    "IMPORT",
    "Environment",
    "Open",
    "ResolveError",
    "evaluate",
    "has_kept_secret",
    "is_importing",
    "is_resolved",
    "kept_secrets",
    "open_expressions",
    "referenced_resources",
    "resolve",
    "resolved",
]

IMPORT = "Fn::ImportValue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The values that are known. A missing one stays open.

    `references` answers `Ref` by logical id, parameter or pseudo parameter; `attributes` answers `Fn::GetAtt` by
    logical id and attribute name, and `declared` has the properties of each logical id, which it answers with where no
    attribute has that name; `zones` answers `Fn::GetAZs` by region; `exports` answers `Fn::ImportValue`.
    """

    references: Mapping[str, Json] = field(default_factory=dict)
    attributes: Mapping[tuple[str, str], Json] = field(default_factory=dict)
    declared: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exports: Mapping[str, Json] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    """The secrets that the provider keeps, by the text of the reference. Only the code that builds a request knows
    them."""
    region: str = ""
    """The region that `{"Fn::GetAZs": ""}` means; empty leaves it open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """One expression that is still open: the `name` that it asks for, and for `Fn::GetAtt` also the `attribute`."""

    kind: str
    name: str
    attribute: str = ""


def resolve(value: Json, environment: Environment) -> Json:
    """Fold everything that the environment decides. Raises ResolveError when something can never be decided.

    `{"Ref": "AWS::NoValue"}` takes its property or list item with it, and is None when it is the whole value.
    """
    folded = _resolve(value, environment)
    return None if folded is NO_VALUE else folded


def resolved(value: Json, environment: Environment) -> Json:
    """The value as far as it can be resolved; as it is, open, where it can never be."""
    try:
        return resolve(value, environment)
    except ResolveError:
        return value


def _resolve(value: Json, environment: Environment) -> Json:
    if type(value) in SCALARS:
        return value
    if is_mapping(value):
        call = call_of(value)
        if call is not None:
            name, argument = call
            return evaluate(name, _resolve(argument, environment), environment)
        pairs = ((key, _resolve(member, environment)) for key, member in value.items())
        return {key: member for key, member in pairs if member is not NO_VALUE}
    if is_list(value):
        members = (_resolve(member, environment) for member in value)
        return [member for member in members if member is not NO_VALUE]
    return value


def evaluate(name: str, argument: Json, environment: Environment) -> Json:
    """One call, its argument already resolved: its value, or the call itself in normal form when it is still open.

    The answer is `NO_VALUE` for `{"Ref": "AWS::NoValue"}`.
    """
    if name == "Ref":
        return _reference(argument, environment)
    if name == "Fn::GetAtt":
        return _attribute(argument, environment)
    if name == "Fn::GetAZs":
        return _zones(argument, environment)
    if name == IMPORT:
        return _import(argument, environment)
    if name == KEPT_SECRET:
        is_known = isinstance(argument, str) and argument in environment.secrets
        return environment.secrets[argument] if is_known else {KEPT_SECRET: argument}
    return expressions.PURE[name](argument)


def _reference(name: Json, environment: Environment) -> Json:
    if name == "AWS::NoValue":
        return NO_VALUE
    if name in environment.references:
        return environment.references[name]
    return {"Ref": name}


def _attribute(argument: Json, environment: Environment) -> Json:
    """`Endpoint.Address` may be stored under that name, or as a mapping `Endpoint` that has an `Address`."""
    name, attribute = argument
    if is_expression(attribute):
        return {"Fn::GetAtt": [name, attribute]}
    head, *rest = str(attribute).split(".")
    if (name, attribute) in environment.attributes:
        return environment.attributes[name, attribute]
    found = environment.attributes.get((name, head))
    if found is None:
        # CloudFormation gives a declared property by its own name. A value with a secret is given to no reader.
        put_in = environment.declared.get(name, {}).get(head)
        found = put_in if is_resolved(put_in) else None
    for key in rest:
        found = found.get(key) if isinstance(found, Mapping) else None
    return {"Fn::GetAtt": [name, attribute]} if found is None else found


def _zones(region: Json, environment: Environment) -> Json:
    region = environment.region if region == "" else region
    if isinstance(region, str) and region in environment.zones:
        return list(environment.zones[region])
    return {"Fn::GetAZs": region}


def _import(name: Json, environment: Environment) -> Json:
    if isinstance(name, str) and name in environment.exports:
        return environment.exports[name]
    return {IMPORT: name}


def open_expressions(value: Json) -> tuple[Open, ...]:
    """The expressions that the value still waits for, in document order: the innermost, which name the missing
    value."""
    if type(value) in SCALARS:
        return ()
    found: list[Open] = []
    _gather(value, found)
    return tuple(found)


def is_importing(value: Json) -> bool:
    """Whether the value waits for an export of another process."""
    return any(one.kind == IMPORT for one in open_expressions(value))


def is_resolved(value: Json) -> bool:
    """Whether nothing is open any more."""
    return not open_expressions(value)


def kept_secrets(value: Json) -> tuple[str, ...]:
    """The references to secrets that the provider keeps, and that nothing is missing in, without repeats."""
    return tuple(dict.fromkeys(one.name for one in open_expressions(value) if one.kind == KEPT_SECRET))


def has_kept_secret(value: Json) -> bool:
    """Whether a secret that the provider keeps is a part of the value, be its name known by now or not."""
    if type(value) in SCALARS:
        return False
    if is_mapping(value):
        return (len(value) == 1 and KEPT_SECRET in value) or any(map(has_kept_secret, value.values()))
    return is_list(value) and any(map(has_kept_secret, value))


def referenced_resources(value: Json) -> tuple[str, ...]:
    """The names in `Ref` and `Fn::GetAtt`, in document order, without repeats and without pseudo parameters.

    Parameters that are still open are among them: only the composition can tell the two apart.
    """
    opened = open_expressions(value)
    names = (one.name for one in opened if one.kind in ("Ref", "Fn::GetAtt") and "::" not in one.name)
    return tuple(dict.fromkeys(names))


def _gather(value: Json, found: list[Open]) -> None:
    """Add the open expressions of a value. Nearly always there are none, so nothing is made on the way."""
    if type(value) in SCALARS:
        return
    if is_mapping(value):
        call = call_of(value)
        if call is not None:
            _gather_call(*call, found)
            return
        for member in value.values():
            _gather(member, found)
    elif is_list(value):
        for member in value:
            _gather(member, found)


def _gather_call(name: str, argument: Json, found: list[Open]) -> None:
    if name == "Fn::GetAtt":
        _gather(argument[1], found)
        attribute = "" if is_expression(argument[1]) else str(argument[1])
        found.append(Open(kind=name, name=str(argument[0]), attribute=attribute))
    elif name == "Ref" or (name in ("Fn::GetAZs", IMPORT, KEPT_SECRET) and not is_expression(argument)):
        found.append(Open(kind=name, name=str(argument)))
    else:
        _gather(argument, found)
