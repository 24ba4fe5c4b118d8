"""Log groups of CloudWatch."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.kms_key import key_arn
from tenuto_testing.cloud.families.plain_tags import TagCodes, as_map, of_map, tagged, untagged
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

GROUP = Kind(name="log-group", prefix="", id_name="logGroupName", not_found="ResourceNotFoundException")
_PAGE = 50
_DAYS = frozenset(
    (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653)
)
_CODES = TagCodes("InvalidParameterException", "TooManyTagsException")
_ARN = re.compile(r"arn:aws[\w-]*:logs:[\w-]+:\d{12}:log-group:([^:*]+)")
_KEY = re.compile(r"arn:aws[\w-]*:kms:[\w-]+:\d{12}:(key|alias)/.+")
_FOR_AWS = "aws/"
_MASKS, _INDEXES = "dataProtectionPolicy", "indexPolicy"
"""The members of a group that have calls of their own, and that no list shows."""


def _group(call: Call, name: str) -> Thing:
    """A group that is there and known. Raises Refusal."""
    group = call.place.table(GROUP).things.get(name)
    if group is None or group.made_at > call.horizon().new:
        raise Refusal("ResourceNotFoundException", "The specified log group does not exist.")
    return group


def _named(call: Call) -> Thing:
    return _group(call, call.want("logGroupName"))


def _identified(call: Call, identifier: str) -> Thing:
    """The group of a name or an ARN. Raises Refusal."""
    match = _ARN.fullmatch(identifier)
    return _group(call, match[1] if match else identifier)


def _of_arn(call: Call) -> Thing:
    """The group of an ARN, which must not have the `:*` of its streams. Raises Refusal."""
    match = _ARN.fullmatch(call.want("resourceArn"))
    if match is None:
        raise Refusal("InvalidParameterException", "The resource ARN is not one of a log group.")
    return _group(call, match[1])


def _create(call: Call) -> Data:
    name = call.want("logGroupName")
    if name.startswith(_FOR_AWS):
        raise Refusal("InvalidParameterException", f"Log groups starting with {_FOR_AWS} are reserved for AWS.")
    tags = tagged([], of_map(call.want("tags")), _CODES)
    key = {"kmsKeyId": _key(call)} if call.want("kmsKeyId") else {}
    if name in call.place.table(GROUP).things:
        raise Refusal("ResourceAlreadyExistsException", "The specified log group already exists")
    arn = f"arn:aws:logs:{call.region}:{call.account}:log-group:{name}"
    data = {
        "arn": f"{arn}:*",
        "creationTime": int(call.now * 1000),
        "deletionProtectionEnabled": bool(call.want("deletionProtectionEnabled")),
        **key,
        "logGroupArn": arn,
        "logGroupClass": call.want("logGroupClass", "STANDARD"),
        "metricFilterCount": 0,
        "storedBytes": 0,
    }
    call.make(GROUP, data, id=name, is_asked_for=False).data["Tags"] = tags
    return {}


def _key(call: Call) -> str:
    """The ARN of the key that is wanted, which must be named by its ARN or that of an alias. Raises Refusal."""
    wanted = call.want("kmsKeyId")
    if not _KEY.fullmatch(wanted):
        raise Refusal("InvalidParameterException", f"{wanted} is not the ARN of a key.")
    try:
        return key_arn(call, wanted)
    except Refusal as unknown:
        raise Refusal(
            "InvalidParameterException", f"The specified KMS key does not exist: {unknown.message}"
        ) from unknown


def _delete(call: Call) -> Data:
    group = _named(call)
    if group["deletionProtectionEnabled"]:
        raise Refusal(
            "ValidationException",
            f"The log group {group.id} is protected from deletion. Turn its protection off first.",
        )
    call.remove(group)
    return {}


def _list(call: Call) -> Data:
    prefix, pattern = call.want("logGroupNamePrefix"), call.want("logGroupNamePattern")
    if prefix and pattern:
        raise Refusal("InvalidParameterException", "LogGroup name prefix and LogGroup name pattern are exclusive.")
    shown = {
        view.thing.id: view.data
        for view in call.seen(GROUP)
        if view.thing.id.startswith(prefix or "") and (pattern or "").casefold() in view.thing.id.casefold()
    }
    names, token = cut(call, sorted(shown), str, call.want("limit", _PAGE))
    hidden = ("Tags", _MASKS, _INDEXES)
    groups = [{key: value for key, value in shown[name].items() if key not in hidden} for name in names]
    return {"logGroups": groups, "nextToken": token} if token else {"logGroups": groups}


def _keep(call: Call) -> Data:
    group, days = _named(call), call.want("retentionInDays")
    if days not in _DAYS:
        raise Refusal("InvalidParameterException", f"{days} is not a valid retention: {sorted(_DAYS)}")
    call.edit(group)["retentionInDays"] = days
    return {}


def _keep_for_ever(call: Call) -> Data:
    call.edit(_named(call)).pop("retentionInDays", None)
    return {}


def _associate_key(call: Call) -> Data:
    group = _named(call)
    call.edit(group)["kmsKeyId"] = _key(call)
    return {}


def _disassociate_key(call: Call) -> Data:
    call.edit(_named(call)).pop("kmsKeyId", None)
    return {}


def _protect(call: Call) -> Data:
    group = _identified(call, call.want("logGroupIdentifier"))
    call.edit(group)["deletionProtectionEnabled"] = call.want("deletionProtectionEnabled")
    return {}


def _document(call: Call) -> str:
    """The policy that is wanted. Raises Refusal."""
    text = str(call.want("policyDocument"))
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    if not is_object:
        raise Refusal("InvalidParameterException", "The policy document is not a JSON object.")
    return text


def _mask(call: Call) -> Data:
    group = _identified(call, call.want("logGroupIdentifier"))
    call.edit(group)[_MASKS] = _document(call)
    return {"logGroupIdentifier": group.id, "policyDocument": group[_MASKS]}


def _masks(call: Call) -> Data:
    group = _identified(call, call.want("logGroupIdentifier"))
    found = {"policyDocument": group[_MASKS]} if _MASKS in group.data else {}
    return {"logGroupIdentifier": group.id, **found}


def _unmask(call: Call) -> Data:
    call.edit(_identified(call, call.want("logGroupIdentifier"))).pop(_MASKS, None)
    return {}


def _index(call: Call) -> Data:
    group = _identified(call, call.want("logGroupIdentifier"))
    call.edit(group)[_INDEXES] = _document(call)
    return {"indexPolicy": _indexed(group)}


def _indexed(group: Thing) -> Data:
    return {"logGroupIdentifier": group["logGroupArn"], "policyDocument": group[_INDEXES], "source": "LOG_GROUP"}


def _indexes(call: Call) -> Data:
    groups = [_identified(call, one) for one in call.want("logGroupIdentifiers")]
    return {"indexPolicies": [_indexed(group) for group in groups if _INDEXES in group.data]}


def _drop_index(call: Call) -> Data:
    call.edit(_identified(call, call.want("logGroupIdentifier"))).pop(_INDEXES, None)
    return {}


def _tag(call: Call) -> Data:
    group = _of_arn(call)
    tags = tagged(group.tags(), of_map(call.want("tags")), _CODES)
    call.edit(group)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    group = _of_arn(call)
    call.edit(group)["Tags"] = untagged(group.tags(), call.want("tagKeys"))
    return {}


def _tags(call: Call) -> Data:
    return {"tags": as_map(_of_arn(call).tags())}


HANDLERS: Mapping[str, Any] = {
    "AssociateKmsKey": _associate_key,
    "CreateLogGroup": _create,
    "DeleteDataProtectionPolicy": _unmask,
    "DeleteIndexPolicy": _drop_index,
    "DeleteLogGroup": _delete,
    "DeleteRetentionPolicy": _keep_for_ever,
    "DescribeIndexPolicies": _indexes,
    "DescribeLogGroups": _list,
    "DisassociateKmsKey": _disassociate_key,
    "GetDataProtectionPolicy": _masks,
    "ListTagsForResource": _tags,
    "PutDataProtectionPolicy": _mask,
    "PutIndexPolicy": _index,
    "PutLogGroupDeletionProtection": _protect,
    "PutRetentionPolicy": _keep,
    "TagResource": _tag,
    "UntagResource": _untag,
}
