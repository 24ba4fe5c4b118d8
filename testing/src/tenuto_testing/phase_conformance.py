"""What every phase must do, as a test class: subclass it next to your plugin.

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
"""

from collections.abc import Sequence
from dataclasses import replace

from tenuto.core.phases.phase_set import PhaseSet
from tenuto.errors import StoreUnavailableError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.phase_map import CLOSED, PhaseStatus
from tenuto.plugins import PhasePlugin
from tenuto.ports.store_changes import StoreChange
from tenuto.storage.memory import MemoryStore
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
    """Override `plugin`; and what else your phase needs."""

    def begin(self) -> None:
        """Make the outside anew."""

    def plugin(self) -> PhasePlugin:
        """The plugin, freshly made."""
        raise NotImplementedError

    def add(self, world: PhaseWorld, names: Sequence[str]) -> None:
        """Put objects that the phase applies to into the world."""
        definition = self.plugin().definition
        world.add(*names, provider=definition.provider, type=definition.types[0])

    def check(self, world: PhaseWorld, names: Sequence[str]) -> None:
        """Look at the outside once every object is through."""

    def test_the_definition_is_accepted(self) -> None:
        self.begin()
        _, errors = PhaseSet.build([_alone(self.plugin()).definition], CATALOGUE)
        assert [str(error) for error in errors] == []

    def test_many_objects_at_once_come_through(self) -> None:
        self.begin()
        world = PhaseWorld(_alone(self.plugin()))
        self.add(world, NAMES)
        world.settle()
        self._check_all(world)

    def test_objects_that_come_one_after_the_other_come_through(self) -> None:
        self.begin()
        world = PhaseWorld(_alone(self.plugin()))
        for name in NAMES:
            self.add(world, [name])
            world.turn()
            world.clock.advance(1)
        world.settle()
        self._check_all(world)

    def test_progress_is_kept_on_the_objects_and_not_in_the_plugin(self) -> None:
        self.begin()
        world = PhaseWorld(_alone(self.plugin()))
        self.add(world, NAMES)
        for _ in range(MOST_WRITES):
            world.turn()
            wake = world.engine.next_wake()
            if wake is None:
                break
            world.clock.set(wake)
            world = world.restart(_alone(self.plugin()))
        self._check_all(world)

    def test_a_conductor_that_dies_before_or_after_any_write_leaves_nothing_twice_and_nothing_undone(self) -> None:
        for survived in range(MOST_WRITES):
            self.begin()
            store = _MortalStore()
            world = PhaseWorld(_alone(self.plugin()), store=store)
            self.add(world, NAMES)
            store.commits_left = survived
            is_dead = self._live(world, store)
            store.commits_left = None
            world = world.restart(_alone(self.plugin()))
            world.settle()
            self._check_all(world)
            if not is_dead:
                return

    def test_a_retry_of_a_failed_object_brings_it_through(self) -> None:
        self.begin()
        world = PhaseWorld(_alone(self.plugin()))
        self.add(world, NAMES)
        world.turn()
        for name in NAMES:
            found = world.get(name)
            entry = found.phases[self.plugin().definition.name]
            if entry.status not in CLOSED:
                failed = replace(entry, status=PhaseStatus.FAILED, wake_at=None)
                world.save_object(replace(found, phases={**found.phases, entry.phase: failed}))
        world.retry(*NAMES)
        world.settle()
        self._check_all(world)

    def _live(self, world: PhaseWorld, store: _MortalStore) -> bool:
        """Go on until the store is cut off, or nothing is left to do. Whether it was cut off."""
        while store.commits_left != 0:
            runs = world.engine.collect(world.clock.now())
            world.perform(runs)
            if not runs:
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
            assert entry.status is PhaseStatus.COMPLETED, f"{one} is {entry.status}: {entry.message}"
        self.check(world, NAMES)


def _alone(plugin: PhasePlugin) -> PhasePlugin:
    """Without its dependencies, which are not loaded here."""
    return replace(plugin, definition=replace(plugin.definition, dependencies=()))
