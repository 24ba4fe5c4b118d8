"""The power of machines by command: the power that each word leads to, and the refusals.

Theory of operation. `PowerState` says how a machine is to be, and its process holds that. A command changes the same
thing, so the two could pull at a machine for ever. They do not: a command that would differ from the value that the
process holds is refused, with the ways to do it. Where the process holds nothing now (it is suspended, its enforcement
is off, or its composition ignores the property), the command is carried out once, and is drift from then on: the next
plan that holds the machine again sets it right.

`Restart` says which ends of a machine are set right, and the comparison and the host ask the same rule
(`is_left_off`). Without it in both, an order that changes a tag would start a machine that its guest has turned off.
"""

from dataclasses import dataclass

from tenuto.model.ids import JsonMap, ObjectId

ON, OFF, PAUSED = "on", "off", "paused"
POWER_WORDS = {"on": ON, "off": OFF, "pause": PAUSED, "unpause": ON}
"""The words of the command, and the power that each leads to."""
PROPERTY = "PowerState"
RESTART = "Restart"
AGENT_STATE = "AgentState"
"""The attribute of a virtual machine that tells of its guest, or the power of one that is off."""
ON_FAILURE, ALWAYS, NEVER = "on-failure", "always", "never"
RESTARTS = (ON_FAILURE, ALWAYS, NEVER)
"""The values of `Restart`; the first one is that of absence."""
OFF_BY_GUEST = "off (the guest powered itself off)"
"""The power of a virtual machine that its guest has turned off."""
_ENDED = "off ("
"""The begin of the power of a machine that no order has turned off; the reason follows in brackets."""


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


def is_left_off(power: str, restart: str) -> bool:
    """Whether a machine that no order has turned off stays off, until an order or a command turns it on."""
    return (power == OFF_BY_GUEST and restart != ALWAYS) or (power.startswith(_ENDED) and restart == NEVER)


def told_left_off(object_id: ObjectId, power: str, restart: str) -> str:
    """The note about a machine that is left off: nothing of it differs, so no drift tells of it."""
    return (
        f"its machine is {power}, and stays so (Restart: {restart}). 'tenuto instance power {object_id} on' starts it"
    )


def real_power(properties: JsonMap, attributes: JsonMap) -> str:
    """The power of a machine as a sweep shows it. One that is left off shows the ordered power, so that it is no drift,
    and its real one as the state of its agent."""
    state = str(attributes.get(AGENT_STATE, ""))
    return state if state.startswith(OFF) else str(properties.get(PROPERTY, ON))


def refused_power(word: str, power: str) -> str:
    """The reason why a machine of this power cannot be paused or go on; empty when the word can be followed."""
    if word in ("pause", "unpause") and not is_running(power):
        return f"its machine is {power}: only one that runs can be paused, or go on"
    return ""


def was_powered(word: str, declared: str) -> dict[str, str]:
    """The result of a power command: the power of the machine now, and the declared one."""
    return {PROPERTY: POWER_WORDS[word], "Declared": declared}
