"""SNS topics: creating one again is no error, unless it would be another one."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.plain_tags import TagCodes, tagged, untagged
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing, View

TOPIC = Kind(name="topic", prefix="", id_name="TopicArn", not_found="NotFound")
SUBSCRIPTION = Kind(name="subscription", prefix="", id_name="SubscriptionArn", not_found="NotFound")
PAGE = 100
_NAME = re.compile(r"[A-Za-z0-9_-]{1,256}")
_FIFO_NAME = re.compile(r"[A-Za-z0-9_-]{1,251}\.fifo")
_LONGEST_DISPLAY_NAME = 100
_CODES = TagCodes("InvalidParameter", "TagLimitExceeded")
_FLAGS = ("true", "false")
_WORDS = {
    "ContentBasedDeduplication": _FLAGS,
    "FifoThroughputScope": ("Topic", "MessageGroup"),
    "SignatureVersion": ("1", "2"),
    "TracingConfig": ("PassThrough", "Active"),
}
_DOCUMENTS = ("ArchivePolicy", "DeliveryPolicy", "Policy")
_OF_FIFO = frozenset({"ArchivePolicy", "ContentBasedDeduplication", "FifoThroughputScope"})
_PROTOCOLS = ("Application", "Firehose", "HTTP", "Lambda", "SQS")
_NUMBERS = {
    "MaximumMessageSize": range(1024, 1048577),
    **{f"{protocol}SuccessFeedbackSampleRate": range(101) for protocol in _PROTOCOLS},
}
_ROLES = frozenset(f"{protocol}{case}FeedbackRoleArn" for protocol in _PROTOCOLS for case in ("Failure", "Success"))
_SETTABLE = frozenset({*_WORDS, *_DOCUMENTS, *_NUMBERS, *_ROLES, "DisplayName", "KmsMasterKeyId"})
_RETRIES = {
    "http": {
        "defaultHealthyRetryPolicy": {
            "minDelayTarget": 20,
            "maxDelayTarget": 20,
            "numRetries": 3,
            "numMaxDelayRetries": 0,
            "numNoDelayRetries": 0,
            "numMinDelayRetries": 0,
            "backoffFunction": "linear",
        },
        "disableSubscriptionOverrides": False,
        "defaultRequestPolicy": {"headerContentType": "text/plain; charset=UTF-8"},
    }
}


def invalid(why: str) -> Refusal:
    return Refusal("InvalidParameter", f"Invalid parameter: {why}")


def known(call: Call, kind: Kind, arn: str, *, code: str = "NotFound") -> View:
    """A topic or a subscription as the caller can see it. Raises Refusal."""
    if arn.count(":") < 5:
        raise invalid(f"{kind.id_name} Reason: An ARN must have at least 6 elements, not {arn.count(':') + 1}")
    view = call.place.sight(kind, arn, call.horizon())
    if view is None:
        raise Refusal(code, f"{kind.name.capitalize()} does not exist", 404)
    return view


def standing(call: Call, kind: Kind, arn: str, *, code: str = "NotFound") -> Thing:
    """One that is there, too. Raises Refusal."""
    thing = known(call, kind, arn, code=code).thing
    if thing.gone_at is not None:
        raise Refusal(code, f"{kind.name.capitalize()} does not exist", 404)
    return thing


def page_of(call: Call, members: str, shown: Mapping[str, Data]) -> Data:
    """A page of the shown members, in the order of their keys."""
    keys, token = cut(call, sorted(shown), str, PAGE)
    answer: Data = {members: [shown[key] for key in keys]}
    return {**answer, "NextToken": token} if token else answer


def _create(call: Call) -> Data:
    name, given = call.want("Name"), call.want("Attributes") or {}
    is_fifo = given.get("FifoTopic") == "true"
    if not (_FIFO_NAME if is_fifo else _NAME).fullmatch(name):
        raise invalid("Fifo Topic names must end with .fifo" if is_fifo else "Topic Name")
    for key, value in given.items():
        if key != "FifoTopic" or value not in _FLAGS:
            _check(key, value, is_fifo=is_fifo)
    tags = tagged([], call.want("Tags") or (), _CODES)
    arn = f"arn:aws:sns:{call.region}:{call.account}:{name}"
    present = call.place.table(TOPIC).things.get(arn)
    if present is not None:
        _check_same(call, present, given, tags)
        return {"TopicArn": arn}
    attributes = {"DisplayName": "", "Policy": _policy(call, arn)} | given
    if is_fifo:
        attributes = {"ContentBasedDeduplication": "false"} | attributes
    protection = _protection_in(call, is_fifo=is_fifo)
    topic = call.make(TOPIC, {"Attributes": attributes, **protection}, id=arn, is_asked_for=False)
    topic.data["Tags"] = tags
    return {"TopicArn": arn}


def _policy(call: Call, arn: str) -> str:
    """The policy of a topic that permits its owner the usual actions."""
    names = "GetTopicAttributes SetTopicAttributes AddPermission RemovePermission DeleteTopic Subscribe"
    statement = {
        "Sid": "__default_statement_ID",
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": [f"SNS:{name}" for name in (*names.split(), "ListSubscriptionsByTopic", "Publish")],
        "Resource": arn,
        "Condition": {"StringEquals": {"AWS:SourceOwner": call.account}},
    }
    return json.dumps({"Version": "2008-10-17", "Id": "__default_policy_ID", "Statement": [statement]})


def _check_same(call: Call, present: Thing, given: Mapping[str, str], tags: Sequence[Data]) -> None:
    if any(present["Attributes"].get(key, "false") != value for key, value in given.items()):
        raise invalid("Attributes Reason: Topic already exists with different attributes")
    if call.want("Tags") and present.tags() != tags:
        raise invalid("Tags Reason: Topic already exists with different tags")


def _check(name: str, value: str, *, is_fifo: bool) -> None:
    if name not in _SETTABLE or (name in _OF_FIFO and not is_fifo):
        raise invalid("AttributeName")
    is_word = name not in _WORDS or value in _WORDS[name]
    is_document = name not in _DOCUMENTS or not value or is_object(value)
    is_number = name not in _NUMBERS or (value.isdecimal() and int(value) in _NUMBERS[name])
    is_role = name not in _ROLES or not value or ":iam:" in value
    is_short = name != "DisplayName" or len(value) <= _LONGEST_DISPLAY_NAME
    if not (is_word and is_document and is_number and is_role and is_short):
        raise invalid(f"Attributes Reason: {name}: invalid value")


def is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _delete(call: Call) -> Data:
    """Delete a topic. The answer for an absent topic is the same."""
    arn = call.want("TopicArn")
    if arn.count(":") != 5:
        raise invalid("TopicArn Reason: An ARN must have at least 6 elements")
    topic = call.place.table(TOPIC).things.get(arn)
    if topic is not None:
        for one in call.all(SUBSCRIPTION, arn):
            call.remove(one)
        call.remove(topic)
    return {}


def _list(call: Call) -> Data:
    arns = {view.thing.id for view in call.seen(TOPIC)}
    return page_of(call, "Topics", {arn: {"TopicArn": arn} for arn in arns})


def _attributes(call: Call) -> Data:
    view = known(call, TOPIC, call.want("TopicArn"))
    own = view.data["Attributes"]
    subscriptions = call.all(SUBSCRIPTION, view.thing.id)
    pending = sum(one.hidden["is_pending"] for one in subscriptions)
    shown = {
        **own,
        "EffectiveDeliveryPolicy": json.dumps(_RETRIES),
        "Owner": call.account,
        "SubscriptionsConfirmed": str(len(subscriptions) - pending),
        "SubscriptionsDeleted": "0",
        "SubscriptionsPending": str(pending),
        "TopicArn": view.thing.id,
    }
    return {"Attributes": {name: value for name, value in shown.items() if value != "" or name == "DisplayName"}}


def _set(call: Call) -> Data:
    topic = standing(call, TOPIC, call.want("TopicArn"))
    name, value = call.want("AttributeName"), call.want("AttributeValue") or ""
    _check(name, value, is_fifo=topic["Attributes"].get("FifoTopic") == "true")
    call.edit(topic)["Attributes"] = {**topic["Attributes"], name: value}
    return {}


def _protection_in(call: Call, *, is_fifo: bool) -> Data:
    """The policy that a call is given. Raises Refusal."""
    policy = call.want("DataProtectionPolicy") or ""
    if policy and is_fifo:
        raise invalid("DataProtectionPolicy Reason: FIFO topics have none")
    if policy and not is_object(policy):
        raise invalid("DataProtectionPolicy Reason: it is not a JSON object")
    return {"DataProtectionPolicy": policy} if policy else {}


def _protect(call: Call) -> Data:
    """An empty policy takes the old one away."""
    topic = standing(call, TOPIC, call.want("ResourceArn"))
    protection = _protection_in(call, is_fifo=topic["Attributes"].get("FifoTopic") == "true")
    data = call.edit(topic)
    data.pop("DataProtectionPolicy", None)
    data.update(protection)
    return {}


def _protection(call: Call) -> Data:
    data = known(call, TOPIC, call.want("ResourceArn")).data
    if data["Attributes"].get("FifoTopic") == "true":
        raise invalid("ResourceArn Reason: FIFO topics have no such policy")
    return {name: data[name] for name in ("DataProtectionPolicy",) if name in data}


def _tag(call: Call) -> Data:
    topic = standing(call, TOPIC, call.want("ResourceArn"), code="ResourceNotFound")
    tags = tagged(topic.tags(), call.want("Tags"), _CODES)
    call.edit(topic)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    topic = standing(call, TOPIC, call.want("ResourceArn"), code="ResourceNotFound")
    call.edit(topic)["Tags"] = untagged(topic.tags(), call.want("TagKeys"))
    return {}


def _tags(call: Call) -> Data:
    return {"Tags": known(call, TOPIC, call.want("ResourceArn"), code="ResourceNotFound").data["Tags"]}


HANDLERS: Mapping[str, Any] = {
    "CreateTopic": _create,
    "DeleteTopic": _delete,
    "GetDataProtectionPolicy": _protection,
    "GetTopicAttributes": _attributes,
    "ListTagsForResource": _tags,
    "ListTopics": _list,
    "PutDataProtectionPolicy": _protect,
    "SetTopicAttributes": _set,
    "TagResource": _tag,
    "UntagResource": _untag,
}
