"""The phases of the simulated objects: they are made, kept, torn down, and fail where they were told to.

Theory of operation. Each phase takes some seconds, so that a wait is worth watching. An object fails in the state that
its field `FailIn` names, with the message in `FailWith`; so every edge of every table can be walked from the command
line. A table with a state for its deletion (`delete-wait`) does the work there; the others do it in the state that the
object is in, before the move (a phase with a heading). A thing fails once, so that it can be deleted after that.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tenuto.lifecycles.agent_operation import AgentOperationState
from tenuto.lifecycles.instance import InstanceState
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.phase_map import Heading, PhaseDefinition
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun
from tenuto.providers.simulated.objects import (
    ARTIFACT,
    BLOB,
    DELETION,
    FAIL_IN,
    FAIL_WITH,
    INSTANCE,
    INTERFACE,
    NAMESPACE,
    NETWORK,
    OPERATION,
    UPLOAD,
)
from tenuto.providers.simulated.types import PROVIDER

WORK_S = 2.0
"""Seconds that a phase takes."""
CHECK_S = 30.0
"""Seconds that a thing stands before it fails in its ready state."""
FAILED_IN = "FailedIn"
"""The attribute of a thing that has failed where it was told to. It does not fail again, so that it can be deleted."""

_FAILS_IN = {INSTANCE: InstanceState.CREATING, OPERATION: AgentOperationState.EXECUTING}
"""The state in which a type fails that was given a message only; the others fail in `initial`."""
_CHECKED = (BLOB, ARTIFACT, NETWORK, INTERFACE, INSTANCE)
_ERRORS = (
    InstanceState.INITIAL_ERROR,
    InstanceState.PREFLIGHT_ERROR,
    InstanceState.CREATING_ERROR,
    InstanceState.CREATED_ERROR,
    InstanceState.DELETE_WAIT_ERROR,
)


class Work:
    """A phase that takes `WORK_S` and completes. Implements `ports.phase.Phase`."""

    def handle(self, run: PhaseRun) -> None:
        for one in run.resources:
            data = run.data(one)
            if "until" not in data:
                data["until"] = run.now + WORK_S
                run.sleep(one, WORK_S, "at work")
            elif run.now < data["until"]:
                run.sleep(one, data["until"] - run.now)
            elif self.fails(one):
                state = one.object.state
                one[FAILED_IN] = state
                run.fail(one, str(one.object.desired.get(FAIL_WITH) or f"the simulated cloud fails in {state}"))
            else:
                run.complete(one)

    def fails(self, one: PhaseResource) -> bool:
        return FAILED_IN not in one.attributes and _place(one.object) == one.object.state


class Removal(Work):
    """The work of a deletion in the state that the object is in."""

    def fails(self, one: PhaseResource) -> bool:
        return FAILED_IN not in one.attributes and _place(one.object) == DELETION


def object_phases() -> Sequence[tuple[PhaseDefinition, Phase]]:
    """The phases that simulated objects walk through."""
    at_once = (NAMESPACE, UPLOAD, BLOB, ARTIFACT, INTERFACE, OPERATION)
    return (
        (
            _phase(
                "Fill", "Make a thing that is made at once.", (MadeState.INITIAL,), (BLOB, ARTIFACT, NETWORK, INTERFACE)
            ),
            Work(),
        ),
        (_phase("Admit", "Check an instance or an operation.", (MadeState.INITIAL,), (INSTANCE, OPERATION)), Work()),
        (_phase("Place", "Find a host for an instance.", (InstanceState.PREFLIGHT,), (INSTANCE,)), Work()),
        (
            _phase(
                "Stage",
                "Bring an artifact to the host of an operation.",
                (AgentOperationState.PREFLIGHT,),
                (OPERATION,),
                applies=lambda one: "Uses" in one.desired,
            ),
            Work(),
        ),
        (
            _phase("Queue", "Wait for the instance of an operation.", (AgentOperationState.QUEUED,), (OPERATION,)),
            Work(),
        ),
        (_phase("Make", "Make an instance on its host.", (InstanceState.CREATING,), (INSTANCE,)), Work()),
        (
            _phase(
                "Execute", "Carry out the commands of an operation.", (AgentOperationState.EXECUTING,), (OPERATION,)
            ),
            Work(),
        ),
        (
            _phase(
                "Check",
                "Find what fails while it is in use.",
                (MadeState.CREATED,),
                _CHECKED,
                applies=lambda one: _place(one) == MadeState.CREATED,
                every_s=CHECK_S,
            ),
            Work(),
        ),
        (
            _phase("Delete", "Delete a network or an instance.", (InstanceState.DELETE_WAIT,), (NETWORK, INSTANCE)),
            Work(),
        ),
        (_phase("Clean", "Clean up after an instance that failed.", _ERRORS, (INSTANCE,)), Work()),
        (
            _phase(
                "Remove",
                "Delete a thing that is deleted at once.",
                (
                    MadeState.INITIAL,
                    AgentOperationState.PREFLIGHT,
                    AgentOperationState.QUEUED,
                    AgentOperationState.EXECUTING,
                    AgentOperationState.COMPLETE,
                    MadeState.CREATED,
                    MadeState.ERROR,
                ),
                at_once,
                heading=Heading.GONE,
            ),
            Removal(),
        ),
        (
            _phase(
                "Drop",
                "Delete a network that is not in use.",
                (MadeState.INITIAL, MadeState.ERROR),
                (NETWORK,),
                heading=Heading.GONE,
            ),
            Removal(),
        ),
    )


def _place(one: ManagedObject) -> str | None:
    """Return the place at which the object shall fail; None for nowhere."""
    default = _FAILS_IN.get(one.type, MadeState.INITIAL) if FAIL_WITH in one.desired else None
    found: str | None = one.desired.get(FAIL_IN, default)
    return found


def _phase(
    name: str,
    summary: str,
    states: tuple[str, ...],
    types: tuple[TypeName, ...],
    *,
    heading: Heading | None = None,
    every_s: float | None = None,
    applies: Callable[[Any], object] | None = None,
) -> PhaseDefinition:
    return PhaseDefinition(
        name=PhaseName(f"Simulated.{name}"),
        states=states,
        types=types,
        provider=PROVIDER,
        description=summary,
        heading=heading,
        every_s=every_s,
        applies=applies,
        acts=False,
    )
