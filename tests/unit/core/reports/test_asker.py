"""Who asked for what is done: the user whose command stands behind it, or the Conductor."""

from dataclasses import replace

import pytest

from tenuto.core.planning.intents import ENFORCE
from tenuto.core.reports.asker import asked_by, asker, asker_of_command
from tenuto.model.process import IntentStage, Process, ProcessState
from tenuto_testing.store_samples import a_move, a_process, an_intent, an_object

WEB = replace(a_process(), intent=an_intent(IntentStage.SERVED))


@pytest.mark.parametrize(
    ("process", "who"),
    [
        (WEB, "ann"),
        (replace(WEB, intent=an_intent(IntentStage.DONE)), "conductor"),
        (replace(WEB, intent=an_intent(IntentStage.DONE), state=ProcessState.KILLING), "ann"),
        (replace(WEB, intent=an_intent(IntentStage.SERVED, by="")), "conductor"),
        (replace(WEB, mandate=2), "conductor"),
        (None, "conductor"),
    ],
)
def test_who_asked_for_what_is_done_for_an_object(process: Process | None, who: str) -> None:
    assert asker(process, an_object()) == who


def test_no_user_asked_for_enforcement() -> None:
    assert (asker_of_command(WEB, ENFORCE), asker_of_command(WEB, "update")) == ("conductor", "ann")


def test_a_move_keeps_what_moved_the_object_beside_who_asked() -> None:
    [move] = asked_by([a_move("Validation", "Allocation")], "ann")
    assert (move.actor, move.by, move.after) == ("ann", "tester", "Allocation")
