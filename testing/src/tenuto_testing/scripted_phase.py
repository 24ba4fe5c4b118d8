"""A phase that follows the script of a test, and remembers its calls."""

from collections.abc import Callable
from typing import Any

from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.phase import PhaseResource, PhaseRun

Script = Callable[[PhaseRun, PhaseResource], None]


def complete(run: PhaseRun, resource: PhaseResource) -> None:
    run.complete(resource)


def say_nothing(run: PhaseRun, resource: PhaseResource) -> None:
    """Still under way."""


def fail_with(message: str) -> Script:
    return lambda run, resource: run.fail(resource, message)


class ScriptedPhase:
    """`script` has the fate of each object; `scripts` overrides it for objects by name; both may be changed.

    `calls` are the names of each run's objects, in order. `error` is raised at the end of every run while it is set.
    """

    def __init__(
        self, name: str, states: str | list[str] = "Allocation", script: Script = complete, **how: Any
    ) -> None:
        self.script = script
        self.scripts: dict[str, Script] = {}
        self.calls: list[list[str]] = []
        self.error: Exception | None = None
        self.plugin: PhasePlugin = phase(name, states=states, types=how.pop("types", "Cloud.Node"), **how)(self.handle)

    def handle(self, run: PhaseRun) -> None:
        self.calls.append([resource.object.logical_id for resource in run.resources])
        for resource in run.resources:
            self.scripts.get(resource.object.logical_id, self.script)(run, resource)
        if self.error is not None:
            raise self.error
