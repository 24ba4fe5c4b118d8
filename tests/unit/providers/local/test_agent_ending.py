"""The end of an agent in good order: what it has begun is done and reported before it says that it leaves."""

import errno
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tenuto.errors import ForbiddenError
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent.calls import RefusedError
from tenuto.providers.local.agent.journal import Journal, JournalFullError
from tenuto.providers.local.agent.loop import Agent
from tenuto.providers.local.agent.troubles import Troubles
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.local.wire.messages import Order, Poll, Polled, Registered, Report, Verb, read, written

PATIENCE_S = 30


class SlowDriver:
    """Implements `HostDriver`: an order takes as long as the test lets it."""

    name = "slow"

    def __init__(self) -> None:
        self.began, self.may_end = threading.Event(), threading.Event()
        self.done: list[ObjectId] = []
        self.was_let_go = self.is_read_only = False
        self.told_foreign = ""

    def meet(self, hosts: Mapping[str, str]) -> None:
        """No other host is of interest."""

    def doubt(self) -> str:
        return ""

    def foreign(self) -> str:
        return self.told_foreign

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        self.began.set()
        assert self.may_end.wait(PATIENCE_S)
        self.done += [one.object_id for one in specs]
        return {}

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return {}

    def hold(self, until: float) -> None:
        if self.is_read_only:
            raise OSError(errno.EROFS, "Read-only file system")

    def let_go(self) -> None:
        self.was_let_go = True

    def observe(self) -> Sequence[Seen]:
        return ()


class Told:
    """A Conductor that gives one batch of orders, then another one, and remembers what it is told, in order."""

    def __init__(self, *batches: Sequence[Order]) -> None:
        self._batches = iter(batches)
        self.calls: list[Poll] = []
        self._lock = threading.Lock()

    def register(self) -> JsonMap:
        return written(Registered(registration="r", version=1, epoch=0))

    def poll(self, message: JsonMap, wait_s: float) -> JsonMap:
        with self._lock:
            self.calls.append(read(Poll, message))
            orders = tuple(next(self._batches, ())) if wait_s else ()
        if wait_s and not orders:
            threading.Event().wait(0.05)
        return written(Polled(epoch=0, orders=orders, lease_s=1.0))

    @property
    def reports(self) -> list[Report]:
        return [report for call in self.calls for report in call.reports]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(tmp_path)
    yield made
    made.close()


class FullOnce(Journal):
    """A journal on a disk that is full when the agent registers, and has room after that."""

    is_full = True

    def epoch(self) -> int:
        if self.is_full:
            self.is_full = False
            raise JournalFullError("The disk of the host is full", code="DiskFull")
        return super().epoch()


def test_an_agent_whose_disk_is_full_when_it_joins_goes_on_once_there_is_room(tmp_path: Path) -> None:
    """Its token is used up by then: an agent that ended of it would be started again and again."""
    journal, driver, conductor, stop = FullOnce(tmp_path), SlowDriver(), Told([order(1)]), threading.Event()
    agent = agent_of(conductor, driver, journal)
    running = threading.Thread(target=agent.run, args=(stop,), daemon=True)
    running.start()
    assert driver.began.wait(PATIENCE_S)
    driver.may_end.set()
    stop.set()
    running.join(PATIENCE_S)
    assert (driver.done, journal.is_full) == (["m-1"], False)
    journal.close()


def agent_of(conductor: Told, driver: SlowDriver, journal: Journal) -> Agent:
    return Agent(
        register=conductor.register,
        poll=conductor.poll,
        worker=Worker(driver, journal),
        journal=journal,
        troubles=Troubles(),
    )


def order(number: int) -> Order:
    object_id = ObjectId(f"m-{number}")
    spec = Spec(type=INSTANCE, object_id=object_id, account="red", owner=None, host="h1", properties={})
    return Order(object_id=object_id, generation=number, verb=Verb.ENSURE, spec=spec)


def test_behaviour_69_what_was_begun_is_done_and_reported_before_the_agent_leaves(journal: Journal) -> None:
    driver, conductor, stop = SlowDriver(), Told([order(1)], [order(2)]), threading.Event()
    agent = agent_of(conductor, driver, journal)
    running = threading.Thread(target=agent.run, args=(stop,), daemon=True)
    running.start()
    assert driver.began.wait(PATIENCE_S)
    stop.set()
    assert not any(call.is_leaving for call in conductor.calls), "the machine is not made yet"
    driver.may_end.set()
    running.join(PATIENCE_S)
    assert not running.is_alive()
    assert driver.done == ["m-1"], "what was not begun is ordered again, of the next agent"
    assert [(one.object_id, one.problem) for one in conductor.reports] == [("m-1", None)]
    leaving = [call.is_leaving for call in conductor.calls]
    assert (leaving.count(True), leaving[-1], driver.was_let_go) == (1, True, True)
    assert journal.held() == ("m-1",)


def test_a_disk_that_takes_no_writes_is_told_with_each_call_until_it_takes_them_again(journal: Journal) -> None:
    driver, conductor, stop = SlowDriver(), Told(), threading.Event()
    running = threading.Thread(target=agent_of(conductor, driver, journal).run, args=(stop,), daemon=True)
    driver.is_read_only = True
    running.start()

    def is_told() -> bool:
        return bool(conductor.calls) and any("Read-only file system" in one for one in conductor.calls[-1].troubles)

    until(is_told)
    driver.is_read_only = False
    until(lambda: not is_told())
    stop.set()
    running.join(PATIENCE_S)
    assert not running.is_alive()


class Forgetful(Told):
    """A Conductor that knows a host until it was given something, and not after that."""

    def poll(self, message: JsonMap, wait_s: float) -> JsonMap:
        answer = super().poll(message, wait_s)
        if self.reports:
            raise RefusedError(403, "The Conductor knows no host by this secret.")
        return answer


def test_an_agent_of_a_deleted_host_says_that_things_are_left_on_it(journal: Journal) -> None:
    """Machines that no host ends run on there, and nothing told so."""
    driver, conductor, stop = SlowDriver(), Forgetful([order(1)]), threading.Event()
    driver.may_end.set()
    with pytest.raises(
        ForbiddenError, match=r"by this secret\. This host was ordered to hold 1 thing, .* this state directory"
    ):
        agent_of(conductor, driver, journal).run(stop)


def test_folders_of_others_are_told_until_they_are_gone(journal: Journal) -> None:
    driver, conductor, stop = SlowDriver(), Told(), threading.Event()
    running = threading.Thread(target=agent_of(conductor, driver, journal).run, args=(stop,), daemon=True)
    driver.told_foreign = "others have put /x"
    running.start()
    until(lambda: bool(conductor.calls) and conductor.calls[-1].troubles == ("others have put /x",))
    driver.told_foreign = ""
    until(lambda: conductor.calls[-1].troubles == ())
    stop.set()
    running.join(PATIENCE_S)
    assert not running.is_alive()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "still not"
        time.sleep(0.02)
