"""The cleaner removes what is over in small batches, tells of it once, and writes nothing when there is nothing."""

from collections.abc import Sequence

from tenuto.conductor.cleaner import BATCH, LEAST_ROUND_S, PAUSE_S, ROUND_S, Cleaner, round_seconds
from tenuto.core.pacing.retention import DEFAULT_KEPT, parse_rules
from tenuto.errors import StoreUnavailableError
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant
from tenuto.model.retention import KeepRules, Remnant
from tenuto.ports.store_changes import Append, SaveComposition, StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import DB, a_composition, a_process, an_event

DAY_S = 86_400.0


class CountingStore(MemoryStore):
    """Remembers the commits, and may be away."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[Sequence[StoreChange]] = []
        self.is_away = False

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.is_away:
            raise StoreUnavailableError("the disk is full")
        super().commit(changes)
        self.commits.append(changes)


class Bench:
    """A cleaner on a store of its own."""

    def __init__(self, rules: KeepRules = DEFAULT_KEPT) -> None:
        self.clock = VirtualClock()
        self.store = CountingStore()
        self.keeps_until = Instant(0.0)
        self.cleaner = Cleaner(store=self.store, clock=self.clock, rules=rules, keeps_until=lambda: self.keeps_until)

    def events(self, count: int, days_ago: float, **changes: EventType) -> None:
        at = self.clock.now() - days_ago * DAY_S
        self.store.commit([Append(events=tuple(an_event(at + number, **changes) for number in range(count)))])
        self.store.commits.clear()

    def round(self) -> None:
        """Let the next round come, and all its batches."""
        self.clock.advance(ROUND_S)
        while self.cleaner.begins(self.clock.now()):
            self.cleaner.work()
            self.clock.advance(PAUSE_S)

    def told(self) -> list[Event]:
        return list(self.store.events(EventQuery(types=("retention",))))

    def kept(self) -> int:
        return len(self.store.events(EventQuery(limit=10**6))) - len(self.told())


def test_the_first_round_begins_an_interval_after_the_start() -> None:
    bench = Bench()
    bench.events(1, days_ago=100)
    bench.clock.advance(ROUND_S - 1)
    assert not bench.cleaner.begins(bench.clock.now())
    assert bench.cleaner.next_wake() == bench.clock.now() + 1


def test_old_events_go_in_batches_and_are_told_in_one_event() -> None:
    bench = Bench()
    bench.events(BATCH * 2 + 5, days_ago=91)
    bench.events(3, days_ago=89)
    bench.round()
    removals = [commit for commit in bench.store.commits if isinstance(commit[0], RemoveExpired)]
    assert [len(one.expired.keys) for commit in removals for one in commit if isinstance(one, RemoveExpired)] == [
        BATCH,
        BATCH,
        5,
    ]
    [event] = bench.told()
    assert (event.subject, event.actor, event.data) == ("events", "conductor", {"removed": BATCH * 2 + 5})
    assert event.reason.startswith("removed 605 events, the newest of 20")
    assert bench.kept() == 3


def test_what_is_beyond_the_number_goes_also_when_it_is_new() -> None:
    bench = Bench(parse_rules(["events=all", "denied=2"]))
    bench.events(7, days_ago=0.01, type=EventType.COMMAND_DENIED)
    bench.events(4, days_ago=400)
    bench.round()
    denied = bench.store.events(EventQuery(types=("command.denied",)))
    assert [one.number for one in denied] == [6, 7], "the newest stay"
    assert bench.kept() == 2 + 4


def test_nothing_goes_for_its_age_while_the_clock_may_be_wrong_and_what_is_beyond_the_number_goes() -> None:
    bench = Bench(parse_rules(["denied=2"]))
    bench.events(3, days_ago=91)
    bench.events(5, days_ago=91, type=EventType.COMMAND_DENIED)
    bench.keeps_until = Instant(bench.clock.now() + DAY_S)
    bench.round()
    assert bench.kept() == 3 + 2
    bench.clock.advance(DAY_S)
    bench.round()
    assert bench.kept() == 0, "what waited is removed later"


def test_a_round_that_finds_nothing_writes_nothing() -> None:
    bench = Bench()
    bench.events(5, days_ago=1)
    for _ in range(3):
        bench.round()
    assert bench.store.commits == []


def test_the_removal_of_events_that_only_tell_of_removals_is_not_told() -> None:
    bench = Bench()
    bench.events(2, days_ago=91, type=EventType.RETENTION)
    bench.round()
    assert bench.told() == []
    assert bench.store.tallies()[Remnant.EVENT].removed == 2


def test_a_kind_without_limits_is_kept() -> None:
    bench = Bench(parse_rules(["events=all"]))
    bench.events(2, days_ago=4000)
    bench.round()
    assert bench.kept() == 2


def test_compositions_that_no_process_has_go() -> None:
    bench = Bench()
    bench.store.commit([SaveComposition(composition=a_composition(name)) for name in ("old", "new")])
    bench.store.commit([born(a_process(DB, composition_digest="new"))])
    bench.round()
    assert bench.store.tallies()[Remnant.COMPOSITION].rows == 1
    assert "removed 1 compositions" in [event.reason for event in bench.told()]


def test_a_store_that_is_away_is_asked_again_in_the_next_round() -> None:
    bench = Bench()
    bench.events(2, days_ago=91)
    bench.store.is_away = True
    bench.round()
    assert bench.kept() == 2
    bench.store.is_away = False
    bench.round()
    assert bench.kept() == 0


def test_only_one_batch_is_removed_at_a_time() -> None:
    bench = Bench()
    now = Instant(bench.clock.advance(ROUND_S))
    assert bench.cleaner.begins(now)
    assert not bench.cleaner.begins(now)
    assert bench.cleaner.next_wake() is None
    bench.cleaner.work()
    assert bench.cleaner.next_wake() == now + ROUND_S


def test_rounds_come_as_often_as_the_shortest_age_but_once_a_minute_at_most() -> None:
    assert round_seconds(DEFAULT_KEPT) == ROUND_S
    assert round_seconds({}) == ROUND_S
    assert round_seconds(parse_rules(["events=10m", "plans=5m,1000"])) == 300.0
    assert round_seconds(parse_rules(["denied=1s"])) == LEAST_ROUND_S
    bench = Bench(parse_rules(["events=10m"]))
    assert bench.cleaner.next_wake() == bench.clock.now() + 600.0
    bench.events(3, days_ago=1.0)
    bench.clock.advance(600.0)
    assert bench.cleaner.begins(bench.clock.now())
