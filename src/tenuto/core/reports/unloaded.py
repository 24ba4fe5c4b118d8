"""Objects that wait in a phase whose plugin is not loaded, and what to do about that.

Which phases an object goes through is stored with it when it enters a state (`core.phases.walking`). So a plugin that
was loaded then and is not loaded now, because it was taken away or refused at the start, leaves objects that wait for
it. They wait for as long as it takes: to go on without the plugin would skip work that was asked for. A user who does
not want the plugin back gives a command that takes the object another way, and so cancels the phase.
"""

from collections.abc import Callable

from tenuto.lifecycles import roles
from tenuto.model.ids import PhaseName
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject

IsLoaded = Callable[[PhaseName], bool]


def every_phase_is_loaded(phase: PhaseName) -> bool:
    """Return True for every phase, for readers that do not know the plugins."""
    return True


def unloaded_phases(found: ManagedObject, is_loaded: IsLoaded) -> tuple[PhaseName, ...]:
    """The open phases of an object whose plugin is not loaded, by name. Upkeep is none: nothing waits for it."""
    return tuple(sorted(name for name, entry in found.phases.items() if entry.is_open and not is_loaded(name)))


def unloaded_message(phase: PhaseName) -> str:
    """The problem of such a phase, and what to do: short enough for a table."""
    return f"No plugin of the name {phase} is loaded. Install it and give 'tenuto phases reload'"


def way_without(process: Process, found: ManagedObject) -> str:
    """The command that takes the object on without the plugin, as a sentence."""
    name = process.alias or process.fid
    if roles.is_being_deleted(found):
        first = f"after 'tenuto suspend {name}', " if process.state is ProcessState.KILLING else ""
        return f"Without it, {first}'tenuto release {name}' leaves the resource in the account."
    if roles.is_being_released(found):
        return f"Without it, 'tenuto kill {name}' deletes the resource."
    return f"Without it, 'tenuto kill {name}' ends the process."
