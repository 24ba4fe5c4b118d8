"""A host whose disk is full: its agent begins nothing new, answers all the same, and goes on once there is room."""

import errno
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from test_interrupted_work import order

from tenuto.model.ids import ObjectId
from tenuto.providers.local.agent.journal import Journal, JournalFullError
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.wire.messages import Report


class NotingDriver:
    """Implements `HostDriver`: it notes what it is told, and fails with an error of the disk where it is to."""

    name = "noting"

    def __init__(self) -> None:
        self.done: list[ObjectId] = []
        self.error: OSError | None = None

    def meet(self, hosts: Mapping[str, str]) -> None:
        """No other host is of interest."""

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        if self.error is not None:
            raise self.error
        self.done += [one.object_id for one in specs]
        return {}

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return {}

    def hold(self, until: float) -> None:
        """There is no lease."""

    def let_go(self) -> None:
        """There is no lease."""

    def observe(self) -> Sequence[Seen]:
        return ()


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path)


def fill(journal: Journal, *, is_full: bool = True) -> None:
    """Let the journal have no room for another page, or room again."""
    database = journal._database
    if is_full:
        database.execute("CREATE TABLE IF NOT EXISTS filler (text TEXT)")
    pages = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {pages if is_full else 1 << 30}")


def many() -> list[str]:
    """More names than the last page of a journal has room for."""
    return [f"o-{number}-{'x' * 60}" for number in range(300)]


def test_nothing_is_begun_and_the_reason_is_told_until_there_is_room(journal: Journal) -> None:
    driver = NotingDriver()
    worker = Worker(driver, journal)
    orders = [order(name) for name in many()]
    fill(journal)
    told = worker.work(orders)
    assert driver.done == []
    problems = [one.problem for one in told]
    assert len(problems) == len(orders)
    assert all(one is not None and one.is_full and not one.is_final for one in problems)
    assert "The disk of the host is full" in str(problems[0])
    assert worker.observe(1).problem == ""
    assert journal.held() == ()

    fill(journal, is_full=False)
    assert [one.problem for one in worker.work(orders)] == [None] * len(orders)
    assert driver.done == [one.object_id for one in orders]


def test_an_end_that_could_not_be_written_is_written_before_the_next_work(tmp_path: Path) -> None:
    """The disk fills while the driver is at work: the end is told, and is in the journal once there is room."""
    journal = Journal(tmp_path)
    orders = [order(name) for name in many()]
    due, _ = journal.begin(orders)
    fill(journal)
    problem = Problem(message="x" * 3000)
    reports = [Report(object_id=one.object_id, generation=one.generation, problem=problem) for one in due]
    journal.finish(reports)
    with pytest.raises(JournalFullError):
        journal.begin([order("late")])

    fill(journal, is_full=False)
    due, told = journal.begin([*orders, order("late")])
    assert [one.object_id for one in due] == ["late"]
    assert [one.problem for one in told] == [problem] * len(orders)


def test_a_higher_epoch_counts_also_where_it_cannot_be_written(journal: Journal) -> None:
    class Full:
        """A connection to a database on a full disk."""

        in_transaction = False

        def execute(self, *_: object) -> None:
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

    journal.raise_epoch(3)
    good, journal._database = journal._database, cast("sqlite3.Connection", Full())
    journal.raise_epoch(4)
    journal._database = good
    assert journal.epoch() == 4


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk of the host is full"),
        (OSError(errno.EROFS, "Read-only file system"), "the disk of the host takes no writes"),
    ],
)
def test_a_disk_that_keeps_nothing_more_lets_the_machine_go_elsewhere(
    journal: Journal, error: OSError, words: str
) -> None:
    driver = NotingDriver()
    driver.error = error
    [told] = Worker(driver, journal).work([order("a")])
    assert told.problem is not None
    assert (told.problem.is_full, told.problem.is_final) == (True, False)
    assert words in told.problem.message


def test_another_error_of_the_driver_is_told_and_may_pass(journal: Journal) -> None:
    driver = NotingDriver()
    driver.error = OSError(5, "Input/output error")
    [told] = Worker(driver, journal).work([order("a")])
    assert told.problem is not None
    assert (told.problem.is_full, told.problem.is_final) == (False, False)
