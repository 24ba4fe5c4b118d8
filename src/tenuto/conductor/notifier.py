"""The notifier: brings every event to the sinks that asked for it, at least once, and delays no other work by it.

Theory of operation. The events of the store are the outbox: each was written in the transaction of the fact that it
tells. A round for one sink has two halves. First it *takes over* the events after the sink's cursor: those that the
sink is to be told of become deliveries, in the commit that moves the cursor. Then it *delivers* the due notifications;
one that arrived is removed, one that did not is tried again later, and given up after a number of tries: it is dead,
and kept until a user has it delivered again or throws the sink away. A Conductor that dies in between delivers again,
under the same event id.

A failure ends the round, and the sink rests: a receiver that is down is not asked once for each event that waits. It
rests for longer when the receiver asks for that. When
too much waits, nothing more is taken over: the events stay where they are, so the backlog is bounded and nothing lost.

Every sink has a thread of its own, so that one that hangs delays no other. No job ever waits for any of them. A test
drives the same rounds with `step`, on its own thread.

Rejected: to send when something happens. An event that is sent before the commit may not have happened; one that is
sent after it is lost with the Conductor.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from tenuto.core.pacing.cadence import backoff_s
from tenuto.core.reports.notices import event_id, is_wanted, next_try, notice
from tenuto.errors import ConflictError, DeferredError, ProviderError, StoreError, TransientError
from tenuto.model.event import Event
from tenuto.model.ids import Fid, Instant
from tenuto.model.notification import Delivery, Notification, Sink
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.notices import Transports
from tenuto.ports.store import Store
from tenuto.ports.store_administration import RemoveDelivery, SaveDelivery, SaveSink
from tenuto.ports.store_changes import StoreChange

POLL_S = 1.0
"""Seconds between two reads of new events. One indexed read per sink; raise it if there are ever hundreds of sinks."""
BATCH = 200
"""Events taken over, and deliveries tried, in one round: a few hundred kilobytes at most."""
MOST_WAITING = 5_000
"""Deliveries of one sink that wait; beyond that, events wait in the history instead."""
MOST_DEAD = 1_000
"""Dead deliveries of one sink that are kept: the oldest go first."""
LONGEST_REST_S = 60.0
LONGEST_ASKED_S = 3600.0
"""The longest rest that a receiver may ask for: with the usual number of tries an event is given up within a day."""
SCAN = 5_000
"""Events that concern no sink are passed over in memory; after so many the cursor is written down all the same."""
_NEVER = Instant(0.0)

_log = structlog.get_logger("tenuto.notifications")


@dataclass(slots=True)
class _Standing:
    """The memory of a sink between rounds; all of it can be lost."""

    cursor: int
    failures: int = 0
    rests_until: Instant = _NEVER


class Notifier:
    """Drives the rounds of all sinks. `step` and `run` are never used at the same time."""

    def __init__(self, *, store: Store, transports: Transports, clock: Clock, public_url: str = "") -> None:
        """`public_url` is that of the dashboard, for links in notifications; empty where it has none."""
        self._store = store
        self._public_url = public_url
        self._transports = transports
        self._clock = clock
        self._standing: dict[tuple[str, Instant], _Standing] = {}

    def step(self) -> None:
        """One round for every sink, on this thread."""
        for sink in self._store.sinks():
            self.serve(sink)

    def run(self, stop: threading.Event) -> None:
        """Keep a thread for every sink until `stop` is set, then wait for them; a caller in haste leaves them."""
        threads: dict[tuple[str, Instant], threading.Thread] = {}
        while not stop.is_set():
            try:
                sinks = {_key(sink) for sink in self._store.sinks()}
            except StoreError as error:
                _log.error("store.unavailable", reason=str(error))
                sinks = set(threads)
            for key in sorted(sinks):
                if key not in threads or not threads[key].is_alive():
                    threads[key] = threading.Thread(
                        target=self._keep, args=(key, stop), name=f"notify {key[0]}", daemon=True
                    )
                    threads[key].start()
            threads = {key: thread for key, thread in threads.items() if thread.is_alive()}
            stop.wait(POLL_S)
        for thread in threads.values():
            thread.join()

    def _keep(self, key: tuple[str, Instant], stop: threading.Event) -> None:
        """Serve one sink until it is removed."""
        while not stop.is_set():
            try:
                sink = next((one for one in self._store.sinks() if _key(one) == key), None)
                if sink is None:
                    self._standing.pop(key, None)
                    return
                if self.serve(sink, stop):
                    continue
            except StoreError as error:
                _log.error("store.unavailable", sink=key[0], reason=str(error))
            except Exception:  # noqa: BLE001 - a bug in one transport must not end the notifications
                _log.exception("notification.crashed", sink=key[0])
            stop.wait(POLL_S)

    def serve(self, sink: Sink, stop: threading.Event | None = None) -> bool:
        """One round for one sink. Whether there may be more to do at once."""
        standing = self._standing.setdefault(_key(sink), _Standing(cursor=sink.cursor))
        try:
            is_behind = self._take_over(sink, standing)
            return self._deliver(sink, standing, stop) or is_behind
        except ConflictError as error:
            _log.info("notification.conflict", sink=sink.name, reason=str(error))
            return False

    def _take_over(self, sink: Sink, standing: _Standing) -> bool:
        """Make deliveries of the events after the cursor. Whether there are more."""
        backlog = self._store.backlogs().get(sink.name)
        if backlog is not None and backlog.waiting >= MOST_WAITING:
            return False
        events = self._store.events_after(standing.cursor, BATCH)
        if not events:
            return False
        now = self._clock.now()
        deliveries = tuple(self._wanted(events, sink, now))
        last = events[-1].number
        if deliveries or last - sink.cursor >= SCAN:
            changes: list[StoreChange] = [SaveDelivery(delivery=one) for one in deliveries]
            self._store.commit([SaveSink(sink=replace(sink, cursor=last)), *changes])
        standing.cursor = last
        return len(events) == BATCH

    def _wanted(self, events: Sequence[Event], sink: Sink, now: Instant) -> list[Delivery]:
        processes: dict[Fid | None, Process | None] = {None: None}
        found = []
        for event in events:
            if event.fid not in processes:
                processes[event.fid] = self._store.process(event.fid or "")
            process = processes[event.fid]
            if is_wanted(event, process, sink):
                document = notice(event, process, public_url=self._public_url)
                found.append(
                    Delivery(
                        sink=sink.name, number=event.number, event_id=event_id(event), document=document, next_at=now
                    )
                )
        return found

    def _deliver(self, sink: Sink, standing: _Standing, stop: threading.Event | None) -> bool:
        """Try the due deliveries. Returns whether all of them arrived and there may be more."""
        transport = self._transports.get(sink.kind)
        now = self._clock.now()
        if transport is None or not transport.can_reach(sink) or standing.rests_until > now:
            return False
        due = [one for one in self._store.deliveries(sink.name, is_dead=False, limit=BATCH) if one.next_at <= now]
        for delivery in due:
            if stop is not None and stop.is_set():
                return False
            notification = Notification(
                event_id=delivery.event_id,
                type=str(delivery.document.get("type", "")),
                document=delivery.document,
                attempt=delivery.tries + 1,
            )
            try:
                transport.deliver(sink, notification)
            except ProviderError as error:
                self._failed(sink, standing, delivery, error)
                return False
            except StoreError:
                raise
            except Exception as fault:  # noqa: BLE001 - as any other failed try, so that it ends, and events after it go on
                _log.exception("notification.crashed", sink=sink.name, id=delivery.event_id)
                self._failed(sink, standing, delivery, TransientError(_crash_message(fault), code="Fault"))
                return False
            standing.failures = 0
            self._store.commit([RemoveDelivery(sink=sink.name, number=delivery.number)])
            _log.info("notification.delivered", sink=sink.name, id=delivery.event_id)
        return len(due) == BATCH

    def _failed(self, sink: Sink, standing: _Standing, delivery: Delivery, error: ProviderError) -> None:
        now = self._clock.now()
        tries = delivery.tries + 1
        again_at = next_try(tries, sink, delivery.number, now)
        standing.failures += 1
        asked_s = min(error.after_s, LONGEST_ASKED_S) if isinstance(error, DeferredError) else 0.0
        rest_s = backoff_s(standing.failures, sink.name, longest_s=LONGEST_REST_S)
        standing.rests_until = Instant(now + max(rest_s, asked_s))
        after = replace(delivery, tries=tries, last_error=str(error))
        changes: list[StoreChange]
        if again_at is None:
            changes = [SaveDelivery(delivery=replace(after, died_at=now)), *self._crowded_out(sink)]
            _log.error("notification.dead", sink=sink.name, id=delivery.event_id, tries=tries, reason=str(error))
        else:
            changes = [SaveDelivery(delivery=replace(after, next_at=max(again_at, Instant(now + asked_s))))]
            _log.warning("notification.failed", sink=sink.name, id=delivery.event_id, tries=tries, reason=str(error))
        self._store.commit(changes)

    def _crowded_out(self, sink: Sink) -> list[StoreChange]:
        """The dead deliveries that make room for one more."""
        dead = self._store.deliveries(sink.name, is_dead=True, limit=MOST_DEAD)
        return [RemoveDelivery(sink=sink.name, number=one.number) for one in dead[: max(0, len(dead) - MOST_DEAD + 1)]]


def _crash_message(fault: Exception) -> str:
    """The words about a fault of a transport. Those of the fault itself may hold secrets, and stay in the log."""
    return (
        f"A fault of Tenuto, or of a provider, ended the delivery: {type(fault).__name__}. "
        "The Conductor's log tells more at notification.crashed; please report it."
    )


def _key(sink: Sink) -> tuple[str, Instant]:
    """A sink that was removed and added again is another one."""
    return (sink.name, sink.created_at)
