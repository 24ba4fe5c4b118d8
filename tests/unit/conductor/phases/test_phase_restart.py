"""A Conductor that dies, and a store that does not answer (P0 35-37, 39)."""

from collections.abc import Sequence

from tenuto.errors import ConflictError, StoreUnavailableError
from tenuto.model.ids import ObjectId
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto.ports.store_changes import SaveObject, StoreChange
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, say_nothing


class TroubledStore(MemoryStore):
    """A store whose disk is full, or that refuses what is about one object, while a test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.is_full = False
        self.poison: ObjectId | None = None
        self.conflicts = 0

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.is_full:
            raise StoreUnavailableError("the disk is full: free some space")
        if any(isinstance(change, SaveObject) and change.object.object_id == self.poison for change in changes):
            raise ValueError("cannot be encoded")
        if self.conflicts:
            self.conflicts -= 1
            raise ConflictError("another writer was faster")
        super().commit(changes)


def test_p0_35_objects_of_a_run_that_died_are_all_called_again() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("r1", "r2")
    world.collect()
    world = world.restart(create.plugin)
    assert world.entry("r1", "Create").status is PhaseStatus.WAITING
    world.settle()
    assert create.calls == [["r1", "r2"]]
    assert [world.get(name).state for name in ("r1", "r2")] == ["Started", "Started"]


def test_p0_35_an_object_that_was_about_to_leave_leaves_after_the_restart() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.collect()
    world.head_for("Terminated", "n1")
    world = world.restart(create.plugin)
    assert world.get("n1").state == "Terminated"
    assert create.calls == []


def test_p0_36_sleepers_run_at_their_wake_time_or_at_once_when_it_has_passed() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin)
    world.add("early")
    world.turn()
    world.clock.advance(10)
    world.add("late")
    world.turn()
    world.clock.advance(10)
    world = world.restart(create.plugin)
    world.turn()
    assert create.calls[2:] == [["early"]]
    world.advance(5)
    assert create.calls[3:] == [["late"]]


def test_p0_37_after_a_restart_the_activity_of_a_phase_is_what_its_objects_say() -> None:
    create = ScriptedPhase("Create", script=say_nothing)
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world.turn()
    before = world.record("Create")
    after = world.restart(create.plugin).record("Create")
    assert (after.activity, after.counts) == (before.activity, before.counts)


def test_p0_39_after_the_whole_way_there_is_one_entry_per_phase_that_began_before_it_ended() -> None:
    states = ["Validation", "Allocation", "Initialization", "Configuration", "Installation"]
    phases = [ScriptedPhase(f"In.{state}", state) for state in states]
    world = PhaseWorld(*(phase.plugin for phase in phases))
    world.add("n1")
    while runs := world.collect():
        world.clock.advance(3)
        world.perform(runs.values())
    entries = sorted(world.get("n1").phases.values(), key=lambda entry: entry.started_at or 0)
    assert [entry.phase for entry in entries] == [f"In.{state}" for state in states]
    for entry in entries:
        assert entry.status is PhaseStatus.COMPLETED
        assert entry.started_at is not None
        assert entry.ended_at == entry.started_at + 3


def test_verdicts_that_could_not_be_saved_are_kept_and_the_phase_is_not_run_again_before_they_are() -> None:
    store = TroubledStore()
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin, store=store)
    world.add("n1")
    runs = world.collect()
    store.is_full = True
    world.perform(runs.values())
    assert world.collect() == {}
    assert world.engine.next_wake() == world.clock.now() + 1
    store.is_full = False
    world.engine.settle_pending()
    assert world.get("n1").state == "Started"
    assert create.calls == [["n1"]]
    assert world.engine.next_wake() is None


def test_nothing_is_started_while_the_store_cannot_be_written() -> None:
    store = TroubledStore()
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin, store=store)
    world.add("n1")
    store.is_full = True
    assert world.collect() == {}
    assert world.entry("n1", "Create").status is PhaseStatus.WAITING
    store.is_full = False
    world.settle()
    assert create.calls == [["n1"]]


def test_a_phase_that_could_not_be_started_is_not_tried_again_before_a_second_has_passed() -> None:
    store = TroubledStore()
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin, store=store)
    world.add("n1")
    store.is_full = True
    world.collect()
    assert world.engine.next_wake() == world.clock.now() + 1
    store.is_full = False
    assert world.collect() == {}
    world.clock.advance(1)
    assert len(world.collect()) == 1


def test_an_intent_that_could_not_be_saved_stops_the_act_and_fails_nobody() -> None:
    acts: list[str] = []

    def act(run: PhaseRun, resource: PhaseResource) -> None:
        run.data(resource)["intent"] = True
        run.checkpoint(resource)
        acts.append(resource.object.logical_id)
        run.complete(resource)

    store = TroubledStore()
    world = PhaseWorld(ScriptedPhase("Create", script=act).plugin, store=store)
    world.add("n1")
    runs = world.collect()
    store.is_full = True
    world.perform(runs.values())
    store.is_full = False
    world.engine.settle_pending()
    assert acts == []
    assert world.entry("n1", "Create").status is PhaseStatus.SLEEPING
    assert "the disk is full" in world.entry("n1", "Create").message
    world.settle()
    assert acts == ["n1"]


def test_an_object_that_cannot_be_saved_does_not_lose_the_verdicts_of_the_others() -> None:
    store = TroubledStore()
    world = PhaseWorld(ScriptedPhase("Create").plugin, store=store)
    world.add("r1", "r2", "r3")
    runs = world.collect()
    store.poison = ObjectId("r2")
    world.perform(runs.values())
    assert [world.get(name).state for name in ("r1", "r3")] == ["Started", "Started"]
    assert world.entry("r2", "Create").status is PhaseStatus.RUNNING
    store.poison = None
    world = world.restart(ScriptedPhase("Create").plugin)
    world.settle()
    assert world.get("r2").state == "Started"


def test_a_commit_that_loses_against_others_is_decided_again_on_what_they_wrote() -> None:
    store = TroubledStore()
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin, store=store)
    world.add("n1")
    store.conflicts = 1
    runs = world.collect()
    store.conflicts = 3
    world.perform(runs.values())
    assert world.get("n1").state == "Started"
    assert create.calls == [["n1"]]


def test_a_result_that_comes_after_the_object_was_given_to_another_run_changes_nothing() -> None:
    """A Conductor that was thought dead returns late."""
    late = ScriptedPhase("Create", script=lambda run, resource: run.fail(resource, "too late"))
    old_world = PhaseWorld(late.plugin)
    old_world.add("n1")
    runs = old_world.collect()
    create = ScriptedPhase("Create", script=complete)
    world = old_world.restart(create.plugin)
    new_runs = world.collect()
    old_world.perform(runs.values())
    assert world.entry("n1", "Create").status is PhaseStatus.RUNNING
    world.perform(new_runs.values())
    assert world.get("n1").state == "Started"


def test_a_phase_whose_plugin_is_gone_keeps_its_objects_until_it_comes_back() -> None:
    create = ScriptedPhase("Create")
    world = PhaseWorld(create.plugin)
    world.add("n1")
    world = world.restart()
    world.settle()
    assert world.entry("n1", "Create").status is PhaseStatus.WAITING
    world = world.restart(create.plugin)
    world.settle()
    assert world.get("n1").state == "Started"
