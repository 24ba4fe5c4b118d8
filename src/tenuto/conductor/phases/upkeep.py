"""The enrolment of objects that rest: they get the upkeep of plugins that were loaded after they came to rest.

Theory of operation. An object gets its upkeep when it comes to rest (`core.phases.upkeep`). At a start, and after each
reload of plugins, there may be upkeep that is new. So the objects of each upkeep phase that have no entry of it are
read once, page by page, and get one. Nothing waits for upkeep, so this is safe at any time; while nothing was loaded,
it costs a comparison.
"""

from tenuto.conductor.phases.plugins import Assembly
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.saves import PhaseSaves
from tenuto.core.phases import progress
from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseDefinition
from tenuto.ports.store import Store

PAGE = 500
"""Objects in one transaction: enough to be quick, few enough not to hold up other writers."""
BY = "upkeep"


class Enrolment:
    """Enrols objects once for each set of plugins. Called by one thread at a time."""

    def __init__(self, store: Store, plugins: LoadedPlugins, saves: PhaseSaves) -> None:
        self._store = store
        self._plugins = plugins
        self._saves = saves
        self._done: Assembly | None = None

    def keep(self, now: Instant) -> None:
        """Enrol objects if plugins were loaded since the last time. Raises StoreError: then it is tried again."""
        assembly = self._plugins.assembly
        if assembly is self._done:
            return
        for definition in assembly.phases.definitions.values():
            if definition.every_s is not None:
                self._enrol(definition, assembly, now)
        self._done = assembly

    def _enrol(self, definition: PhaseDefinition, assembly: Assembly, now: Instant) -> None:
        after = ""
        while found := self._store.without_upkeep(definition, after, PAGE):
            after = found[-1].object_id
            wanting = [
                one.object_id
                for one in found
                if definition in (kept.definition for kept in assembly.phases.upkeep(one))
            ]
            if wanting:
                self._saves.save(wanting, lambda one: progress.take_up(one, assembly.phases, now), by=BY, now=now)
