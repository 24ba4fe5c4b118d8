"""Every way in which a wait can end, without waiting."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tenuto.cli.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.cli.waiting import Goal, Outcome, Wait
from tenuto.model.ids import Instant, JsonMap
from tenuto.testing.clock import VirtualClock

AWAY = UnreachableError("No Conductor answers.")
MISSING = ApiProblem({"code": "not-found", "detail": "There is no process."})
FULL = ApiProblem({"code": "store-unavailable", "detail": "The disk is full."})
DENIED = ApiProblem({"code": "permission", "detail": "No."})


def seen(state: str, *, converged: bool = False, message: str | None = None) -> JsonMap:
    return {
        "fid": "f", "alias": "web", "state": state, "converged": converged, "last_message": message, "resources": {}
    }  # fmt: skip


@dataclass
class Script:
    """A client that answers from a list, the last answer for ever; and a progress that remembers."""

    answers: list[JsonMap | Exception]
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def get(self, *path: str, **query: Any) -> JsonMap:
        if path[-1] == "history":
            return {"fid": "f", "alias": "web", "state": "Gone", "commands": [], "jobs": []}
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def show(self, document: JsonMap) -> None:
        self.shown.append(document["state"])

    def note(self, text: str) -> None:
        self.notes.append(text)


def waited(goal: Goal, *answers: JsonMap | Exception, timeout_s: float = float("inf")) -> tuple[Outcome, Script]:
    clock, script = VirtualClock(), Script(list(answers))
    wait = Wait(
        client=script,
        progress=script,
        clock=clock,
        fid="f",
        goal=goal,
        deadline=Instant(clock.now() + timeout_s),
    )
    return wait.outcome(), script


@pytest.mark.parametrize(
    ("goal", "answers", "code", "text"),
    [
        (Goal.CONVERGED, [seen("Running"), seen("Running", converged=True)], Exit.DONE, "converged: 0 resources"),
        (Goal.CONVERGED, [seen("Suspended", message="no quota")], Exit.FAILED, "Suspended: no quota"),
        (Goal.CONVERGED, [seen("Suspended")], Exit.FAILED, "somebody suspended it"),
        (Goal.CONVERGED, [seen("Running"), seen("Killing")], Exit.FAILED, "killed by another command"),
        (Goal.CONVERGED, [seen("Running"), MISSING], Exit.FAILED, "killed or released meanwhile"),
        (Goal.GONE, [seen("Killing"), MISSING], Exit.DONE, "is gone"),
        (Goal.GONE, [seen("Suspended", message="not empty")], Exit.FAILED, "Suspended: not empty"),
        (Goal.GONE, [seen("Killing"), seen("Running")], Exit.FAILED, "was cancelled"),
    ],
)
def test_a_wait_ends_with_what_became_of_the_process(
    goal: Goal, answers: list[JsonMap | Exception], code: Exit, text: str
) -> None:
    outcome, _ = waited(goal, *answers)
    assert outcome.exit_code is code
    assert text in outcome.message


def test_a_conductor_that_restarts_is_waited_for() -> None:
    outcome, script = waited(Goal.CONVERGED, seen("Running"), AWAY, AWAY, FULL, seen("Running", converged=True))
    assert outcome.exit_code is Exit.DONE
    assert len(script.notes) == 3


@pytest.mark.parametrize("lasting", [AWAY, FULL])
def test_a_conductor_that_stays_away_ends_the_wait(lasting: Exception) -> None:
    with pytest.raises(type(lasting)):
        waited(Goal.CONVERGED, seen("Running"), lasting)


def test_a_refusal_ends_the_wait_at_once() -> None:
    with pytest.raises(ApiProblem, match="No"):
        waited(Goal.CONVERGED, DENIED)


@pytest.mark.parametrize("answer", [seen("Running"), AWAY])
def test_a_time_out_ends_with_8_and_says_that_the_work_goes_on(answer: JsonMap | Exception) -> None:
    with pytest.raises(CommandEnd, match="Time-out") as ended:
        waited(Goal.CONVERGED, answer, timeout_s=10)
    assert ended.value.exit_code is Exit.UNREACHABLE


def test_the_goal_is_seen_even_when_the_time_is_over() -> None:
    outcome, _ = waited(Goal.GONE, MISSING, timeout_s=0)
    assert outcome.exit_code is Exit.DONE
