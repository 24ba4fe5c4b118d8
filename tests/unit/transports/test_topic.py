"""A topic is published on by the provider of the account that it is reached by."""

from collections.abc import Mapping

import pytest

from tenuto.errors import PermanentError
from tenuto.model.ids import Partition
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.transports.topic import TopicTransport
from tenuto_testing.store_samples import a_sink

TOLD = Notification(event_id="e-1", type="drift", document={})


class Topics:
    """Remembers what was published."""

    def __init__(self) -> None:
        self.published: list[tuple[Partition, str]] = []

    def publish(self, partition: Partition, topic: str, message: str, attributes: Mapping[str, str]) -> None:
        self.published.append((partition, topic))


def sink(account: str) -> Sink:
    return a_sink("chat", kind=SinkKind.SNS, address="topic-1", partition=Partition(account=account, region="here"))


def test_the_provider_of_the_account_publishes_and_else_the_first() -> None:
    first, second = Topics(), Topics()
    owners = {"rack": "second", "default": ""}
    transport = TopicTransport({"first": first, "second": second}, owners.__getitem__)
    transport.deliver(sink("rack"), TOLD)
    transport.deliver(sink("default"), TOLD)
    assert [place.account for place, _ in second.published] == ["rack"]
    assert [place.account for place, _ in first.published] == ["default"]
    assert transport.trouble(sink("rack")) == ""


def test_an_account_of_a_provider_without_topics_is_named() -> None:
    transport = TopicTransport({"first": Topics()}, lambda account: "second")
    assert "belongs to the provider second" in transport.trouble(sink("rack"))
    with pytest.raises(PermanentError, match="belongs to the provider second"):
        transport.deliver(sink("rack"), TOLD)


def test_without_topics_no_sink_can_be_reached() -> None:
    transport = TopicTransport({}, lambda account: "")
    assert not transport.can_reach(sink("default"))
    assert "No provider of this Conductor" in transport.trouble(sink("default"))
