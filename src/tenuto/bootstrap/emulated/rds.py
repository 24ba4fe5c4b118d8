"""Changes of subscriptions to events of RDS."""

from typing import Any

from moto.core.responses import ActionResult
from moto.rds.exceptions import SubscriptionNotFoundError
from moto.rds.responses import RDSResponse


def _known(self: Any) -> Any:
    name = self.params.get("SubscriptionName")
    if name not in self.backend.event_subscriptions:
        raise SubscriptionNotFoundError(name)
    return self.backend.event_subscriptions[name]


def _modify(self: Any) -> ActionResult:
    one, sent = _known(self), self.params
    for member, name in (
        ("sns_topic_arn", "SnsTopicArn"),
        ("source_type", "SourceType"),
        ("event_categories", "EventCategories"),
        ("enabled", "Enabled"),
    ):
        if sent.get(name) is not None:
            setattr(one, member, sent[name])
    return ActionResult({"EventSubscription": one})


def _add(self: Any) -> ActionResult:
    one = _known(self)
    one.source_ids = [*one.source_ids, self.params["SourceIdentifier"]]
    return ActionResult({"EventSubscription": one})


def _remove(self: Any) -> ActionResult:
    one = _known(self)
    one.source_ids = [name for name in one.source_ids if name != self.params["SourceIdentifier"]]
    return ActionResult({"EventSubscription": one})


def add() -> None:
    """Add the calls."""
    for name, call in (
        ("modify_event_subscription", _modify),
        ("add_source_identifier_to_subscription", _add),
        ("remove_source_identifier_from_subscription", _remove),
    ):
        setattr(RDSResponse, name, call)
