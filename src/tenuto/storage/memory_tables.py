"""The tables of the store in memory: what is written to them can be kept or dropped together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.composition import Composition
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, JobId, LogicalId, ObjectId, PlanId
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import CommandRecord, Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject
from tenuto.model.rule import StoredRule

THE_POLICY = "policy"
"""The key of the one there is."""
THE_LEASE = "lease"

_K = TypeVar("_K")
_V = TypeVar("_V")


class Table(Generic[_K, _V]):
    """A dictionary whose writes can be kept or dropped together. Reads see the writes at once."""

    def __init__(self) -> None:
        self._kept: dict[_K, _V] = {}
        self._staged: dict[_K, _V | None] = {}

    def get(self, key: _K) -> _V | None:
        return self._staged[key] if key in self._staged else self._kept.get(key)

    def put(self, key: _K, value: _V) -> None:
        self._staged[key] = value

    def put_all(self, values: Mapping[_K, _V]) -> None:
        self._staged.update(values)

    def remove(self, key: _K) -> None:
        """What is not there may be removed, too."""
        self._staged[key] = None

    def values(self) -> Iterator[_V]:
        """What is kept, in the order of the first writes."""
        return iter(self._kept.values())

    def items(self) -> Iterator[tuple[_K, _V]]:
        """What is kept, with its keys, in the order of the first writes."""
        return iter(self._kept.items())

    def current(self) -> list[_V]:
        """What would be kept now."""
        return [value for value in (self._kept | self._staged).values() if value is not None]

    def keep(self) -> None:
        for key, value in self._staged.items():
            if value is None:
                self._kept.pop(key, None)
            else:
                self._kept[key] = value
        self._staged.clear()

    def drop(self) -> None:
        self._staged.clear()


class Log(Generic[_V]):
    """A list that only grows; what was appended can be kept or dropped together."""

    def __init__(self) -> None:
        self.kept: list[_V] = []
        self._staged: list[_V] = []

    @property
    def length(self) -> int:
        return len(self.kept) + len(self._staged)

    def append(self, value: _V) -> None:
        self._staged.append(value)

    def keep(self) -> None:
        self.kept.extend(self._staged)
        self._staged.clear()

    def drop(self) -> None:
        self._staged.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Everything that is stored, and six indexes: who has an alias, a process's objects, an address, a running job, a
    secret's key, and the objects for which a phase waits or sleeps (`restless`).

    An index names the last holder; whoever asks looks whether it still holds.
    """

    processes: Table[Fid, Process] = field(default_factory=Table)
    objects: Table[ObjectId, ManagedObject] = field(default_factory=Table)
    compositions: Table[str, Composition] = field(default_factory=Table)
    plans: Table[PlanId, Plan] = field(default_factory=Table)
    jobs: Table[JobId, Job] = field(default_factory=Table)
    commands: Log[CommandRecord] = field(default_factory=Log)
    events: Log[Event] = field(default_factory=Log)
    ops: Log[tuple[Op, frozenset[Fid]]] = field(default_factory=Log)
    accounts: Table[str, Account] = field(default_factory=Table)
    aliases: Table[str, Fid] = field(default_factory=Table)
    members: Table[Fid, tuple[ObjectId, ...]] = field(default_factory=Table)
    addresses: Table[tuple[Fid, LogicalId, int], ObjectId] = field(default_factory=Table)
    busy: Table[Fid, JobId] = field(default_factory=Table)
    restless: Table[ObjectId, ManagedObject] = field(default_factory=Table)
    policies: Table[str, PolicyText] = field(default_factory=Table)
    secrets: Table[str, UserSecret] = field(default_factory=Table)
    keys: Table[str, str] = field(default_factory=Table)
    settings: Table[str, RuntimeSetting] = field(default_factory=Table)
    rates: Table[Api, Bucket] = field(default_factory=Table)
    rules: Table[str, StoredRule] = field(default_factory=Table)
    flips: Table[Fid, tuple[Flip, ...]] = field(default_factory=Table)
    sinks: Table[str, Sink] = field(default_factory=Table)
    deliveries: Table[tuple[str, int], Delivery] = field(default_factory=Table)
    leases: Table[str, Lease] = field(default_factory=Table)

    def keep(self) -> None:
        for table in self._all():
            table.keep()

    def drop(self) -> None:
        for table in self._all():
            table.drop()

    def secret_of_key(self, key: str) -> UserSecret | None:
        holder = self.secrets.get(self.keys.get(key) or "")
        return holder if holder is not None and holder.key == key else None

    def _all(self) -> tuple[Table[Fid, Process] | Table[ObjectId, ManagedObject] | Log[Event], ...]:
        return tuple(getattr(self, name) for name in self.__slots__)
