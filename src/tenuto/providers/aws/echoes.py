"""Does an answer speak of what was asked? Most answers repeat a name, an id or a mark of ours.

The answer to somebody else's call of the same operation is well formed, and what it names exists: recorded, it would be
held, changed and deleted in place of what was really made, which nobody would ever look for. So what an answer repeats
of its request is held against it. EC2 shows the tags of what it made, and ours name the incarnation; other services
show the name. Of those that repeat nothing, an address or an association is looked up (`finding.confirmed`).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.owner import OBJECT

_ECHOES: Mapping[str, tuple[str, str, str]] = {
    "CreateInstanceProfile": ("InstanceProfile.InstanceProfileName", "", "InstanceProfileName"),
    "CreateKeyPair": ("KeyName", "", "KeyName"),
    "CreatePolicy": ("Policy.PolicyName", "", "PolicyName"),
    "CreateQueue": ("QueueUrl", "/", "QueueName"),
    "CreateRole": ("Role.RoleName", "", "RoleName"),
    "CreateTable": ("TableDescription.TableName", "", "TableName"),
    "CreateTopic": ("TopicArn", ":", "Name"),
    "DescribeInstanceAttribute": ("InstanceId", "", "InstanceId"),
    "DescribeTable": ("Table.TableName", "", "TableName"),
    "DescribeVpcAttribute": ("VpcId", "", "VpcId"),
    "GetInstanceProfile": ("InstanceProfile.InstanceProfileName", "", "InstanceProfileName"),
    "GetParameter": ("Parameter.Name", "", "Name"),
    "GetPolicy": ("Policy.Arn", "", "PolicyArn"),
    "GetQueueUrl": ("QueueUrl", "/", "QueueName"),
    "GetRole": ("Role.RoleName", "", "RoleName"),
    "GetSubscriptionAttributes": ("Attributes.SubscriptionArn", "", "SubscriptionArn"),
    "GetTopicAttributes": ("Attributes.TopicArn", "", "TopicArn"),
    "ImportKeyPair": ("KeyName", "", "KeyName"),
}
"""By operation: where its answer says what it is about, what comes before the name there, and what was sent as name."""
_IDS = re.compile("(?!Owner|NatGateway)[A-Za-z]+Ids|KeyNames")
"""The parameters of EC2 that take ids of things: it refuses ids that it does not know, so an answer shows one of them.
Of NAT gateways that it does not know, moto says nothing.
"""
_WAITS = "pending confirmation"
"""What SNS answers in place of the ARN of a subscription that its owner has to confirm."""


def is_of_another(operation: str, sent: Mapping[str, Any], answer: JsonMap) -> bool:
    """Whether the answer speaks of something else than what was sent."""
    if operation in _ECHOES:
        path, before, parameter = _ECHOES[operation]
        shown, name = _at(answer, path), str(sent[parameter])
        return shown is not None and not (str(shown).endswith(f"{before}{name}") if before else shown == name)
    match operation:
        case "Subscribe":
            arn = str(answer["SubscriptionArn"])
            return arn != _WAITS and not arn.startswith(f"{sent['TopicArn']}:")
        case "GetQueueAttributes":
            arn = str(_at(answer, "Attributes.QueueArn") or "")
            return arn.rpartition(":")[2] not in ("", str(sent["QueueUrl"]).rpartition("/")[2])
    if not operation.startswith("Describe"):
        return False
    ids = [one for name, given in sent.items() if _IDS.fullmatch(name) for one in given]
    return bool(ids) and not any(one in str(answer) for one in ids)


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
