"""The lines of all hosts: orders go out, reports and observations come in, and who waits for one is woken.

Theory of operation. A phase gives orders in bulk and waits a moment for the reports; most come within milliseconds,
because an agent waits in a poll. An order that takes longer is under way: the phase is told so, asks again, and then
finds the report, once. An order that is given a second time is sent again only when the first one was reported and
read, so that drift is repaired and nothing is done twice for one question. A sweep asks all hosts of a zone at once.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import NotAllowedError, NotFoundError
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.hosts.line import Line, Shown
from tenuto.providers.local.hosts.offers import shown_troubles
from tenuto.providers.local.rules.deadlines import Deadlines, Presence
from tenuto.providers.local.rules.machines.abilities import Ability, lacking
from tenuto.providers.local.wire.messages import GENERATIONS, Order, Poll, Polled, Register, Verb

DEADLINES = Deadlines()
ORDER_WAIT_S = 2.0
"""Seconds for which orders wait for their reports. A machine takes a tenth of it; a phase must not stand longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One thing as it is to be on one host; without a spec it is to be gone."""

    host: str
    object_id: ObjectId
    spec: Spec | None = None

    @property
    def verb(self) -> Verb:
        return Verb.REMOVE if self.spec is None else Verb.ENSURE


class Lines:
    """The lines of the hosts of one Conductor. Thread-safe. `epoch` tells the epoch of that Conductor."""

    def __init__(
        self,
        epoch: Callable[[], int],
        steady: Callable[[], float] = time.monotonic,
        *,
        deadlines: Deadlines = DEADLINES,
    ) -> None:
        self._epoch = epoch
        self._steady = steady
        self.deadlines = deadlines
        self._listens_since = steady()
        self._lines: dict[tuple[str, str], Line] = {}
        self._changed = threading.Condition()
        self._given = 0

    def silence(self, zone: str, name: str) -> str:
        """The reason why a host cannot be asked; empty when it can."""
        with self._changed:
            return self._line(zone, name).silence(self._steady(), self.deadlines.silent_s)

    def presence(self, host: EnrolledHost) -> Presence:
        """Return the presence of a host now."""
        with self._changed:
            line = self._line(host.zone, host.name)
            return Presence(
                name=host.name,
                silent_s=self._steady() - max(line.heard_at, self._listens_since),
                is_heard=bool(line.registration),
                heard_s=self._steady() - line.heard_at if line.heard_at else None,
                has_left=line.has_left,
                is_leaving=line.is_dismissed,
                driver=host.driver,
                address=host.address,
                cores=host.cores,
                memory_mib=host.memory_mib,
                disk_gib=host.disk_gib,
                version=line.version,
                run=line.run,
                abilities=line.abilities,
                accelerator=line.accelerator,
                troubles=line.troubles,
            )

    def peer(self, zone: str, name: str) -> tuple[str, str]:
        """The URL at which other hosts reach a host, and the fingerprint of its certificate; empty texts for none."""
        with self._changed:
            line = self._line(zone, name)
            return line.peer_url, line.peer_fingerprint

    def lack(self, zone: str, name: str, wanted: Iterable[Ability]) -> str:
        """Return the message that names the wanted abilities which the agent of a host lacks; empty when it has all, or
        has not told yet."""
        with self._changed:
            line = self._line(zone, name)
            lacks = lacking(line.abilities, wanted) if line.registration else ()
            if not lacks:
                return ""
            release = f" (Tenuto {line.version})" if line.version else ""
        return (
            f"the agent of the host {name}{release} does not know {' and '.join(lacks)}: install the Conductor's "
            "release of Tenuto on the host, and start its agent again"
        )

    def listen_anew(self) -> None:
        """This Conductor was away: the silence of each host counts from now."""
        with self._changed:
            self._listens_since = self._steady()

    def held(self, zone: str, name: str) -> frozenset[ObjectId]:
        """The things that a host holds, without those that it is being ordered to change."""
        with self._changed:
            line = self._line(zone, name)
            return frozenset(line.held - line.orders.keys())

    def lose(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        """A host is lost, and these things are not to be there any more."""
        with self._changed:
            self._line(zone, name).lose(object_ids)
            self._changed.notify_all()

    def isolate(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> None:
        """Have just these machines of a host on no network."""
        with self._changed:
            self._line(zone, name).isolate(object_ids)

    def isolated(self, zone: str, name: str) -> tuple[ObjectId, ...] | None:
        """Return the machines of a host that are to be on no network; None while that is not known."""
        with self._changed:
            return self._line(zone, name).isolated

    def dismiss(self, zone: str, name: str) -> None:
        """Have the agent of a host end."""
        with self._changed:
            self._line(zone, name).dismiss()

    def strip(self, zone: str, name: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        """Have a host that is deleted remove things that go to other hosts, and tell the problems."""
        with self._changed:
            self._line(zone, name).is_stripped = True
        problems = self.order(zone, [Wanted(host=name, object_id=one) for one in object_ids])
        if problems:
            with self._changed:
                self._line(zone, name).is_stripped = False
        return problems

    def post(self, zone: str, wanted: Sequence[Wanted]) -> None:
        """Give orders without waiting for their reports."""
        with self._changed:
            self._withdraw_elsewhere(zone, wanted)
            for one in wanted:
                self._is_told(zone, one, {}, gives=True)

    def check_free(self, zone: str, name: str, boot_id: str, run: str, *, is_known: bool) -> None:
        """Raise NotAllowedError while another agent of the name answers: one on another machine, or with another state.

        `is_known` says that the agent has the secret of the host, and so its state. One on the same machine takes the
        place of the agent before it, which has ended; an agent that is heard after that has not, so the two have
        copies of one state. Only the later one is believed: with two, each would be sent half of the orders.
        """
        with self._changed:
            line, now = self._line(zone, name), self._steady()
            if line.silence(now, self.deadlines.silent_s):
                return
            if is_known and run in line.replaced_runs:
                raise NotAllowedError(
                    f"Another agent of the host {name} of {zone} was started on this machine later than this one, and "
                    "answers: it has a copy of this one's state directory. Stop one of the two."
                )
            if not (is_known and line.boot_id == boot_id):
                raise NotAllowedError(
                    f"An agent of the host {name} of {zone} answers already. Stop that one, or give this host a name "
                    "of its own: 'tenuto node enroll NAME'."
                )

    def begin(self, zone: str, name: str, registration: str, told: Register) -> None:
        """Begin the calls of an agent, and end those of one before it."""
        with self._changed:
            line, now = self._line(zone, name), self._steady()
            line.begin(registration, told, now)
            self._go_on_after(told.given)
            self._changed.notify_all()

    def _go_on_after(self, given: int) -> None:
        """Give higher generations than a host has. A database that was restored from a backup may come to the very
        epoch in which the one before it gave orders, and the host would take its orders for those, or for older ones.

        Only the lower half of an epoch is believed: an agent that lies must not use it up.
        """
        epoch, number = divmod(given, GENERATIONS)
        if epoch == self._epoch() and number < GENERATIONS // 2:
            self._given = max(self._given, number)

    def hear(self, zone: str, name: str, poll: Poll, wake: Callable[[], None]) -> bool:
        """Take the content of a poll; True when its answer should wait for news. Raises NotFoundError."""
        with self._changed:
            line = self._of_registration(zone, name, poll.registration)
            line.heard_at = self._steady()
            line.report(poll.reports, line.heard_at)
            line.troubles = shown_troubles(poll.troubles)
            if poll.observed is not None:
                line.show(poll.observed, line.heard_at)
            if poll.is_leaving:
                line.leave()
            self._changed.notify_all()
            waits = poll.wait_s > 0 and not poll.is_leaving
            if waits:
                line.release()
            is_news = line.new_orders(poll.taken) or line.question(poll.asked) or line.is_dismissed
            if waits and not is_news:
                line.wake = wake
                return True
            return False

    def answer(self, zone: str, name: str, poll: Poll) -> Polled:
        """The answer to a poll. Only one that waits brings work. Raises NotFoundError."""
        epoch = self._epoch()
        if poll.is_leaving or not poll.wait_s:
            return Polled(epoch=epoch, lease_s=self.deadlines.lease_s, isolated=self.isolated(zone, name))
        with self._changed:
            line = self._of_registration(zone, name, poll.registration)
            return Polled(
                epoch=epoch,
                orders=line.new_orders(poll.taken),
                observe=line.question(poll.asked),
                lease_s=self.deadlines.lease_s,
                poll_s=self.deadlines.poll_s,
                is_dismissed=line.is_dismissed,
                isolated=line.isolated,
            )

    def order(self, zone: str, wanted: Sequence[Wanted]) -> Mapping[ObjectId, Problem]:
        """Give orders, and return the problems: of orders that were refused, cannot be given, or are under way
        still."""
        problems: dict[ObjectId, Problem] = {}
        with self._changed:
            self._withdraw_elsewhere(zone, wanted)
            open_ = [one for one in wanted if not self._is_told(zone, one, problems, gives=True)]
            end = self._steady() + ORDER_WAIT_S
            while open_ and (left := end - self._steady()) > 0:
                self._changed.wait(left)
                open_ = [one for one in open_ if not self._is_told(zone, one, problems, gives=False)]
            for one in open_:
                told = f"the host {one.host} is at work on it"
                problems.setdefault(one.object_id, Problem(message=told, is_under_way=True))
        return problems

    def _withdraw_elsewhere(self, zone: str, wanted: Sequence[Wanted]) -> None:
        """Withdraw the orders for these things that other hosts have and did not report: a thing is made on one host,
        and a host that is back after its gateway has moved would make a second one."""
        for line in [one for (there, _), one in self._lines.items() if there == zone and one.orders]:
            for one in wanted:
                if one.spec is not None and one.host != line.name:
                    line.withdraw(one.object_id)

    def _is_told(self, zone: str, one: Wanted, problems: dict[ObjectId, Problem], *, gives: bool) -> bool:
        """Whether the outcome of an order is known. `gives` gives the order where it was not given."""
        line, now = self._line(zone, one.host), self._steady()
        if done := line.finished(one.object_id, one.verb, one.spec, now):
            if done.problem is not None:
                problems[one.object_id] = done.problem
            return True
        if silence := line.silence(now, self.deadlines.silent_s):
            problems[one.object_id] = Problem(message=silence, is_silent=True)
            return True
        if gives and not line.pending(one.object_id, one.verb, one.spec):
            self._given += 1
            generation = self._epoch() * GENERATIONS + self._given
            line.order(Order(object_id=one.object_id, generation=generation, verb=one.verb, spec=one.spec))
        return False

    def observe(self, zone: str, names: Sequence[str]) -> Mapping[str, Shown | str]:
        """Return the observation of each host, or why there is none: from a question of a moment ago, or from one of
        now that is awaited."""
        found: dict[str, Shown | str] = {}
        with self._changed:
            asked: dict[str, int] = {}
            for name in names:
                line, now = self._line(zone, name), self._steady()
                if silence := line.silence(now, self.deadlines.silent_s):
                    found[name] = silence
                elif line.is_stripped:
                    # A network that it has no more is not gone: it is on its way to another host.
                    found[name] = f"the host {name} is being deleted"
                elif shown := line.fresh(now):
                    found[name] = shown
                else:
                    asked[name] = line.ask(now)
            found |= self._awaited(zone, asked)
        return {name: one.problem or one if isinstance(one, Shown) else one for name, one in found.items()}

    def _awaited(self, zone: str, asked: Mapping[str, int]) -> Mapping[str, Shown | str]:
        """Wait for the answers to questions, for each host as long as it has."""
        found, began = dict[str, Shown | str](), self._steady()
        while asked:
            now = self._steady()
            left: list[float] = []
            for name, number in tuple(asked.items()):
                line = self._line(zone, name)
                if line.shown is not None and line.shown.number >= number:
                    found[name] = line.shown
                elif (more := began + line.patience_s - now) <= 0:
                    found[name] = line.lateness()
                else:
                    left.append(more)
            asked = {name: number for name, number in asked.items() if name not in found}
            if left:
                self._changed.wait(min(left))
        return found

    def under_way(self, zone: str, name: str) -> frozenset[ObjectId]:
        """The things for which an order was given to the host that it has not reported."""
        with self._changed:
            return frozenset(self._line(zone, name).orders)

    def _line(self, zone: str, name: str) -> Line:
        return self._lines.setdefault((zone, name), Line(zone=zone, name=name))

    def _of_registration(self, zone: str, name: str, registration: str) -> Line:
        line = self._line(zone, name)
        if not registration or line.registration != registration:
            raise NotFoundError(f"The Conductor does not know these calls of the host {name} (any more): register.")
        return line
