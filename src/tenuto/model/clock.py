"""A step of the system clock."""

from dataclasses import dataclass

from tenuto.model.ids import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockStep:
    """The time after `at` was `at + seconds`: less than nothing is a step back."""

    at: Instant
    """The moment of the step, by the clock before it."""
    seconds: float
