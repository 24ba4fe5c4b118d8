"""The rate ledger: what every door of the Conductor takes a token from before it calls AWS.

Theory of operation. One ledger serves all accounts, regions and services, so that what one process uses up, another
does not try to use again. It allows itself a share of what AWS allows the account: the rest is for people, pipelines
and other tools. What is left survives the Conductor: a crash must not be a way to spend a bucket twice. To write every
token down would cost a commit for every call; so some are written off in advance, and the file is written again when
they are used up. What is stored is therefore never more than what there is (`core.rates.promises_too_much`).

At an endpoint that is not Amazon's (an emulator, a proxy) the published figures mean nothing. They count there only
when somebody set a share; else calls are not held back until the endpoint throttles one.
"""

import threading
from collections.abc import Sequence
from typing import Protocol

import structlog

from tenuto.core import rates
from tenuto.errors import StoreError
from tenuto.model.ids import Instant
from tenuto.model.rate import Api, Bucket, Rate
from tenuto.ports.store_changes import SaveRates, StoreChange
from tenuto.ports.store_reads import RateReads

SHARE = 0.6
"""Of what AWS allows: enough to hold ten thousand resources, and nobody else in the account notices us."""
UNKNOWN = Rate(burst=5000.0, per_second=1000.0)
"""For an endpoint of which nothing is known: above what one Conductor can do, and low enough to be halved to a use."""

_log = structlog.get_logger(__name__)


class Keeper(RateReads, Protocol):
    """The part of a store in which the ledger is kept."""

    def commit(self, changes: Sequence[StoreChange]) -> None: ...


class RateLedger:
    """All buckets of one Conductor. Thread-safe; never waits itself."""

    def __init__(self, keeper: Keeper | None = None, share: float | None = None) -> None:
        """Without a keeper nothing outlives the ledger. Raises StoreError when it cannot be read."""
        self._keeper = keeper
        self._share = share
        self._lock = threading.Lock()
        self._kept: dict[Api, Bucket] = dict(keeper.rates()) if keeper is not None else {}
        self._buckets: dict[Api, Bucket] = {}
        self._promised: dict[Api, Instant] = {}
        """When the last call that was told to wait is to go."""

    def rate(self, published: Rate, *, is_amazon: bool) -> Rate:
        """What we allow ourselves of a rate that AWS publishes."""
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
            if wait <= longest_s:
                self._put(api, rates.taken(bucket, tokens), rate)
                self._promised[api] = Instant(now + wait)
            return wait

    def slow(self, api: Api, rate: Rate, now: Instant) -> None:
        """The provider has throttled a call that had a token."""
        with self._lock:
            bucket = rates.slowed(self._at(api, rate, now), rate, now)
            self._put(api, bucket, rate)
        _log.info("rate.slowed", api=api.name, partition=str(api.partition), pace=round(bucket.pace, 3))

    def _at(self, api: Api, rate: Rate, now: Instant) -> Bucket:
        if api in self._buckets:
            return rates.filled(self._buckets[api], rate, now)
        if api in self._kept:
            self._kept[api] = rates.believed(self._kept[api], now)
            return rates.filled(self._kept[api], rate, now)
        return rates.full(rate, now)

    def _put(self, api: Api, bucket: Bucket, rate: Rate) -> None:
        self._buckets[api] = bucket
        kept = self._kept.get(api)
        if self._keeper is None or (kept is not None and not rates.promises_too_much(kept, bucket, rate)):
            return
        less = rates.written_off(bucket, rate)
        try:
            self._keeper.commit([SaveRates(buckets={api: less})])
        except StoreError as error:
            # The ledger guards an account from haste; to stop everything for it would be worse. The next call tries
            # again.
            _log.warning("rate.not_kept", api=api.name, reason=str(error))
        else:
            self._kept[api] = less
