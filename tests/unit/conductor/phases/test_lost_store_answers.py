"""A commit that is made, and whose answer is lost: what the store did and what the engine believes are not the same."""

from collections.abc import Sequence

import pytest

from tenuto.errors import StoreUnavailableError
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store_changes import StoreChange
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, say_nothing


class ForgetfulStore(MemoryStore):
    """Does not confirm the commits of these numbers, counted from the moment they are given."""

    def __init__(self) -> None:
        super().__init__()
        self.unconfirmed: set[int] = set()

    def commit(self, changes: Sequence[StoreChange]) -> None:
        super().commit(changes)
        is_lost = 1 in self.unconfirmed
        self.unconfirmed = {number - 1 for number in self.unconfirmed if number > 1}
        if is_lost:
            raise StoreUnavailableError("the connection broke before the answer came")


@pytest.mark.parametrize("number", [1, 2])
def test_a_phase_whose_start_or_end_was_stored_without_an_answer_runs_on(number: int) -> None:
    store = ForgetfulStore()
    create = ScriptedPhase("Create", script=complete)
    world = PhaseWorld(create.plugin, store=store)
    world.add("n1")
    store.unconfirmed = {number}
    world.turn()
    world.advance(60)
    assert world.get("n1").phases["Create"].status is PhaseStatus.COMPLETED


def test_a_start_without_an_answer_does_not_take_an_object_out_of_another_run() -> None:
    store = ForgetfulStore()
    slow, quick = ScriptedPhase("Slow", script=say_nothing), ScriptedPhase("Quick", script=complete)
    world = PhaseWorld(slow.plugin, quick.plugin, store=store)
    world.add("n1")
    store.unconfirmed = {2}
    world.turn()
    world.advance(60)
    assert world.get("n1").phases["Quick"].status is PhaseStatus.COMPLETED
    assert world.get("n1").phases["Slow"].status is PhaseStatus.SLEEPING


def test_a_run_is_in_flight_until_its_verdicts_are_saved() -> None:
    store = ForgetfulStore()
    world = PhaseWorld(ScriptedPhase("Create", script=complete).plugin, store=store)
    world.add("n1")
    assert world.engine.in_flight == 0
    [run] = world.engine.collect(world.clock.now())
    assert world.engine.in_flight == 1
    store.unconfirmed = {1}
    world.engine.perform(run)
    assert world.engine.in_flight == 1, "the answer of the store was lost"
    world.engine.settle_pending()
    assert world.engine.in_flight == 0
