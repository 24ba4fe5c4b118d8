"""Jobs say what they have achieved: each change once, whatever it took, and none of what never was."""

from collections import Counter
from typing import Any

from desk import BKT, NET, SUB, Desk

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
