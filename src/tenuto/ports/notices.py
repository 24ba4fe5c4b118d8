"""The port through which notifications leave the Conductor."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from tenuto.model.ids import Partition
from tenuto.model.notification import Notification, Sink, SinkKind


class Transport(Protocol):
    """A transport carries notifications to sinks of one kind. Safe to call from several threads."""

    def can_reach(self, sink: Sink) -> bool:
        """Whether this Conductor is set up to reach the sink at all. Deliveries to a sink that it cannot reach wait
        on."""
        ...

    def trouble(self, sink: Sink) -> str:
        """Return why nothing can arrive at a sink that `can_reach` says can be reached; empty when nothing is known of
        that.

        Asked at the start and in lists: it must be quick, and asks no other machine.
        """
        ...

    def deliver(self, sink: Sink, notification: Notification) -> None:
        """Hand over one notification, within seconds. Raises ProviderError when it did not arrive, or may not have.

        May be called again for a notification that did arrive: the receiver tells by its `event_id`.
        """
        ...


Transports = Mapping[SinkKind, Transport]


@runtime_checkable
class TopicPublisher(Protocol):
    """A provider that has topics to publish on."""

    def publish(self, partition: Partition, topic: str, message: str, attributes: Mapping[str, str]) -> None:
        """Publish one message. Raises TransientError or PermanentError."""
        ...
