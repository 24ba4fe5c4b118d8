"""The messages of the two calls, `register` and `poll`, and their documents.

Theory of operation. An agent registers once in its life, and again whenever the Conductor does not know it any more.
Then it polls: one poll waits for work, further ones (`wait_s` 0) carry the reports of the meantime, so that a report
never waits behind an empty poll. `taken` and `asked` say how far the agent has read: the Conductor sends every order
with a higher generation, and the question of a higher number, so an answer that was lost on its way is sent again.
Generations rise from one leader to the next (the epoch is their head), so an agent can refuse an old order.

Unknown members are ignored: the other side may be one version ahead.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tenuto.errors import UserError
from tenuto.kit.canonical import DocumentError
from tenuto.kit.documents import from_document, to_document
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.driver import Problem, Seen, Spec

VERSIONS = (1,)
"""The versions of the protocol that this program speaks, the newest last."""
REGISTER_PATH = "/v1/node/register"
POLL_PATH = "/v1/node/poll"
BLOBS_PATH = "/v1/node/blobs"
PARTS_PATH = "/v1/node/parts"
GENERATIONS = 1_000_000_000
"""The generations of one epoch: a leader of a year that gives thirty orders a second needs as many."""

T = TypeVar("T")


class Verb(StrEnum):
    ENSURE = "ensure"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One thing to be brought about, with its spec, or to be removed."""

    object_id: ObjectId
    generation: int
    verb: Verb
    spec: Spec | None = None

    @property
    def epoch(self) -> int:
        """The epoch of the leader that gave it."""
        return self.generation // GENERATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The end of an order, good when there is no problem."""

    object_id: ObjectId
    generation: int
    problem: Problem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Register:
    """The first call. `boot_id` names this start of the machine, and `address` is where other hosts reach it.
    `secret_digest` comes with a token, and is that of the secret by which the agent will be known from now on. `run`
    names this start of the agent."""

    versions: tuple[int, ...]
    boot_id: str
    driver: str
    cores: int
    memory_mib: int
    disk_gib: int | None = None
    address: str = ""
    program: str = ""
    secret_digest: str = ""
    held: tuple[ObjectId, ...] = ()
    run: str = ""
    peer_port: int = 0
    """The port of its address at which other hosts take blobs, by the certificate of `peer_fingerprint`; 0 for none."""
    peer_fingerprint: str = ""
    abilities: tuple[str, ...] = ()
    """The abilities of the agent (`rules.abilities`)."""
    accelerator: str = ""
    """The means by which its virtual machines run, and why, in words; empty for a driver without any."""
    given: int = 0
    """The highest generation of an order that the host has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The answer: the name of these calls, and the addresses of the zone's hosts, by name."""

    registration: str
    version: int
    epoch: int
    hosts: Mapping[str, str] = field(default_factory=dict)
    lease_s: float = 0.0
    """Seconds, from when the agent asked, for which the host may hold machines that are to be made elsewhere when it is
    lost. 0 for no limit."""
    isolated: tuple[ObjectId, ...] | None = None
    """The machines of the host that are to be on no network; None where the Conductor does not know yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """An observation: everything on the host, as it was after the question of this number came."""

    number: int
    things: tuple[Seen, ...]
    problem: str = ""
    """The reason why the host cannot tell; then `things` says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """The other call. `is_leaving` says that the agent ends; the machines on its host run on."""

    registration: str
    wait_s: float = 0.0
    taken: int = 0
    asked: int = 0
    reports: tuple[Report, ...] = ()
    observed: Observed | None = None
    is_leaving: bool = False
    troubles: tuple[str, ...] = ()
    """The troubles of the host now, a sentence each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polled:
    """The answer: orders, the number of the question for an observation (0 for none), and the addresses of the zone's
    hosts, by name."""

    epoch: int
    orders: tuple[Order, ...] = ()
    observe: int = 0
    hosts: Mapping[str, str] = field(default_factory=dict)
    lease_s: float = 0.0
    poll_s: float = 15.0
    """The longest that the next poll shall wait."""
    is_dismissed: bool = False
    """The agent is to end, once its orders are done."""
    isolated: tuple[ObjectId, ...] | None = None
    """As in `Registered`."""


def written(message: object) -> JsonMap:
    """The document of a message."""
    document: JsonMap = to_document(message)
    return document


def read(kind: type[T], document: JsonMap) -> T:
    """The message of a document. Raises UserError."""
    try:
        return from_document(kind, _known(kind, document))
    except DocumentError as wrong:
        raise UserError(f"The {kind.__name__} message cannot be read: {wrong}.") from wrong


def _known(kind: Any, document: Any) -> Any:
    """The document without the members that this version does not know."""
    if isinstance(kind, UnionType):
        classes = [one for one in get_args(kind) if is_dataclass(one)]
        return _known(classes[0], document) if classes and document is not None else document
    if get_origin(kind) is tuple and isinstance(document, list):
        return [_known(get_args(kind)[0], one) for one in document]
    if is_dataclass(kind) and isinstance(document, Mapping):
        hints = get_type_hints(kind)
        return {one.name: _known(hints[one.name], document[one.name]) for one in fields(kind) if one.name in document}
    return document
