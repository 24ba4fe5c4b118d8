"""The faults of the cloud: scripted, call by call, or by chance from a seed.

    faults.script(Fault(Failure.LOST, "CreateSubnet"), Fault(Failure.THROTTLED, "Describe*", count=3))
    faults.by_chance(0.1, Failure.LOST, Failure.BUSY, actions="Create*", seed=7)

A script is asked first, in its order; each of its faults happens `count` times, after `skip` fitting calls.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase

from tenuto_testing.cloud.world import Data


class Failure(Enum):
    """The fate of one call."""

    LOST = "it is carried out, and its answer is lost"
    CUT = "it is carried out, and half of its answer arrives"
    DONE_BUT_BUSY = "it is carried out, and answered with a 500 of AWS"
    TWICE = "it arrives twice and is carried out twice, and the first answer is given"
    REFUSED = "the connection ends before it is read"
    THROTTLED = "it is refused for being one too many"
    BUSY = "it is refused with a 500 of AWS"
    BROKEN = "it is refused with a 502 that has no word of AWS"
    DENIED = "it is refused for lack of permission"
    IGNORED = "it is accepted and not carried out, where it changes what there is"
    SLOW = "its answer takes its time"

    @property
    def is_carried_out(self) -> bool:
        return self in (
            Failure.LOST,
            Failure.CUT,
            Failure.DONE_BUT_BUSY,
            Failure.TWICE,
            Failure.IGNORED,
            Failure.SLOW,
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of a script. `actions` is a pattern of action names (`Create*`), `service` one service or `*`."""

    failure: Failure
    actions: str = "*"
    count: int = 1
    skip: int = 0
    service: str = "*"
    seconds: float = 2.0
    """How long a slow answer takes."""
    about: str = ""
    """The text that the parameters of a call must name; empty for any call."""

    def fits(self, service: str, action: str, parameters: Data) -> bool:
        is_meant = not self.about or any(self.about in str(value) for value in parameters.values())
        is_named = any(fnmatchcase(action, one) for one in self.actions.split())
        return is_meant and is_named and self.service in ("*", service)


@dataclass(slots=True, kw_only=True)
class _Line:
    fault: Fault
    skip: int
    left: int


class Faults:
    """The faults to come. `happened` counts those that happened, by failure and action."""

    def __init__(self) -> None:
        self.happened: Counter[tuple[Failure, str]] = Counter()
        self._script: list[_Line] = []
        self._share = 0.0
        self._failures: Sequence[Failure] = ()
        self._pattern = Fault(Failure.LOST)
        self._chance = random.Random(0)

    def script(self, *faults: Fault) -> None:
        """Add faults to the script."""
        self._script += [_Line(fault=fault, skip=fault.skip, left=fault.count) for fault in faults]

    def by_chance(
        self, share: float, *failures: Failure, actions: str = "*", service: str = "*", seed: int = 0
    ) -> None:
        """Let each fitting call fail with this probability, in one of these ways. Replaces an earlier chance."""
        self._share, self._failures = share, failures
        self._pattern = Fault(Failure.LOST, actions, service=service)
        self._chance = random.Random(seed)

    def stop(self) -> None:
        """Nothing goes wrong any more."""
        self._script.clear()
        self._share = 0.0

    def next(self, service: str, action: str, parameters: Data) -> Fault | None:
        """The fault of this call, if it has one."""
        fault = self._scripted(service, action, parameters) or self._chanced(service, action, parameters)
        if fault is not None:
            self.happened[fault.failure, action] += 1
        return fault

    def _scripted(self, service: str, action: str, parameters: Data) -> Fault | None:
        for line in self._script:
            if not line.fault.fits(service, action, parameters):
                continue
            if line.skip:
                line.skip -= 1
                continue
            line.left -= 1
            if not line.left:
                self._script.remove(line)
            return line.fault
        return None

    def _chanced(self, service: str, action: str, parameters: Data) -> Fault | None:
        if (
            not self._share
            or not self._pattern.fits(service, action, parameters)
            or self._chance.random() >= self._share
        ):
            return None
        return Fault(self._chance.choice(self._failures))
