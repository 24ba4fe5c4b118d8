"""The cadence says when a process is due, and which due process comes first, and when a failed try is repeated.

Theory of operation. Everything that waits has a moment since which it has been due, and an urgency. An urgency is worth
a head start: a command counts as if it had been waiting a minute longer than it has, a repair ten seconds. The one that
has waited longest by that measure goes first. So a command overtakes routine, but only routine that became due less
than a minute before it: waiting makes everything urgent in the end, and no number of commands can starve a repair.

Routine keeps time by one beat: every job that had nothing to do is followed by one at the next whole period, in every
process. So all of them are due at the same moments and go by the same sweeps. Each with a time of its own had its
sweeps to itself, or had to go by old ones. None waits longer than a period for it.

Rejected: one queue for each urgency. However many commands there are, all of them would come before the first repair.

The wait before another try is exponential, bounded, and spread without chance. Jitter is needed so that a thousand
throttled resources do not come back in one second. It is taken from a checksum of the object's id instead of a random
number, so that the same history always gives the same times.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from zlib import crc32

from tenuto.model.ids import Fid, Instant

FIRST_S = 1.0
LONGEST_S = 60.0
"""A fault that lasts longer than a minute is tried once a minute: often enough, and cheap."""
LONGEST_NOTICE_S = 600.0
"""Between two tries of a notification. A receiver that was away is told within ten minutes of its return."""
_SPREAD = 0.25


def backoff_s(attempt: int, key: str, *, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> float:
    """Seconds to wait after `attempt` (1, 2, …) failed attempts, within a quarter of the doubled time either way."""
    base = min(longest_s, first_s * 2.0 ** min(attempt - 1, 16))
    fraction = crc32(f"{key}:{attempt}".encode()) / 0xFFFFFFFF
    return float(base * (1 - _SPREAD + 2 * _SPREAD * fraction))


def longest_backoff_s(longest_s: float = LONGEST_S) -> float:
    """The most that `backoff_s` asks to wait."""
    return longest_s * (1 + _SPREAD)


class Urgency(Enum):
    """The purpose of the next pass over a process, as far as it is known."""

    COMMAND = "command"
    """A user waits for it."""
    REPAIR = "repair"
    """Something is on its way, or was not as declared."""
    ROUTINE = "routine"


HEAD_START_S: Mapping[Urgency, float] = {Urgency.COMMAND: 60.0, Urgency.REPAIR: 10.0, Urgency.ROUTINE: 0.0}
"""Two periods for a command: a Conductor that is further behind has no time for favours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A process that is due since `at`."""

    fid: Fid
    at: Instant
    urgency: Urgency = Urgency.ROUTINE


Rank = tuple[float, Instant, Fid]


def rank(due: Due) -> Rank:
    """The order of work: the least rank goes first; of equals, the one that is due longer, and then by FID."""
    return due.at - HEAD_START_S[due.urgency], due.at, due.fid


def next_beat(now: Instant, period_s: float) -> Instant:
    """The next whole period since the beginning of time: at most `period_s` from now."""
    beat = Instant((now // period_s + 1) * period_s)
    return beat if beat > now else Instant(beat + period_s)


def more_urgent(one: Urgency, other: Urgency) -> Urgency:
    return one if HEAD_START_S[one] >= HEAD_START_S[other] else other
