"""Notifications: the sinks, the events that each is told, and the deliveries that have not arrived yet."""

from dataclasses import dataclass
from enum import StrEnum

from tenuto.model.ids import Instant, JsonMap, Partition

DEFAULT_TRIES = 15
"""The number of tries: with the waits between them, a good hour: longer than most restarts of a receiver, short enough
to be noticed."""


class SinkKind(StrEnum):
    """The kind of a sink: how it is reached."""

    WEBHOOK = "webhook"
    COMMAND = "command"
    SNS = "sns"


class SinkForm(StrEnum):
    """The form of the document that a webhook gets."""

    JSON = "json"
    """The document of the event."""
    SLACK = "slack"
    TEAMS = "teams"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """A receiver of notifications. An empty `processes` or `accounts` means all of them.

    `place` says for people where it leads, without anything secret. `address` and `key` are sealed: many receivers take
    each caller who knows their URL for a friend.
    """

    name: str
    kind: SinkKind
    place: str
    types: tuple[str, ...]
    processes: tuple[str, ...] = ()
    """Patterns of aliases, or FIDs."""
    accounts: tuple[str, ...] = ()
    tries: int = DEFAULT_TRIES
    """After so many failures a delivery is given up, and kept among the dead ones."""
    address: str = ""
    """The URL of a webhook, sealed, or the ARN of a topic."""
    key: str = ""
    """The key that signs the requests of a webhook, sealed."""
    form: SinkForm = SinkForm.JSON
    """The form of a webhook's bodies."""
    partition: Partition | None = None
    """The account and region by which a topic is reached."""
    created_at: Instant
    cursor: int
    """The number of the last event that was considered for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event on its way to one sink. `document` is sent as it is, fixed when the event was taken over."""

    sink: str
    number: int
    """The number of the event."""
    event_id: str
    document: JsonMap
    tries: int = 0
    next_at: Instant
    last_error: str = ""
    died_at: Instant | None = None
    """The moment when it was given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """The part of a sink's notifications that has not arrived."""

    waiting: int = 0
    dead: int = 0
    last_error: str = ""
    """The last error of the oldest delivery that waits and failed; empty while none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """A notification on its way: one attempt to deliver one event to one sink."""

    event_id: str
    type: str
    document: JsonMap
    attempt: int = 1
