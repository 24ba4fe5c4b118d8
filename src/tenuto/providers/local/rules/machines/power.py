"""The power of machines by command: the power that each word leads to, and the refusals.

Theory of operation. `PowerState` says how a machine is to be, and its process holds that. A command changes the same
thing, so the two could pull at a machine for ever. They do not: a command that would differ from the value that the
process holds is refused, with the ways to do it. Where the process holds nothing now (it is suspended, its enforcement
is off, or its composition ignores the property), the command is carried out once, and is drift from then on: the next
plan that holds the machine again sets it right.
"""

from dataclasses import dataclass

ON, OFF, PAUSED = "on", "off", "paused"
POWER_WORDS = {"on": ON, "off": OFF, "pause": PAUSED, "unpause": ON}
"""The words of the command, and the power that each leads to."""
PROPERTY = "PowerState"


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Turn the machine on or off, or pause and resume it."""

    word: str

    @property
    def target(self) -> str:
        return POWER_WORDS[self.word]


def is_running(power: str) -> bool:
    """Whether a machine of this power has a program that runs, or stands still."""
    return power in (ON, PAUSED)


def refused_power(word: str, power: str) -> str:
    """The reason why a machine of this power cannot be paused or go on; empty when the word can be followed."""
    if word in ("pause", "unpause") and not is_running(power):
        return f"its machine is {power}: only one that runs can be paused, or go on"
    return ""


def was_powered(word: str, declared: str) -> dict[str, str]:
    """The result of a power command: the power of the machine now, and the declared one."""
    return {PROPERTY: POWER_WORDS[word], "Declared": declared}
