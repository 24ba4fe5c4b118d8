"""SNS subscriptions: of queues and functions at once, of people only when they have agreed."""

import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.sns_topic import SUBSCRIPTION, TOPIC, invalid, is_object, known, page_of, standing
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_ENDPOINTS = {
    "application": re.compile(r"arn:aws[\w-]*:sns:.+"),
    "email": re.compile(r"[^@\s]+@[^@\s]+"),
    "email-json": re.compile(r"[^@\s]+@[^@\s]+"),
    "firehose": re.compile(r"arn:aws[\w-]*:firehose:.+"),
    "http": re.compile(r"http://.+"),
    "https": re.compile(r"https://.+"),
    "lambda": re.compile(r"arn:aws[\w-]*:lambda:.+"),
    "sms": re.compile(r"\+?[\d\-. ()]{4,}"),
    "sqs": re.compile(r"arn:aws[\w-]*:sqs:[\w-]+:\d{12}:[\w.-]+"),
}
_AGREEING = ("email", "email-json", "http", "https")
_RAW = ("firehose", "http", "https", "sqs")
_FLAGS = ("true", "false")
_SCOPES = ("MessageAttributes", "MessageBody")
_DOCUMENTS = ("DeliveryPolicy", "FilterPolicy", "RedrivePolicy", "ReplayPolicy")
_SETTABLE = frozenset({*_DOCUMENTS, "FilterPolicyScope", "RawMessageDelivery", "SubscriptionRoleArn"})
_PENDING = "PendingConfirmation"


def _subscribe(call: Call) -> Data:
    topic = standing(call, TOPIC, call.want("TopicArn"))
    protocol, endpoint = call.want("Protocol"), call.want("Endpoint") or ""
    given = call.want("Attributes") or {}
    _check_endpoint(topic, protocol, endpoint)
    for name, value in given.items():
        _check(name, value, protocol)
    for one in call.all(SUBSCRIPTION, topic.id):
        if (one["Protocol"], one["Endpoint"]) == (protocol, endpoint):
            return _again(call, one, given)
    number = call.cloud.ids.digits("subscription", 32)
    arn = f"{topic.id}:{number[:8]}-{number[8:12]}-{number[12:16]}-{number[16:20]}-{number[20:]}"
    is_ours = protocol not in _AGREEING and (protocol != "sqs" or f":{call.account}:" in endpoint)
    made = call.make(
        SUBSCRIPTION,
        {
            "Endpoint": endpoint,
            "Protocol": protocol,
            "TopicArn": topic.id,
            "Attributes": {"RawMessageDelivery": "false"} | given,
        },
        id=arn,
        parents=(topic.id,),
        hidden={"is_pending": not is_ours},
        is_asked_for=False,
    )
    return _told(call, made)


def _check_endpoint(topic: Thing, protocol: str, endpoint: str) -> None:
    if protocol not in _ENDPOINTS:
        raise invalid("Protocol Reason: unknown protocol")
    if not _ENDPOINTS[protocol].fullmatch(endpoint):
        raise invalid("SQS endpoint ARN" if protocol == "sqs" else f"Endpoint Reason: not one of {protocol}")
    is_fifo = topic["Attributes"].get("FifoTopic") == "true"
    if is_fifo and protocol != "sqs":
        raise invalid("Endpoint Reason: FIFO topics deliver to SQS queues only")
    if not is_fifo and endpoint.endswith(".fifo"):
        raise invalid("Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics")


def _check(name: str, value: str, protocol: str) -> None:
    if name not in _SETTABLE:
        raise invalid("AttributeName")
    if name in _DOCUMENTS and value and not is_object(value):
        raise invalid(f"{name}: failed to parse JSON.")
    if name == "RawMessageDelivery" and (value not in _FLAGS or (value == "true" and protocol not in _RAW)):
        raise invalid(f"Attributes Reason: RawMessageDelivery: Delivery protocol [{protocol}] does not take {value}.")
    if name == "FilterPolicyScope" and value not in _SCOPES:
        raise invalid(f"FilterPolicyScope: {value}")


def _again(call: Call, present: Thing, given: Mapping[str, str]) -> Data:
    """The endpoint is subscribed already. Raises Refusal when not so."""
    if any(present["Attributes"].get(name) != value for name, value in given.items()):
        raise invalid("Attributes Reason: Subscription already exists with different attributes")
    return _told(call, present)


def _told(call: Call, subscription: Thing) -> Data:
    is_told = call.want("ReturnSubscriptionArn") or not subscription.hidden["is_pending"]
    return {"SubscriptionArn": subscription.id if is_told else "pending confirmation"}


def _unsubscribe(call: Call) -> Data:
    arn = call.want("SubscriptionArn")
    if arn.count(":") != 6:
        raise invalid(f"SubscriptionArn Reason: An ARN must have at least 6 elements, not {arn.count(':') + 1}")
    present = call.place.table(SUBSCRIPTION).things.get(arn)
    if present is not None and present.hidden["is_pending"]:
        raise invalid("This subscription cannot be deleted while it is pending confirmation")
    if present is not None:
        call.remove(present)
    return {}


def _listed(call: Call, topic: str | None) -> Data:
    shown = {}
    for view in call.seen(SUBSCRIPTION):
        if topic in (None, view.data["TopicArn"]):
            arn = _PENDING if view.thing.hidden["is_pending"] else view.thing.id
            shown[view.thing.id] = {
                "SubscriptionArn": arn,
                "Owner": call.account,
                "Endpoint": _veiled(view.data["Endpoint"]),
                **{name: view.data[name] for name in ("Protocol", "TopicArn")},
            }
    return page_of(call, "Subscriptions", shown)


def _veiled(endpoint: str) -> str:
    """An endpoint without the password in it."""
    return re.sub(r"^(https?://[^/@:]*):[^/@]*@", r"\1:****@", endpoint)


def _list(call: Call) -> Data:
    return _listed(call, None)


def _list_of_topic(call: Call) -> Data:
    return _listed(call, known(call, TOPIC, call.want("TopicArn")).thing.id)


def _attributes(call: Call) -> Data:
    view = known(call, SUBSCRIPTION, call.want("SubscriptionArn"))
    own = {name: value for name, value in view.data["Attributes"].items() if value}
    if own.get("FilterPolicy"):
        own = {"FilterPolicyScope": "MessageAttributes"} | own
    is_pending = view.thing.hidden["is_pending"]
    return {
        "Attributes": {
            **own,
            "Endpoint": _veiled(view.data["Endpoint"]),
            **{name: view.data[name] for name in ("Protocol", "SubscriptionArn", "TopicArn")},
            "ConfirmationWasAuthenticated": "false" if is_pending else "true",
            "Owner": call.account,
            "PendingConfirmation": "true" if is_pending else "false",
            "SubscriptionPrincipal": f"arn:aws:iam::{call.account}:user/tester",
        }
    }


def _set(call: Call) -> Data:
    subscription = standing(call, SUBSCRIPTION, call.want("SubscriptionArn"))
    name, value = call.want("AttributeName"), call.want("AttributeValue") or ""
    _check(name, value, subscription["Protocol"])
    if name == "FilterPolicyScope" and not subscription["Attributes"].get("FilterPolicy"):
        raise Refusal("InvalidParameter", "Invalid parameter: FilterPolicyScope: there is no filter policy")
    call.edit(subscription)["Attributes"] = {**subscription["Attributes"], name: value}
    return {}


HANDLERS: Mapping[str, Any] = {
    "GetSubscriptionAttributes": _attributes,
    "ListSubscriptions": _list,
    "ListSubscriptionsByTopic": _list_of_topic,
    "SetSubscriptionAttributes": _set,
    "Subscribe": _subscribe,
    "Unsubscribe": _unsubscribe,
}
