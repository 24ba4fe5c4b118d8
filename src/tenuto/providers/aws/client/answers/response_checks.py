"""The check that an answer is about the thing that was asked for. Most answers repeat a name, an id or a mark of ours.

An answer to another client's call of the same operation is well formed, and the thing that it names exists: recorded,
it would be held, changed and deleted in place of the thing that was really made, which no sweep would ever find. So the
values that an answer repeats of its request are held against it. EC2 shows the tags of the thing that it made, and ours
name the incarnation; other services show the name. Of those that repeat nothing, an address or an association is looked
up (`finding.confirmed`).

A list that was asked for by ids may hold other things beside them: these are left out. One that holds other things in
their place is the answer to another question. An answer of success may hold errors, too: the request was not carried
out then. The things that were asked for by filters are held against these in `narrowing`.
"""

import copy
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.client.answers.narrowing import found_at
from tenuto.providers.aws.client.owner import OBJECT

_ECHOES: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "AttachVolume": (("VolumeId", "", "VolumeId"), ("InstanceId", "", "InstanceId")),
    "CreateInstanceProfile": (("InstanceProfile.InstanceProfileName", "", "InstanceProfileName"),),
    "CreateKeyPair": (("KeyName", "", "KeyName"),),
    "CreatePolicy": (("Policy.PolicyName", "", "PolicyName"),),
    "CreateQueue": (("QueueUrl", "/", "QueueName"),),
    "CreateRole": (("Role.RoleName", "", "RoleName"),),
    "CreateSnapshot": (("VolumeId", "", "VolumeId"),),
    "CreateResource": (("ProgressEvent.TypeName", "", "TypeName"),),
    "CreateTable": (("TableDescription.TableName", "", "TableName"),),
    "CreateTopic": (("TopicArn", ":", "Name"),),
    "DescribeInstanceAttribute": (("InstanceId", "", "InstanceId"),),
    "DescribeTable": (("Table.TableName", "", "TableName"),),
    "DescribeVpcAttribute": (("VpcId", "", "VpcId"),),
    "GetInstanceProfile": (("InstanceProfile.InstanceProfileName", "", "InstanceProfileName"),),
    "GetParameter": (("Parameter.Name", "", "Name"),),
    "GetPolicy": (("Policy.Arn", "", "PolicyArn"),),
    "GetQueueUrl": (("QueueUrl", "/", "QueueName"),),
    "GetResource": (("TypeName", "", "TypeName"), ("ResourceDescription.Identifier", "", "Identifier")),
    "GetRole": (("Role.RoleName", "", "RoleName"),),
    "GetRolePolicy": (("RoleName", "", "RoleName"), ("PolicyName", "", "PolicyName")),
    "GetSubscriptionAttributes": (("Attributes.SubscriptionArn", "", "SubscriptionArn"),),
    "GetTopicAttributes": (("Attributes.TopicArn", "", "TopicArn"),),
    "ImportKeyPair": (("KeyName", "", "KeyName"),),
}
"""By operation: the place in its answer that names its thing, the text before the name there, and the parameter that
sent the name."""
_MEMBERS: Mapping[str, tuple[str, str, str]] = {
    "ListInstanceProfilesForRole": ("InstanceProfiles", "Roles.RoleName", "RoleName"),
    "ListSubscriptionsByTopic": ("Subscriptions", "TopicArn", "TopicArn"),
}
"""By operation: the list in its answer, the place in each member that names its owner, and the parameter that sent the
owner's name."""
_IDS = re.compile("(?!Owner)[A-Za-z]+Ids|KeyNames")
"""The parameters of EC2 that take ids of things: it refuses ids that it does not know, so an answer shows all of them.
"""
_SILENT = frozenset({"NatGatewayIds", "ResourceIds"})
"""The parameters of ids about which an answer may say nothing at all: moto does so for NAT gateways that it does not
know, and Application Auto Scaling for things that it does not scale."""
_UNSAID = "RequestFailed"
"""The code of an error that an answer tells without one."""
_WAITS = "pending confirmation"
"""The text that SNS answers in place of the ARN of a subscription that its owner has to confirm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistaken:
    """The thing that an answer is about instead of the one that was asked for; `came` is empty where it is about
    nothing.
    """

    asked: str
    came: str


def refused_in(answer: JsonMap) -> JsonMap | None:
    """The error, with `Code` and `Message`, that stands in an answer of success; None when all was done.

    Calls that could do many things at once tell the result of each: `CreateFlowLogs`, `DeleteFlowLogs`,
    `DeleteVpcEndpoints` in the list `Unsuccessful`, `ModifyInstanceCreditSpecification` in one of its own, `PutTargets`
    and `RemoveTargets` in `FailedEntries`.
    """
    for one in answer.get("Unsuccessful") or answer.get("UnsuccessfulInstanceCreditSpecifications") or ():
        error = one.get("Error") or {}
        return {"Code": error.get("Code") or _UNSAID, "Message": error.get("Message", "")}
    for one in answer.get("FailedEntries") or ():
        return {"Code": one.get("ErrorCode") or _UNSAID, "Message": one.get("ErrorMessage", "")}
    return None


def mistaken(operation: str, sent: Mapping[str, Any], answer: JsonMap) -> Mistaken | None:
    """The mistake of an answer that is about something else than the thing that was sent; None when there is none."""
    for path, before, parameter in _ECHOES.get(operation, ()):
        if parameter not in sent:
            continue  # Another service has an operation of this name.
        shown, name = _at(answer, path), str(sent[parameter])
        if shown is not None and not (str(shown).endswith(f"{before}{name}") if before else shown == name):
            return Mistaken(asked=name, came=str(shown))
    match operation:
        case "Subscribe":
            arn, topic = str(answer["SubscriptionArn"]), str(sent["TopicArn"])
            return None if arn == _WAITS or arn.startswith(f"{topic}:") else Mistaken(asked=topic, came=arn)
        case "GetQueueAttributes":
            name, shown = str(sent["QueueUrl"]).rpartition("/")[2], str(_at(answer, "Attributes.QueueArn") or "")
            return None if shown.rpartition(":")[2] in ("", name) else Mistaken(asked=name, came=shown)
        case "GetParameters":
            return _of_other_parameters(sent["Names"], answer)
        case "ListSubscriptionsByTopic":
            shown_of = list(found_at(answer.get("Subscriptions"), ["TopicArn"]))
            return _absent([sent["TopicArn"]], shown_of) if shown_of else None
    for parameter, ids in _ids_in(operation, sent):
        shown_ids = _shown_ids(answer, parameter)
        if shown_ids or parameter not in _SILENT:
            return _absent(ids, shown_ids)
    return None


def asked_for(operation: str, sent: Mapping[str, Any], answer: JsonMap) -> JsonMap:
    """The answer without those members of its lists that were not asked for. It is not written into: it is shared."""
    if operation == "GetParameters":
        wanted = set(sent["Names"])
        named = [one for one in answer.get("Parameters") or () if not wanted.isdisjoint(_names_of(one))]
        return _with(answer, {"Parameters": named})
    if operation in _MEMBERS:
        place, path, parameter = _MEMBERS[operation]
        owned = [one for one in answer.get(place) or () if sent[parameter] in found_at(one, path.split("."))]
        return _with(answer, {place: owned})
    for parameter, ids in _ids_in(operation, sent):
        return _with(answer, {name: _with_ids(value, parameter, set(ids)) for name, value in _lists(answer)})
    return answer


def _with(answer: JsonMap, lists: Mapping[str, Any]) -> JsonMap:
    """An answer with some of its lists cut; the very same one where nothing is cut. A list that lacks stays lacking."""
    cut = {name: value for name, value in lists.items() if name in answer and not _is_same(value, answer[name])}
    if not cut:
        return answer
    copied: Any = copy.copy(answer)
    copied.update(cut)
    found: JsonMap = copied
    return found


def _is_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(mine is theirs for mine, theirs in zip(one, other, strict=True))


def _ids_in(operation: str, sent: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str]]]:
    """The parameter with the ids that a sweep of EC2 is narrowed to."""
    if operation.startswith("Describe"):
        yield from ((name, given) for name, given in sent.items() if given and _IDS.fullmatch(name))


def _absent(asked: Sequence[str], shown: Sequence[str]) -> Mistaken | None:
    """The first that was asked for and is not shown, with something that is."""
    missing = next((str(one) for one in asked if one not in shown), None)
    other = next((str(one) for one in shown if one not in asked), "")
    return None if missing is None else Mistaken(asked=missing, came=other)


def _lists(answer: JsonMap) -> list[tuple[str, list[JsonMap]]]:
    return [(name, value) for name, value in answer.items() if isinstance(value, list)]


def _shown_ids(answer: JsonMap, parameter: str) -> list[str]:
    name = parameter.removesuffix("s")
    lists = [value for _, value in _lists(answer)]
    return [*map(str, found_at(lists, [name])), *map(str, found_at(lists, ["Instances", name]))]


def _with_ids(members: Sequence[JsonMap], parameter: str, ids: Collection[str]) -> list[JsonMap]:
    """The things of these ids; of groups of instances, those with any."""
    name = parameter.removesuffix("s")
    cut = [
        _with(one, {"Instances": _with_ids(one["Instances"], parameter, ids)}) if "Instances" in one else one
        for one in members
    ]
    return [one for one in cut if one.get("Instances") or str(one.get(name)) in ids]


def _of_other_parameters(names: Sequence[str], answer: JsonMap) -> Mistaken | None:
    """Find parameters in the answer that were not asked for, in place of some that were; of those that it does not
    know, AWS says so.
    """
    wanted, known = set(names), {str(one) for one in answer.get("InvalidParameters") or ()}
    others: list[str] = []
    for one in answer.get("Parameters") or ():
        if wanted.isdisjoint(_names_of(one)):
            others.append(str(one.get("Name")))
        known.update(_names_of(one))
    missing = [name for name in names if name not in known]
    return Mistaken(asked=missing[0], came=others[0]) if missing and others else None


def _names_of(parameter: JsonMap) -> list[str]:
    """The names by which a parameter may have been asked for."""
    names = [str(parameter[key]) for key in ("Name", "ARN") if parameter.get(key)]
    return [*names, *(f"{name}{parameter['Selector']}" for name in names if parameter.get("Selector"))]


def is_marked_by_another(answer: JsonMap, objects: Collection[str]) -> bool:
    """Whether the answer to a creation shows the mark of an incarnation that is not one of these."""
    return any(mark not in objects for mark in _marks(answer))


def _at(answer: Any, path: str) -> Any:
    for name in path.split("."):
        answer = (answer or {}).get(name)
    return answer


def _marks(value: Any) -> Iterator[str]:
    """The object of every ownership tag in an answer."""
    if isinstance(value, Mapping):
        if value.get("Key") == OBJECT:
            yield str(value.get("Value"))
        for inner in value.values():
            yield from _marks(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _marks(inner)
