"""The parameter store: reads by name are exact, the list of all parameters comes late."""

import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.plain_tags import TagCodes, tagged, untagged
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

PARAMETER = Kind(name="parameter", prefix="", id_name="Name", not_found="ParameterNotFound")
_LONGEST = {"Standard": 4096, "Advanced": 8192}
_DEEPEST = 15
_PAGE = 50
_NAME = re.compile(r"[A-Za-z0-9_.\-/]+")
_FOR_AWS = ("aws", "ssm")
_IMAGES = "/aws/service/ami-amazon-linux-latest/"
_CODES = TagCodes("ValidationException", "TooManyTagsError")
_METADATA = ("AllowedPattern", "DataType", "Description", "KeyId", "LastModifiedDate", "Tier", "Type", "Version")


def _known(call: Call, name: str) -> Thing | None:
    return call.place.table(PARAMETER).things.get(name)


def _put(call: Call) -> Data:
    name, present = call.want("Name"), _known(call, call.want("Name"))
    _check_name(name)
    if present is not None and not call.want("Overwrite"):
        raise Refusal("ParameterAlreadyExists", "The parameter already exists. To overwrite it, say so in the request.")
    if present is not None and call.want("Tags"):
        raise Refusal("ValidationException", "Tags and Overwrite can't be used together.")
    before = present.data if present is not None else {}
    tier, kind = _tier(call, before), call.want("Type") or before.get("Type")
    _check_value(call, kind, tier, before)
    tags = tagged([], call.want("Tags") or (), _CODES)
    version = before.get("Version", 0) + 1
    data = {
        **call.copied("AllowedPattern", "Description", "KeyId", "Value"),
        "DataType": call.want("DataType") or before.get("DataType", "text"),
        "LastModifiedDate": call.now,
        "Tier": tier,
        "Type": kind,
        "Version": version,
    }
    if present is not None:
        call.edit(present).update(data)
    else:
        call.make(PARAMETER, data, id=name, is_asked_for=False).data["Tags"] = tags
    return {"Version": version, "Tier": tier}


def _check_name(name: str) -> None:
    first = name.lstrip("/").casefold()
    if first.startswith(_FOR_AWS):
        if name.startswith("/"):
            raise Refusal("AccessDeniedException", f"No access to reserved parameter name: {name}.")
        raise Refusal(
            "ValidationException", 'Parameter name: can\'t be prefixed with "aws" or "ssm" (case-insensitive).'
        )
    if not _NAME.fullmatch(name):
        raise Refusal("ValidationException", "Only a mix of letters, numbers and the symbols .-_/ are allowed.")
    if "/" in name and not name.startswith("/"):
        raise Refusal("ValidationException", "Parameter name must be a fully qualified name.")
    if name.endswith("/") or "//" in name:
        raise Refusal("ValidationException", "Parameter name must not end with a slash, nor have an empty part.")
    if name.count("/") > _DEEPEST:
        raise Refusal("HierarchyLevelLimitExceededException", f"A hierarchy can have at most {_DEEPEST} levels.")


def _tier(call: Call, before: Data) -> str:
    tier: str = call.want("Tier") or before.get("Tier", "Standard")
    if tier == "Intelligent-Tiering":
        tier = "Standard" if len(call.want("Value")) <= _LONGEST["Standard"] else "Advanced"
    if before.get("Tier") == "Advanced" and tier == "Standard":
        raise Refusal("ValidationException", "This parameter uses the advanced tier and can't be made a standard one.")
    return tier


def _check_value(call: Call, kind: str | None, tier: str, before: Data) -> None:
    value: str = call.want("Value")
    if not kind:
        raise Refusal("ValidationException", "A parameter type is required when you create a parameter.")
    if before and (before["Type"] == "SecureString") != (kind == "SecureString"):
        raise Refusal("HierarchyTypeMismatchException", "A parameter cannot become a secret, or stop being one.")
    if not value:
        raise Refusal("ValidationException", "Value must have a length of at least 1.")
    if len(value.encode()) > _LONGEST[tier]:
        raise Refusal(
            "ValidationException", f"{tier} tier parameters support a maximum of {_LONGEST[tier]} characters."
        )
    pattern = call.want("AllowedPattern")
    if pattern and not _fits(pattern, value):
        raise Refusal("ParameterPatternMismatchException", f"Parameter value does not match the pattern {pattern}.")


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error as error:
        raise Refusal("InvalidAllowedPatternException", f"{pattern} is not a regular expression.") from error


def _arn(call: Call, name: str) -> str:
    return f"arn:aws:ssm:{call.region}:{call.account}:parameter/{name.lstrip('/')}"


def _shown(call: Call, parameter: Thing) -> Data:
    value = parameter["Value"]
    if parameter["Type"] == "SecureString" and not call.want("WithDecryption"):
        value = "AQICAHencrypted"
    names = ("DataType", "LastModifiedDate", "Type", "Version")
    return {
        "ARN": _arn(call, parameter.id),
        "Name": parameter.id,
        "Value": value,
        **{name: parameter[name] for name in names},
    }


def _get(call: Call) -> Data:
    found = _public(call, call.want("Name"))
    if found is None:
        raise Refusal("ParameterNotFound", "")
    return {"Parameter": found}


def _get_all(call: Call) -> Data:
    found = {name: _public(call, name) for name in call.want("Names")}
    return {
        "InvalidParameters": [name for name, value in found.items() if value is None],
        "Parameters": [value for value in found.values() if value is not None],
    }


def _public(call: Call, name: str) -> Data | None:
    """A parameter of the account, or one that AWS publishes: the latest machine images."""
    parameter = _known(call, name)
    if parameter is not None:
        return _shown(call, parameter)
    if not name.startswith(_IMAGES):
        return None
    return {"Name": name, "Type": "String", "Value": call.cloud.images[0], "Version": 1, "DataType": "text"}


def _describe(call: Call) -> Data:
    named = _filtered(call)
    found = {view.thing.id: view.data for view in call.seen(PARAMETER) if named is None or view.thing.id in named}
    names, token = cut(call, sorted(found), str, call.want("MaxResults", _PAGE))
    answer: Data = {"Parameters": [_described(call, name, found[name]) for name in names]}
    return {**answer, "NextToken": token} if token else answer


def _described(call: Call, name: str, data: Data) -> Data:
    """A parameter as lists show it: everything but its value."""
    return {
        "ARN": _arn(call, name),
        "Name": name,
        "LastModifiedUser": f"arn:aws:iam::{call.account}:user/tester",
        "Policies": [],
        **{key: data[key] for key in _METADATA if data.get(key) is not None},
    }


def _filtered(call: Call) -> frozenset[str] | None:
    """The names that are asked for; None: all."""
    for one in call.want("ParameterFilters") or ():
        if one["Key"] != "Name" or one.get("Option", "Equals") != "Equals":
            raise Refusal("InvalidFilterKey", f"The strict cloud does not filter by {one['Key']}.")
        return frozenset(one["Values"])
    return None


def _delete(call: Call) -> Data:
    parameter = _known(call, call.want("Name"))
    if parameter is None:
        raise Refusal("ParameterNotFound", "")
    call.remove(parameter)
    return {}


def _taggable(call: Call) -> Thing:
    parameter = _known(call, call.want("ResourceId"))
    if parameter is None or call.want("ResourceType") != "Parameter":
        raise Refusal("InvalidResourceId", f"There is no parameter {call.want('ResourceId')}.")
    return parameter


def _tag(call: Call) -> Data:
    parameter = _taggable(call)
    tags = tagged(parameter.tags(), call.want("Tags"), _CODES)
    call.edit(parameter)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    parameter = _taggable(call)
    call.edit(parameter)["Tags"] = untagged(parameter.tags(), call.want("TagKeys"))
    return {}


def _tags(call: Call) -> Data:
    return {"TagList": _taggable(call).tags()}


HANDLERS: Mapping[str, Any] = {
    "AddTagsToResource": _tag,
    "DeleteParameter": _delete,
    "DescribeParameters": _describe,
    "GetParameter": _get,
    "GetParameters": _get_all,
    "ListTagsForResource": _tags,
    "PutParameter": _put,
    "RemoveTagsFromResource": _untag,
}
