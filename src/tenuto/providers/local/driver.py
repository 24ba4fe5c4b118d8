"""The two ports of the hosts: a zone as its Conductor commands it, and one host as its agent commands it.

Every order may be repeated: the object id names everything on a host, so a second order for one object changes the
existing thing into the ordered one, and makes nothing twice. A crash between an order and its record costs a
repetition. Orders go in bulk, and the answer names only the things with a problem.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition, Owner
from tenuto.providers.local.rules.deadlines import Presence
from tenuto.providers.local.rules.machines.placement import Host, Machine, PlacementRules, Placing


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """One interface, with the facts of its network that a host must know. The addresses that lead to it from outside,
    `floating` and `routed`, are told to the gateway alone, by the order for the interface itself."""

    interface: ObjectId
    vni: int
    cidr: str
    mac: str
    address: str
    gateway_host: str
    floating: str = ""
    routed: tuple[str, ...] = ()

    @property
    def outside(self) -> bool:
        """Whether anything leads to it from outside."""
        return bool(self.floating or self.routed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One thing as it is to be. `attributes` are facts that compositions may read, such as its address. `wiring` has an
    entry for an interface, or for each one of a machine."""

    type: TypeName
    object_id: ObjectId
    account: str
    owner: Owner | None
    host: str
    properties: JsonMap
    attributes: JsonMap = field(default_factory=dict)
    wiring: tuple[Wire, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One thing as it is. `silence` says why its host cannot tell, and then nothing else of it counts."""

    object_id: ObjectId
    account: str
    owner: Owner | None
    properties: JsonMap
    attributes: JsonMap
    condition: Condition = Condition.READY
    message: str = ""
    silence: str = ""
    is_order_lost: bool = False
    """True when its host cannot tell because the order for it is lost there: given again, it is as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The reason why a thing is not as it was ordered, for people. One that is final needs another order; any other may
    pass, and the order is given again."""

    message: str
    is_final: bool = False
    is_under_way: bool = False
    """True when nothing is wrong: the host has the order and has not reported its end."""
    is_full: bool = False
    """True when the host has no room for the thing: another host may have."""
    is_silent: bool = False
    """True when the host was not heard; otherwise it has answered that it could not do it."""


class NotSentError(Exception):
    """A content did not come to the Conductor. The message says why."""


Send = Callable[[str, BinaryIO, float], None]
"""Send a file to the Conductor under the name of a part, until a moment of the clock at the latest. A part that an
earlier call has begun goes on where it stopped. Raises NotSentError."""


class Driver(Protocol):
    """The hosts of every zone, as one Conductor commands them. Thread-safe.

    Each method raises TransientError when the zone cannot be reached at all, and PermanentError when its records are
    damaged.
    """

    def name_in(self, zone: str) -> str:
        """Return the name of the driver that the hosts of a zone have."""
        ...

    def hosts(self, zone: str) -> Sequence[Host]:
        """Return the hosts of a zone, by name."""
        ...

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        """Give each machine a host, and reserve there the room that it needs. A machine that has a host already keeps
        it."""
        ...

    def misfits(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        """Return why machines do not fit any more on the hosts that they were given, and were not made on yet."""
        ...

    def resize(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        """Reserve on their hosts the room that existing machines need from now on; return why some cannot have it."""
        ...

    def unassign(self, zone: str, object_ids: Sequence[ObjectId]) -> None:
        """Take the hosts of machines back. Nothing was ordered there for them, or it was removed."""
        ...

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        """Bring things about as they are to be. One without a problem is done, or under way."""
        ...

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        """Remove things and the room that is reserved for them. One without a problem is gone."""
        ...

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        """Return all things of a type in a zone, whosever they are."""
        ...

    def shown(self, zone: str) -> Mapping[str, Sequence[Seen]]:
        """Return the things that each host of a zone which can be asked shows, by the names of the hosts. Those that no
        object stands for are among them."""
        ...


class HostsOfZones(Protocol):
    """The hosts of every zone, as the watch over them sees them. Thread-safe. A driver has this face, too."""

    def zones(self) -> Sequence[str]:
        """Return the zones that have hosts, by name."""
        ...

    def presences(self, zone: str) -> Sequence[Presence]:
        """Return the presence of each host of a zone, by name. Only a host that has joined is one."""
        ...

    def listen_anew(self) -> None:
        """The Conductor itself was away: the silence of every host counts from now."""
        ...

    def whereabouts(self, zone: str) -> Mapping[ObjectId, Sequence[str]]:
        """Return the hosts on which each thing of a zone is expected."""
        ...

    def leave_behind(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        """Expect these things on a host no more, which is lost: nothing is ordered there for them but their removal."""
        ...

    def unwanted(self, zone: str, name: str) -> Sequence[ObjectId]:
        """Return the things that an agent has told to be on its host, and that are not expected there."""
        ...

    def clear(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        """Have a host remove things that are not expected there. It may be asked again."""
        ...

    def isolate(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        """Have just these machines of a host on no network, now or as soon as it is heard again."""
        ...

    def strip(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        """Have a host that is deleted remove things that go to other hosts. One without a problem is gone there; it
        counts as silent until another host has it, and not as gone."""
        ...

    def dismiss(self, zone: str, name: str, *, for_good: bool) -> None:
        """Have the agent of a host end, once its orders are done; `for_good` also forgets the host."""
        ...


class HostedDriver(Driver, HostsOfZones, Protocol):
    """A driver that also tells of its hosts."""


class HostDriver(Protocol):
    """The means of one host to run machines and networks: namespaces, QEMU, or a simulation. Called by one agent, one
    call at a time, but for those that are thread-safe."""

    name: str

    def meet(self, hosts: Mapping[str, str]) -> None:
        """Know the hosts of the zone from now on: their mesh addresses, by name. This host is one of them."""
        ...

    def isolate(self, object_ids: Sequence[ObjectId]) -> str:
        """Have just these machines on no network from now on, against any order for them; return the reason why that is
        not so yet, or an empty text. Those that are not here are ignored, and twice is once."""
        ...

    def doubt(self) -> str:
        """Return the reason why things on this host are left as they are for now, or an empty text."""
        ...

    def foreign(self) -> str:
        """Return the words about folders of others among those of this host, which hinder nothing, or an empty text."""
        ...

    def send_by(self, send: Send) -> None:
        """Send contents to the Conductor in this way from now on. Called once, before anything else."""
        ...

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        """Bring things about as they are to be. One without a problem is done, or under way."""
        ...

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        """Remove things. One without a problem is gone; one that was never there is gone as well."""
        ...

    def hold(self, until: float) -> None:
        """Keep all machines until a moment of `leases.seconds_since_boot`: the Conductor has answered. After it, end
        those that are made elsewhere when the host is lost, even when the agent has ended. Thread-safe.
        """
        ...

    def let_go(self) -> None:
        """The agent has left in good order: keep all machines from now on. Thread-safe."""
        ...

    def observe(self) -> Sequence[Seen]:
        """Return everything that is on this host and bears Tenuto's marks, as it is now."""
        ...
