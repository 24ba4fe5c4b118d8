"""A topic of a provider: each event is one message.

A topic is reached by an account, so the provider of that account publishes. The default account is one of every
provider: there the first of them that has topics does.
"""

from collections.abc import Callable, Mapping

from tenuto.errors import BugError, PermanentError
from tenuto.kit.canonical import to_text
from tenuto.model.notification import Notification, Sink
from tenuto.ports.notices import TopicPublisher


class TopicTransport:
    """Implements `ports.notices.Transport` with the topics of the providers that have any.

    `publishers` are in the order of the settings. `provider_of` names the provider of an account; empty for one of all
    providers. It may raise StoreError, and so may each method here.
    """

    def __init__(self, publishers: Mapping[str, TopicPublisher], provider_of: Callable[[str], str]) -> None:
        self._publishers = publishers
        self._provider_of = provider_of

    def can_reach(self, sink: Sink) -> bool:
        return bool(self._publishers)

    def trouble(self, sink: Sink) -> str:
        if sink.partition is None or self._publisher(sink.partition.account) is not None:
            return ""
        return self._missing(sink.partition.account)

    def deliver(self, sink: Sink, notification: Notification) -> None:
        if sink.partition is None:
            raise BugError(f"the notification {sink.name} has no topic that could be reached")
        publisher = self._publisher(sink.partition.account)
        if publisher is None:
            raise PermanentError(self._missing(sink.partition.account), code="NoTopics")
        attributes: Mapping[str, str] = {"event_id": notification.event_id, "event_type": notification.type}
        publisher.publish(sink.partition, sink.address, to_text(notification.document), attributes)

    def _publisher(self, account: str) -> TopicPublisher | None:
        name = self._provider_of(account)
        return self._publishers.get(name) if name else next(iter(self._publishers.values()), None)

    def _missing(self, account: str) -> str:
        name = self._provider_of(account)
        if not name:
            return "No provider of this Conductor knows topics. Start it with the provider of the topic, too."
        return (
            f"The account {account} belongs to the provider {name}, of which this Conductor knows no topics. Remove "
            "the notification, and add it again with an account of the topic's provider."
        )
