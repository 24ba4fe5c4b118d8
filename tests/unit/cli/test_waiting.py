"""Every way in which a wait can end, without waiting."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tenuto.cli.processes.waiting import Goal, Outcome, Wait
from tenuto.cli.terminal.exits import ApiProblem, CommandEnd, Exit, UnreachableError
from tenuto.model.ids import Instant, JsonMap
from tenuto_testing.clock import VirtualClock

AWAY = UnreachableError("No Conductor answers.")
MISSING = ApiProblem({"code": "not-found", "detail": "There is no process."})
FULL = ApiProblem({"code": "store-unavailable", "detail": "The disk is full."})
DENIED = ApiProblem({"code": "permission", "detail": "No."})


def seen(state: str, *, converged: bool = False, message: str | None = None) -> JsonMap:
    return {
        "fid": "f", "alias": "web", "state": state, "converged": converged, "last_message": message, "counts": {},
        "resources": {},
    }  # fmt: skip


@dataclass
class Script:
    """A client that answers from a list, the last answer for ever; and a progress that remembers."""

    answers: list[JsonMap | Exception]
    shown: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def get(self, *path: str, **query: Any) -> JsonMap:
        self.asked.append("/".join(path))
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
        (
            Goal.CONVERGED,
            [seen("Suspended", message="no way\n  Last job: fake")],
            Exit.FAILED,
            ": no way Last job: fake",
        ),
        (Goal.CONVERGED, [seen("Suspended")], Exit.FAILED, "a user suspended it"),
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
    with pytest.raises(CommandEnd, match="Timed out") as ended:
        waited(Goal.CONVERGED, answer, timeout_s=10)
    assert ended.value.exit_code is Exit.UNREACHABLE


def test_a_time_out_tells_what_failed_meanwhile() -> None:
    failed = {name: {"status": "failed", "message": f"no quota for {name}.", "leaving": []} for name in "ABCDE"}
    with pytest.raises(CommandEnd) as ended:
        waited(Goal.CONVERGED, {**seen("Running"), "resources": failed}, timeout_s=10)
    assert "A failed: no quota for A. B failed" in str(ended.value)
    assert "2 more failed." in str(ended.value)


class Slow(Script):
    """A Conductor that takes its time for every answer."""

    clock: VirtualClock
    took_s = 0.0

    def get(self, *path: str, **query: Any) -> JsonMap:
        self.clock.advance(self.took_s)
        return super().get(*path, **query)


@pytest.mark.parametrize(("took_s", "share"), [(0.0, 0.0), (0.1, 0.05), (3.0, 0.05)])
def test_a_wait_leaves_a_slow_conductor_alone_for_most_of_the_time(took_s: float, share: float) -> None:
    script = Slow([seen("Running")])
    script.clock, script.took_s = VirtualClock(), took_s
    began = script.clock.now()
    wait = Wait(
        client=script,
        progress=script,
        clock=script.clock,
        fid="f",
        goal=Goal.CONVERGED,
        deadline=Instant(began + 600.0),
    )
    with pytest.raises(CommandEnd):
        wait.outcome()
    assert took_s * len(script.asked) <= share * (script.clock.now() - began) + took_s
    assert len(script.asked) > 5


@pytest.mark.parametrize("is_detailed", [True, False])
def test_the_process_in_detail_is_read_once_at_the_end_and_only_for_a_program(is_detailed: bool) -> None:
    script = Script([seen("Running"), seen("Running", converged=True)])
    Wait(
        client=script,
        progress=script,
        clock=VirtualClock(),
        fid="f",
        goal=Goal.CONVERGED,
        deadline=Instant(float("inf")),
        is_detailed=is_detailed,
    ).outcome()
    assert script.asked == ["processes/f/progress"] * 2 + ["processes/f"] * is_detailed


def test_the_goal_is_seen_even_when_the_time_is_over() -> None:
    outcome, _ = waited(Goal.GONE, MISSING, timeout_s=0)
    assert outcome.exit_code is Exit.DONE
