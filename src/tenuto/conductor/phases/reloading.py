"""Loaded plugins, and their reload while the Conductor runs.

Theory of operation. The phase engine, the broker and the announcements of states ask one value for the phases, handlers
and listeners in force: an `Assembly`, which a reload replaces as a whole. A run keeps the handler that it was begun
with, so a plugin is never exchanged under a call; a run that is collected after the reload gets the new one. Objects
keep the phases that they entered a state with (`core.phases.progress`): one whose plugin is gone waits, and is told as
such.

A reload never takes away a working plugin because of a faulty one. A file that cannot be loaded keeps its earlier
plugins; so does a phase or listener whose new definition is refused beside the others, such as a dependency that is not
there. Only an *absent* plugin (its file is removed, or does not declare it any more) goes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Lock
from typing import TypeVar

import structlog

from tenuto.conductor.phases.helper_modules import read_again
from tenuto.conductor.phases.listeners import Listeners, NameOf
from tenuto.conductor.phases.plugins import Assembly, Found, Plugin, assemble, find_plugins
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import PhaseName
from tenuto.plugins import ListenerPlugin, PhasePlugin, TypePlugin
from tenuto.ports.conductor import PluginReload
from tenuto.ports.phase import Phase
from tenuto.ports.store_changes import StoreChange

_P = TypeVar("_P", bound=Plugin)

_log = structlog.get_logger("tenuto.phases")


class PluginShelf:
    """Plugin folders and entry points, and the plugins that were found in them. It stays when one Conductor follows
    another."""

    def __init__(
        self, folders: Sequence[Path] = (), points: Sequence[EntryPoint] = (), found: Found | None = None
    ) -> None:
        self._folders = tuple(folders)
        self._points = tuple(points)
        self.found = found if found is not None else find_plugins(self._folders, self._points)

    def read(self) -> Found:
        """Read all plugins as they are now, with their helper modules. A package that is imported stays as it is."""
        with read_again():
            return find_plugins(self._folders, self._points)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Force:
    """The plugins in effect: one value, so that no reader sees half of a reload."""

    assembly: Assembly
    listeners: Listeners


class LoadedPlugins:
    """The plugins in force, Tenuto's own phases before them. Safe to call from several threads."""

    def __init__(
        self,
        *,
        own: Sequence[PhasePlugin] = (),
        shelf: PluginShelf,
        listeners: Callable[[Iterable[ListenerPlugin]], Listeners],
        name_of: NameOf = str,
    ) -> None:
        self._own = tuple(own)
        self._shelf = shelf
        self._make_listeners = listeners
        self._name_of = name_of
        self._reloading = Lock()
        assembly = self._assembled(shelf.found)
        self._force = _Force(assembly=assembly, listeners=listeners(assembly.listeners))

    @property
    def assembly(self) -> Assembly:
        return self._force.assembly

    @property
    def phases(self) -> PhaseSet:
        return self._force.assembly.phases

    @property
    def types(self) -> tuple[TypePlugin, ...]:
        """The types of objects that plugins declare."""
        return self._shelf.found.types

    def handler(self, phase: PhaseName) -> Phase | None:
        """The handler in force; None when no plugin of that name is loaded."""
        return self._force.assembly.handlers.get(phase)

    def publish(self, changes: Sequence[StoreChange]) -> None:
        """Announce committed changes to the listeners in force. Never raises."""
        self._force.listeners.publish(changes, self._name_of)

    def reload(self) -> PluginReload:
        """Read the plugins again, and put the sound ones into force."""
        with self._reloading:
            before = self._force
            fresh = self._shelf.read()
            found = with_earlier(fresh, self._shelf.found)
            assembly = self._assembled(found)
            errors = [str(error) for error in assembly.errors]
            while (sound := _without_refused(found, assembly, before.assembly)) is not None:
                found = sound
                assembly = self._assembled(found)
            errors += [str(error) for error in assembly.errors if str(error) not in errors]
            self._force = _Force(assembly=assembly, listeners=self._make_listeners(assembly.listeners))
            self._shelf.found = replace(found, errors=fresh.errors)
        before.listeners.retire()
        changes = _told(before.assembly, assembly, errors)
        _log.info(
            "plugins.reloaded", loaded=list(changes.loaded), removed=list(changes.removed), kept=list(changes.kept)
        )
        for error in errors:
            _log.error("plugin.refused", reason=error)
        return changes

    def _assembled(self, found: Found) -> Assembly:
        """Assemble the phases. Tenuto's own go first: of two with one name the first is kept."""
        return assemble(replace(found, phases=self._own + found.phases), CATALOGUE)


def with_earlier(fresh: Found, earlier: Found) -> Found:
    """The plugins that were found, and those of before from each file or entry point that could not be loaded now."""
    known: tuple[Plugin, ...] = (*earlier.phases, *earlier.listeners)
    failed = {one.origin for one in known if one.origin in fresh.failed or str(Path(one.origin).parent) in fresh.failed}
    return replace(
        fresh,
        phases=(*fresh.phases, *(one for one in earlier.phases if one.origin in failed)),
        listeners=(*fresh.listeners, *(one for one in earlier.listeners if one.origin in failed)),
    )


def _without_refused(found: Found, assembly: Assembly, before: Assembly) -> Found | None:
    """The plugins that were found, with those of before in place of refused ones; None when that changes nothing."""
    phases = _exchanged(found.phases, before.plugins, set(assembly.phases.definitions))
    listeners = _exchanged(found.listeners, before.listeners, {one.definition.name for one in assembly.listeners})
    if phases == found.phases and listeners == found.listeners:
        return None
    return replace(found, phases=phases, listeners=listeners)


def _exchanged(found: tuple[_P, ...], before: Sequence[_P], sound: set[str]) -> tuple[_P, ...]:
    earlier = {str(one.definition.name): one for one in before}
    names = {str(one.definition.name) for one in found if one not in before}
    refused = sorted(name for name in names if name in earlier and name not in sound)
    return (*(one for one in found if one.definition.name not in refused), *(earlier[name] for name in refused))


def _told(before: Assembly, after: Assembly, errors: Sequence[str]) -> PluginReload:
    earlier = _by_name(before)
    now = _by_name(after)
    same = {name for name, one in now.items() if name in earlier and earlier[name].handler is one.handler}
    return PluginReload(
        loaded=tuple(sorted(name for name in now if name not in same)),
        kept=tuple(sorted(name for name in same if now[name].origin)),
        removed=tuple(sorted(name for name in earlier if name not in now)),
        errors=tuple(errors),
    )


def _by_name(assembly: Assembly) -> dict[str, PhasePlugin | ListenerPlugin]:
    plugins: tuple[PhasePlugin | ListenerPlugin, ...] = (*assembly.plugins, *assembly.listeners)
    return {one.definition.name: one for one in plugins}
