"""`Sparse` decides when an event that repeats is logged: at most once in an interval.

A fault that repeats a thousand times a second must not fill the disk with its log. The events in between are counted,
and the next line that is logged tells how many they were.
"""


class Sparse:
    """The counter of one event. The caller gives the time, in seconds of any clock that does not go back."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._logged_at: float | None = None
        self._count = 0

    def count(self, now: float) -> int:
        """The counter counts one event. Returns how many a line that is due now stands for; 0: no line is due."""
        self._count += 1
        if self._logged_at is not None and now - self._logged_at < self._interval_s:
            return 0
        told, self._count, self._logged_at = self._count, 0, now
        return told
