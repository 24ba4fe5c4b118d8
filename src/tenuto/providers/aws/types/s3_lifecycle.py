"""The lifecycle configuration of a bucket between CloudFormation's words and the API's.

CloudFormation keeps words of its first years beside the newer ones: one `Transition` instead of a list, days without
the mapping that holds them now. S3 shows the newer ones alone, so `OLDER` maps the older ones to them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from tenuto.core.planning.equality.values import in_newer_words
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Spelling
from tenuto.providers.aws.types.s3_shapes import condition_declared, condition_to_api, inverse, renamed, shown_of

OLDER = Spelling(
    members={"NoncurrentVersionExpirationInDays": ("NoncurrentVersionExpiration", "NoncurrentDays")},
    items={"NoncurrentVersionTransition": "NoncurrentVersionTransitions", "Transition": "Transitions"},
)
"""The older words of a rule."""
SMALLEST = "TransitionDefaultMinimumObjectSize"
"""The one setting of the whole configuration, which the API has beside it."""
_RULES = "LifecycleConfiguration.Rules"
COMPARE_AS: dict[str, Rule] = {
    f"LifecycleConfiguration.{SMALLEST}": Comparison.SHOWN,
    _RULES: Comparison.SET,
    f"{_RULES}[]": OLDER,
    f"{_RULES}.ExpirationDate": Comparison.MOMENT,
    f"{_RULES}.TagFilters": Comparison.SET,
    f"{_RULES}.Transitions": Comparison.SET,
    f"{_RULES}.Transitions.StorageClass": Comparison.FOLDED,
    f"{_RULES}.Transitions.TransitionDate": Comparison.MOMENT,
    f"{_RULES}.NoncurrentVersionTransitions": Comparison.SET,
    f"{_RULES}.NoncurrentVersionTransitions.StorageClass": Comparison.FOLDED,
}
"""The schema knows the class GLACIER as Glacier, too."""

_CONDITIONS = ("Prefix", "ObjectSizeGreaterThan", "ObjectSizeLessThan")
_TRANSITION = {"TransitionInDays": "Days", "TransitionDate": "Date"}
_LATER_TRANSITION = {"TransitionInDays": "NoncurrentDays"}
_EXPIRATION = {
    "ExpirationDate": "Date",
    "ExpirationInDays": "Days",
    "ExpiredObjectDeleteMarker": "ExpiredObjectDeleteMarker",
}


def lifecycle_declared(found: JsonMap) -> Json:
    """Return the lifecycle as it is declared; None when no rule is set: S3 then still tells of the smallest size."""
    rules = [_rule_declared(rule) for rule in found.get("Rules") or ()]
    return shown_of({"Rules": rules, SMALLEST: found.get(SMALLEST)}) if rules else None


def _rule_declared(rule: JsonMap) -> Json:
    condition = condition_declared(rule)
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
        "Transitions": _dated([renamed(one, inverse(_TRANSITION)) for one in rule.get("Transitions") or ()]),
        "NoncurrentVersionTransitions": [
            renamed(one, inverse(_LATER_TRANSITION)) for one in rule.get("NoncurrentVersionTransitions") or ()
        ]
        or None,
    }
    for ours, theirs in _EXPIRATION.items():
        shown[ours] = _day(expiration.get(theirs))
    return shown_of(shown)


def _dated(transitions: Sequence[JsonMap]) -> Json:
    return [{key: _day(one) for key, one in transition.items()} for transition in transitions] or None


def _day(value: Json) -> Json:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ") if isinstance(value, datetime) else value


def lifecycle_to_api(value: JsonMap) -> dict[str, Json]:
    """The parameters of the putting call, beside the bucket."""
    rules = [_rule_to_api(in_newer_words(rule, OLDER)) for rule in value.get("Rules") or ()]
    return shown_of({"LifecycleConfiguration": {"Rules": rules}, SMALLEST: value.get(SMALLEST)})


def _rule_to_api(rule: JsonMap) -> Json:
    expiration = {theirs: rule[ours] for ours, theirs in _EXPIRATION.items() if ours in rule}
    wanted = {
        "ID": rule.get("Id"),
        "Status": rule.get("Status"),
        "Filter": condition_to_api(rule, _CONDITIONS) or {"Prefix": ""},
        "Expiration": expiration or None,
        "AbortIncompleteMultipartUpload": rule.get("AbortIncompleteMultipartUpload"),
        "NoncurrentVersionExpiration": rule.get("NoncurrentVersionExpiration"),
        "Transitions": _transitions(rule.get("Transitions"), _TRANSITION),
        "NoncurrentVersionTransitions": _transitions(rule.get("NoncurrentVersionTransitions"), _LATER_TRANSITION),
    }
    return shown_of(wanted)


def _transitions(found: Json, names: Mapping[str, str]) -> Json:
    """Return the transitions with the names of classes that S3 knows: in capitals alone."""
    return [{**renamed(one, names), "StorageClass": str(one["StorageClass"]).upper()} for one in found or ()] or None
