"""A phase plugin, and its run: all objects that wait in the phase, in bulk.

The plugin says for each object whether the work succeeded (`complete`), failed (`fail`) or is still under way (nothing,
or `sleep`). It never blocks or sleeps itself, and keeps no progress of its own: the facts that it must remember go into
`data`, which is saved with the run (specification: phases).
"""

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Protocol

from tenuto.model.attempt import Attempt
from tenuto.model.ids import Instant, Json, LogicalId, Partition, PhysicalId
from tenuto.model.outcome import Op
from tenuto.model.resource import ManagedObject
from tenuto.ports.programs import DEADLINE_S, ProgramEnd


class PhaseResource(Protocol):
    """One object in a run, as a plugin sees it. Item assignment (`node["InstanceId"] = …`) is saved with the run."""

    @property
    def object(self) -> ManagedObject: ...

    @property
    def attributes(self) -> MutableMapping[str, Json]: ...

    @property
    def physical_id(self) -> PhysicalId | None: ...

    @physical_id.setter
    def physical_id(self, value: PhysicalId | None) -> None: ...

    @property
    def act(self) -> Attempt:
        """The knowledge of the outside act of this phase; set to another value by `core.phases.attempts`, and saved
        with the run or the checkpoint.
        """
        ...

    @act.setter
    def act(self, value: Attempt) -> None: ...

    def __getitem__(self, name: str) -> Json: ...

    def __setitem__(self, name: str, value: Json) -> None: ...


class RemoteShell(Protocol):
    """The machine of one resource, as a phase runs programs in it (`conductor.phases.shell`)."""

    def start(self, words: Sequence[str], *, stdin: str | bytes = "", deadline: int = DEADLINE_S) -> str: ...

    def poll(self, command: str) -> ProgramEnd | None: ...


class PhaseRun(Protocol):
    """One run of one phase. Verdicts are saved in one transaction when `handle` returns or raises."""

    phase: str
    partition: Partition
    now: Instant
    resources: Sequence[PhaseResource]

    def complete(self, resources: PhaseResource | Sequence[PhaseResource]) -> None:
        """Report that the phase succeeded for one resource, or for each of several."""
        ...

    def fail(
        self,
        resource: PhaseResource,
        message: str,
        *,
        code: str = "",
        request_id: str = "",
        is_acknowledged: bool = False,
        keeps_state: bool = False,
    ) -> None:
        """The phase failed for it. A person must act and retry, unless the composition foresaw it (`is_acknowledged`):
        then an object whose table has an edge of failure is replaced. `keeps_state` says that the thing stands as it
        did: its object keeps its state, and is not cleaned up. So it is with an error that is raised. The last verdict
        in a run wins.
        """
        ...

    def sleep(
        self,
        resource: PhaseResource,
        seconds: float | None = None,
        message: str = "",
        *,
        code: str = "",
        request_id: str = "",
    ) -> None:
        """Call again after `seconds` (the phase's delay when None). `message` tells people the reason of the wait.

        `code` and `request_id` are set when a transient fault is the cause.
        """
        ...

    def message(self, resource: PhaseResource, text: str) -> None:
        """Report the progress in words, without a verdict."""
        ...

    def data(self, resource: PhaseResource) -> MutableMapping[str, Json]:
        """The plugin's own record of this object in this phase; saved with the run, cleared by a retry."""
        ...

    def checkpoint(self, resources: PhaseResource | Sequence[PhaseResource]) -> None:
        """Save `data`, `act` and attributes now, in one transaction: the intent of an act that must not happen twice.

        Raises StoreError when it could not be saved: then do not act.
        """
        ...

    def is_canceled(self, resource: PhaseResource) -> bool:
        """Whether the object got another target meanwhile; its verdict will not be used."""
        ...

    def remote(self, resource: PhaseResource) -> RemoteShell:
        """The shell of the machine of a resource, for programs that the phase runs in it."""
        ...

    def record(self, op: Op) -> None:
        """A provider call that changed something; saved with the run."""
        ...


class Phase(Protocol):
    """The whole contract of a phase plugin."""

    def handle(self, run: PhaseRun) -> None: ...


class ReachedResource(Protocol):
    """One object of an event. `node["X"]` reads an attribute, or else the declared property."""

    @property
    def object(self) -> ManagedObject: ...

    @property
    def logical_id(self) -> LogicalId: ...

    @property
    def attributes(self) -> Mapping[str, Json]: ...

    def __getitem__(self, name: str) -> Json: ...

    def get_as_string(self, name: str) -> str | None: ...


class Listener(Protocol):
    """A state listener: called beside the orchestration, cannot delay or fail it (DECISIONS 21)."""

    def on_state_transition(self, event: "StateEvent") -> None: ...


class StateEvent(Protocol):
    """All objects of one type and process that reached one state together."""

    @property
    def type(self) -> str: ...

    @property
    def state(self) -> str: ...

    @property
    def process(self) -> str | None:
        """The alias of the process, or its id when it has none."""
        ...

    @property
    def resources(self) -> Sequence[ReachedResource]: ...
