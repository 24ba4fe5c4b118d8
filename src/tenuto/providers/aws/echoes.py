"""Does the answer to a change speak of what was sent? Most creations are answered with a name or a mark of ours.

The answer to somebody else's call of the same operation is well formed, and what it names exists: recorded, it would be
held, changed and deleted in place of what was really made, which nobody would ever look for. So what an answer repeats
of its request is held against it. EC2 shows the tags of what it made, and ours name the incarnation; other services
show the name. The few that repeat nothing (addresses, associations, attachments) cannot be told.
"""

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
    "ImportKeyPair": ("KeyName", "", "KeyName"),
}
"""By operation: where its answer says what was made, what comes before the name there, and what was sent as name."""
_WAITS = "pending confirmation"
"""What SNS answers in place of the ARN of a subscription that its owner has to confirm."""


def is_of_another(operation: str, sent: Mapping[str, Any], answer: JsonMap, objects: Collection[str]) -> bool:
    """Whether the answer speaks of something else than what was sent for these objects."""
    if operation in _ECHOES:
        path, before, parameter = _ECHOES[operation]
        shown, name = str(_at(answer, path)), str(sent[parameter])
        return not shown.endswith(f"{before}{name}") if before else shown != name
    if operation == "Subscribe":
        arn = str(answer["SubscriptionArn"])
        return arn != _WAITS and not arn.startswith(f"{sent['TopicArn']}:")
    return "TagSpecifications" in sent and any(mark not in objects for mark in _marks(answer))


def _at(answer: Any, path: str) -> Any:
    for name in path.split("."):
        answer = answer[name]
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
