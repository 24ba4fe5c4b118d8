"""`AWS::StackId` where a template takes it apart or lets a policy speak of it: it is CloudFormation's ARN there.

Theory of operation. `AWS::StackId` is the FID of the process. Public templates know an ARN,
`arn:PARTITION:cloudformation:REGION:ACCOUNT:stack/NAME/UUID`, and cut a unique part out of it: by `Fn::Split` with a
slash or a colon. An FID has neither, so no author who means the FID splits it so; and a value that is split so is the
ARN, whose last part is the FID. The resource in a statement of a policy has to be an ARN: IAM refuses an FID.
Everywhere else the value stays as it was, since names may be made of it.
"""

from collections.abc import Mapping

from tenuto.compositions.diagnostics.nodes import Entry, Expression, Items, Node
from tenuto.core.language.expressions import is_list, replacing
from tenuto.model.ids import Json

_STACK_ID = {"Ref": "AWS::StackId"}
_CUTS = ("/", ":")
_EFFECT = "Effect"
_RESOURCES = ("Resource", "NotResource")


def with_parts(argument: Json, known: Mapping[str, Json]) -> Json:
    """The argument of `Fn::Split`, the id in it as the ARN where it is cut by a sign of the ARN.

    `known` has the pseudo parameters that the region decides.
    """
    if not is_list(argument) or len(argument) != 2 or argument[0] not in _CUTS:
        return argument
    return [argument[0], _replaced(argument[1], known)]


def in_statement(entries: tuple[Entry, ...], known: Mapping[str, Json]) -> tuple[Entry, ...]:
    """The entries of a mapping, the id as the ARN where a statement of a policy has it as its resource."""
    if not any(entry.name == _EFFECT for entry in entries):
        return entries
    return tuple(
        Entry(key=entry.key, value=_as_resource(entry.value, known)) if entry.name in _RESOURCES else entry
        for entry in entries
    )


def _as_resource(node: Node, known: Mapping[str, Json]) -> Node:
    if isinstance(node, Items):
        return Items(items=tuple(_as_resource(one, known) for one in node.items), position=node.position)
    if isinstance(node, Expression) and _begins_with_id(node.value):
        value = _replaced(node.value, known)
        return Expression(value=value, position=node.position) if isinstance(value, Mapping) else node
    return node


def _begins_with_id(value: Json) -> bool:
    joined = value.get("Fn::Join") if isinstance(value, Mapping) else None
    if isinstance(joined, list) and joined[0] == "" and isinstance(joined[1], list):
        return bool(joined[1][:1] == [_STACK_ID])
    return bool(value == _STACK_ID)


def _replaced(value: Json, known: Mapping[str, Json]) -> Json:
    head = f"arn:{known['AWS::Partition']}:cloudformation:{known['AWS::Region']}:"
    parts = [head, {"Ref": "AWS::AccountId"}, ":stack/", {"Ref": "AWS::StackName"}, "/", _STACK_ID]
    return replacing(value, lambda one: {"Fn::Join": ["", parts]} if one == _STACK_ID else None)
