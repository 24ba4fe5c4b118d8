"""The duties of every phase, as a test class: subclass it next to your plugin.

    class TestCreateInstance(PhaseConformance):
        def begin(self):
            self.acme = FakeAcme()

        def plugin(self):
            return create_instance_at(self.acme)

        def check(self, world, names):
            assert sorted(self.acme.owners) == sorted(names)

`begin` makes the outside anew; `plugin` the plugin, as a restarted Conductor would load it: nothing that an earlier one
kept in memory may matter. `check` looks at the outside once all objects are through: each thing must be there exactly
once, although the Conductor died before and after each of its writes.

A phase with `every` is upkeep: objects come through it when a round of each has ended well. `check` is asked after more
rounds than one. `table` is the table of the objects, by its name or a table that your provider brings.
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.core.phases.phase_set import PhaseSet
from tenuto.errors import StoreUnavailableError
from tenuto.lifecycles.catalogue import CATALOGUE, KNOWN
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.phase_map import CLOSED, PhaseEntry, PhaseStatus
from tenuto.plugins import PhasePlugin
from tenuto.ports.store_changes import StoreChange
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.phase_world import PhaseWorld

NAMES = ("one", "two", "three")
MOST_WRITES = 50
"""A phase that needs more writes than this to bring three objects through is polling in a circle."""


class _MortalStore(MemoryStore):
    """A store that is cut off after a number of commits, as by a Conductor's death."""

    def __init__(self) -> None:
        super().__init__()
        self.commits_left: int | None = None

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.commits_left is not None:
            if self.commits_left == 0:
                raise StoreUnavailableError("the Conductor is dead")
            self.commits_left -= 1
        super().commit(changes)


class PhaseConformance:
    """Override `plugin`, and the other members that your phase needs."""

    table: str | Lifecycle = "resource"
    """The lifecycle of the objects."""

    def begin(self) -> None:
        """Make the outside anew."""

    def plugin(self) -> PhasePlugin:
        """The plugin, freshly made."""
        raise NotImplementedError

    def add(self, world: PhaseWorld, names: Sequence[str]) -> None:
        """Put objects that the phase applies to into the world."""
        definition = self.plugin().definition
        if isinstance(self.table, Lifecycle):
            KNOWN.admit(self.table, origin="a test of phases")
        name = self.table.name if isinstance(self.table, Lifecycle) else self.table
        world.add(*names, provider=definition.provider, type=definition.types[0], lifecycle=name)

    def check(self, world: PhaseWorld, names: Sequence[str]) -> None:
        """Look at the outside once every object is through."""

    def test_the_definition_is_accepted(self) -> None:
        self.begin()
        tables = {**CATALOGUE, self.table.name: self.table} if isinstance(self.table, Lifecycle) else CATALOGUE
        _, errors = PhaseSet.build([_alone(self.plugin()).definition], tables)
        assert [str(error) for error in errors] == []

    def test_many_objects_at_once_come_through(self) -> None:
        self.begin()
        world = self._world(NAMES)
        self._settle(world)
        self._check_all(world)

    def test_objects_that_come_one_after_the_other_come_through(self) -> None:
        self.begin()
        world = self._world([])
        for name in NAMES:
            self.add(world, [name])
            world.turn()
            world.clock.advance(1)
        self._settle(world)
        self._check_all(world)

    def test_progress_is_kept_on_the_objects_and_not_in_the_plugin(self) -> None:
        self.begin()
        world = self._world(NAMES)
        for _ in range(MOST_WRITES):
            world.turn()
            wake = world.engine.next_wake()
            if wake is None or (self._is_upkeep and self._is_through(world)):
                break
            world.clock.set(wake)
            world = world.restart(_alone(self.plugin()))
        self._check_all(world)

    def test_a_conductor_that_dies_before_or_after_any_write_leaves_nothing_twice_and_nothing_undone(self) -> None:
        for survived in range(MOST_WRITES):
            self.begin()
            store = _MortalStore()
            world = self._world(NAMES, store)
            store.commits_left = survived
            is_dead = self._live(world, store)
            store.commits_left = None
            world = world.restart(_alone(self.plugin()))
            self._settle(world)
            self._check_all(world)
            if not is_dead:
                return

    def test_a_retry_of_a_failed_object_brings_it_through(self) -> None:
        self.begin()
        world = self._world(NAMES)
        world.turn()
        for name in NAMES:
            found = world.get(name)
            entry = found.phases[self.plugin().definition.name]
            if entry.status not in CLOSED:
                failed = self._failed(entry)
                world.save_object(replace(found, phases={**found.phases, entry.phase: failed}))
        world.retry(*NAMES)
        self._settle(world)
        self._check_all(world)

    @property
    def _is_upkeep(self) -> bool:
        return self.plugin().definition.every_s is not None

    def _world(self, names: Sequence[str], store: _MortalStore | None = None) -> PhaseWorld:
        world = PhaseWorld(_alone(self.plugin()), store=store)
        if names:
            self.add(world, names)
        return world

    def _settle(self, world: PhaseWorld) -> None:
        """Let time pass until nothing is left to do: of upkeep, until another round of each object has ended."""
        if not self._is_upkeep:
            world.settle()
            return
        for _ in range(MOST_WRITES):
            wake = world.engine.next_wake()
            if wake is None:
                return
            world.clock.set(wake)
            world.turn()
            if self._is_through(world):
                return

    def _is_through(self, world: PhaseWorld) -> bool:
        name = self.plugin().definition.name
        return all(_has_ended_well(world.entry(one, name)) for one in NAMES)

    def _failed(self, entry: PhaseEntry) -> PhaseEntry:
        """The entry as a failure leaves it. Upkeep goes on sleeping, and counts."""
        if entry.is_upkeep:
            return replace(entry, status=PhaseStatus.SLEEPING, failures=1, first_started_at=None)
        return replace(entry, status=PhaseStatus.FAILED, wake_at=None)

    def _live(self, world: PhaseWorld, store: _MortalStore) -> bool:
        """Go on until the store is cut off, or nothing is left to do. Whether it was cut off."""
        while store.commits_left != 0:
            runs = world.engine.collect(world.clock.now())
            world.perform(runs)
            if not runs:
                if self._is_upkeep and self._is_through(world):
                    return False
                wake = world.engine.next_wake()
                if wake is None:
                    return False
                world.clock.set(wake)
        world.perform(world.engine.collect(world.clock.now()))
        return True

    def _check_all(self, world: PhaseWorld) -> None:
        name = self.plugin().definition.name
        for one in NAMES:
            entry = world.entry(one, name)
            assert _has_ended_well(entry), f"{one} is {entry.status}: {entry.message}"
        self.check(world, NAMES)


def _has_ended_well(entry: PhaseEntry) -> bool:
    """Whether an object is through; of upkeep, whether it sleeps after a round and not within one."""
    if not entry.is_upkeep:
        return entry.status is PhaseStatus.COMPLETED
    is_between = entry.status is PhaseStatus.SLEEPING and entry.first_started_at is None
    return is_between and entry.runs > 0 and not entry.failures


def _alone(plugin: PhasePlugin) -> PhasePlugin:
    """Without its dependencies, which are not loaded here."""
    return replace(plugin, definition=replace(plugin.definition, dependencies=()))
