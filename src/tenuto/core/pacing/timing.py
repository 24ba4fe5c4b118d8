"""The wait before another try: exponential, bounded, and spread without chance.

Jitter is needed so that a thousand throttled resources do not come back in one second. It is taken from a checksum of
the object's id instead of a random number, so that the same history always gives the same times.
"""

from zlib import crc32

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
