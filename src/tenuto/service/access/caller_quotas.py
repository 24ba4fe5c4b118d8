"""`CallerQuotas` compares the recent requests of each caller with the quotas.

Everything is in memory: a quota protects the threads and the processor of one Conductor, and ends with it. A refusal is
a number in the metrics, and a line of the log once a minute with the name of the caller; it is no event and no line of
the audit, for a caller who asks too much would write them.

The Conductor's own work has no quota: no requests of callers slow it down.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import structlog

from tenuto.core.pacing.quotas import DEFAULT_QUOTAS, asked, forgettable, network_of, rate_of, retry_after
from tenuto.errors import TooManyError
from tenuto.kit.metrics import Meter
from tenuto.kit.sparse import Sparse
from tenuto.model.metrics import REFUSED
from tenuto.model.quotas import Quota, Quotas
from tenuto.model.rate import Bucket
from tenuto.model.web_session import WebSession
from tenuto.ports.clock import Clock
from tenuto.service.access.callers import Caller

MOST_BUCKETS = 10_000
"""A bucket takes some two hundred bytes."""
BUSY_S = 1.0
"""Seconds to wait for the end of one of one's own requests: nearly every one ends within a second."""
STREAM_S = 15.0
_LOG_EVERY_S = 60.0

_log = structlog.get_logger("tenuto.api")


def of_caller(caller: Caller) -> str:
    """The name under which the requests of a caller to the API count: all secrets of a user together."""
    return caller.name


def of_session(session: WebSession) -> str:
    """The name under which the requests of a browser count. A script of its user does not slow it down."""
    return f"{session.user} (session {session.digest[:8]})"


class CallerQuotas:
    """The quotas of all callers. Thread-safe; nothing here waits."""

    def __init__(self, *, clock: Clock, meter: Meter, quotas: Quotas = DEFAULT_QUOTAS) -> None:
        self._clock = clock
        self._meter = meter
        self._quotas = quotas
        self._lock = threading.Lock()
        self._buckets: dict[Quota, dict[str, Bucket]] = {Quota.REQUESTS: {}, Quota.ADDRESS: {}}
        self._held: Counter[tuple[Quota, str]] = Counter()
        self._refused = Sparse(_LOG_EVERY_S)
        for quota in Quota:
            meter.begin(REFUSED, quota.value)

    def check_request(self, who: str) -> None:
        """Count a request of a caller who is known. Raises TooManyError."""
        self._take(Quota.REQUESTS, who, f"{who} sends more requests than {{most}} a second")

    def check_address(self, address: str) -> None:
        """Count a request without a valid secret. Raises TooManyError."""
        found = network_of(address)
        self._take(Quota.ADDRESS, found, f"{found} sends more requests without a valid secret than {{most}} a second")

    @contextmanager
    def answering(self, who: str) -> Iterator[None]:
        """Count a request while it is answered. Raises TooManyError."""
        self._begin(Quota.CONCURRENT, who, f"{{most}} requests of {who} are being answered", BUSY_S)
        try:
            yield
        finally:
            self._end(Quota.CONCURRENT, who)

    @contextmanager
    def planning(self, who: str) -> Iterator[None]:
        """Count a plan while it is made for a question. Raises TooManyError."""
        self._begin(Quota.PLANS, who, f"{{most}} plans are being made for {who}", BUSY_S)
        try:
            yield
        finally:
            self._end(Quota.PLANS, who)

    def begin_stream(self, who: str) -> None:
        """Count a stream of events. Raises TooManyError; else `end_stream` must follow."""
        self._begin(Quota.STREAMS, who, f"{who} has {{most}} streams of events open", STREAM_S)

    def end_stream(self, who: str) -> None:
        """The stream is over."""
        self._end(Quota.STREAMS, who)

    def refused(self, quota: Quota, who: str) -> None:
        """Record the refusal of a caller."""
        self._meter.count(REFUSED, quota.value)
        with self._lock:
            count = self._refused.count(self._clock.now())
        if count:
            hint = "the metrics count all of them; see the limits of callers in the documentation"
            _log.warning("api.too_many", limit=quota.value, caller=who, refused=count, hint=hint)

    def _take(self, quota: Quota, who: str, words: str) -> None:
        most = self._quotas.get(quota)
        if most is None:
            return
        rate, buckets = rate_of(most), self._buckets[quota]
        with self._lock:
            now = self._clock.now()
            if who not in buckets and len(buckets) >= MOST_BUCKETS:
                for name in forgettable(buckets, rate, now, MOST_BUCKETS // 2):
                    del buckets[name]
            answer = asked(buckets.get(who), rate, now)
            buckets[who] = answer.bucket
        if answer.wait_s > 0:
            self._refuse(quota, who, words, most, answer.wait_s)

    def _begin(self, quota: Quota, who: str, words: str, wait_s: float) -> None:
        most = self._quotas.get(quota)
        with self._lock:
            is_admitted = most is None or self._held[quota, who] < most
            if is_admitted:
                self._held[quota, who] += 1
        if most is not None and not is_admitted:
            self._refuse(quota, who, words, most, wait_s)

    def _end(self, quota: Quota, who: str) -> None:
        with self._lock:
            self._held[quota, who] -= 1
            if not self._held[quota, who]:
                del self._held[quota, who]

    def _refuse(self, quota: Quota, who: str, words: str, most: float, wait_s: float) -> None:
        self.refused(quota, who)
        seconds = retry_after(wait_s)
        raise TooManyError(
            f"{words.format(most=f'{most:g}')}, and the limit '{quota}' allows no more. Nothing was done. Wait "
            f"{seconds} s, then try again.",
            limit=quota.value,
            retry_after_s=seconds,
        )
