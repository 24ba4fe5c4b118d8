"""The settings of the keys of KMS: policy, rotation, switch, tags, and the window in which a deletion waits.

A key that was there before the cloud was made has none of these, and no call changes it.
"""

import json
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.plain_tags import TagCodes, tagged, untagged
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

KEY = Kind(name="kms-key", prefix="", id_name="KeyId", not_found="NotFoundException")
_CODES = TagCodes("TagException", "LimitExceededException")
_PAGE = 100
_SYMMETRIC = "SYMMETRIC_DEFAULT"
_POLICY = "default"
"""The one policy of a key."""
_SHORTEST_DAYS, _LONGEST_DAYS = 7, 30
_DAY_S = 86_400.0


def born(call: Call) -> Data:
    """The settings of a key that a request makes. Raises Refusal."""
    spec = call.want("KeySpec", _SYMMETRIC)
    usage = call.want("KeyUsage", "ENCRYPT_DECRYPT" if spec == _SYMMETRIC else "")
    if not usage:
        raise Refusal("ValidationException", "You must specify a KeyUsage value for an asymmetric KMS key.")
    return {
        "Description": call.want("Description", ""),
        "Enabled": True,
        "KeyManager": "CUSTOMER",
        "KeySpec": spec,
        "KeyState": "Enabled",
        "KeyUsage": usage,
        "Origin": call.want("Origin", "AWS_KMS"),
        "Policy": _policy(call) if call.want("Policy") else _default_policy(call),
        "Rotation": False,
        "Tags": tagged([], _of_kms(call.want("Tags") or ()), _CODES),
    }


def described(key: Thing | None) -> Data:
    """The part of a description that the settings make; for a key that was there before, the values that AWS shows for
    any."""
    plain = {"Enabled": True, "KeyManager": "CUSTOMER", "KeySpec": _SYMMETRIC, "KeyState": "Enabled"}
    plain |= {"KeyUsage": "ENCRYPT_DECRYPT", "Origin": "AWS_KMS"}
    names = (*plain, "DeletionDate", "Description")
    return plain | ({name: key[name] for name in names if name in key.data} if key is not None else {})


def _default_policy(call: Call) -> str:
    root = {"AWS": f"arn:aws:iam::{call.account}:root"}
    allow = {"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Id": "key-default-1", "Statement": [allow]})


def _policy(call: Call) -> str:
    text = str(call.want("Policy"))
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Refusal("MalformedPolicyDocumentException", "The policy is not a document of JSON.") from error
    if not isinstance(document, dict) or "Statement" not in document:
        raise Refusal("MalformedPolicyDocumentException", "The policy has no statement.")
    return text


def _key(call: Call) -> Thing:
    """The key of the account that a request names by its id or ARN. Raises Refusal."""
    key = call.place.table(KEY).things.get(str(call.want("KeyId")).rpartition("/")[2])
    if key is None:
        raise Refusal("NotFoundException", f"Key '{call.want('KeyId')}' does not exist")
    return key


def _living(call: Call) -> Thing:
    """One that is not to be deleted, and that is not AWS's own. Raises Refusal."""
    key = _key(call)
    if key["KeyManager"] == "AWS":
        raise Refusal("AccessDeniedException", f"{key.id} is a key of AWS.")
    if key["KeyState"] == "PendingDeletion":
        raise Refusal("KMSInvalidStateException", f"{key.id} is pending deletion.")
    return key


def _list(call: Call) -> Data:
    arns = {key.id: f"arn:aws:kms:{call.region}:{call.account}:key/{key.id}" for key in call.all(KEY)}
    ids, token = cut(call, sorted(arns), str, call.want("Limit", _PAGE))
    more = {"NextMarker": token, "Truncated": True} if token else {"Truncated": False}
    return {"Keys": [{"KeyId": one, "KeyArn": arns[one]} for one in ids], **more}


def _describe_anew(call: Call) -> Data:
    call.edit(_living(call))["Description"] = call.want("Description")
    return {}


def _get_policy(call: Call) -> Data:
    key = _key(call)
    if call.want("PolicyName", _POLICY) != _POLICY:
        raise Refusal("NotFoundException", "No such policy exists")
    return {"Policy": key.data.get("Policy", _default_policy(call)), "PolicyName": _POLICY}


def _put_policy(call: Call) -> Data:
    key, text = _living(call), _policy(call)
    call.edit(key)["Policy"] = text
    return {}


def _rotation(call: Call) -> Data:
    key = _living(call)
    return {"KeyId": key.id, "KeyRotationEnabled": key["Rotation"]}


def _rotate(*, is_on: bool) -> Any:
    def handler(call: Call) -> Data:
        key = _living(call)
        if key["KeySpec"] != _SYMMETRIC:
            raise Refusal("UnsupportedOperationException", f"{key.id} is no symmetric key: it does not rotate.")
        if not key["Enabled"]:
            raise Refusal("DisabledException", f"{key.id} is disabled.")
        call.edit(key)["Rotation"] = is_on
        return {}

    return handler


def _switch(*, is_on: bool) -> Any:
    def handler(call: Call) -> Data:
        call.edit(_living(call)).update(Enabled=is_on, KeyState="Enabled" if is_on else "Disabled")
        return {}

    return handler


def _schedule_deletion(call: Call) -> Data:
    key, days = _living(call), call.want("PendingWindowInDays", _LONGEST_DAYS)
    if not _SHORTEST_DAYS <= days <= _LONGEST_DAYS:
        raise Refusal("ValidationException", f"A window has {_SHORTEST_DAYS} to {_LONGEST_DAYS} days.")
    at = call.now + days * _DAY_S
    call.edit(key).update(Enabled=False, KeyState="PendingDeletion", DeletionDate=at)
    return {"KeyId": key.id, "DeletionDate": at, "KeyState": "PendingDeletion", "PendingWindowInDays": days}


def _of_kms(tags: Any) -> list[Data]:
    """Tags in the words of KMS, as everything here keeps them."""
    return [{"Key": tag["TagKey"], "Value": tag["TagValue"]} for tag in tags]


def _tags(call: Call) -> Data:
    tags = [{"TagKey": tag["Key"], "TagValue": tag["Value"]} for tag in _key(call).tags()]
    return {"Tags": tags, "Truncated": False}


def _tag(call: Call) -> Data:
    key = _living(call)
    tags = tagged(key.tags(), _of_kms(call.want("Tags")), _CODES)
    call.edit(key)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    key = _living(call)
    call.edit(key)["Tags"] = untagged(key.tags(), call.want("TagKeys"))
    return {}


HANDLERS: Mapping[str, Any] = {
    "DisableKey": _switch(is_on=False),
    "DisableKeyRotation": _rotate(is_on=False),
    "EnableKey": _switch(is_on=True),
    "EnableKeyRotation": _rotate(is_on=True),
    "GetKeyPolicy": _get_policy,
    "GetKeyRotationStatus": _rotation,
    "ListKeys": _list,
    "ListResourceTags": _tags,
    "PutKeyPolicy": _put_policy,
    "ScheduleKeyDeletion": _schedule_deletion,
    "TagResource": _tag,
    "UntagResource": _untag,
    "UpdateKeyDescription": _describe_anew,
}
