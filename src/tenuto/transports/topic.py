"""A topic of a provider: each event is one message."""

from collections.abc import Mapping

from tenuto.errors import BugError
from tenuto.kit.canonical import to_text
from tenuto.model.notification import Notification, Sink
from tenuto.ports.notices import TopicPublisher


class TopicTransport:
    """Implements `ports.notices.Transport` with the topics of one provider, if it has any."""

    def __init__(self, publisher: TopicPublisher | None) -> None:
        self._publisher = publisher

    def can_reach(self, sink: Sink) -> bool:
        return self._publisher is not None

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        if self._publisher is None or sink.partition is None:
            raise BugError(f"the notification {sink.name} has no topic that could be reached")
        attributes: Mapping[str, str] = {"event_id": notification.event_id, "event_type": notification.type}
        self._publisher.publish(sink.partition, sink.address, to_text(notification.document), attributes)
