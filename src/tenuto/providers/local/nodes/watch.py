"""The watch over hosts: it moves their nodes by the deadlines, gives up the things on a lost host, and clears one that
is back.

Theory of operation. Every few seconds each host is held against its node (`rules.deadlines`). Everything follows from
the stored records and from how long a host has been silent, and each step may be repeated: a Conductor that died
between two of them goes on where it was. Silence counts at most from when this Conductor began to listen, so its own
outage makes no host missing; and when the watch itself was away for a deadline, stopped or starved, it counts from
then.

A lost host is in `error`, and its machines with it. A machine with `Replace: on-host-error` or `on-error` is
acknowledged in the same commit, so that its process makes another one without a person, at most three times an hour and
each time after a longer wait. Any other waits for a person. It is left as it is for that, so that its disk can be
saved, and is *isolated*: its host takes it off its networks as soon as it is heard again, since it does not count any
more, and another machine may have its addresses by then. So is each machine that was given up there, until it is
removed.

A thing that is gone without an order, such as a machine that was deleted by hand and made anew, still has a share of
its host: its room, and its part of a network. Once a minute its host is told to remove that share.

A host that is back names the things that it holds. It is ordered to remove the things that were given up there, or are
deleted by now. A thing that this Conductor never knew is named, and stays: a restored database does not know its newest
machines.
"""

import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import structlog

from tenuto.errors import ConflictError, ProviderError, StoreError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.node import GIVEN_UP, LEAVING, NODE
from tenuto.lifecycles.roles import has_ended, is_failing, is_leaving
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, Json, ObjectId
from tenuto.model.job import CONDUCTOR
from tenuto.model.node import ISOLATED, STRAYS
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.objects import ObjectWork
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.providers.local.driver import HostedDriver
from tenuto.providers.local.nodes.records import (
    HEARD_AT,
    LEFT_BEHIND,
    STOPPED_RUN,
    NodeRecords,
    facts_of,
    heard_at,
    incarnations_of,
    moved,
    names_in,
    noted,
)
from tenuto.providers.local.rules.deadlines import Deadlines, Presence, has_majority, judge
from tenuto.providers.local.rules.machines.replacement import (
    HOST_PHASE,
    LOSSES,
    Replacement,
    losses_before,
    replacement_of,
)
from tenuto.providers.local.types import INSTANCE

CODE = "HostLost"
TIDY_S = 60.0
"""The seconds between two searches for things that are gone without an order: each reads the rows of all that is on
hosts."""

_log = structlog.get_logger("tenuto.hosts")


class HostWatch:
    """Implements `ports.chores.Chore`."""

    def __init__(
        self,
        *,
        hosts: HostedDriver,
        records: NodeRecords,
        work: ObjectWork,
        store: Store,
        clock: Clock,
        deadlines: Deadlines,
    ) -> None:
        self._hosts = hosts
        self._records = records
        self._work = work
        self._store = store
        self._clock = clock
        self._deadlines = deadlines
        self._lock = threading.Lock()
        self._next_at = clock.now()
        self._last_at: Instant | None = None
        self._is_at_work = False
        self._is_idle = False
        self._tidy_at = clock.now()

    def next_wake(self) -> Instant | None:
        return None if self._is_at_work or self._is_idle else self._next_at

    def begins(self, now: Instant) -> bool:
        with self._lock:
            if self._is_at_work or now < self._next_at:
                return False
            self._is_at_work = True
            return True

    def work(self) -> None:
        now = self._clock.now()
        try:
            if self._last_at is None:
                self._hosts.listen_anew()
            elif now - self._last_at > self._deadlines.missing_s and not self._is_idle:
                _log.warning("hosts.watch_was_away", seconds=now - self._last_at)
                self._hosts.listen_anew()
            self._last_at = now
            zones = self._hosts.zones()
            self._is_idle = not zones
            for zone in zones:
                self._watch(zone, now)
            if now >= self._tidy_at:
                self._tidy_at = Instant(now + TIDY_S)
                for zone in zones:
                    self._tidy(zone)
                    self._note_heard(zone, now)
        except (StoreError, ProviderError) as error:
            _log.warning("hosts.watch_failed", reason=str(error))
        finally:
            with self._lock:
                self._next_at = Instant(self._clock.now() + self._deadlines.tick_s)
                self._is_at_work = False

    def _watch(self, zone: str, now: Instant) -> None:
        presences = self._hosts.presences(zone)
        nodes = self._records.live(zone)
        known = [(nodes[one.name].state, one) for one in presences if one.name in nodes]
        is_majority = has_majority(known, self._deadlines)
        for presence in presences:
            node = nodes.get(presence.name)
            try:
                if node is not None:
                    off = {*names_in(node, ISOLATED), *names_in(node, LEFT_BEHIND)}
                    self._hosts.isolate(zone, presence.name, sorted(off))
                    self._judge(zone, node, presence, now, has_majority=is_majority)
                elif presence.is_heard:
                    self._bear(zone, presence.name, now)
            except ConflictError as error:
                _log.info("hosts.changed_meanwhile", host=presence.name, reason=str(error))

    def _bear(self, zone: str, name: str, now: Instant) -> None:
        """Give a host that has checked in its node, unless a user has deleted it meanwhile."""
        with self._records.lives:
            heard = [one for one in self._hosts.presences(zone) if one.name == name and one.is_heard]
            if heard and name not in self._records.live(zone):
                self._work.commit((self._records.born(zone, heard[0], now),))

    def _tidy(self, zone: str) -> None:
        there = list(self._hosts.whereabouts(zone))
        found = self._store.selected(there) if there else ()
        for node in self._records.live(zone).values():
            # A machine that failed before this was noted, or by a Conductor of an earlier release.
            with suppress(ConflictError):
                self._isolate(node, [one for one in found if _is_on(one, node) and is_failing(one)])
        # A released machine has ended as well, and runs on.
        gone = [one.object_id for one in found if one.state == CATALOGUE[one.lifecycle].gone]
        if gone:
            problems = self._hosts.remove(zone, gone)
            _log.info("hosts.tidied", zone=zone, things=[one for one in gone if one not in problems])

    def _note_heard(self, zone: str, now: Instant) -> None:
        """Note when hosts have last checked in, all in one commit: the next Conductor would not know."""
        nodes = self._records.live(zone)
        heard = [
            noted(nodes[one.name], **{HEARD_AT: heard_at(nodes[one.name], one, now)})
            for one in self._hosts.presences(zone)
            if one.name in nodes and one.is_heard
        ]
        if heard:
            with suppress(ConflictError):
                self._store.commit(heard)

    def _judge(self, zone: str, node: ManagedObject, presence: Presence, now: Instant, *, has_majority: bool) -> None:
        if node.state == LEAVING and presence.is_heard and not presence.is_leaving and _is_stopped(node, presence):
            # A Conductor before this one told it to end, and it did not hear that, or is at work still.
            self._hosts.dismiss(zone, presence.name, for_good=False)
            presence = replace(presence, is_leaving=True)
        verdict = judge(node.state, presence, self._deadlines, has_majority=has_majority)
        if verdict.states:
            heard = {HEARD_AT: heard_at(node, presence, now)}
            self._work.commit((moved(node, verdict.states, now, reason=verdict.reason, noting=heard),))
            _log.warning("hosts.moved", zone=zone, host=presence.name, to=verdict.states[-1], reason=verdict.reason)
            if verdict.states[-1] == GIVEN_UP:
                self._hosts.leave_behind(zone, presence.name, ())
            return
        if node.state == GIVEN_UP:
            self._give_up(zone, node, now)
        elif presence.is_heard and node.state == NODE.ready:
            self._keep(zone, node, presence, now)

    def _give_up(self, zone: str, node: ManagedObject, now: Instant) -> None:
        """Let the machines on a lost host fail, each by its own rule."""
        there = [key for key, names in self._hosts.whereabouts(zone).items() if node.logical_id in names]
        left: list[tuple[ManagedObject, str, Sequence[Instant]]] = []
        for machine in self._store.selected(there):
            if not _is_on(machine, node) or has_ended(machine) or is_failing(machine) or is_leaving(machine):
                continue
            losses = losses_before(machine, incarnations_of(self._store, machine), now)
            answer = replacement_of(machine, losses, node.moved_at, now)
            if answer is not Replacement.LATER:
                why = f"its host {node.logical_id} is lost: it did not check in for {self._deadlines.lost_s:g} s"
                if answer is Replacement.BY_PERSON and losses:
                    why += f"; that was the loss number {len(losses) + 1} within an hour, so a person decides"
                if answer is Replacement.NOW:
                    self._fail(machine, why, (*losses, now), is_acknowledged=True)
                else:
                    left.append((machine, why, (*losses, now)))
        # Noted before they fail: even when this Conductor ends then, their host is to take them off its networks.
        self._isolate(node, [machine for machine, _, _ in left])
        for machine, why, moments in left:
            self._fail(machine, why, moments, is_acknowledged=False)

    def _isolate(self, node: ManagedObject, machines: Sequence[ManagedObject]) -> None:
        """Note machines of a host that are to be on no network."""
        known = names_in(node, ISOLATED)
        if wanted := sorted({one.object_id for one in machines} - {*known}):
            self._work.commit((noted(node, **{ISOLATED: sorted({*known, *wanted})}),))

    def _fail(self, machine: ManagedObject, why: str, losses: Sequence[Instant], *, is_acknowledged: bool) -> None:
        cause = PhaseEntry(
            phase=HOST_PHASE,
            state=machine.state,
            status=PhaseStatus.CANCELED if is_acknowledged else PhaseStatus.FAILED,
            message=why,
            code=CODE,
            ended_at=losses[-1],
            data={LOSSES: list(losses)},
            attempt=2 if is_acknowledged else 1,
        )
        self._work.commit(self._work.fail(machine, cause, actor=CONDUCTOR))

    def _keep(self, zone: str, node: ManagedObject, presence: Presence, now: Instant) -> None:
        """Note the facts that a host tells, and clear it of the things that are not to be there."""
        unwanted = self._hosts.unwanted(zone, node.logical_id)
        left = names_in(node, LEFT_BEHIND)
        isolated = names_in(node, ISOLATED)
        asked = [*unwanted, *isolated]
        stored = {one.object_id: one for one in self._store.selected(asked)} if asked else {}
        ours = [one for one in unwanted if one in left or _is_over_there(stored.get(one), node.logical_id)]
        if ours:
            _log.warning("hosts.cleared", zone=zone, host=node.logical_id, things=ours)
            self._hosts.clear(zone, node.logical_id, ours)
        strays = [one for one in unwanted if one not in ours]
        after: dict[str, Json] = {
            **facts_of(presence),
            LEFT_BEHIND: [one for one in left if one in unwanted],
            STRAYS: strays,
            ISOLATED: [one for one in isolated if one in stored and not has_ended(stored[one])],
        }
        if any(node.attributes.get(name, [] if value == [] else None) != value for name, value in after.items()):
            found = sorted({*strays} - {*names_in(node, STRAYS)})
            told = tuple(_stray_found(node, one, now) for one in found)
            self._work.commit((noted(node, **after), *((Append(events=told),) if told else ())))


def _is_on(found: ManagedObject, node: ManagedObject) -> bool:
    """Whether a stored thing is a machine of a host."""
    return found.type == INSTANCE and found.attributes.get("Host") == node.logical_id


def _is_over_there(found: ManagedObject | None, host: str) -> bool:
    """Whether a stored thing has ended, or is on other hosts by now."""
    if found is None:
        return False
    named = {found.attributes.get("Host"), found.attributes.get("GatewayHost")}
    return has_ended(found) or (host not in named and named != {None})


def _is_stopped(node: ManagedObject, presence: Presence) -> bool:
    """Whether the start of the agent that answers is the one that a user has stopped."""
    return bool(presence.run) and presence.run == node.attributes.get(STOPPED_RUN)


def _stray_found(node: ManagedObject, thing: ObjectId, now: Instant) -> Event:
    return Event(
        at=now,
        type=EventType.STRAY_FOUND,
        object_id=node.object_id,
        subject=node.logical_id,
        actor=CONDUCTOR,
        reason=f"{thing} is there, and no object of this Conductor stands for it",
        data={"thing": thing, "account": node.partition.account},
    )
