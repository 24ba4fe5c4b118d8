"""S3 configurations between CloudFormation's words and the API's.

Pure functions in pairs: `…_declared` from an answer, `…_to_api` from a declaration. A member that has the same name on
both sides passes through untouched, so that new members of either side need no change here.
"""

from collections.abc import Mapping, Sequence

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule


def renamed(value: JsonMap, names: Mapping[str, str]) -> dict[str, Json]:
    """The mapping with some of its keys in other words."""
    return {names.get(key, key): one for key, one in value.items()}


def inverse(names: Mapping[str, str]) -> dict[str, str]:
    return {theirs: ours for ours, theirs in names.items()}


def _texts(value: Json) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def shown_of(value: JsonMap) -> dict[str, Json]:
    return {key: one for key, one in value.items() if one is not None}


def condition_declared(rule: JsonMap) -> dict[str, Json]:
    """Return the conditions of a filter, wherever S3 put them: in the rule, in its filter, or in an And of the filter.
    The tags are `Tags`."""
    found = rule.get("Filter") or {}
    found = found.get("And") or found
    tags = list(found.get("Tags") or ()) or ([found["Tag"]] if found.get("Tag") else [])
    named = {key: one for key, one in found.items() if one != "" and key != "Tag"}
    return {"Prefix": rule.get("Prefix"), **named, "Tags": tags}


def condition_to_api(rule: JsonMap, names: Sequence[str]) -> dict[str, Json]:
    """Return the filter as S3 takes it, of the conditions of these names and the tags: one condition plainly, several
    inside And, and an empty filter without any."""
    tags = list(rule.get("TagFilters") or ())
    conditions = {name: rule[name] for name in names if rule.get(name) not in (None, "")}
    if len(conditions) + len(tags) > 1:
        return {"And": {**conditions, **({"Tags": tags} if tags else {})}}
    return {"Tag": tags[0]} if tags else conditions


def public_access_to_api(value: JsonMap) -> Json:
    """A put replaces all four, and one that is left out is off, as in CloudFormation."""
    return dict(value)


_ENCRYPTION = {"ServerSideEncryptionByDefault": "ApplyServerSideEncryptionByDefault"}


def encryption_declared(found: JsonMap) -> Json:
    rules = [renamed(rule, inverse(_ENCRYPTION)) for rule in found.get("Rules") or ()]
    return {"ServerSideEncryptionConfiguration": rules}


def encryption_to_api(value: JsonMap) -> Json:
    return {"Rules": [renamed(rule, _ENCRYPTION) for rule in value.get("ServerSideEncryptionConfiguration") or ()]}


_CORS = {"ExposedHeaders": "ExposeHeaders", "Id": "ID", "MaxAge": "MaxAgeSeconds"}


def cors_declared(found: JsonMap) -> Json:
    return {"CorsRules": [renamed(rule, inverse(_CORS)) for rule in found.get("CORSRules") or ()]}


def cors_to_api(value: JsonMap) -> Json:
    return {"CORSRules": [renamed(rule, _CORS) for rule in value.get("CorsRules") or ()]}


_LOGGING = {"DestinationBucketName": "TargetBucket", "LogFilePrefix": "TargetPrefix"}


def logging_declared(found: JsonMap) -> Json:
    return renamed(found, inverse(_LOGGING))


def logging_to_api(value: JsonMap, bucket: str) -> Json:
    """An empty declaration turns logging off. S3 wants a prefix, also an empty one, and the name of a bucket: a bucket
    of which none is declared keeps its own logs."""
    if not value:
        return {}
    return {"LoggingEnabled": {"TargetBucket": bucket, "TargetPrefix": "", **renamed(value, _LOGGING)}}


_ROUTING = {"RedirectRule": "Redirect", "RoutingRuleCondition": "Condition"}


def website_declared(found: JsonMap) -> Json:
    shown = {
        "IndexDocument": (found.get("IndexDocument") or {}).get("Suffix"),
        "ErrorDocument": (found.get("ErrorDocument") or {}).get("Key"),
        "RedirectAllRequestsTo": found.get("RedirectAllRequestsTo"),
        "RoutingRules": [renamed(rule, inverse(_ROUTING)) for rule in found.get("RoutingRules") or ()] or None,
    }
    return shown_of(shown)


def website_to_api(value: JsonMap) -> Json:
    wanted = {
        "IndexDocument": {"Suffix": value["IndexDocument"]} if value.get("IndexDocument") else None,
        "ErrorDocument": {"Key": value["ErrorDocument"]} if value.get("ErrorDocument") else None,
        "RedirectAllRequestsTo": value.get("RedirectAllRequestsTo"),
        "RoutingRules": [renamed(rule, _ROUTING) for rule in value.get("RoutingRules") or ()] or None,
    }
    return shown_of(wanted)


_TARGETS = {
    "LambdaConfigurations": ("LambdaFunctionConfigurations", "Function", "LambdaFunctionArn"),
    "QueueConfigurations": ("QueueConfigurations", "Queue", "QueueArn"),
    "TopicConfigurations": ("TopicConfigurations", "Topic", "TopicArn"),
}
_FILTER_RULES = "Filter.S3Key.Rules"
NOTIFICATION_RULES: dict[str, Rule] = {
    f"NotificationConfiguration.{ours}{path}": rule
    for ours in _TARGETS
    for path, rule in (
        ("", Comparison.SET),
        (f".{_FILTER_RULES}", Comparison.SET),
        (f".{_FILTER_RULES}.Name", Comparison.FOLDED),
    )
}
"""S3 takes the name of a filter rule (prefix, suffix) in any case."""


def notification_declared(found: JsonMap) -> Json:
    """Return notifications as they are declared: CloudFormation has one event in each configuration, the API a list of
    them.
    """
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
    found = (configuration.get("Filter") or {}).get("Key") or {}
    return _lowered({"Rules": found.get("FilterRules") or ()})


def _lowered(found: JsonMap) -> list[Json]:
    """Return the rules of a filter with names in lower case: S3 answers Prefix where prefix was sent,
    and takes both.
    """
    return [{**rule, "Name": str(rule["Name"]).lower()} for rule in found["Rules"]]


def notification_to_api(value: JsonMap) -> Json:
    wanted: dict[str, Json] = {}
    for ours, (theirs, target, arn) in _TARGETS.items():
        configurations = [
            {
                "Events": _texts(one["Event"]),
                arn: one[target],
                **({"Filter": {"Key": {"FilterRules": _lowered(one["Filter"]["S3Key"])}}} if one.get("Filter") else {}),
            }
            for one in value.get(ours) or ()
        ]
        if configurations:
            wanted[theirs] = configurations
    bridge = value.get("EventBridgeConfiguration")
    if bridge is not None and str(bridge.get("EventBridgeEnabled", True)).casefold() == "true":
        wanted["EventBridgeConfiguration"] = {}
    return wanted


_ON_TAGS = {"TagFilter": "Tag", "TagFilters": "Tags"}


def replication_declared(found: JsonMap) -> Json:
    back = inverse(_ON_TAGS)
    return {**found, "Rules": [_on_tags(renamed(rule, {"ID": "Id"}), back) for rule in found.get("Rules") or ()]}


def replication_to_api(value: JsonMap) -> Json:
    """A rule without a filter is of the first version of the API, which wants a prefix, also an empty one."""
    rules = []
    for rule in value.get("Rules") or ():
        wanted = _on_tags(renamed(rule, {"Id": "ID"}), _ON_TAGS)
        if "Filter" not in wanted:
            wanted.setdefault("Prefix", "")
        rules.append(wanted)
    return {**value, "Rules": rules}


def _on_tags(rule: JsonMap, names: Mapping[str, str]) -> dict[str, Json]:
    """The rule with the tags of its filter, and of an And in it, in other words."""
    found = rule.get("Filter")
    if not isinstance(found, Mapping):
        return dict(rule)
    inner = {key: renamed(one, names) if key == "And" else one for key, one in found.items()}
    return {**rule, "Filter": renamed(inner, names)}


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
    """Return a canned ACL as S3 writes it: public-read, where CloudFormation writes PublicRead."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
