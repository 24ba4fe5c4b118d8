"""The driver of a zone: what brings networks, interfaces and machines about on its hosts, and shows them.

Every order may be repeated: the object id names everything on a host, so a second order for one object changes what is
there into what is asked for, and makes nothing twice. A crash between an order and its record costs a repetition.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition, Owner
from tenuto.providers.local.rules.placement import Host, Machine, PlacementRules, Placing


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One thing as it is to be. `attributes` are facts that compositions may read, such as its address."""

    type: TypeName
    object_id: ObjectId
    account: str
    owner: Owner | None
    host: str
    properties: JsonMap
    attributes: JsonMap = field(default_factory=dict)


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


class Driver(Protocol):
    """The hosts of every zone, as one Conductor commands them. Thread-safe.

    Each method raises TransientError when the zone cannot be reached at all, and PermanentError when its records are
    damaged.
    """

    name: str

    def hosts(self, zone: str) -> Sequence[Host]:
        """Return the hosts of a zone, by name."""
        ...

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        """Give each machine a host, and reserve there what it needs. A machine that has a host already keeps it."""
        ...

    def ensure(self, zone: str, spec: Spec) -> str:
        """Bring the thing about as it is to be. Returns why that is not possible now, for people; empty when it is
        done or under way."""
        ...

    def remove(self, zone: str, object_id: ObjectId) -> str:
        """Remove a thing and what is reserved for it. Returns why that is not possible now; empty when it is gone."""
        ...

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        """Return all things of a type in a zone, whosever they are."""
        ...
