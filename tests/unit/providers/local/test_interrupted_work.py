"""Work whose worker died: begun again by the next agent, alone, and given up after some tries."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tenuto.model.ids import ObjectId
from tenuto.providers.local.agent.journal import MOST_TRIES, Journal
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.types import INSTANCE
from tenuto.providers.local.wire.messages import GENERATIONS, Order, Report, Verb

DEADLY = ObjectId("deadly")


class Death(BaseException):
    """The end of the agent, as kill -9 is: nothing catches it."""


class DeadlyDriver:
    """Implements `HostDriver`: whoever is at work on one thing dies of it."""

    name = "deadly"

    def __init__(self) -> None:
        self.is_deadly = True
        self.done: list[list[ObjectId]] = []

    def meet(self, hosts: Mapping[str, str]) -> None:
        """No other host is of interest."""

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return self._act([one.object_id for one in specs])

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._act(object_ids)

    def _act(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        if self.is_deadly and DEADLY in object_ids:
            raise Death
        self.done.append([*object_ids])
        return {}

    def hold(self, until: float) -> None:
        """There is no lease."""

    def let_go(self) -> None:
        """There is no lease."""

    def observe(self) -> Sequence[Seen]:
        return ()


def order(name: str, generation: int = 1, verb: Verb = Verb.ENSURE) -> Order:
    object_id = ObjectId(name)
    spec = Spec(type=INSTANCE, object_id=object_id, account="red", owner=None, host="h1", properties={})
    return Order(object_id=object_id, generation=generation, verb=verb, spec=spec if verb is Verb.ENSURE else None)


def lived(folder: Path, driver: DeadlyDriver, *orders: Order) -> tuple[Report, ...] | None:
    """One life of an agent with these orders; None when it died."""
    journal = Journal(folder)
    try:
        return Worker(driver, journal).work(orders)
    except Death:
        return None
    finally:
        journal.close()


def deaths(
    folder: Path, driver: DeadlyDriver, make: Callable[[int], Sequence[Order]]
) -> tuple[int, tuple[Report, ...]]:
    """Start the agent again until it lives; how often it died, and what the last one reported."""
    for number in range(20):
        if (told := lived(folder, driver, *make(number))) is not None:
            return number, told
    raise AssertionError("it dies for ever")


def test_behaviour_18_work_whose_worker_died_comes_back_and_fails_after_some_tries(tmp_path: Path) -> None:
    driver = DeadlyDriver()
    died, told = deaths(tmp_path, driver, lambda _: (order("deadly"),))
    assert died == MOST_TRIES
    [report] = told
    assert report.problem is not None
    assert (report.problem.is_final, f"ended {MOST_TRIES} times" in report.problem.message) == (True, True)
    assert lived(tmp_path, driver, order("deadly")) == told, "an agent that is asked again answers from its journal"


def test_behaviour_18_a_conductor_that_is_started_again_meanwhile_changes_nothing_of_that(tmp_path: Path) -> None:
    died, told = deaths(tmp_path, DeadlyDriver(), lambda number: (order("deadly", (number + 1) * GENERATIONS),))
    assert (died, told[0].problem is not None) == (MOST_TRIES, True)


def test_behaviour_18_what_is_beside_it_is_done_once_the_agent_is_back(tmp_path: Path) -> None:
    driver = DeadlyDriver()
    assert lived(tmp_path, driver, order("deadly"), order("first")) is None
    assert lived(tmp_path, driver, order("deadly"), order("first"), order("second")) is None
    assert driver.done == [["second"]]
    died, told = deaths(tmp_path, driver, lambda _: (order("deadly"), order("first"), order("second")))
    assert driver.done == [["second"], ["first"]], "what was cut off is done alone, the one that was so most often last"
    assert {one.object_id: one.problem is None for one in told} == {"deadly": False, "first": True, "second": True}
    assert died == 1


def test_work_that_ends_well_at_another_try_counts_from_the_beginning_again(tmp_path: Path) -> None:
    driver = DeadlyDriver()
    assert lived(tmp_path, driver, order("deadly")) is None
    driver.is_deadly = False
    assert lived(tmp_path, driver, order("deadly")) == (Report(object_id=DEADLY, generation=1),)
    driver.is_deadly = True
    died, _ = deaths(tmp_path, driver, lambda _: (order("deadly", 2),))
    assert died == MOST_TRIES
    died, _ = deaths(tmp_path, driver, lambda _: (order("deadly", 3, Verb.REMOVE),))
    assert died == MOST_TRIES, "what was given up may be tried again by another order"


def test_a_journal_of_before_is_read(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin([order("a")])
    with journal._turn() as database:
        database.execute("ALTER TABLE work DROP COLUMN tries")
    journal.close()
    driver = DeadlyDriver()
    assert lived(tmp_path, driver, order("a")) == (Report(object_id=ObjectId("a"), generation=1),)
    assert driver.done == [["a"]]


def test_an_agent_knows_the_highest_order_of_its_host(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    assert journal.given() == 0
    journal.begin([order("web", 7), order("db", 9)])
    journal.begin([order("web", 8)])
    assert journal.given() == 9
    journal.forget_epochs()
    assert journal.given() == 0, "the order of an older database counts after a new token"
    journal.close()
