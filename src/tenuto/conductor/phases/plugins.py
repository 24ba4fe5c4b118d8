"""Finds plugins, and puts sound ones together; a bad one is named and left out.

Theory of operation. Plugins come from the entry point group `tenuto.plugins` of installed distributions and from plugin
folders, whose `*.py` files (not those that begin with an underscore) are executed as modules of their own. Either way
the loader looks for values of type `PhasePlugin` and `ListenerPlugin`; importing has no other effect. Each fault
of one file or entry point becomes a PluginError that names it, and the others are loaded. `assemble` then
checks the phases as a set (`core.phases.phase_set`).

A plugin may import the files that lie beside it (`helper_modules`). Files that do not mention `tenuto.plugins` are
therefore read last: one that another file has imported by then, and that declares nothing, is a helper and no mistake.
Neither is one that a broken file names: that file may be the one that imports it, and its own fault is told.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from tenuto.conductor.phases.constraints import gated
from tenuto.conductor.phases.helper_modules import PLUGIN_MODULE, UncachedLoader, imported, make_importable, named_by
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.errors import PluginError
from tenuto.kit.contained import contained
from tenuto.kit.well_formed import text_of
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import PhaseName
from tenuto.plugins import ListenerPlugin, PhasePlugin, TypePlugin
from tenuto.ports.phase import Phase

GROUP = "tenuto.plugins"

Plugin = PhasePlugin | ListenerPlugin | TypePlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The plugins that were found, before they are checked, and the errors of those that could not be read."""

    phases: tuple[PhasePlugin, ...] = ()
    listeners: tuple[ListenerPlugin, ...] = ()
    types: tuple[TypePlugin, ...] = ()
    errors: tuple[PluginError, ...] = ()
    failed: frozenset[str] = frozenset()
    """The files, folders and entry points that could not be read, as `origin` of a plugin names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The sound plugins: the phases as a set, the handler of each, and the listeners."""

    phases: PhaseSet
    plugins: tuple[PhasePlugin, ...]
    """The sources of the phases."""
    handlers: Mapping[PhaseName, Phase]
    listeners: tuple[ListenerPlugin, ...]
    errors: tuple[PluginError, ...]


class _IdleError(PluginError):
    """A file or entry point declares no plugin. A file may be a helper all the same."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A file or entry point. One that `is_last` is read when all others are."""

    origin: str
    load: Callable[[], object]
    is_last: bool = False


def installed() -> tuple[EntryPoint, ...]:
    """The entry points of the group, by name."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)))


def find_plugins(folders: Iterable[Path], points: Iterable[EntryPoint]) -> Found:
    """Read every plugin of the folders, file by file in the order of their names, and of the entry points."""
    sources: list[_Source] = [_Source(f"entry point {one.name} ({one.value})", one.load) for one in points]
    errors: list[PluginError] = []
    failed: set[str] = set()
    for folder in folders:
        if not folder.is_dir():
            errors.append(PluginError(f"plugin folder {folder} was not read: there is no folder of that name"))
            failed.add(str(folder))
            continue
        make_importable(folder)
        paths = [path for path in sorted(folder.glob("*.py")) if path.name[0] != "_"]
        sources += [_Source(str(path), _loader(path), is_last=_is_perhaps_a_helper(path)) for path in paths]
    read: dict[str, Sequence[Plugin] | PluginError] = {
        source.origin: _read(source) for source in sorted(sources, key=lambda source: source.is_last)
    }
    read |= dict.fromkeys(_helpers_of_broken(read), ())
    plugins: list[Plugin] = []
    for source in sources:
        match read[source.origin]:
            case PluginError() as error:
                errors.append(error)
                failed.add(source.origin)
            case declared:
                plugins += declared
    return Found(
        phases=tuple(plugin for plugin in plugins if isinstance(plugin, PhasePlugin)),
        listeners=tuple(plugin for plugin in plugins if isinstance(plugin, ListenerPlugin)),
        types=tuple(plugin for plugin in plugins if isinstance(plugin, TypePlugin)),
        errors=tuple(errors),
        failed=frozenset(failed),
    )


def assemble(found: Found, lifecycles: Mapping[str, Lifecycle]) -> Assembly:
    """Check the phases and listeners as a set. The first of two with one name is kept."""
    phases, refused = PhaseSet.build([plugin.definition for plugin in found.phases], lifecycles)
    sound: dict[PhaseName, PhasePlugin] = {}
    for plugin in found.phases:
        if phases.get(plugin.definition.name) is plugin.definition:
            sound.setdefault(plugin.definition.name, plugin)
    listeners, deaf = _sound_listeners(found.listeners, lifecycles)
    return Assembly(
        phases=phases,
        plugins=tuple(sound.values()),
        handlers={name: gated(plugin.definition, plugin.handler) for name, plugin in sound.items()},
        listeners=listeners,
        errors=(*found.errors, *(_with_origins(error, found.phases) for error in refused), *deaf),
    )


def _read(source: "_Source") -> Sequence[Plugin] | PluginError:
    try:
        with contained("it"):
            return [replace(plugin, origin=source.origin) for plugin in _plugins_in(source.load())]
    except PluginError as error:
        kind = _IdleError if isinstance(error, _IdleError) else PluginError
        return kind(f"{source.origin}: {error}")
    except SyntaxError as error:
        line = f"line {error.lineno} of {error.filename or 'it'} " if error.lineno else "it "
        return PluginError(f"{source.origin} was refused: {line}is no Python that can be read ({text_of(error.msg)})")
    except Exception as error:  # noqa: BLE001 - a plugin's module may raise anything
        return PluginError(
            f"{source.origin} was refused: it raised {type(error).__name__} when it was loaded: {text_of(error)}"
        )


def _helpers_of_broken(read: Mapping[str, Sequence[Plugin] | PluginError]) -> set[str]:
    """The files that declare no plugin, and that a broken one may import."""
    idle = {origin for origin, one in read.items() if isinstance(one, _IdleError)}
    broken = [Path(origin) for origin, one in read.items() if isinstance(one, PluginError) and origin not in idle]
    return idle & {str(path) for path in named_by(broken)}


def _loader(path: Path) -> Callable[[], object]:
    def load() -> object:
        module = imported(path) if _is_perhaps_a_helper(path) else None
        return _execute(path) if module is None else _Helper(_declared(vars(module).values()))

    return load


def _is_perhaps_a_helper(path: Path) -> bool:
    """Whether a file declares no plugin by itself, as far as its text tells."""
    try:
        return b"tenuto.plugins" not in path.read_bytes()
    except OSError:
        return False


class _Helper(tuple[Plugin, ...]):
    """The plugins of a file that another one has imported: none, as a rule."""


def _execute(path: Path) -> ModuleType:
    """Run a file as a module of its own name, so that two files of one name in two folders do not meet."""
    name = f"{PLUGIN_MODULE}{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = spec_from_file_location(name, path, loader=UncachedLoader(name, str(path)))
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be read as Python")
    module = module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        # The phases that were loaded from the file before stay in force.
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
        raise
    return module


def _plugins_in(loaded: object) -> Sequence[Plugin]:
    """The plugins of a module, of a sequence, or the one plugin that an entry point names."""
    if isinstance(loaded, Plugin):
        return [loaded]
    if isinstance(loaded, _Helper):
        return loaded
    values = vars(loaded).values() if isinstance(loaded, ModuleType) else loaded
    if not isinstance(values, Iterable):
        raise PluginError(f"it gives {loaded!r}, which is neither a plugin nor a module or sequence of plugins")
    plugins = _declared(values)
    if not plugins:
        raise _IdleError(
            "it declares no plugin; decorate a function with @phase(...) or @listener(...), or import it from a plugin "
            "that it is to help"
        )
    return plugins


def _declared(values: Iterable[object]) -> list[Plugin]:
    plugins: list[Plugin] = []
    for value in values:
        if isinstance(value, Plugin) and value not in plugins:
            plugins.append(value)
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
