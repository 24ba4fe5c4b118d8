"""Deadlines of hosts: when one is missing, when it is lost, and until when its machines may run without being heard.

Theory of operation. A host that says nothing for the deadline is missing: nothing new goes there, and nothing is
concluded about the things there. After ten times that it is lost, and its machines are given up. Before that, after
nine times, the host itself has ended those machines that are to be made elsewhere (its *lease*): each answer that it
gets from the Conductor renews the lease, counted from the moment at which the host asked. The Conductor counts from the
moment at which it heard that question, which is later. So a machine has ended before another one begins, however far
apart their clocks are, as long as seconds are equally long on both sides: the tenth part of the wait is for the
inexactness of these clocks, and for the end of the machines.

The Conductor may itself be cut off from every host. So a host is lost only for a Conductor that has the majority: it
has a vote, and each host that is not deleted or shut down has one. A host that answers votes for the Conductor.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.lifecycles.node import GIVEN_UP, LEAVING, LEFT, MISSED, NODE, SHUT_DOWN

LOST = 10
"""The deadlines after which a host is lost (specification: object state machines)."""
LEASE = 9
"""The deadlines for which a host may hold its machines without an answer."""
POLLS = 3
"""The calls of a host within a deadline, at least: one may get lost on its way."""
LONGEST_POLL_S = 15.0
LONGEST_SILENCE_S = 20.0
"""Seconds without a call after which a host cannot be asked, however long its deadline is."""
DEFAULT_S = 120.0

_VOTERS = frozenset({NODE.ready, LEAVING, MISSED, GIVEN_UP})


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """The times that follow from one deadline, in seconds."""

    missing_s: float = DEFAULT_S

    @property
    def lost_s(self) -> float:
        return LOST * self.missing_s

    @property
    def lease_s(self) -> float:
        return LEASE * self.missing_s

    @property
    def poll_s(self) -> float:
        """The longest wait of a call for news."""
        return min(LONGEST_POLL_S, self.missing_s / POLLS)

    @property
    def silent_s(self) -> float:
        """The silence after which a host cannot be asked."""
        return min(LONGEST_SILENCE_S, self.missing_s)

    @property
    def tick_s(self) -> float:
        """The time between two checks of all hosts."""
        return min(5.0, self.missing_s / 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """The presence of a host at this moment.

    `silent_s` counts from its last call, or from the moment at which the Conductor began to listen; the later of both
    counts. `is_heard` says that it has called since then, and `heard_s` how long ago its last call was, also one before
    that: None for a host that this Conductor has never heard. `has_left` that its agent said that it ends, and
    `is_leaving` that it was told to. The rest is told by the agent of the host.
    """

    name: str
    silent_s: float
    is_heard: bool
    heard_s: float | None = None
    has_left: bool = False
    is_leaving: bool = False
    driver: str = ""
    address: str = ""
    cores: int = 0
    memory_mib: int = 0
    disk_gib: int | None = None
    version: str = ""
    run: str = ""
    """The name of this start of its agent; empty for one of before, which tells none."""
    abilities: tuple[str, ...] = ()
    accelerator: str = ""
    troubles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The states that a host walks through now, and why; none when it stays."""

    states: tuple[str, ...] = ()
    reason: str = ""


def judge(state: str, presence: Presence, deadlines: Deadlines, *, has_majority: bool) -> Judgement:
    """Say where a host goes from a state."""
    if state == NODE.gone:
        return Judgement()
    if presence.has_left:
        way: dict[str, tuple[str, ...]] = {LEFT: (), LEAVING: (LEFT,), NODE.ready: SHUT_DOWN}
        return Judgement(states=way.get(state, (NODE.ready, *SHUT_DOWN)), reason="its agent has ended")
    if presence.is_heard and presence.silent_s <= deadlines.missing_s:
        stays = state == NODE.ready or (state == LEAVING and presence.is_leaving)
        return Judgement() if stays else Judgement(states=(NODE.ready,), reason="checked in again")
    if presence.silent_s > deadlines.lost_s and has_majority and state in (NODE.ready, MISSED, LEAVING):
        way_there: tuple[str, ...] = (MISSED, GIVEN_UP) if state == NODE.ready else (GIVEN_UP,)
        return Judgement(states=way_there, reason=f"did not check in for {deadlines.lost_s:g} s: it counts as lost")
    if presence.silent_s > deadlines.missing_s and state == NODE.ready:
        return Judgement(states=(MISSED,), reason=f"did not check in for {deadlines.missing_s:g} s")
    return Judgement()


def has_majority(hosts: Iterable[tuple[str, Presence]], deadlines: Deadlines) -> bool:
    """Whether the Conductor, with the hosts that it hears, is more than half of all."""
    voters = [one for state, one in hosts if state in _VOTERS]
    heard = sum(one.is_heard and one.silent_s <= deadlines.missing_s for one in voters)
    return 2 * (1 + heard) > 1 + len(voters)
