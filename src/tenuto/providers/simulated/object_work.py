"""The phases of the simulated objects: they are made, kept, torn down, and fail where they were told to.

Theory of operation. Each phase takes some seconds, so that a wait is worth watching. An object fails in the state that
its field `FailIn` names, with the message in `FailWith`; so every edge of every table can be walked from the command
line. A table with a state for its deletion (`delete-wait`) does the work there; the others do it in the state that the
object is in, before the move (a phase with a heading). A thing fails once, so that it can be deleted after that.
"""

from collections.abc import Callable, Sequence
from typing import Any

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
"""How long a phase takes."""
CHECK_S = 30.0
"""How long a thing stands before it fails in its ready state."""
FAILED_IN = "FailedIn"
"""The attribute of what has failed where it was told to. It does not fail again, so that it can be deleted."""

_FAILS_IN = {INSTANCE: "creating", OPERATION: "executing"}
"""The state in which a type fails that was given a message only; the others fail in `initial`."""
_CHECKED = (BLOB, ARTIFACT, NETWORK, INTERFACE, INSTANCE)
_ERRORS = ("initial-error", "preflight-error", "creating-error", "created-error", "delete-wait-error")


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
            _phase("Fill", "Make a thing that is made at once.", ("initial",), (BLOB, ARTIFACT, NETWORK, INTERFACE)),
            Work(),
        ),
        (_phase("Admit", "Check an instance or an operation.", ("initial",), (INSTANCE, OPERATION)), Work()),
        (_phase("Place", "Find a host for an instance.", ("preflight",), (INSTANCE,)), Work()),
        (
            _phase(
                "Stage",
                "Bring an artifact to the host of an operation.",
                ("preflight",),
                (OPERATION,),
                applies=lambda one: "Uses" in one.desired,
            ),
            Work(),
        ),
        (_phase("Queue", "Wait for the instance of an operation.", ("queued",), (OPERATION,)), Work()),
        (_phase("Make", "Make an instance on its host.", ("creating",), (INSTANCE,)), Work()),
        (_phase("Execute", "Carry out the commands of an operation.", ("executing",), (OPERATION,)), Work()),
        (
            _phase(
                "Check",
                "Find what fails while it is in use.",
                ("created",),
                _CHECKED,
                applies=lambda one: _place(one) == "created",
                every_s=CHECK_S,
            ),
            Work(),
        ),
        (_phase("Delete", "Delete a network or an instance.", ("delete-wait",), (NETWORK, INSTANCE)), Work()),
        (_phase("Clean", "Clean up after an instance that failed.", _ERRORS, (INSTANCE,)), Work()),
        (
            _phase(
                "Remove",
                "Delete a thing that is deleted at once.",
                ("initial", "preflight", "queued", "executing", "complete", "created", "error"),
                at_once,
                heading=Heading.GONE,
            ),
            Removal(),
        ),
        (
            _phase(
                "Drop",
                "Delete a network that is not in use.",
                ("initial", "error"),
                (NETWORK,),
                heading=Heading.GONE,
            ),
            Removal(),
        ),
    )


def _place(one: ManagedObject) -> str | None:
    """Return the place at which the object shall fail; None for nowhere."""
    default = _FAILS_IN.get(one.type, "initial") if FAIL_WITH in one.desired else None
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
