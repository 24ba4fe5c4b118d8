"""Custom resources of the CDK that become resources of a type of Tenuto.

`logRetention` of a function and the notifications of a bucket work on something that others have a part in: the log
group is Lambda's, and a bucket may tell others as well. So they stay resources of their own, which a plan shows, and
their provider does the work of the CDK's function. A provider of OpenID Connect becomes the resource of AWS: the CDK's
is older than that type. They are told by the name of that function, which is the same in every app: a custom resource
with a function of the user's own stays as it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tenuto.compositions.diagnostics.nodes import Entry, Fields, Items, Node, Scalar, scalar
from tenuto.model.cdk_types import BUCKET_NOTIFICATIONS, EVENT_BRIDGE, LOG_RETENTION, TARGETS

_RETENTION, _NOTIFICATIONS = "Custom::LogRetention", "Custom::S3BucketNotifications"
_OPEN_ID = "Custom::AWSCDKOpenIdConnectProvider"
_FUNCTIONS = {
    _OPEN_ID: "CustomAWSCDKOpenIdConnectProviderCustomResourceProvider",
    _RETENTION: "LogRetentionaae0aa3c5b4d4f87b02d85b201efdd8a",
    _NOTIFICATIONS: "BucketNotificationsHandler050a0587b7544547bf325f094a3db834",
}
"""The beginning of the logical id of the function, one in each stack."""
_OF_RETENTION = ("LogGroupName", "RetentionInDays", "RemovalPolicy")
_OF_OPEN_ID = {"Url": "Url", "ClientIDList": "ClientIdList", "ThumbprintList": "ThumbprintList"}
"""The properties of such a provider, and their names in the type of AWS."""
_IGNORED = ("CodeHash", "RejectUnauthorized", "ServiceToken", "ServiceTimeout", "SdkRetry")
"""Properties that only a function has a use for."""


def as_native(type_name: str, function: str, resource: Node) -> Fields | None:
    """The resource that says the same without the function; None for one that is none of these, or says more."""
    beginning = _FUNCTIONS.get(type_name)
    properties = resource.get("Properties") if isinstance(resource, Fields) else None
    if beginning is None or not function.startswith(beginning) or not isinstance(properties, Fields):
        return None
    kept = {one.name: one for one in properties.entries if one.name not in _IGNORED}
    make, name = _MAKERS[type_name]
    made = make(kept, properties)
    if made is None or not isinstance(resource, Fields):
        return None
    return _with(resource, Type=_same_place(resource.get("Type"), name), Properties=made)


def _open_id(kept: Mapping[str, Entry], properties: Fields) -> Fields | None:
    """Thumbprints that are not declared are IAM's to find, as the function would."""
    if "Url" not in kept or not kept.keys() <= _OF_OPEN_ID.keys():
        return None
    entries = (replace(one, key=scalar(_OF_OPEN_ID[name], one.key.position)) for name, one in kept.items())
    return Fields(entries=tuple(entries), position=properties.position)


def _retention(kept: Mapping[str, Entry], properties: Fields) -> Fields | None:
    """The log group may be one of another region, which no process holds."""
    if "LogGroupName" not in kept or not kept.keys() <= {*_OF_RETENTION}:
        return None
    return Fields(entries=tuple(kept.values()), position=properties.position)


def _notifications(kept: Mapping[str, Entry], properties: Fields) -> Fields | None:
    """The lists of the configuration as properties. Of a bucket of the same app the CDK holds all notifications, so
    that EventBridge is told nothing when they do not say so."""
    configuration, bucket = properties.get("NotificationConfiguration"), kept.get("BucketName")
    if not isinstance(configuration, Fields) or bucket is None:
        return None
    if not {*configuration.names} <= {*TARGETS, "EventBridgeConfiguration"}:
        return None
    if any(not isinstance(configuration.get(one), Items | None) for one in TARGETS):
        return None
    managed = properties.get("Managed")
    is_whole = not isinstance(managed, Scalar) or managed.text.lower() == "true"
    bridge = configuration.entry("EventBridgeConfiguration")
    entries = [bucket, *(one for one in configuration.entries if one.name in TARGETS)]
    if bridge is not None or is_whole:
        at = bridge.key.position if bridge is not None else bucket.key.position
        entries.append(Entry(key=scalar(EVENT_BRIDGE, at), value=scalar(bridge is not None, at)))
    return Fields(entries=(*entries, *(kept[one] for one in ("Managed",) if one in kept)), position=properties.position)


_MAKERS: Mapping[str, tuple[Callable[[Mapping[str, Entry], Fields], Fields | None], str]] = {
    _NOTIFICATIONS: (_notifications, str(BUCKET_NOTIFICATIONS)),
    _OPEN_ID: (_open_id, "AWS::IAM::OIDCProvider"),
    _RETENTION: (_retention, str(LOG_RETENTION)),
}
"""The function that makes the properties of the resource, and its type."""


def _same_place(node: Node | None, value: str) -> Node:
    assert isinstance(node, Scalar)
    return scalar(value, node.position)


def _with(resource: Fields, **changed: Node) -> Fields:
    return replace(
        resource, entries=tuple(replace(one, value=changed.get(one.name, one.value)) for one in resource.entries)
    )
