"""Finds plugins, and puts sound ones together; a bad one is named and left out.

Theory of operation. Plugins come from the entry point group `tenuto.plugins` of installed distributions and from plugin
folders, whose `*.py` files (not those that begin with an underscore) are executed as modules of their own. Either way
the loader looks for values of type `PhasePlugin` and `ListenerPlugin`; importing has no other effect. Whatever goes
wrong with one file or entry point becomes a PluginError that names it, and the others are loaded. `assemble` then
checks the phases as a set (`core.phase_set`).
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tenuto.core.phases.phase_set import PhaseSet
from tenuto.errors import PluginError
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import PhaseName
from tenuto.plugins import ListenerPlugin, PhasePlugin
from tenuto.ports.phase import Phase

GROUP = "tenuto.plugins"

Plugin = PhasePlugin | ListenerPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that declares itself a plugin, before it is checked, and what could not be read."""

    phases: tuple[PhasePlugin, ...] = ()
    listeners: tuple[ListenerPlugin, ...] = ()
    errors: tuple[PluginError, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What a phase engine is made of."""

    phases: PhaseSet
    handlers: Mapping[PhaseName, Phase]
    listeners: tuple[ListenerPlugin, ...]
    errors: tuple[PluginError, ...]


def installed() -> tuple[EntryPoint, ...]:
    """The entry points of the group, by name."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def find_plugins(folders: Iterable[Path], points: Iterable[EntryPoint]) -> Found:
    """Read every plugin of the folders, file by file in the order of their names, and of the entry points."""
    sources: list[tuple[str, Callable[[], object]]] = []
    errors: list[PluginError] = []
    for point in points:
        sources.append((f"entry point {point.name} ({point.value})", point.load))
    for folder in folders:
        if not folder.is_dir():
            errors.append(PluginError(f"plugin folder {folder} was not read: there is no folder of that name"))
            continue
        sources += [(str(path), _loader(path)) for path in sorted(folder.glob("*.py")) if path.name[0] != "_"]
    plugins: list[Plugin] = []
    for origin, load in sources:
        try:
            plugins += [replace(plugin, origin=origin) for plugin in _plugins_in(load())]
        except PluginError as error:
            errors.append(PluginError(f"{origin}: {error}"))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin's module may raise anything
            errors.append(PluginError(f"{origin} was refused: it raised {error!r} when it was loaded"))
    return Found(
        phases=tuple(plugin for plugin in plugins if isinstance(plugin, PhasePlugin)),
        listeners=tuple(plugin for plugin in plugins if isinstance(plugin, ListenerPlugin)),
        errors=tuple(errors),
    )


def assemble(found: Found, lifecycles: Mapping[str, Lifecycle]) -> Assembly:
    """Check the phases and listeners as a set. The first of two with one name is kept."""
    phases, refused = PhaseSet.build([plugin.definition for plugin in found.phases], lifecycles)
    handlers: dict[PhaseName, Phase] = {}
    for plugin in found.phases:
        if phases.get(plugin.definition.name) is plugin.definition:
            handlers.setdefault(plugin.definition.name, plugin.handler)
    listeners, deaf = _sound_listeners(found.listeners, lifecycles)
    return Assembly(
        phases=phases,
        handlers=handlers,
        listeners=listeners,
        errors=(*found.errors, *(_with_origins(error, found.phases) for error in refused), *deaf),
    )


def _loader(path: Path) -> Callable[[], object]:
    return lambda: _execute(path)


def _execute(path: Path) -> ModuleType:
    """Run a file as a module of its own name, so that two files of one name in two folders do not meet."""
    name = f"tenuto_plugin_{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be read as Python")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _plugins_in(loaded: object) -> Sequence[Plugin]:
    """The plugins of a module, of a sequence, or the one plugin that an entry point names."""
    if isinstance(loaded, PhasePlugin | ListenerPlugin):
        return [loaded]
    values = vars(loaded).values() if isinstance(loaded, ModuleType) else loaded
    if not isinstance(values, Iterable):
        raise PluginError(f"it gives {loaded!r}, which is neither a plugin nor a module or sequence of plugins")
    plugins: list[Plugin] = []
    for value in values:
        if isinstance(value, PhasePlugin | ListenerPlugin) and value not in plugins:
            plugins.append(value)
    if not plugins:
        raise PluginError("it declares no plugin; decorate a function with @phase(...) or @listener(...)")
    return plugins


def _with_origins(error: PluginError, plugins: Iterable[PhasePlugin]) -> PluginError:
    """The refusal, with the places where a phase of that name was declared."""
    text = str(error)
    places = [
        plugin.origin for plugin in plugins if plugin.origin and text.startswith(f"phase {plugin.definition.name} was")
    ]
    return PluginError(f"{text} (declared in {', '.join(places)})") if places else error


def _sound_listeners(
    plugins: Iterable[ListenerPlugin], lifecycles: Mapping[str, Lifecycle]
) -> tuple[tuple[ListenerPlugin, ...], tuple[PluginError, ...]]:
    known = {state.value for lifecycle in lifecycles.values() for state in lifecycle.states}
    kept: dict[str, ListenerPlugin] = {}
    errors: list[PluginError] = []
    for plugin in plugins:
        definition = plugin.definition
        unknown = [state for state in definition.states if state not in known]
        problem = ""
        if not definition.name or not definition.states or not definition.types:
            problem = "it needs a name, states and types"
        elif definition.name in kept:
            problem = "a listener of this name is loaded already, and names must be unique"
        elif unknown:
            problem = f"there is no state {', '.join(unknown)}"
        if problem:
            where = f" (declared in {plugin.origin})" if plugin.origin else ""
            errors.append(
                PluginError(f"listener {definition.name or '(without a name)'} was refused: {problem}{where}")
            )
        else:
            kept[definition.name] = plugin
    return tuple(kept.values()), tuple(errors)
