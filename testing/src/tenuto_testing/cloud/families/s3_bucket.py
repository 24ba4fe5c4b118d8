"""S3 buckets: names that are taken in the whole world, the objects in them, and their tags."""

import hashlib
import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

BUCKET = Kind(name="bucket", prefix="", id_name="Name", not_found="NoSuchBucket")
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_HOME = "us-east-1"
_MOST_TAGS = 50
_BORN_WITH: Mapping[str, Data] = {
    "encryption": {
        "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}, "BucketKeyEnabled": False}]
    },
    "ownership": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
    "public-access": {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    },
}
"""The configurations that every new bucket has since April 2023."""


def owner_id(account: str) -> str:
    """The canonical user id of an account."""
    return hashlib.sha256(account.encode()).hexdigest()


def bucket_of(call: Call) -> Thing:
    """The bucket that a request names. Raises Refusal, also when it is another account's."""
    name = call.want("Bucket")
    found = call.place.table(BUCKET).things.get(name)
    if found is None:
        if _is_taken(call, name):
            raise Refusal("AccessDenied", "Access Denied", 403)
        raise Refusal("NoSuchBucket", "The specified bucket does not exist")
    return found


def _is_taken(call: Call, name: str) -> bool:
    return any(name in place.table(BUCKET).things for place in call.cloud.places(call.place.region))


def _create(call: Call) -> Data:
    name = call.want("Bucket")
    _check_name(name)
    wanted = call.want("CreateBucketConfiguration") or {}
    location = wanted.get("LocationConstraint")
    if (location or _HOME) != call.region or location == _HOME:
        raise Refusal(
            "IllegalLocationConstraintException",
            f"The {location or 'unspecified'} location constraint is incompatible for the region specific endpoint "
            "this request was sent to.",
        )
    present = call.place.table(BUCKET).things.get(name)
    if present is not None and call.region == _HOME:
        return {"Location": f"/{name}"}
    if present is not None:
        raise Refusal("BucketAlreadyOwnedByYou", "Your previous request to create the named bucket succeeded.")
    if _is_taken(call, name):
        raise Refusal("BucketAlreadyExists", "The requested bucket name is not available.")
    ownership = call.want("ObjectOwnership")
    if call.want("ACL", "private") != "private" and ownership in (None, "BucketOwnerEnforced"):
        raise Refusal(
            "InvalidBucketAclWithObjectOwnership",
            "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced",
        )
    parts = {part: dict(value) for part, value in _BORN_WITH.items()}
    if ownership:
        parts["ownership"] = {"Rules": [{"ObjectOwnership": ownership}]}
    if call.want("ObjectLockEnabledForBucket"):
        parts |= {"object-lock": {"ObjectLockEnabled": "Enabled"}, "versioning": {"Status": "Enabled"}}
    if wanted.get("Tags"):
        parts["tagging"] = {"TagSet": checked_tags(wanted["Tags"])}
    hidden = {"parts": parts, "objects": {}, "acl": call.want("ACL", "private"), "region": call.region}
    bucket = call.make(BUCKET, {"CreationDate": call.now}, id=name, hidden=hidden, is_asked_for=False)
    del bucket.data["Tags"]
    return {"Location": f"/{name}"}


def _check_name(name: str) -> None:
    try:
        ip_address(name)
    except ValueError:
        is_address = False
    else:
        is_address = True
    is_reserved = name.startswith(("xn--", "sthree-")) or name.endswith(("-s3alias", "--ol-s3"))
    if is_address or is_reserved or ".." in name or not _NAME.fullmatch(name):
        raise Refusal("InvalidBucketName", "The specified bucket is not valid.")


def checked_tags(tags: list[Data]) -> list[Data]:
    """A whole set of tags. Raises Refusal."""
    keys = [tag["Key"] for tag in tags]
    if len(set(keys)) < len(keys):
        raise Refusal("InvalidTag", "Cannot provide multiple Tags with the same key")
    if any(key.casefold().startswith("aws:") for key in keys):
        raise Refusal("InvalidTag", "System tags cannot be added/updated by requester")
    if len(keys) > _MOST_TAGS:
        raise Refusal("BadRequest", f"Bucket tag count cannot be greater than {_MOST_TAGS}")
    return tags


def _head(call: Call) -> Data:
    try:
        return {"BucketRegion": bucket_of(call).hidden["region"]}
    except Refusal as refusal:
        # The answer to HEAD has no body, and so no code.
        status = 403 if refusal.code == "AccessDenied" else 404
        raise Refusal(str(status), "", status) from refusal


def _delete(call: Call) -> Data:
    bucket = bucket_of(call)
    if bucket.hidden["objects"]:
        raise Refusal("BucketNotEmpty", "The bucket you tried to delete is not empty")
    call.remove(bucket)
    return {}


def _list(call: Call) -> Data:
    prefix = call.want("Prefix") or ""
    region = call.want("BucketRegion")
    buckets = sorted(
        (one for one in call.all(BUCKET) if one.id.startswith(prefix) and region in (None, one.hidden["region"])),
        key=lambda one: one.id,
    )
    page, token = cut(call, buckets, lambda one: one.id, call.want("MaxBuckets") or 10_000)
    answer: Data = {"Buckets": list(page), "Owner": {"ID": owner_id(call.account)}}
    return {**answer, "ContinuationToken": token} if token else answer


def _put_object(call: Call) -> Data:
    body = call.want("Body") or b""
    bucket_of(call).hidden["objects"][call.want("Key")] = body
    return {"ETag": f'"{hashlib.md5(body, usedforsecurity=False).hexdigest()}"'}


def _delete_object(call: Call) -> Data:
    bucket_of(call).hidden["objects"].pop(call.want("Key"), None)
    return {}


def _list_objects(call: Call) -> Data:
    bucket, prefix = bucket_of(call), call.want("Prefix") or ""
    keys = sorted(key for key in bucket.hidden["objects"] if key.startswith(prefix))
    page, token = cut(call, keys, str, call.want("MaxKeys") or 1000)
    answer: Data = {
        "Name": bucket.id,
        "Prefix": prefix,
        "KeyCount": len(page),
        "MaxKeys": call.want("MaxKeys") or 1000,
        "IsTruncated": token is not None,
        "Contents": [{"Key": key, "Size": len(bucket.hidden["objects"][key])} for key in page],
    }
    return {**answer, "NextContinuationToken": token} if token else answer


HANDLERS: Mapping[str, Any] = {
    "CreateBucket": _create,
    "DeleteBucket": _delete,
    "DeleteObject": _delete_object,
    "HeadBucket": _head,
    "ListBuckets": _list,
    "ListObjectsV2": _list_objects,
    "PutObject": _put_object,
}
