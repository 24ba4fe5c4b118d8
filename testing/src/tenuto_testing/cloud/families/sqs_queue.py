"""SQS queues: known by their names at once, listed a minute later, and remembered for a minute after their end."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.plain_tags import TagCodes, as_map, of_map, tagged, untagged
from tenuto_testing.cloud.families.sqs_attributes import at_birth, check_attributes, check_name
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing, View

QUEUE = Kind(name="queue", prefix="", id_name="QueueUrl", not_found="QueueDoesNotExist")
_LARGEST_PAGE = 1000
_CODES = TagCodes("InvalidParameterValue", "InvalidParameterValue")
_COUNTERS = dict.fromkeys(
    (
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesDelayed",
        "ApproximateNumberOfMessagesNotVisible",
    ),
    "0",
)
_DELETED = "deleted"


def _url(call: Call, name: str) -> str:
    return f"https://sqs.{call.region}.amazonaws.com/{call.account}/{name}"


def _arn(call: Call, name: str) -> str:
    return f"arn:aws:sqs:{call.region}:{call.account}:{name}"


def _known(call: Call, url: str) -> View:
    """A queue as the caller can see it. Raises Refusal."""
    view = call.place.sight(QUEUE, url, call.horizon())
    if view is None or view.data.get("State") == _DELETED:
        raise Refusal("QueueDoesNotExist", "The specified queue does not exist.")
    return view


def _changeable(call: Call) -> Thing:
    """A queue that is there and known. Raises Refusal."""
    thing = _known(call, call.want("QueueUrl")).thing
    if thing.gone_at is not None or thing.get("State") == _DELETED:
        raise Refusal("QueueDoesNotExist", "The specified queue does not exist.")
    return thing


def _targets(call: Call, given: Mapping[str, str]) -> dict[str, bool]:
    """Every queue that dead letters can go to by its ARN, and whether it is a FIFO queue; none without a redrive
    policy."""
    if not given.get("RedrivePolicy"):
        return {}
    return {
        one["Attributes"]["QueueArn"]: "FifoQueue" in one["Attributes"]
        for one in call.all(QUEUE)
        if one.get("State") != _DELETED
    }


def _create(call: Call) -> Data:
    name, given = call.want("QueueName"), call.want("Attributes") or {}
    is_fifo = "FifoQueue" in given
    check_name(name, is_fifo=is_fifo)
    check_attributes(given, _targets(call, given), is_fifo=is_fifo, is_new=True)
    tags = tagged([], of_map(call.want("tags")), _CODES)
    url = _url(call, name)
    present = call.place.table(QUEUE).things.get(url)
    if present is not None:
        _check_same(present, given)
        return {"QueueUrl": url}
    moment = str(int(call.now))
    attributes = {
        **_COUNTERS,
        **at_birth(given),
        "CreatedTimestamp": moment,
        "LastModifiedTimestamp": moment,
        "QueueArn": _arn(call, name),
    }
    hidden = {"listed_at": call.now + call.cloud.pace.queue_s * call.cloud.pace.times}
    queue = call.make(QUEUE, {"Attributes": attributes}, id=url, hidden=hidden, is_asked_for=False)
    queue.data["Tags"] = tags
    return {"QueueUrl": url}


def _check_same(present: Thing, given: Mapping[str, str]) -> None:
    """A queue that is there already is the answer, when it is as ordered. Raises Refusal."""
    if present.get("State") == _DELETED:
        raise Refusal(
            "QueueDeletedRecently",
            "You must wait 60 seconds after deleting a queue before you can create another with the same name.",
        )
    for name, value in given.items():
        if present["Attributes"].get(name) != value:
            raise Refusal(
                "QueueNameExists",
                f"A queue already exists with the same name and a different value for attribute {name}",
            )


def _delete(call: Call) -> Data:
    queue = _changeable(call)
    call.edit(queue)["State"] = _DELETED
    call.later(call.cloud.pace.queue_s, lambda then: then.remove(queue))
    return {}


def _find(call: Call) -> Data:
    url = _url(call, call.want("QueueName"))
    _known(call, url)
    return {"QueueUrl": url}


def _list(call: Call) -> Data:
    if call.want("NextToken") and not call.want("MaxResults"):
        raise Refusal(
            "InvalidParameterValue", "MaxResults is a mandatory parameter when you provide a value for NextToken."
        )
    size = call.want("MaxResults", _LARGEST_PAGE)
    if not 1 <= size <= _LARGEST_PAGE:
        raise Refusal(
            "InvalidParameterValue", f"Value {size} for parameter MaxResults is invalid. Reason: must be 1-1000."
        )
    start = _url(call, call.want("QueueNamePrefix") or "")
    urls = sorted({one.thing.id for one in call.seen(QUEUE) if one.thing.hidden["listed_at"] <= call.now})
    page, token = cut(call, [url for url in urls if url.startswith(start)], str, size)
    answer: Data = {"QueueUrls": page} if page else {}
    return {**answer, "NextToken": token} if token and call.want("MaxResults") else answer


def _attributes(call: Call) -> Data:
    wanted = call.want("AttributeNames") or ()
    attributes: Data = _known(call, call.want("QueueUrl")).data["Attributes"]
    if "All" in wanted:
        return {"Attributes": attributes}
    found = {name: value for name, value in attributes.items() if name in wanted}
    return {"Attributes": found} if found else {}


def _set(call: Call) -> Data:
    queue, given = _changeable(call), call.want("Attributes")
    attributes = queue["Attributes"]
    check_attributes(given, _targets(call, given), is_fifo="FifoQueue" in attributes, is_new=False)
    now = {**attributes, **given, "LastModifiedTimestamp": str(int(call.now))}
    if given.get("KmsMasterKeyId"):
        now.pop("SqsManagedSseEnabled", None)
    call.edit(queue)["Attributes"] = {name: value for name, value in now.items() if value != ""}
    return {}


def _tag(call: Call) -> Data:
    queue = _changeable(call)
    tags = tagged(queue.tags(), of_map(call.want("Tags")), _CODES)
    call.edit(queue)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    queue = _changeable(call)
    call.edit(queue)["Tags"] = untagged(queue.tags(), call.want("TagKeys"))
    return {}


def _tags(call: Call) -> Data:
    tags = as_map(_known(call, call.want("QueueUrl")).data["Tags"])
    return {"Tags": tags} if tags else {}


HANDLERS: Mapping[str, Any] = {
    "CreateQueue": _create,
    "DeleteQueue": _delete,
    "GetQueueAttributes": _attributes,
    "GetQueueUrl": _find,
    "ListQueueTags": _tags,
    "ListQueues": _list,
    "SetQueueAttributes": _set,
    "TagQueue": _tag,
    "UntagQueue": _untag,
}
