"""The door of the hosts: the calls by which the agents on a provider's own hosts reach the Conductor.

Theory of operation. Agents call, and the Conductor answers: a host behind a firewall needs no open port. There are two
calls, `register` and `poll`, and two ways of contents, down (`blob`) and up (`append_part`). The messages are JSON and
belong to the provider, so the HTTP side (`api.host_app`) knows none of them: it admits a bearer, hands messages over,
and lets a poll wait until the provider has an answer.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import JsonMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """An agent whose secret is right. `is_token` is true for one that has but a token to join."""

    host: EnrolledHost
    is_token: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A poll whose reports were taken. `wait_s` is how long its answer may wait for news; `answer` makes it."""

    wait_s: float
    answer: Callable[[], JsonMap]


class HostDoor(Protocol):
    """The Conductor's side of the calls. Thread-safe. Every method may raise StoreError."""

    def admit(self, secret: str) -> Bearer:
        """Recognise an agent. Raises ForbiddenError, in the same words for every reason."""
        ...

    def register(self, bearer: Bearer, message: JsonMap) -> JsonMap:
        """Begin the calls of an agent. Raises NotAllowedError while another agent of that name answers, and UserError
        for a message that cannot be read or a version that is not spoken here."""
        ...

    def poll(self, bearer: Bearer, message: JsonMap, wake: Callable[[], None]) -> Heard:
        """Take the report of an agent. `wake` is called, from any thread, when there is news for it.

        Raises NotFoundError when the agent must register again, and UserError.
        """
        ...

    def blob(self, bearer: Bearer, sha512: str) -> Path:
        """Return the file of a blob that a machine of the host needs. Raises NotFoundError for every other one."""
        ...

    def part_size(self, bearer: Bearer, name: str) -> int:
        """Return how many bytes of a content have come that the host is to send. Raises NotFoundError for every other
        one."""
        ...

    def append_part(self, bearer: Bearer, name: str, offset: int, content: bytes) -> int:
        """Take bytes of a content that the host is to send, and return how many there are then. They are on the disk.

        Raises NotFoundError, NotAllowedError for another offset than the number of those that are there, UserError and
        NoRoomError.
        """
        ...

    def enroll(self, zone: str, name: str, *, url: str, fingerprint: str, actor: str) -> JsonMap:
        """Make a token by which a host may join, in place of an earlier one. Raises UserError and NotAllowedError."""
        ...


@runtime_checkable
class HasHosts(Protocol):
    """A provider whose hosts call; None for one that was made without them."""

    def door(self) -> HostDoor | None: ...
