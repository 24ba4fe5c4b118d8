"""The emulator keeps that a bucket tells EventBridge, and does so, but leaves it out of its answers."""

import re
from typing import Any

from moto.s3.responses import S3Response

_END = "</NotificationConfiguration>"
_EMPTY = re.compile(r"<NotificationConfiguration([^>]*)/>")
"""The answer of a bucket that tells nobody else."""
_get_bucket_notification = S3Response.get_bucket_notification


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


def add() -> None:
    """Show it."""
    S3Response.get_bucket_notification = _shown  # type: ignore[method-assign]
