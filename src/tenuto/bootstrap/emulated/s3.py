"""Settings of a bucket that the emulator keeps and leaves out of its answers: the messages to EventBridge, and the
settings of a rule of replication beside its destination. And the principals of a policy, in the words in which S3 shows
them.

The configurations of which a bucket has many (inventories, analyses, metrics, archives of intelligent tiering) it does
not know, but for a part of the first: a call that deletes one would delete the bucket. They are kept and shown as the
documents that were sent.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from moto.core.responses import ActionResult
from moto.s3.exceptions import S3ClientError
from moto.s3.models import S3Backend
from moto.s3.responses import S3Response

from tenuto.bootstrap.emulated.cloudfront import canonical_arns

_END = "</NotificationConfiguration>"
_EMPTY = re.compile(r"<NotificationConfiguration([^>]*)/>")
"""The answer of a bucket that sends no notices."""
_OF_RULES = ("DeleteMarkerReplication", "ExistingObjectReplication", "Filter", "SourceSelectionCriteria")
_MANY = {
    "analytics": "BucketAnalyticsConfiguration",
    "intelligent-tiering": "BucketIntelligentTieringConfigurations",
    "inventory": "InventoryConfigurations",
    "metrics": "MetricsConfigurations",
}
"""The word in the address of each kind, and the one in the answer that lists it."""
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>\s*")
_bucket_response_get = S3Response._bucket_response_get
_bucket_response_put = S3Response._bucket_response_put
_bucket_response_delete = S3Response._bucket_response_delete
_get_bucket_notification = S3Response.get_bucket_notification
_get_bucket_replication = S3Response.get_bucket_replication
_put_bucket_policy = S3Backend.put_bucket_policy


def _shown(self: Any) -> Any:
    status, headers, body = _get_bucket_notification(self)
    bucket = self.backend.get_bucket(self.bucket_name)
    kept = bucket.notification_configuration
    text = body.decode() if isinstance(body, bytes) else str(body)
    if kept is not None and kept.event_bridge is not None:
        text = _EMPTY.sub(rf"<NotificationConfiguration\1>{_END}", text).replace(
            _END, f"<EventBridgeConfiguration/>{_END}"
        )
    return status, headers, text


def _shown_rules(self: Any) -> Any:
    kept = self.backend.get_bucket_replication(self.bucket_name)
    if not kept:
        return _get_bucket_replication(self)
    # Moto tells these of each rule, even if others were sent.
    usual = {"DeleteMarkerReplication": {"Status": "Disabled"}, "Filter": {"Prefix": ""}}
    names = ("ID", "Priority", "Status", "Destination")
    rules = [
        usual | {name: rule[name] for name in names} | {name: rule[name] for name in _OF_RULES if rule.get(name)}
        for rule in kept["Rule"]
    ]
    self.data["Action"] = "GetBucketReplication"
    return self.serialized(ActionResult({"ReplicationConfiguration": {"Role": kept["Role"], "Rules": rules}}))


def _put_policy(self: Any, bucket_name: str, policy: bytes) -> None:
    """S3 keeps the ARN of an identity of CloudFront in place of its canonical id."""
    arns = canonical_arns(self.account_id)
    try:
        document = json.loads(policy)
    except ValueError:
        document = None
    kept = json.dumps(_with_arns(document, arns)).encode() if arns and document is not None else policy
    _put_bucket_policy(self, bucket_name, kept)


def _with_arns(value: Any, arns: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        found = value.get("CanonicalUser")
        users: list[Any] = found if isinstance(found, list) else [found]
        if all(isinstance(one, str) and one in arns for one in users):
            rest = {name: one for name, one in value.items() if name != "CanonicalUser"}
            shown = [arns[one] for one in users]
            return {**rest, "AWS": shown if len(shown) > 1 else shown[0]}
        return {name: _with_arns(one, arns) for name, one in value.items()}
    return [_with_arns(one, arns) for one in value] if isinstance(value, list) else value


def _kind_of(querystring: Mapping[str, Any]) -> str | None:
    return next((kind for kind in _MANY if kind in querystring), None)


def _kept(self: Any, bucket_name: str, kind: str) -> dict[str, str]:
    """The documents of a kind that a bucket has, by id. Raises the refusal of a bucket that is not there."""
    bucket = self.backend.get_bucket(bucket_name)
    every: dict[str, dict[str, str]] = bucket.__dict__.setdefault("tenuto_configurations", {})
    return every.setdefault(kind, {})


def _get(self: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
    kind = _kind_of(querystring)
    if kind is None:
        return _bucket_response_get(self, bucket_name, querystring)
    kept = _kept(self, bucket_name, kind)
    if "id" in querystring:
        if querystring["id"][0] not in kept:
            raise _NoSuchConfigurationError
        return kept[querystring["id"][0]]
    documents = "".join(kept[name] for name in sorted(kept))
    return f"<List{_MANY[kind]}Result><IsTruncated>false</IsTruncated>{documents}</List{_MANY[kind]}Result>"


def _put(self: Any, request: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
    kind = _kind_of(querystring)
    if kind is None:
        return _bucket_response_put(self, request, bucket_name, querystring)
    text = self.body.decode() if isinstance(self.body, bytes) else str(self.body)
    _kept(self, bucket_name, kind)[querystring["id"][0]] = _DECLARATION.sub("", text)
    return 200, {}, ""


def _delete(self: Any, bucket_name: str, querystring: dict[str, Any]) -> Any:
    kind = _kind_of(querystring)
    if kind is None:
        return _bucket_response_delete(self, bucket_name, querystring)
    if _kept(self, bucket_name, kind).pop(querystring["id"][0], None) is None:
        raise _NoSuchConfigurationError
    return 204, {}, ""


class _NoSuchConfigurationError(S3ClientError):
    code = "NoSuchConfiguration"

    def __init__(self) -> None:
        super().__init__("The specified configuration does not exist.")


def add() -> None:
    """Show it."""
    S3Response._bucket_response_get = _get  # type: ignore[method-assign]
    S3Response._bucket_response_put = _put  # type: ignore[method-assign]
    S3Response._bucket_response_delete = _delete  # type: ignore[method-assign]
    S3Backend.put_bucket_policy = _put_policy  # type: ignore[method-assign]
    S3Response.get_bucket_replication = _shown_rules  # type: ignore[method-assign]
    S3Response.get_bucket_notification = _shown  # type: ignore[method-assign]
