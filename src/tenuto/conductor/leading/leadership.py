"""Leadership: of all Conductors on one store, one acts, and one that lost the lease can change nothing any more.

Theory of operation. There is one lease in the store. Its *epoch* grows with every taking, and every commit of a
Conductor carries the epoch under which it leads: the store refuses it, in the same transaction, when the lease has been
taken since. So a Conductor that stood still for minutes and wakes up with stale knowledge may believe anything; it
cannot write. But the store cannot keep it from calling a provider. Therefore each client asks here before each changing
call, and is let through only while the lease will still hold when the call has ended, well or not. A lease is taken
over only after it has run out, so no call of the one before is under way by then.

A Conductor that has lost the lease ends; its supervisor or a person starts a new one. Rejected: to let it stand by and
lead again later. All that it has in memory is from another time, and to tell which part still holds is harder than to
read it anew.

Where no other process can have the store open (the lock beside an SQLite file is the operating system's word) the
lease is taken at once: its last holder is dead.

The times of a lease come from a clock that may differ from the one that judges them. Of our own lease, as much has
passed as the faster of our clock and the system clock says: a machine that was paused may have counted nothing. A lease
of another Conductor that ends further ahead than any lease can was written by a clock that was ahead of ours. Its times
say nothing, so it is watched for as long as a lease lasts: a Conductor that lives renews it.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, cast

import structlog

from tenuto.conductor.leading import nodes
from tenuto.errors import LeaseLostError, NotLeadingError, StoreError, TransientError
from tenuto.model.ids import Instant, Json
from tenuto.model.lease import Lease
from tenuto.ports.clock import Clock
from tenuto.ports.provider import NOT_LEADING
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectLease, SaveLease
from tenuto.ports.store_changes import StoreChange

LEASE_S = 90.0
"""Seconds that the other Conductors wait for one that does not answer: CALL_S, and a few renewals that may fail."""
RENEW_S = 15.0
CALL_S = 40.0
"""The longest that a call of a provider's client can last: to connect, to read, and some tenths before and after."""

_log = structlog.get_logger("tenuto.conductor")


class Leadership:
    """One Conductor's hold on the lease. Thread-safe. Before `take` nothing is fenced."""

    def __init__(
        self, *, store: Store, clock: Clock, node: str, is_alone: bool, facts: Mapping[str, Json] | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._node = node
        self._is_alone = is_alone
        self._facts = dict(facts or {})
        self._brought: tuple[StoreChange, ...] = ()
        self._lock = threading.Lock()
        self._lease: Lease | None = None
        self._renewed_at_wall = clock.wall()
        self._is_lost = False

    @property
    def is_lost(self) -> bool:
        return self._is_lost

    def take(self) -> None:
        """Lead from now on. Does nothing when it leads already. Waits when the lease is from the future.

        Raises NotLeadingError while another Conductor leads, StoreError when the lease cannot be read or written.
        """
        dead = self._dead() if self._lease is None and not self._is_alone else None
        with self._lock:
            if self._lease is not None:
                return
            now, wall = self._clock.now(), self._clock.wall()
            before = self._store.lease()
            is_held = before is not None and before.expires_at > now and not before.is_released
            if before is not None and is_held and before != dead and not self._is_alone:
                raise NotLeadingError(
                    f"Conductor {before.holder} leads, and its lease holds for another {before.expires_at - now:.0f} s."
                    " Stop it, or wait: when it does not renew the lease, this one can be started."
                )
            lease = Lease(
                holder=self._node,
                epoch=1 if before is None else before.epoch + 1,
                renewed_at=now,
                expires_at=Instant(now + LEASE_S),
            )
            changes: list[StoreChange] = [SaveLease(lease=lease)]
            if before is not None and before.holder != self._node:
                changes += nodes.missed(self._store, before.holder, self._node, now, renewed_at=before.renewed_at)
            changes += nodes.checked_in(self._store, self._node, self._facts, now)
            self._store.commit([*changes, *self._brought])
            self._lease, self._renewed_at_wall = lease, wall
        _log.info("conductor.leads", node=self._node, epoch=lease.epoch)

    def keep(self) -> None:
        """Renew the lease when it is time to. Never raises: a store that is away may be back before it runs out."""
        with self._lock:
            lease, now, wall = self._lease, self._clock.now(), self._clock.wall()
            if lease is None or self._is_lost or self._passed_s(lease) < RENEW_S:
                return
            renewed = Lease(holder=lease.holder, epoch=lease.epoch, renewed_at=now, expires_at=Instant(now + LEASE_S))
            try:
                self._store.commit([SaveLease(lease=renewed)])
            except LeaseLostError:
                self._lose()
            except StoreError as error:
                _log.warning("lease.not_renewed", reason=str(error))
            else:
                self._lease, self._renewed_at_wall = renewed, wall

    def check(self) -> None:
        """Raise TransientError unless a call that begins now will have ended before another Conductor can lead."""
        lease = self._lease
        if self._is_lost or (lease is not None and self._passed_s(lease) + CALL_S > LEASE_S):
            message = "this Conductor cannot prove that it still leads, so it did not make the call"
            raise TransientError(message, code=NOT_LEADING)

    def release(self, reason: str = "stopped") -> None:
        """Let another Conductor lead at once. Never raises."""
        with self._lock:
            lease, now = self._lease, self._clock.now()
            if lease is None or self._is_lost:
                return
            over = Lease(holder=lease.holder, epoch=lease.epoch, renewed_at=now, expires_at=now)
            try:
                gone = nodes.left(self._store, self._node, now, reason, renewed_at=lease.renewed_at)
                self._store.commit([SaveLease(lease=over), *gone])
            except StoreError as error:
                _log.warning("lease.not_released", reason=str(error))

    def bring(self, changes: Sequence[StoreChange]) -> None:
        """Have these changes written in the commit that takes the lease. Asked before it leads."""
        self._brought += tuple(changes)

    def note(self, name: str, fact: Json) -> None:
        """Keep a fact of this Conductor with its node. Raises StoreError when it leads and cannot write.

        Before it leads nothing is written: the check-in brings the fact along.
        """
        self._facts[name] = fact
        if self._lease is not None:
            now = self._clock.now()
            self._store.commit(self.fence(nodes.checked_in(self._store, self._node, self._facts, now)))

    def fence(self, changes: Sequence[StoreChange]) -> Sequence[StoreChange]:
        """The changes, on the condition that the lease is still ours."""
        return changes if self._lease is None else (ExpectLease(epoch=self._lease.epoch), *changes)

    def fenced(self) -> Store:
        """The store as it is to be used by everything of this Conductor."""
        return cast(Store, _FencedStore(self._store, self))

    def lost(self) -> None:
        """Note that another Conductor has taken the lease."""
        with self._lock:
            self._lose()

    def _passed_s(self, lease: Lease) -> float:
        """Seconds since the last renewal, by the clock that has counted more."""
        return max(self._clock.now() - lease.renewed_at, self._clock.wall() - self._renewed_at_wall)

    def _dead(self) -> Lease | None:
        """The lease in the store, when it ends further ahead than any can, and is not renewed while we wait for that.

        Raises NotLeadingError when it is renewed.
        """
        seen = self._store.lease()
        if seen is None or seen.is_released or seen.expires_at <= self._clock.now() + LEASE_S:
            return None
        _log.warning("lease.from_the_future", holder=seen.holder, waits_s=LEASE_S)
        for _ in range(round(LEASE_S / RENEW_S)):
            self._clock.sleep(RENEW_S)
            if self._store.lease() != seen:
                raise NotLeadingError(
                    f"Conductor {seen.holder} leads: its lease was renewed or taken just now. Its clock is ahead of the"
                    " clock of this machine by more than a lease lasts. Set them right, then start this one again."
                )
        return seen

    def _lose(self) -> None:
        if not self._is_lost:
            _log.error("lease.lost", node=self._node, epoch=self._lease.epoch if self._lease else None)
        self._is_lost = True


class _FencedStore:
    """A store whose every commit carries the epoch."""

    def __init__(self, inner: Store, leadership: Leadership) -> None:
        self._inner = inner
        self._leadership = leadership

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if not changes:
            return
        try:
            self._inner.commit(self._leadership.fence(changes))
        except LeaseLostError:
            self._leadership.lost()
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
