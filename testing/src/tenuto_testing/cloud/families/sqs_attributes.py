"""The attributes of queues: their names, their bounds, and their defaults."""

import json
import re
from collections.abc import Mapping

from tenuto_testing.cloud.wire.messages import Refusal

_RANGES = {
    "DelaySeconds": (0, 900),
    "KmsDataKeyReusePeriodSeconds": (60, 86_400),
    "MaximumMessageSize": (1024, 1_048_576),
    "MessageRetentionPeriod": (60, 1_209_600),
    "ReceiveMessageWaitTimeSeconds": (0, 20),
    "VisibilityTimeout": (0, 43_200),
}
_WORDS = {
    "ContentBasedDeduplication": ("true", "false"),
    "DeduplicationScope": ("messageGroup", "queue"),
    "FifoQueue": ("true",),
    "FifoThroughputLimit": ("perQueue", "perMessageGroupId"),
    "SqsManagedSseEnabled": ("true", "false"),
}
_DOCUMENTS = ("Policy", "RedriveAllowPolicy", "RedrivePolicy")
_OF_FIFO = frozenset({"ContentBasedDeduplication", "DeduplicationScope", "FifoQueue", "FifoThroughputLimit"})
_SETTABLE = frozenset({*_RANGES, *_WORDS, *_DOCUMENTS, "KmsMasterKeyId"})
_BORN_WITH = {
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
_FIFO_BORN_WITH = {
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "queue",
    "FifoThroughputLimit": "perQueue",
}
_RECEIVES = (1, 1000)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")
_FIFO_NAME = re.compile(r"[A-Za-z0-9_-]{1,75}\.fifo")


def check_name(name: str, *, is_fifo: bool) -> None:
    """Raises Refusal."""
    if is_fifo and not _FIFO_NAME.fullmatch(name):
        raise Refusal(
            "InvalidParameterValue",
            "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end "
            "with .fifo suffix and be 1 to 80 in length",
        )
    if not is_fifo and not _NAME.fullmatch(name):
        raise Refusal(
            "InvalidParameterValue",
            "Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length",
        )


def at_birth(given: Mapping[str, str]) -> dict[str, str]:
    """The attributes of a new queue: the given ones and the defaults."""
    is_fifo = "FifoQueue" in given
    born = _BORN_WITH | (_FIFO_BORN_WITH if is_fifo else {})
    if "KmsMasterKeyId" in given:
        born = {name: value for name, value in born.items() if name != "SqsManagedSseEnabled"}
    return {**born, **given}


def check_attributes(given: Mapping[str, str], queues: Mapping[str, bool], *, is_fifo: bool, is_new: bool) -> None:
    """Raises Refusal. `queues` are the ARNs of all there are, and whether each is a FIFO queue."""
    for name, value in given.items():
        is_known = name in _SETTABLE and (is_fifo or name not in _OF_FIFO) and (is_new or name != "FifoQueue")
        if not is_known:
            raise Refusal("InvalidAttributeName", f"Unknown Attribute {name}.")
        if name in _RANGES and not _is_within(value, _RANGES[name]):
            raise _invalid(name, value)
        if name in _WORDS and value not in _WORDS[name]:
            raise _invalid(name, value)
        if name in _DOCUMENTS and value:
            _check_document(name, value, queues, is_fifo=is_fifo)
    if given.get("KmsMasterKeyId") and given.get("SqsManagedSseEnabled") == "true":
        raise Refusal("InvalidAttributeValue", "You can use one type of server-side encryption (SSE) at one time.")


def _check_document(name: str, text: str, queues: Mapping[str, bool], *, is_fifo: bool) -> None:
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise _invalid(name, text)
    if name != "RedrivePolicy":
        return
    target, count = document.get("deadLetterTargetArn"), document.get("maxReceiveCount")
    if not target or count is None or not _is_within(str(count), _RECEIVES):
        raise _unfit(text, "Redrive policy needs deadLetterTargetArn and a maxReceiveCount from 1 to 1000.")
    if target not in queues:
        raise _unfit(text, "Dead letter target does not exist.")
    if queues[target] != is_fifo:
        raise _unfit(text, "Dead-letter queue must be same type of queue as the source.")


def _unfit(value: str, reason: str) -> Refusal:
    return Refusal("InvalidParameterValue", f"Value {value} for parameter RedrivePolicy is invalid. Reason: {reason}")


def _invalid(name: str, value: str) -> Refusal:
    return Refusal("InvalidAttributeValue", f"Invalid value for the parameter {name}: {value}.")


def _is_within(text: str, bounds: tuple[int, int]) -> bool:
    return text.isdigit() and bounds[0] <= int(text) <= bounds[1]
