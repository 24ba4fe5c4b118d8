"""The state of the calls of one host: its orders, its reports, and its last observation.

Everything here is in memory. A Conductor that is started again knows nothing of it: agents register anew, and the
phases give their orders again. `hosts.lines` keeps the lines of all hosts under one lock.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.wire.messages import Observed, Order, Register, Report, Verb

FRESH_S = 3.0
"""Seconds for which an observation is good after it has come, and a host has for its first one."""
LONGEST_S = 15.0
"""Seconds that a host has for an observation at most: the sweep of its whole zone waits for it."""
KEPT_S = 60.0
"""Seconds for which a report waits for the phase that asked. A later phase is not told of an older order."""
REPLACED_RUNS = 8
"""Starts of an agent that are remembered after another one took its place: as many copies of its state are noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """An order with its report, which no phase has read yet."""

    order: Order
    problem: Problem | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An observation. `turn` is the number of reports before the question: one more report, and it may be old."""

    number: int
    asked_at: float
    turn: int
    things: tuple[Seen, ...]
    problem: str


@dataclass(slots=True, kw_only=True)
class Line:
    """One host. Times are those of a steady clock."""

    zone: str
    name: str
    registration: str = ""
    boot_id: str = ""
    heard_at: float = 0.0
    orders: dict[ObjectId, Order] = field(default_factory=dict)
    done: dict[ObjectId, Done] = field(default_factory=dict)
    turn: int = 0
    asked: int = 0
    asked_at: float = 0.0
    asked_turn: int = 0
    took_s: float = 0.0
    """The seconds that the last observation took."""
    shown: Shown | None = None
    wake: Callable[[], None] | None = None
    """The poll that waits for news."""
    held: set[ObjectId] = field(default_factory=set)
    """The things that the agent told to hold when it registered, or was ordered to make, and has not removed since."""
    version: str = ""
    run: str = ""
    """The start of the agent that has registered."""
    replaced_runs: tuple[str, ...] = ()
    """The last starts of agents that others have taken the place of."""
    abilities: tuple[str, ...] = ()
    accelerator: str = ""
    troubles: tuple[str, ...] = ()
    """The troubles of the host that the agent told last."""
    peer_url: str = ""
    peer_fingerprint: str = ""
    has_left: bool = False
    is_dismissed: bool = False
    """The agent is told to end."""
    isolated: tuple[ObjectId, ...] | None = None
    """The machines that are to be on no network; None before the watch has told."""
    is_stripped: bool = False
    """The host is deleted, and the networks and interfaces that it serves for others are taken away from it: it tells
    nothing of them any more."""

    def silence(self, now: float, silent_s: float) -> str:
        """The reason why the host cannot be asked after a silence of `silent_s`; empty when it can."""
        if self.registration and now <= self.heard_at + silent_s:
            return ""
        return f"the host {self.name} does not answer"

    def begin(self, registration: str, told: Register, now: float) -> None:
        """Begin a registration: the agent is sent again each order that it has not reported."""
        self.release()
        self.registration, self.boot_id, self.heard_at = registration, told.boot_id, now
        self.is_stripped = False
        # The host may still make the things of orders that it has not reported.
        self.held = {*told.held, *self.orders}
        if self.run != told.run:
            known = (*self.replaced_runs, self.run)
            self.replaced_runs = tuple(one for one in known if one not in ("", told.run))[-REPLACED_RUNS:]
        self.version, self.run = told.program, told.run
        self.abilities, self.accelerator = told.abilities, told.accelerator
        reached = told.address if told.address and told.peer_port else ""
        self.peer_url = f"https://{reached}:{told.peer_port}" if reached else ""
        self.peer_fingerprint = told.peer_fingerprint
        self.has_left = self.is_dismissed = False
        self.shown = None
        self.troubles = ()

    def leave(self) -> None:
        """The agent has said that it ends."""
        self.release()
        self.registration = ""
        self.has_left = True

    def lose(self, object_ids: Iterable[ObjectId]) -> None:
        """Note that the host is lost: the orders for these things must not reach it any more. When it is back it is to
        register, and to name the things that it holds."""
        self.release()
        self.registration = ""
        for object_id in object_ids:
            self.orders.pop(object_id, None)
            self.done.pop(object_id, None)

    def withdraw(self, object_id: ObjectId) -> None:
        """A thing is made on another host from now on: the order to make it here must not reach the agent any more."""
        known = self.orders.get(object_id)
        if known is not None and known.verb is Verb.ENSURE:
            del self.orders[object_id]

    def isolate(self, object_ids: Iterable[ObjectId]) -> None:
        """Tell the agent which machines are to be on no network. Each answer tells it, and a new set at once."""
        wanted = tuple(sorted(object_ids))
        if wanted != self.isolated:
            self.isolated = wanted
            self.release()

    def dismiss(self) -> None:
        """Tell the agent to end."""
        self.is_dismissed = True
        self.release()

    def order(self, order: Order) -> None:
        """Queue an order, in place of an earlier one for the same thing."""
        self.orders[order.object_id] = order
        self.held.add(order.object_id)
        self.done.pop(order.object_id, None)
        self.release()

    def pending(self, object_id: ObjectId, verb: Verb, spec: Spec | None) -> bool:
        """Whether just this is ordered and not reported."""
        known = self.orders.get(object_id)
        return known is not None and known.verb is verb and known.spec == spec

    def finished(self, object_id: ObjectId, verb: Verb, spec: Spec | None, now: float) -> Done | None:
        """Take the report of just this order, if there is one that no phase has read.

        A report from before the last observation of the host proves nothing: the caller may have seen that it is not so
        any more, and the same order given again is harmless.
        """
        known = self.done.get(object_id)
        if known is None or known.order.verb is not verb or known.order.spec != spec:
            return None
        del self.done[object_id]
        was_looked_at = self.shown is not None and self.shown.asked_at > known.at
        return known if now <= known.at + KEPT_S and not was_looked_at else None

    def report(self, reports: Sequence[Report], now: float) -> None:
        """Take reports. One about an order that has been replaced says nothing any more."""
        for one in reports:
            order = self.orders.get(one.object_id)
            if order is not None and order.generation == one.generation:
                del self.orders[one.object_id]
                if order.verb is Verb.REMOVE and one.problem is None:
                    self.held.discard(one.object_id)
                self.done[one.object_id] = Done(order=order, problem=one.problem, at=now)
                self.turn += 1

    def ask(self, now: float) -> int:
        """Ask for an observation, unless the host is at work on one that is still good; return its number.

        A host that is asked anew while it answers would never be done in time.
        """
        is_open = self.shown is None or self.shown.number < self.asked
        if not (is_open and self.asked and self.asked_turn == self.turn and now <= self.asked_at + LONGEST_S):
            self.asked, self.asked_at, self.asked_turn = self.asked + 1, now, self.turn
            self.release()
        return self.asked

    @property
    def patience_s(self) -> float:
        """The seconds that the host has for an observation: twice those of its last one, so a host with much on it is
        read as well, and a busy one."""
        return min(max(FRESH_S, 2 * self.took_s), LONGEST_S)

    def lateness(self) -> str:
        """The reason why nothing is known of a host that calls, and did not answer a question in time."""
        return (
            f"the host {self.name} calls, and did not tell within {self.patience_s:.0f} s what is on it: it is busy, "
            "or something on it stands still (the log of its agent tells)"
        )

    def show(self, observed: Observed, now: float) -> None:
        """Take an observation, unless a later one is known or it does not answer the last question."""
        is_newer = self.shown is None or observed.number > self.shown.number
        if is_newer and observed.number == self.asked:
            self.took_s = now - self.asked_at
            self.shown = Shown(
                number=observed.number,
                asked_at=self.asked_at,
                turn=self.asked_turn,
                things=observed.things,
                problem=observed.problem,
            )

    def fresh(self, now: float) -> Shown | None:
        """The last observation, if it is good still."""
        shown = self.shown
        if shown is None or shown.turn != self.turn or now > shown.asked_at + self.took_s + FRESH_S:
            return None
        return shown

    def new_orders(self, taken: int) -> tuple[Order, ...]:
        """Return the orders that the agent has not taken, in the order in which they were given."""
        return tuple(
            sorted(
                (one for one in self.orders.values() if one.generation > taken),
                key=lambda order: order.generation,
            )
        )

    def question(self, asked: int) -> int:
        """The number of a question that the agent does not know yet; 0 for none."""
        is_answered = self.shown is not None and self.shown.number >= self.asked
        return self.asked if self.asked > asked and not is_answered else 0

    def release(self) -> None:
        """Let the poll that waits be answered."""
        if self.wake is not None:
            self.wake()
            self.wake = None
