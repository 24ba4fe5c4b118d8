"""Settings of a bucket that the emulator keeps and leaves out of its answers: the messages to EventBridge, and what a
rule of replication says beside its destination.
"""

import re
from typing import Any

from moto.core.responses import ActionResult
from moto.s3.responses import S3Response

_END = "</NotificationConfiguration>"
_EMPTY = re.compile(r"<NotificationConfiguration([^>]*)/>")
"""The answer of a bucket that tells nobody else."""
_OF_RULES = ("DeleteMarkerReplication", "ExistingObjectReplication", "Filter", "SourceSelectionCriteria")
_get_bucket_notification = S3Response.get_bucket_notification
_get_bucket_replication = S3Response.get_bucket_replication


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
    # Moto tells these of each rule, whatever was said.
    usual = {"DeleteMarkerReplication": {"Status": "Disabled"}, "Filter": {"Prefix": ""}}
    names = ("ID", "Priority", "Status", "Destination")
    rules = [
        usual | {name: rule[name] for name in names} | {name: rule[name] for name in _OF_RULES if rule.get(name)}
        for rule in kept["Rule"]
    ]
    self.data["Action"] = "GetBucketReplication"
    return self.serialized(ActionResult({"ReplicationConfiguration": {"Role": kept["Role"], "Rules": rules}}))


def add() -> None:
    """Show it."""
    S3Response.get_bucket_replication = _shown_rules  # type: ignore[method-assign]
    S3Response.get_bucket_notification = _shown  # type: ignore[method-assign]
