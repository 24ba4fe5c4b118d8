"""Topics of trails by their ARNs: moto takes every one for a name."""

from typing import Any

from moto.cloudtrail.models import Trail

_description = Trail.description
_topic: Any = Trail.topic_arn


def _arn(self: Trail) -> Any:
    given = self.sns_topic_name or ""
    return given if given.startswith("arn:") else _topic.__get__(self)


def _described(self: Trail, include_region: bool = False) -> dict[str, Any]:
    """The description as CloudTrail gives it, in which the ARN stands for the name."""
    return {name: one for name, one in _description(self, include_region).items() if name != "SnsTopicName"}


def add() -> None:
    """Take them."""
    Trail.topic_arn = property(_arn)  # type: ignore[assignment]
    Trail.description = _described  # type: ignore[method-assign]
