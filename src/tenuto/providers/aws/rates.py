"""The rate ledger of one account and region: how many calls a second we allow ourselves, per service and kind of call.

AWS limits each account by token buckets. Ours are smaller, so that one Conductor never uses up what people and other
tools in the account need; when AWS throttles us all the same, the bucket is emptied and everybody behind the door
slows down.
"""

import threading
from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A bucket: calls a second in the long run, and how many at once after a pause."""

    per_second: float
    burst: float


READS = Rate(per_second=20.0, burst=200.0)
"""EC2 allows 20 a second for most Describe calls (bucket of 100); IAM and S3 allow more."""
CHANGES = Rate(per_second=10.0, burst=100.0)
"""EC2 allows 5 to 10 a second for most changing calls (bucket of 50 to 200)."""


class RateLedger:
    """The buckets of one door. Thread-safe; never waits itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._levels: dict[tuple[str, bool], tuple[float, Instant]] = {}

    def take(self, service: str, now: Instant, *, is_change: bool) -> float:
        """Take one token; the seconds to wait before the call may be made."""
        rate = CHANGES if is_change else READS
        with self._lock:
            level, since = self._levels.get((service, is_change), (rate.burst, now))
            level = min(rate.burst, level + (now - since) * rate.per_second) - 1.0
            self._levels[service, is_change] = (level, now)
            return max(0.0, -level / rate.per_second)

    def drain(self, service: str, now: Instant, *, is_change: bool) -> None:
        """AWS throttled us: let the bucket fill from nothing."""
        with self._lock:
            level, _ = self._levels.get((service, is_change), (0.0, now))
            self._levels[service, is_change] = (min(level, 0.0), now)
