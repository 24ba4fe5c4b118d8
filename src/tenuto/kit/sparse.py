"""`Sparse`: an event that is logged at most once in an interval, however often it happens.

A fault that repeats a thousand times a second must not fill the disk with its log. The events in between are counted,
and the next line that is logged tells how many they were.
"""


class Sparse:
    """The caller gives the time, in seconds of any clock that does not go back."""

    def __init__(self, interval_s: float) -> None:
        self._interval_s = interval_s
        self._logged_at: float | None = None
        self._count = 0

    def count(self, now: float) -> int:
        """Count one event. Returns how many to tell of in a line that is due now, this one included; 0: no line."""
        self._count += 1
        if self._logged_at is not None and now - self._logged_at < self._interval_s:
            return 0
        told, self._count, self._logged_at = self._count, 0, now
        return told
