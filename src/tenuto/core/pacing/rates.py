"""The arithmetic of token buckets that learn.

Theory of operation. A bucket fills at its rate times its pace, up to its burst, and a call takes one token out. Missing
tokens are a debt, and a caller that runs into it waits until it is paid: so callers queue up without a queue. When the
provider throttles us all the same, others use the account too: the pace is halved, at most once a second, since the
calls that were in flight together are refused together. From then on the pace grows back slowly and evenly. (Halve at
once, recover by small steps: that is how programs that share a line come to share it fairly.)

Rejected: to measure the rate at which the provider really lets calls through. It changes with the calls of others, and
to know it one has to be throttled all the time.
"""

from dataclasses import replace

from tenuto.model.ids import Instant
from tenuto.model.rate import Bucket, Rate

SLOWEST = 0.1
"""The share of a published rate to which a bucket may fall: even an account that is used up by others lets a call
through now and then, and one must be tried. A lower one would let some stray refusals stop a Conductor."""
LEAST_PER_S = 0.15
"""The rate, one call in seven seconds, to which the bucket of an endpoint may fall whose rate is not known: it can be
far slower than was thought, and a sweep of many calls ends only when most of them are let through."""
RECOVERY_PER_S = 1.0 / 300.0
"""The recovery in a second, from standstill to full speed in five minutes: most other users of an account are scripts
that end sooner."""
DEAF_S = 1.0
"""Calls that were sent within the same second are refused together, and that is one refusal."""
LEAST_BURST = 1.0
_LEAST_AHEAD = 4.0
_ROUNDING = 1e-6


def share_of(rate: Rate, share: float) -> Rate:
    """The part of a rate that we allow ourselves; at least one call at a time."""
    return replace(rate, burst=max(LEAST_BURST, rate.burst * share), per_second=rate.per_second * share)


def full(rate: Rate, now: Instant) -> Bucket:
    """A bucket from which no token was taken."""
    return Bucket(level=rate.burst, at=now)


def believed(bucket: Bucket, now: Instant) -> Bucket:
    """A bucket as it is read from a store. A bucket that was kept by a clock that was ahead fills from now on."""
    return replace(bucket, at=min(bucket.at, now))


def least_s(calls: int, rate: Rate) -> float:
    """Return how long so many calls take at least, from a full bucket."""
    return max(0.0, (calls - rate.burst) / rate.per_second)


def filled(bucket: Bucket, rate: Rate, now: Instant) -> Bucket:
    """The bucket at a later moment. An earlier one changes nothing: a clock that was set back gives no tokens."""
    seconds = max(0.0, now - bucket.at)
    return replace(
        bucket,
        level=min(rate.burst, bucket.level + seconds * rate.per_second * bucket.pace),
        at=max(now, bucket.at),
        pace=min(1.0, bucket.pace + seconds * RECOVERY_PER_S),
    )


def wait_s(bucket: Bucket, rate: Rate, tokens: float = 1.0) -> float:
    """Return how long a call made now has to wait for its tokens. One that takes more than there can be waits for a
    full bucket, and leaves a debt.
    """
    return max(0.0, (min(tokens, rate.burst) - bucket.level) / (rate.per_second * bucket.pace))


def taken(bucket: Bucket, tokens: float = 1.0) -> Bucket:
    """Return the bucket with so many tokens less."""
    return replace(bucket, level=bucket.level - tokens)


def slowed(bucket: Bucket, rate: Rate, now: Instant) -> Bucket:
    """The provider has throttled a call: nothing is left, and it fills at half the pace from now on."""
    found = filled(bucket, rate, now)
    emptied = replace(found, level=min(0.0, found.level))
    if found.slowed_at is not None and found.at - found.slowed_at < DEAF_S:
        return emptied
    return replace(emptied, pace=max(_slowest(rate), found.pace / 2), slowed_at=found.at)


def _slowest(rate: Rate) -> float:
    return min(SLOWEST, LEAST_PER_S / rate.per_second) if rate.is_guessed else SLOWEST


def promises_too_much(kept: Bucket, bucket: Bucket, rate: Rate) -> bool:
    """Whether a reader of only the kept bucket would believe in more tokens than there are, or in a higher pace."""
    found = filled(kept, rate, bucket.at)
    return found.level > bucket.level or found.pace > bucket.pace + _ROUNDING


def is_nearly_used_up(kept: Bucket, bucket: Bucket, rate: Rate) -> bool:
    """Whether less than a quarter is left of the tokens that were written off: time to write again, before a call must
    wait for it. Where so little is written off that it would be written for each call, nothing is done ahead.
    """
    reserve = _reserve(rate)
    return reserve >= _LEAST_AHEAD and bucket.level - filled(kept, rate, bucket.at).level < reserve / 4


def written_off(bucket: Bucket, rate: Rate) -> Bucket:
    """The bucket to keep: a quarter of the burst less than there is, so that not every call is a write."""
    return replace(bucket, level=bucket.level - _reserve(rate), slowed_at=None)


def _reserve(rate: Rate) -> float:
    return max(1.0, rate.burst / 4)
