"""The rate ledger: every client of the Conductor takes a token from it before it calls AWS.

Theory of operation. One ledger serves all accounts, regions and services, so that a token that one process uses up is
not used again by another. It allows itself a share of the rate that AWS allows the account: the rest is for people,
pipelines and other tools. The remaining tokens survive the Conductor: a crash must not be a way to spend a bucket
twice. To write every token down would cost a commit for every call; so some are written off in advance, and the file is
written again when they are nearly used up. The stored number is therefore never more than the real one
(`core.pacing.rates.promises_too_much`).

The lock is held for arithmetic only. A caller that finds that the file must be written takes its tokens, lets go of the
lock, and writes; until that is on the disk its call is not made. Others go on meanwhile: those of other APIs always,
those of the same API as long as the stored number already covers them. When it does not, they wait for the write that
is under way, and one of them writes for all. There is one write for an API at a time, so none can undo a later one.

At an endpoint that is not Amazon's (an emulator, a proxy) the published figures mean nothing. They count there only
when a user set a share; else calls are not held back until the endpoint throttles one.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from tenuto.core.pacing import rates
from tenuto.errors import StoreError
from tenuto.model.ids import Instant
from tenuto.model.rate import Api, Bucket, Rate
from tenuto.ports.store_changes import SaveRates, StoreChange
from tenuto.ports.store_reads import RateReads

SHARE = 0.6
"""The share of the rate that AWS allows: enough to hold ten thousand resources, and no other user of the account
notices us."""
UNKNOWN = Rate(burst=5000.0, per_second=1000.0, is_guessed=True)
"""The rate of an endpoint of which nothing is known: above the rate of one Conductor, and low enough for a halving to
have an effect."""

_log = structlog.get_logger(__name__)


class Keeper(RateReads, Protocol):
    """The part of a store in which the ledger is kept."""

    def commit(self, changes: Sequence[StoreChange]) -> None: ...


@dataclass(slots=True)
class _Write:
    """A bucket on its way to the disk."""

    bucket: Bucket
    is_done: bool = False
    has_failed: bool = True


class RateLedger:
    """The buckets of all APIs that one Conductor calls. Thread-safe; waits for its own writes, and for nothing else."""

    def __init__(self, keeper: Keeper | None = None, share: float | None = None) -> None:
        """Read the stored buckets. Without a keeper nothing outlives the ledger. Raises StoreError when they cannot be
        read.
        """
        self._keeper = keeper
        self._share = share
        self._lock = threading.Condition()
        """Guards all below. Never held while the store is asked."""
        self._kept: dict[Api, Bucket] = dict(keeper.rates()) if keeper is not None else {}
        self._buckets: dict[Api, Bucket] = {}
        self._promised: dict[Api, Instant] = {}
        """The moment when the last call that was told to wait is to go."""
        self._writes: dict[Api, _Write] = {}

    def rate(self, published: Rate, *, is_amazon: bool) -> Rate:
        """The rate that we allow ourselves of a rate that AWS publishes."""
        if not is_amazon and self._share is None:
            return UNKNOWN
        return rates.share_of(published, SHARE if self._share is None else self._share)

    def take(self, api: Api, rate: Rate, now: Instant, longest_s: float, tokens: float = 1.0) -> float:
        """Take tokens, and say for how many seconds the call must wait. None is taken when these are more than
        `longest_s`: then the caller comes again.
        """
        with self._lock:
            bucket = self._at(api, rate, now)
            # A pace that has grown meanwhile must not bring a caller too near to those that are told to wait already.
            last = self._promised.get(api, now)
            behind = last - now + min(tokens, rate.burst) / rate.per_second if last > now else 0.0
            wait = max(rates.wait_s(bucket, rate, tokens), behind)
            if wait > longest_s:
                return wait
            self._buckets[api] = rates.taken(bucket, tokens)
            self._promised[api] = Instant(now + wait)
        self._keep(api, rate)
        return wait

    def slow(self, api: Api, rate: Rate, now: Instant) -> None:
        """The provider has throttled a call that had a token."""
        with self._lock:
            bucket = self._buckets[api] = rates.slowed(self._at(api, rate, now), rate, now)
        self._keep(api, rate)
        _log.info("rate.slowed", api=api.name, partition=str(api.partition), pace=round(bucket.pace, 3))

    def _at(self, api: Api, rate: Rate, now: Instant) -> Bucket:
        if api in self._buckets:
            return rates.filled(self._buckets[api], rate, now)
        if api in self._kept:
            self._kept[api] = rates.believed(self._kept[api], now)
            return rates.filled(self._kept[api], rate, now)
        return rates.full(rate, now)

    def _keep(self, api: Api, rate: Rate) -> None:
        """Return when the stored number of the bucket's tokens is no more than the real one, or when it cannot be
        written.
        """
        keeper = self._keeper
        if keeper is None:
            return
        is_kept = True
        while is_kept and (write := self._begun(api, rate)) is not None:
            is_kept = self._finished(keeper, api, write)

    def _begun(self, api: Api, rate: Rate) -> _Write | None:
        """The write that this thread has to make; None when none is needed, or when the one for all has failed."""
        with self._lock:
            while True:
                bucket, kept, other = self._buckets[api], self._kept.get(api), self._writes.get(api)
                is_covered = kept is not None and not rates.promises_too_much(kept, bucket, rate)
                is_enough = kept is not None and (other or not rates.is_nearly_used_up(kept, bucket, rate))
                if is_covered and is_enough:
                    return None
                if other is None:
                    self._writes[api] = _Write(bucket=rates.written_off(bucket, rate))
                    return self._writes[api]
                while not other.is_done:
                    self._lock.wait()
                if other.has_failed:
                    return None

    def _finished(self, keeper: Keeper, api: Api, write: _Write) -> bool:
        """Write, and let those go on who wait for it. Whether it is on the disk."""
        try:
            keeper.commit([SaveRates(buckets={api: write.bucket})])
            write.has_failed = False
        except StoreError as error:
            # The ledger guards an account from haste; to stop everything for it would be worse. The next call tries
            # again.
            _log.warning("rate.not_kept", api=api.name, reason=str(error))
        finally:
            with self._lock:
                if not write.has_failed:
                    self._kept[api] = write.bucket
                write.is_done = True
                del self._writes[api]
                self._lock.notify_all()
        return not write.has_failed
