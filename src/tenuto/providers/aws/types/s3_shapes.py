"""S3 configurations between CloudFormation's words and the API's.

Pure functions in pairs: `…_declared` from an answer, `…_to_api` from a declaration. What has the same name on both
sides passes through untouched, so that new members of either side need no change here.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from tenuto.model.ids import Json, JsonMap


def renamed(value: JsonMap, names: Mapping[str, str]) -> dict[str, Json]:
    """The mapping with some of its keys in other words."""
    return {names.get(key, key): one for key, one in value.items()}


def _inverse(names: Mapping[str, str]) -> dict[str, str]:
    return {theirs: ours for ours, theirs in names.items()}


def _texts(value: Json) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _shown(value: JsonMap) -> dict[str, Json]:
    return {key: one for key, one in value.items() if one is not None}


def public_access_to_api(value: JsonMap) -> Json:
    """A put replaces all four, and what is left out is off, as in CloudFormation."""
    return dict(value)


_ENCRYPTION = {"ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault"}


def encryption_declared(found: JsonMap) -> Json:
    rules = [renamed(rule, _inverse(_ENCRYPTION)) for rule in found.get("Rules") or ()]
    return {"ServerSideEncryptionConfiguration": rules}


def encryption_to_api(value: JsonMap) -> Json:
    return {"Rules": [renamed(rule, _ENCRYPTION) for rule in value.get("ServerSideEncryptionConfiguration") or ()]}


_CORS = {"ExposedHeaders": "ExposeHeaders", "Id": "ID", "MaxAge": "MaxAgeSeconds"}


def cors_declared(found: JsonMap) -> Json:
    return {"CorsRules": [renamed(rule, _inverse(_CORS)) for rule in found.get("CORSRules") or ()]}


def cors_to_api(value: JsonMap) -> Json:
    return {"CORSRules": [renamed(rule, _CORS) for rule in value.get("CorsRules") or ()]}


_LOGGING = {"DestinationBucketName": "TargetBucket", "LogFilePrefix": "TargetPrefix"}


def logging_declared(found: JsonMap) -> Json:
    return renamed(found, _inverse(_LOGGING))


def logging_to_api(value: JsonMap) -> Json:
    """An empty declaration turns logging off; S3 wants a prefix, also an empty one."""
    if not value:
        return {}
    return {"LoggingEnabled": {"TargetPrefix": "", **renamed(value, _LOGGING)}}


_ROUTING = {"RedirectRule": "Redirect", "RoutingRuleCondition": "Condition"}


def website_declared(found: JsonMap) -> Json:
    shown = {
        "IndexDocument": (found.get("IndexDocument") or {}).get("Suffix"),
        "ErrorDocument": (found.get("ErrorDocument") or {}).get("Key"),
        "RedirectAllRequestsTo": found.get("RedirectAllRequestsTo"),
        "RoutingRules": [renamed(rule, _inverse(_ROUTING)) for rule in found.get("RoutingRules") or ()] or None,
    }
    return _shown(shown)


def website_to_api(value: JsonMap) -> Json:
    wanted = {
        "IndexDocument": {"Suffix": value["IndexDocument"]} if value.get("IndexDocument") else None,
        "ErrorDocument": {"Key": value["ErrorDocument"]} if value.get("ErrorDocument") else None,
        "RedirectAllRequestsTo": value.get("RedirectAllRequestsTo"),
        "RoutingRules": [renamed(rule, _ROUTING) for rule in value.get("RoutingRules") or ()] or None,
    }
    return _shown(wanted)


_TRANSITION = {"TransitionInDays": "Days", "TransitionDate": "Date"}
_LATER_TRANSITION = {"TransitionInDays": "NoncurrentDays"}
_EXPIRATION = {
    "ExpirationDate": "Date",
    "ExpirationInDays": "Days",
    "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker",
}


def lifecycle_declared(found: JsonMap) -> Json:
    return {"Rules": [_rule_declared(rule) for rule in found.get("Rules") or ()]}


def _rule_declared(rule: JsonMap) -> Json:
    condition = _condition_of(rule)
    expiration = rule.get("Expiration") or {}
    shown = {
        "Id": rule.get("ID"),
        "Status": rule.get("Status"),
        "Prefix": condition.get("Prefix"),
        "TagFilters": list(condition.get("Tags") or ()) or None,
        "ObjectSizeGreaterThan": condition.get("ObjectSizeGreaterThan"),
        "ObjectSizeLessThan": condition.get("ObjectSizeLessThan"),
        "AbortIncompleteMultipartUpload": rule.get("AbortIncompleteMultipartUpload"),
        "NoncurrentVersionExpiration": rule.get("NoncurrentVersionExpiration"),
        "Transitions": _dated([renamed(one, _inverse(_TRANSITION)) for one in rule.get("Transitions") or ()]),
        "NoncurrentVersionTransitions": [
            renamed(one, _inverse(_LATER_TRANSITION)) for one in rule.get("NoncurrentVersionTransitions") or ()
        ]
        or None,
    }
    for ours, theirs in _EXPIRATION.items():
        shown[ours] = _day(expiration.get(theirs))
    return _shown(shown)


def _condition_of(rule: JsonMap) -> JsonMap:
    """Prefix, tags and sizes, wherever S3 put them: in the rule, in its filter, or in an And of the filter."""
    found = rule.get("Filter") or {}
    found = found.get("And") or found
    tags = list(found.get("Tags") or ()) or ([found["Tag"]] if found.get("Tag") else [])
    return {"Prefix": rule.get("Prefix"), **{key: one for key, one in found.items() if one != ""}, "Tags": tags}


def _dated(transitions: Sequence[JsonMap]) -> Json:
    return [{key: _day(one) for key, one in transition.items()} for transition in transitions] or None


def _day(value: Json) -> Json:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value


def lifecycle_to_api(value: JsonMap) -> Json:
    return {"Rules": [_rule_to_api(rule) for rule in value.get("Rules") or ()]}


def _rule_to_api(rule: JsonMap) -> Json:
    expiration = {theirs: rule[ours] for ours, theirs in _EXPIRATION.items() if ours in rule}
    transitions = [*(rule.get("Transitions") or ()), *([rule["Transition"]] if rule.get("Transition") else ())]
    later = [
        *(rule.get("NoncurrentVersionTransitions") or ()),
        *([rule["NoncurrentVersionTransition"]] if rule.get("NoncurrentVersionTransition") else ()),
    ]
    old = rule.get("NoncurrentVersionExpiration")
    if old is None and rule.get("NoncurrentVersionExpirationInDays") is not None:
        old = {"NoncurrentDays": rule["NoncurrentVersionExpirationInDays"]}
    wanted = {
        "ID": rule.get("Id"),
        "Status": rule.get("Status"),
        "Filter": _filter_to_api(rule),
        "Expiration": expiration or None,
        "AbortIncompleteMultipartUpload": rule.get("AbortIncompleteMultipartUpload"),
        "NoncurrentVersionExpiration": old,
        "Transitions": [renamed(one, _TRANSITION) for one in transitions] or None,
        "NoncurrentVersionTransitions": [renamed(one, _LATER_TRANSITION) for one in later] or None,
    }
    return _shown(wanted)


def _filter_to_api(rule: JsonMap) -> Json:
    """S3 takes one condition plainly and several inside And."""
    tags = list(rule.get("TagFilters") or ())
    names = ("Prefix", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
    conditions = {name: rule[name] for name in names if rule.get(name) not in (None, "")}
    if len(conditions) + len(tags) > 1:
        return {"And": {**conditions, **({"Tags": tags} if tags else {})}}
    return {"Tag": tags[0]} if tags else conditions or {"Prefix": ""}


_TARGETS = {
    "LambdaConfigurations": ("LambdaFunctionConfigurations", "Function", "LambdaFunctionArn"),
    "QueueConfigurations": ("QueueConfigurations", "Queue", "QueueArn"),
    "TopicConfigurations": ("TopicConfigurations", "Topic", "TopicArn"),
}


def notification_declared(found: JsonMap) -> Json:
    """CloudFormation has one event in each configuration, the API a list of them."""
    shown: dict[str, Json] = {}
    for ours, (theirs, target, arn) in _TARGETS.items():
        configurations = [
            {
                "Event": event,
                target: one[arn],
                **({"Filter": {"S3Key": {"Rules": _key_rules(one)}}} if _key_rules(one) else {}),
            }
            for one in found.get(theirs) or ()
            for event in one.get("Events") or ()
        ]
        if configurations:
            shown[ours] = configurations
    if found.get("EventBridgeConfiguration") is not None:
        shown["EventBridgeConfiguration"] = {"EventBridgeEnabled": True}
    return shown or None


def _key_rules(configuration: JsonMap) -> list[Json]:
    rules = ((configuration.get("Filter") or {}).get("Key") or {}).get("FilterRules") or ()
    return [{"Name": str(rule["Name"]).lower(), "Value": rule["Value"]} for rule in rules]


def notification_to_api(value: JsonMap) -> Json:
    wanted: dict[str, Json] = {}
    for ours, (theirs, target, arn) in _TARGETS.items():
        configurations = [
            {
                "Events": _texts(one["Event"]),
                arn: one[target],
                **({"Filter": {"Key": {"FilterRules": one["Filter"]["S3Key"]["Rules"]}}} if one.get("Filter") else {}),
            }
            for one in value.get(ours) or ()
        ]
        if configurations:
            wanted[theirs] = configurations
    bridge = value.get("EventBridgeConfiguration")
    if bridge is not None and str(bridge.get("EventBridgeEnabled", True)).casefold() == "true":
        wanted["EventBridgeConfiguration"] = {}
    return wanted


def replication_declared(found: JsonMap) -> Json:
    return {**found, "Rules": [renamed(rule, {"ID": "Id"}) for rule in found.get("Rules") or ()]}


def replication_to_api(value: JsonMap) -> Json:
    """A rule without a filter is of the first version of the API, which wants a prefix, also an empty one."""
    rules = []
    for rule in value.get("Rules") or ():
        wanted = renamed(rule, {"Id": "ID"})
        if "Filter" not in wanted:
            wanted.setdefault("Prefix", "")
        rules.append(wanted)
    return {**value, "Rules": rules}


_GROUPS = "http://acs.amazonaws.com/groups/"
_CANNED: Mapping[frozenset[tuple[str, str]], str] = {
    frozenset(): "Private",
    frozenset({("global/AllUsers", "READ")}): "PublicRead",
    frozenset({("global/AllUsers", "READ"), ("global/AllUsers", "WRITE")}): "PublicReadWrite",
    frozenset({("global/AuthenticatedUsers", "READ")}): "AuthenticatedRead",
    frozenset({("s3/LogDelivery", "READ_ACP"), ("s3/LogDelivery", "WRITE")}): "LogDeliveryWrite",
    # Some endpoints show the first permission of a grantee only.
    frozenset({("s3/LogDelivery", "READ_ACP")}): "LogDeliveryWrite",
}


def canned_acl(found: JsonMap) -> str:
    """The canned ACL that the grants beside the owner's amount to; `Custom` for any others."""
    owner = (found.get("Owner") or {}).get("ID")
    grants = frozenset(
        (str(grant["Grantee"].get("URI") or grant["Grantee"].get("ID")).removeprefix(_GROUPS), str(grant["Permission"]))
        for grant in found.get("Grants") or ()
        if grant["Grantee"].get("ID") != owner
    )
    return _CANNED.get(grants, "Custom")


def acl_to_api(name: str) -> str:
    """CloudFormation writes PublicRead, S3 public-read."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
