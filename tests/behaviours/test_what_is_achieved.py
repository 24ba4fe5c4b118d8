"""Jobs say what they have achieved: each change once, whatever it took, and none of what never was."""

from collections import Counter
from typing import Any

from desk import BKT, GRP, NET, SRV, SUB, Desk

from tenuto.providers.simulated.faults import FaultKind


def achieved(desk: Desk) -> list[Any]:
    """The achievements of the jobs that had any."""
    finished = desk.document("events", "web", "--type", "job.finished")["events"]
    return [found for one in finished if (found := one["data"].get("achieved"))]


def test_what_failed_counts_when_it_is_done(desk: Desk) -> None:
    desk.fault("create", "Sub", FaultKind.DENIED)
    desk.does("run", desk.template(NET, SUB, BKT), "-a", "web")
    desk.settle()
    assert achieved(desk) == [{"create": 2}]
    desk.advance(3600)
    desk.does("resume", "web")
    desk.settle()
    assert sum((Counter(one) for one in achieved(desk)), Counter()) == {"create": 3}


def test_nothing_is_deleted_of_what_was_never_made(desk: Desk) -> None:
    desk.fault("create", "Sub", FaultKind.DENIED)
    desk.does("run", desk.template(NET, SUB, BKT), "-a", "web")
    desk.settle()
    desk.does("kill", "web")
    desk.settle()
    assert achieved(desk) == [{"create": 2}, {"delete": 2}]


def test_a_job_says_when_it_began_so_that_it_is_known_from_those_of_the_command_that_overtook_it(desk: Desk) -> None:
    desk.does("run", desk.template(NET, SUB, GRP, SRV), "-a", "web")
    desk.advance(1.0)
    assert not desk.status()["converged"], "its job is at work"
    taken = desk.document("update", "web", desk.template(NET, SUB, GRP, SRV, BKT))
    desk.settle()
    finished = desk.document("events", "web", "--type", "job.finished")["events"]
    assert [one["data"]["started"] >= taken["updated"] for one in finished][:2] == [False, True]
    assert finished[0]["at"] >= taken["updated"]
