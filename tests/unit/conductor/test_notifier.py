"""The notifier brings every event that was asked for, at least once, and gives up in the end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag
from threading import Thread

import pytest

from tenuto.conductor import notifier
from tenuto.conductor.notifier import BATCH, LONGEST_ASKED_S, MOST_WAITING, Notifier
from tenuto.errors import DeferredError, PermanentError, StoreUnavailableError, TransientError
from tenuto.model.event import EventType
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.store import Store
from tenuto.ports.store_administration import CreateSink, RemoveSink
from tenuto.ports.store_changes import Append
from tenuto.storage.file.database import Database
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto.storage.sqlite.store import SqliteStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.mortality import Blow, Crash, Fate, mortal_store
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import DB, WEB, a_process, a_sink, an_event


@dataclass
class Receiver:
    """A transport that keeps what it is given, or fails as it is told."""

    notifications: list[Notification] = field(default_factory=list)
    failing: Callable[[Notification], bool] = lambda notification: False
    asks_s: float = 0.0
    """The rest that it asks for when it fails."""
    reachable: bool = True
    tried: list[str] = field(default_factory=list)

    def can_reach(self, sink: Sink) -> bool:
        return self.reachable

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        self.tried.append(notification.event_id)
        if self.failing(notification):
            raise DeferredError("busy", after_s=self.asks_s) if self.asks_s else TransientError("it does not listen")
        self.notifications.append(notification)

    @property
    def ids(self) -> list[str]:
        return [notification.event_id for notification in self.notifications]


class Hall:
    """A store, a clock, a receiver and the notifier between them."""

    def __init__(self, store: Store | None = None) -> None:
        self.store = store or MemoryStore()
        self.clock = VirtualClock()
        self.receiver = Receiver()
        self.restart()

    def restart(self, store: Store | None = None) -> None:
        self.notifier = Notifier(store=store or self.store, transports={SinkKind.SNS: self.receiver}, clock=self.clock)

    def add_sink(self, name: str = "pager", **changes: object) -> None:
        fields = {"processes": (), "accounts": (), "cursor": self.store.last_event(), "created_at": self.clock.now()}
        self.store.commit([CreateSink(sink=a_sink(name, **(fields | changes)))])

    def happen(self, count: int = 1, **changes: object) -> None:
        """So many jobs changed something."""
        told = {"type": EventType.JOB_FINISHED, "after": "SUCCEEDED", "data": {"changed": True}} | changes
        self.store.commit([Append(events=tuple(an_event(**told) for _ in range(count)))])

    def later(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        self.notifier.step()


@pytest.fixture
def hall() -> Hall:
    made = Hall()
    made.store.commit([born(a_process(alias="web")), born(a_process(DB, alias="db"))])
    return made


def test_what_happens_after_a_sink_was_added_is_told_once_in_order(hall: Hall) -> None:
    hall.happen()
    hall.add_sink()
    hall.happen(3)
    for _ in range(3):
        hall.later(1)
    first = hall.store.last_event() - 2
    assert hall.receiver.ids == [f"{first + index}-{WEB}" for index in range(3)]
    assert hall.store.backlogs() == {}


def test_a_job_that_changed_nothing_is_not_told(hall: Hall) -> None:
    hall.add_sink()
    hall.happen(data={"changed": False})
    hall.happen(data={})
    hall.later(1)
    assert hall.receiver.tried == []


def test_sinks_are_told_what_they_asked_for(hall: Hall) -> None:
    hall.add_sink("only-db", processes=("db",))
    hall.happen()
    hall.happen(fid=DB)
    hall.later(1)
    assert [notification.document["process"]["alias"] for notification in hall.receiver.notifications] == ["db"]


def test_what_did_not_arrive_is_tried_again_later_under_the_same_id(hall: Hall) -> None:
    hall.add_sink()
    hall.happen()
    hall.receiver.failing = lambda notification: notification.attempt < 4
    hall.later(1)
    assert len(hall.receiver.tried) == 1
    hall.later(0.1)
    assert len(hall.receiver.tried) == 1, "not before its time"
    for _ in range(60):
        hall.later(1)
    assert len(set(hall.receiver.tried)) == 1
    assert [notification.attempt for notification in hall.receiver.notifications] == [4]


@pytest.mark.parametrize(("asks_s", "rest_s"), [(900.0, 900.0), (1e9, LONGEST_ASKED_S)])
def test_a_receiver_that_asks_for_a_rest_gets_it_for_all_events_up_to_a_bound(
    hall: Hall, asks_s: float, rest_s: float
) -> None:
    hall.add_sink()
    hall.happen(2)
    hall.receiver.failing = lambda notification: True
    hall.receiver.asks_s = asks_s
    hall.later(1)
    hall.later(rest_s - 1)
    assert len(hall.receiver.tried) == 1
    hall.receiver.failing = lambda notification: False
    hall.later(1)
    assert len(hall.receiver.ids) == 2


def test_a_receiver_that_is_down_is_not_asked_once_for_each_event(hall: Hall) -> None:
    hall.add_sink()
    hall.happen(50)
    hall.receiver.failing = lambda notification: True
    for _ in range(30):
        hall.later(1)
    assert len(hall.receiver.tried) < 12
    hall.receiver.failing = lambda notification: False
    hall.later(600)
    hall.later(600)
    assert sorted(hall.receiver.ids) == sorted({f"{number}-{WEB}" for number in range(3, 53)})


def test_what_never_arrives_is_given_up_and_kept(hall: Hall) -> None:
    hall.add_sink(tries=3)
    hall.happen(2)
    hall.receiver.failing = lambda notification: notification.event_id.startswith("3-")
    for _ in range(20):
        hall.later(10)
    assert hall.receiver.ids == [f"4-{WEB}"]
    dead = hall.store.deliveries("pager", is_dead=True, limit=10)
    assert [(one.event_id, one.tries, one.last_error) for one in dead] == [(f"3-{WEB}", 3, "it does not listen")]
    assert hall.receiver.tried.count(f"3-{WEB}") == 3


def test_a_fault_of_a_transport_is_a_failed_try_and_keeps_no_later_event_back(hall: Hall) -> None:
    hall.add_sink(tries=2)
    hall.happen(2)
    first = hall.store.last_event() - 1

    def fails(notification: Notification) -> bool:
        if notification.event_id.startswith(f"{first}-"):
            raise ValueError("a secret")
        return False

    hall.receiver.failing = fails
    for _ in range(20):
        hall.notifier.step()
        hall.clock.advance(60)
    assert len(hall.receiver.tried) == 3
    [dead] = hall.store.deliveries("pager", is_dead=True, limit=9)
    assert (dead.number, len(hall.receiver.ids)) == (first, 1)
    assert "A fault of Tenuto, or of a provider, ended the delivery: ValueError" in dead.last_error
    assert "secret" not in dead.last_error


def test_dead_deliveries_are_bounded_and_the_oldest_go_first(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 40
    monkeypatch.setattr(notifier, "MOST_DEAD", most)
    hall.add_sink(tries=1)
    first = hall.store.last_event() + 1
    hall.happen(most + 2)
    hall.receiver.failing = lambda notification: True
    for _ in range(most + 2):
        hall.later(100)
    dead = hall.store.deliveries("pager", is_dead=True, limit=2 * most)
    assert [one.number for one in dead] == list(range(first + 2, first + 2 + most))


def test_too_much_that_waits_stays_in_the_history_and_is_told_later(hall: Hall) -> None:
    hall.add_sink()
    hall.receiver.reachable = False
    hall.happen(MOST_WAITING + 3 * BATCH)
    for _ in range(MOST_WAITING // BATCH + 10):
        hall.later(1)
    assert hall.store.backlogs()["pager"].waiting == MOST_WAITING
    hall.receiver.reachable = True
    for _ in range(MOST_WAITING // BATCH + 10):
        hall.later(1)
    assert len(set(hall.receiver.ids)) == len(hall.receiver.ids) == MOST_WAITING + 3 * BATCH


def test_a_sink_that_cannot_be_reached_from_here_uses_up_no_tries(hall: Hall) -> None:
    hall.add_sink(tries=1)
    hall.happen()
    hall.receiver.reachable = False
    for _ in range(5):
        hall.later(100)
    hall.receiver.reachable = True
    hall.later(1)
    assert len(hall.receiver.notifications) == 1


def test_one_sink_that_fails_does_not_keep_another_from_being_told(hall: Hall) -> None:
    hall.add_sink("a")
    hall.add_sink("b")

    def refuse_a(sink: Sink, notification: Notification) -> None:
        if sink.name == "a":
            raise PermanentError("no")
        hall.receiver.notifications.append(notification)

    hall.receiver.deliver = refuse_a  # type: ignore[method-assign]
    hall.happen(2)
    hall.later(1)
    assert len(hall.receiver.notifications) == 2


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_conductor_that_dies_at_any_commit_of_the_notifier_loses_nothing(
    hall: Hall, count: int, is_after: bool
) -> None:
    hall.add_sink()
    hall.happen(2)
    fate = Fate()
    fate.arm(Blow(operation="commit", is_after=is_after, count=count))
    hall.restart(mortal_store(hall.store, fate))
    hall.receiver.failing = lambda notification: len(hall.receiver.tried) == 1
    try:
        for _ in range(5):
            hall.later(30)
        died = False
    except Crash:
        died = True
    hall.restart()
    for _ in range(5):
        hall.later(30)
    assert set(hall.receiver.ids) == {f"3-{WEB}", f"4-{WEB}"}
    assert died or count > 4
    assert hall.store.backlogs() == {}


def test_what_concerns_nobody_is_passed_over_without_a_write(hall: Hall) -> None:
    hall.add_sink()
    hall.happen(data={})
    hall.later(1)
    assert hall.store.sinks()[0].cursor < hall.store.last_event()
    hall.happen()
    hall.later(1)
    assert hall.store.sinks()[0].cursor == hall.store.last_event()
    assert len(hall.receiver.notifications) == 1


def test_a_sink_that_is_removed_meanwhile_is_no_error(hall: Hall) -> None:
    hall.add_sink()
    hall.happen()
    sink = hall.store.sinks()[0]
    hall.store.commit([RemoveSink(name="pager")])
    assert not hall.notifier.serve(sink)
    assert hall.receiver.tried == []


def test_threads_of_their_own_deliver_while_another_sink_hangs(tmp_path: Path) -> None:
    store = SqliteStore(Database(tmp_path / "tenuto.db"))
    hall = Hall(store)
    store.commit([born(a_process(alias="web"))])
    release, arrived, stop, began = Flag(), Flag(), Flag(), Flag()

    def deliver(sink: Sink, notification: Notification) -> None:
        if sink.name == "hangs":
            began.set()
            release.wait(60)
        else:
            arrived.set()

    hall.receiver.deliver = deliver  # type: ignore[method-assign]
    thread = Thread(target=hall.notifier.run, args=(stop,))
    hall.add_sink("hangs")
    hall.add_sink("works")
    thread.start()
    try:
        hall.happen()
        assert began.wait(60)
        assert arrived.wait(60)
    finally:
        release.set()
        stop.set()
        thread.join(60)
        store.close()
    assert not thread.is_alive()


def test_a_store_that_is_away_is_waited_for(hall: Hall) -> None:
    hall.add_sink()
    hall.happen()
    inner = hall.store.commit
    away = StoreUnavailableError("the disk is full")

    def refuse(changes: object) -> None:
        raise away

    hall.store.commit = refuse  # type: ignore[method-assign]
    with pytest.raises(StoreUnavailableError):
        hall.notifier.step()
    hall.store.commit = inner  # type: ignore[method-assign]
    hall.later(1)
    assert len(hall.receiver.notifications) == 1


def test_what_is_told_links_to_the_dashboard_where_it_has_a_public_url(hall: Hall) -> None:
    hall.notifier = Notifier(
        store=hall.store,
        transports={SinkKind.SNS: hall.receiver},
        clock=hall.clock,
        public_url="https://tenuto.example.org",
    )
    hall.add_sink()
    hall.happen()
    hall.notifier.step()
    [told] = hall.receiver.notifications
    assert str(told.document["url"]).startswith("https://tenuto.example.org/processes/")
