"""Leadership: of all Conductors on one store, one acts, and whoever lost the lease can change nothing any more.

Theory of operation. There is one lease in the store. Its *epoch* grows with every taking, and every commit of a
Conductor carries the epoch under which it leads: the store refuses it, in the same transaction, when the lease has been
taken since. So a Conductor that stood still for minutes and wakes up with stale knowledge may believe what it likes; it
cannot write. What it cannot be kept from by the store is calling a provider. Therefore the door asks here right before
each changing call, and is let through only while the lease will still hold when the call has ended, well or not. A
lease is taken over only after it has run out, so no call of the one before is under way by then.

A Conductor that has lost the lease ends; whoever starts it again starts a new one. Rejected: to let it stand by and
lead again later. All that it has in memory is from another time, and to tell which part still holds is harder than to
read it anew.

Where nobody else can have the store open (the lock beside an SQLite file is the operating system's word for it) the
lease is taken at once, whoever held it is dead.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, cast

import structlog

from tenuto.conductor import nodes
from tenuto.errors import LeaseLostError, NotLeadingError, StoreError, TransientError
from tenuto.model.ids import Instant, Json
from tenuto.model.lease import Lease
from tenuto.ports.clock import Clock
from tenuto.ports.store import Store
from tenuto.ports.store_administration import ExpectLease, SaveLease
from tenuto.ports.store_changes import StoreChange

LEASE_S = 90.0
"""How long the others wait for one that does not answer: CALL_S, and a few renewals that may fail."""
RENEW_S = 15.0
CALL_S = 40.0
"""The longest that a call at a provider's door can last: to connect, to read, and some tenths before and after."""

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
        self._lock = threading.Lock()
        self._lease: Lease | None = None
        self._is_lost = False

    @property
    def is_lost(self) -> bool:
        return self._is_lost

    def take(self) -> None:
        """Lead from now on. Does nothing when it leads already.

        Raises NotLeadingError while another Conductor leads, StoreError when the lease cannot be read or written.
        """
        with self._lock:
            if self._lease is not None:
                return
            now = self._clock.now()
            before = self._store.lease()
            if before is not None and before.expires_at > now and not self._is_alone:
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
                changes += nodes.missed(self._store, before.holder, self._node, now)
            changes += nodes.checked_in(self._store, self._node, self._facts, now)
            self._store.commit(changes)
            self._lease = lease
        _log.info("conductor.leads", node=self._node, epoch=lease.epoch)

    def keep(self) -> None:
        """Renew the lease when it is time to. Never raises: a store that is away may be back before it runs out."""
        with self._lock:
            lease, now = self._lease, self._clock.now()
            if lease is None or self._is_lost or now - lease.renewed_at < RENEW_S:
                return
            renewed = Lease(holder=lease.holder, epoch=lease.epoch, renewed_at=now, expires_at=Instant(now + LEASE_S))
            try:
                self._store.commit([SaveLease(lease=renewed)])
            except LeaseLostError:
                self._lose()
            except StoreError as error:
                _log.warning("lease.not_renewed", reason=str(error))
            else:
                self._lease = renewed

    def check(self) -> None:
        """Raise TransientError unless a call that begins now will have ended before anybody else can lead."""
        lease = self._lease
        if self._is_lost or (lease is not None and self._clock.now() + CALL_S > lease.expires_at):
            raise TransientError("this Conductor does not surely lead, so the call was not made", code="NotLeading")

    def release(self) -> None:
        """Let somebody else lead at once. Never raises."""
        with self._lock:
            lease, now = self._lease, self._clock.now()
            if lease is None or self._is_lost:
                return
            over = Lease(holder=lease.holder, epoch=lease.epoch, renewed_at=now, expires_at=now)
            try:
                self._store.commit([SaveLease(lease=over), *nodes.left(self._store, self._node, now)])
            except StoreError as error:
                _log.warning("lease.not_released", reason=str(error))

    def fence(self, changes: Sequence[StoreChange]) -> Sequence[StoreChange]:
        """The changes, on the condition that the lease is still ours."""
        return changes if self._lease is None else (ExpectLease(epoch=self._lease.epoch), *changes)

    def fenced(self) -> Store:
        """The store as it is to be used by everything of this Conductor."""
        return cast(Store, _FencedStore(self._store, self))

    def lost(self) -> None:
        """Somebody else has taken the lease."""
        with self._lock:
            self._lose()

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
