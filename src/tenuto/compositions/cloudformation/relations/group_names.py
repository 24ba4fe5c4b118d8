"""`Ref` of a security group that declares no VpcId: CloudFormation gives its name, not its id.

Theory of operation. The published schema says of such a group that it is known by its name, and classic templates hand
this name to properties that take names (`SecurityGroups` of an instance, `GroupName` of a rule) or write it into texts.
Whether a VpcId is declared is known once the conditions are decided, so the reference is written down with its meaning,
`Fn::GetAtt` of `GroupName`. A property whose schema takes the id of a group keeps the plain reference, which is the id:
there CloudFormation would hand over a name, and EC2 would refuse it. A composition that was compiled by an earlier
version keeps its plain references, so that nothing in a running process changes until its next update.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tenuto.compositions.checks.schema import TypeSchema, follow
from tenuto.core.language.expressions import call_of, is_expression, is_list
from tenuto.model.composition import Declaration, Output
from tenuto.model.ids import Json, JsonMap

_TYPE = "AWS::EC2::SecurityGroup"
_IDENTIFIER = "Id"
"""The attribute that the schema calls the group's identifier: the same as `Ref`."""
_TAKES_IDS = frozenset({"AWS::EC2::SecurityGroup.Id", "AWS::EC2::SecurityGroup.Ids"})
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")


def known_by_name(declarations: Iterable[Declaration]) -> frozenset[str]:
    """The security groups of which `Ref` is the name."""
    return frozenset(one.logical_id for one in declarations if one.type == _TYPE and "VpcId" not in one.properties)


def naming_groups(
    declarations: tuple[Declaration, ...], schemas: Callable[[str], TypeSchema | None], groups: frozenset[str]
) -> tuple[Declaration, ...]:
    """The declarations with the names of these groups where a name is meant. `schemas` answers by logical id."""
    if not groups:
        return declarations
    found = []
    for one in declarations:
        schema = schemas(one.logical_id)
        document = schema.document if schema else {}
        properties = _value(one.properties, document, document, groups)
        found.append(replace(one, properties=properties, metadata=_named(one.metadata, groups)))
    return tuple(found)


def outputs_naming_groups(outputs: tuple[Output, ...], groups: frozenset[str]) -> tuple[Output, ...]:
    """The outputs with the names of these groups: an output is a text."""
    if not groups:
        return outputs
    return tuple(replace(one, value=_named(one.value, groups), export=_named(one.export, groups)) for one in outputs)


def _value(value: Json, rule: JsonMap, document: JsonMap, groups: frozenset[str]) -> Json:
    rule = follow(rule, document)
    if _formats(rule, document) & _TAKES_IDS:
        return value
    if is_list(value):
        items = rule.get("items")
        inner: JsonMap = items if isinstance(items, Mapping) else {}
        return [_value(member, inner, document, groups) for member in value]
    if isinstance(value, Mapping) and not is_expression(value):
        return {name: _value(one, _member(rule, name, document), document, groups) for name, one in value.items()}
    return _named(value, groups)


def _formats(rule: JsonMap, document: JsonMap) -> frozenset[str]:
    return frozenset(str(branch.get("format", "")) for branch in (rule, *_branches(rule, document)))


def _member(rule: JsonMap, name: str, document: JsonMap) -> JsonMap:
    """The rule of one member of a mapping; an empty one where none is found."""
    for branch in (rule, *_branches(rule, document)):
        member = (branch.get("properties") or {}).get(name)
        if isinstance(member, Mapping):
            return member
    return {}


def _branches(rule: JsonMap, document: JsonMap) -> list[JsonMap]:
    return [follow(one, document) for key in _ALTERNATIVES for one in rule.get(key, ()) if isinstance(one, Mapping)]


def _named(value: Json, groups: frozenset[str]) -> Json:
    if is_list(value):
        return [_named(member, groups) for member in value]
    if not isinstance(value, Mapping):
        return value
    name, argument = call_of(value) or ("", "")
    if name == "Ref" and argument in groups:
        return {"Fn::GetAtt": [argument, "GroupName"]}
    if name == "Fn::GetAtt" and argument[0] in groups and argument[1] == _IDENTIFIER:
        return {"Fn::GetAtt": [argument[0], "GroupName"]}
    return {name: _named(one, groups) for name, one in value.items()}
