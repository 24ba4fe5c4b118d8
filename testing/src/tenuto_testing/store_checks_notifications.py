"""The duties of every store for notifications: it keeps their receivers, and those that have not arrived."""

from dataclasses import replace

from tenuto.errors import ConflictError
from tenuto.model.ids import Instant
from tenuto.model.notification import Backlog, SinkKind
from tenuto.ports.store import Store
from tenuto.ports.store_administration import CreateSink, RemoveDelivery, RemoveSink, SaveDelivery, SaveSink
from tenuto.ports.store_changes import Append
from tenuto_testing.store_bench import raises, unchanged
from tenuto_testing.store_samples import a_delivery, a_sink, an_event


def sinks_come_back_by_name_as_they_were_saved(store: Store) -> None:
    first, second = a_sink("b"), a_sink("a", kind=SinkKind.WEBHOOK, partition=None, key="sealed")
    store.commit([CreateSink(sink=first), CreateSink(sink=second)])
    moved = replace(first, cursor=9)
    store.commit([SaveSink(sink=moved)])
    assert store.sinks() == (second, moved)


def a_name_is_given_to_one_sink_at_a_time(store: Store) -> None:
    store.commit([CreateSink(sink=a_sink())])
    with unchanged(store):
        raises((ConflictError,), store, [CreateSink(sink=a_sink(cursor=1))])
    store.commit([RemoveSink(name="pager")])
    store.commit([CreateSink(sink=a_sink(created_at=Instant(150.0)))])
    assert len(store.sinks()) == 1


def what_is_about_a_sink_that_was_removed_is_refused(store: Store) -> None:
    for change in (SaveSink(sink=a_sink()), RemoveSink(name="pager"), SaveDelivery(delivery=a_delivery())):
        with unchanged(store):
            raises((ConflictError,), store, [change])
    store.commit([CreateSink(sink=a_sink(created_at=Instant(150.0)))])
    raises((ConflictError,), store, [SaveSink(sink=a_sink(cursor=9))])
    assert store.sinks()[0].cursor == 7


def deliveries_come_by_their_next_try_and_dead_ones_by_their_event(store: Store) -> None:
    store.commit([CreateSink(sink=a_sink()), CreateSink(sink=a_sink("other"))])
    late, soon = a_delivery(1, next_at=Instant(300.0)), a_delivery(3, next_at=Instant(100.0))
    same = a_delivery(2, next_at=Instant(100.0), tries=2, last_error="no answer")
    dead = [
        a_delivery(number, died_at=Instant(400.0), next_at=Instant(900.0 - number), tries=15, last_error="gone")
        for number in (5, 4)
    ]
    others = [a_delivery(9, "other"), a_delivery(8, "other", last_error="of before it was revived")]
    store.commit([SaveDelivery(delivery=one) for one in (late, soon, same, *dead, *others)])
    assert store.deliveries("pager", is_dead=False, limit=10) == (same, soon, late)
    assert store.deliveries("pager", is_dead=False, limit=2) == (same, soon)
    assert store.deliveries("pager", is_dead=True, limit=10) == (dead[1], dead[0])
    assert store.backlogs() == {
        "pager": Backlog(waiting=3, dead=2, last_error="no answer"),
        "other": Backlog(waiting=2),
    }


def one_event_is_one_delivery_of_a_sink_until_it_has_arrived(store: Store) -> None:
    store.commit([CreateSink(sink=a_sink()), SaveDelivery(delivery=a_delivery())])
    tried = a_delivery(tries=1, last_error="no answer", next_at=Instant(250.0))
    store.commit([SaveDelivery(delivery=tried)])
    assert store.deliveries("pager", is_dead=False, limit=10) == (tried,)
    arrived = RemoveDelivery(sink="pager", number=8)
    store.commit([arrived])
    store.commit([arrived])
    assert store.backlogs() == {}


def a_sink_takes_its_deliveries_along(store: Store) -> None:
    store.commit([CreateSink(sink=a_sink()), SaveDelivery(delivery=a_delivery())])
    store.commit([RemoveSink(name="pager")])
    store.commit([CreateSink(sink=a_sink())])
    assert store.deliveries("pager", is_dead=False, limit=10) == ()


def events_are_read_on_from_any_number_oldest_first(store: Store) -> None:
    assert (store.last_event(), store.events_after(0, 10)) == (0, ())
    store.commit([Append(events=tuple(an_event(at=100.0 - number, subject=str(number)) for number in range(1, 6)))])
    assert store.last_event() == 5
    assert [event.subject for event in store.events_after(1, 3)] == ["2", "3", "4"]
    assert [event.number for event in store.events_after(4, 3)] == [5]
    assert store.events_after(0, 0) == ()
