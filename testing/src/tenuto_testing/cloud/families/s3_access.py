"""Who may use a bucket: its access control list, and its policy."""

import json
from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.s3_bucket import bucket_of, owner_id
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_GROUPS = "http://acs.amazonaws.com/groups"
_EVERYBODY = f"{_GROUPS}/global/AllUsers"
_GRANTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "private": (),
    "public-read": ((_EVERYBODY, "READ"),),
    "public-read-write": ((_EVERYBODY, "READ"), (_EVERYBODY, "WRITE")),
    "authenticated-read": ((f"{_GROUPS}/global/AuthenticatedUsers", "READ"),),
    "log-delivery-write": ((f"{_GROUPS}/s3/LogDelivery", "WRITE"), (f"{_GROUPS}/s3/LogDelivery", "READ_ACP")),
}


def _get_acl(call: Call) -> Data:
    bucket, owner = bucket_of(call), owner_id(call.account)
    grants = [{"Grantee": {"Type": "CanonicalUser", "ID": owner}, "Permission": "FULL_CONTROL"}]
    grants += [
        {"Grantee": {"Type": "Group", "URI": uri}, "Permission": permission}
        for uri, permission in _GRANTS[bucket.hidden["acl"]]
    ]
    return {"Owner": {"ID": owner}, "Grants": grants}


def _put_acl(call: Call) -> Data:
    bucket, wanted = bucket_of(call), call.want("ACL", "private")
    parts = bucket.hidden["parts"]
    ownership = parts.get("ownership", {"Rules": [{"ObjectOwnership": "ObjectWriter"}]})["Rules"][0]["ObjectOwnership"]
    if ownership == "BucketOwnerEnforced" and wanted != "private":
        raise Refusal("AccessControlListNotSupported", "The bucket does not allow ACLs")
    if wanted.startswith("public") and parts.get("public-access", {}).get("BlockPublicAcls"):
        raise Refusal("AccessDenied", "Access Denied", 403)
    bucket.hidden["acl"] = wanted
    return {}


def _get_policy(call: Call) -> Data:
    bucket = bucket_of(call)
    if "policy" not in bucket.hidden["parts"]:
        raise Refusal("NoSuchBucketPolicy", "The bucket policy does not exist")
    return {"Policy": bucket.hidden["parts"]["policy"]}


def _put_policy(call: Call) -> Data:
    bucket, text = bucket_of(call), call.want("Policy") or ""
    statements = _statements(text)
    for statement in statements:
        _check_statement(bucket, statement)
    blocks = bucket.hidden["parts"].get("public-access", {}).get("BlockPublicPolicy")
    if blocks and any(_is_public(statement) for statement in statements):
        raise Refusal(
            "AccessDenied", "Access Denied: public policies are blocked by the BlockPublicPolicy setting", 403
        )
    bucket.hidden["parts"]["policy"] = text
    return {}


def _statements(text: str) -> list[Data]:
    try:
        found = json.loads(text).get("Statement")
    except (ValueError, AttributeError) as error:
        raise Refusal("MalformedPolicy", "Policies must be valid JSON and the first byte must be '{'") from error
    return found if isinstance(found, list) else [found]


def _check_statement(bucket: Thing, statement: Any) -> None:
    if not isinstance(statement, dict) or statement.get("Effect") not in ("Allow", "Deny"):
        raise Refusal("MalformedPolicy", "Missing required field Effect")
    if not ("Principal" in statement or "NotPrincipal" in statement):
        raise Refusal("MalformedPolicy", "Missing required field Principal")
    if not ("Action" in statement or "NotAction" in statement):
        raise Refusal("MalformedPolicy", "Missing required field Action")
    resources = statement.get("Resource", statement.get("NotResource"))
    for resource in resources if isinstance(resources, list) else [resources]:
        name = str(resource).rpartition(":::")[2].partition("/")[0]
        if name != bucket.id:
            raise Refusal("MalformedPolicy", "Policy has invalid resource")


def _is_public(statement: Data) -> bool:
    principal = statement.get("Principal")
    is_anybody = principal == "*" or (isinstance(principal, dict) and principal.get("AWS") in ("*", ["*"]))
    return is_anybody and statement["Effect"] == "Allow" and not statement.get("Condition")


def _delete_policy(call: Call) -> Data:
    bucket_of(call).hidden["parts"].pop("policy", None)
    return {}


HANDLERS: Mapping[str, Any] = {
    "DeleteBucketPolicy": _delete_policy,
    "GetBucketAcl": _get_acl,
    "GetBucketPolicy": _get_policy,
    "PutBucketAcl": _put_acl,
    "PutBucketPolicy": _put_policy,
}
