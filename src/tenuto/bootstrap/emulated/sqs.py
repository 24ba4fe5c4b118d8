"""The queues that may name a queue as the one for their dead letters: moto keeps them, and does not show them."""

from typing import Any

from moto.sqs.models import Queue

_ALLOWED = "RedriveAllowPolicy"
_attributes: Any = vars(Queue)["attributes"].fget


def _shown(self: Queue) -> dict[str, Any]:
    shown: dict[str, Any] = _attributes(self)
    allowed = vars(self).get("redrive_allow_policy")
    return {**shown, _ALLOWED: allowed} if allowed else shown


def add() -> None:
    """Show them."""
    setattr(Queue, "attributes", property(_shown))  # noqa: B010
