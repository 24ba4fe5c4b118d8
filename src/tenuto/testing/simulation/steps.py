"""What can happen to a Tenuto, as values. Each reads as a line of a script, and is meaningful whatever came before.

A step that has no object now (a command that the state refuses, a thing that is not there) does nothing, so that any
step may be dropped from a history and the rest still is one.
"""

from dataclasses import dataclass

from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.providers.simulated.faults import Fault
from tenuto.testing.mortality import Blow
from tenuto.testing.simulation.compositions import render


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """`run` or `update` with a composition."""

    verb: str
    alias: str
    composition: Composition

    def __str__(self) -> str:
        lines = "".join(f"\n        {line}" for line in render(self.composition))
        return f"{self.verb} {self.alias}{lines}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`suspend`, `resume`, `kill`, `retry` or `release`."""

    verb: str
    alias: str

    def __str__(self) -> str:
        return f"{self.verb} {self.alias}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProperty:
    alias: str
    key: str
    value: str

    def __str__(self) -> str:
        return f"property {self.alias} {self.key} {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Time passes, and what becomes due is done."""

    seconds: float

    def __str__(self) -> str:
        return f"advance {self.seconds:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Strike:
    """A stranger does something to a thing of ours: tamper, vanish, terminate, break or fill."""

    act: str
    alias: str
    logical_id: LogicalId
    path: str = ""
    value: Json = None

    def __str__(self) -> str:
        detail = f" {self.path}={self.value}" if self.path else ""
        return f"{self.act} {self.alias}.{self.logical_id}{detail}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Add:
    """A stranger makes something of their own."""

    type: TypeName
    properties: tuple[tuple[str, Json], ...]

    def __str__(self) -> str:
        return f"add {self.type} {' '.join(f'{path}={value}' for path, value in self.properties)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The cloud will be faulty."""

    fault: Fault

    def __str__(self) -> str:
        fault = self.fault
        return f"fault {fault.operation} {fault.subject} {fault.kind.value} x{fault.times} {fault.seconds:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreDown:
    """The next commits will find the store unavailable."""

    commits: int

    def __str__(self) -> str:
        return f"store down for {self.commits} commits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """The Conductor stands still, and goes on after that as if nothing had been. Meanwhile another is started."""

    seconds: float

    def __str__(self) -> str:
        return f"stall for {self.seconds:g}, and start another Conductor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """Another Conductor is started beside the one that lives."""

    def __str__(self) -> str:
        return "start another Conductor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """The Conductor dies: now, or at a moment to come."""

    blow: Blow | None = None

    def __str__(self) -> str:
        if self.blow is None:
            return "crash"
        when = "after" if self.blow.is_after else "before"
        return f"crash {when} {self.blow.operation} {self.blow.count}"


Step = Submit | Order | SetProperty | Pass | Strike | Add | Trouble | StoreDown | Death | Stall | Rival
