"""The dialogue of an agent with its Conductor: the orders that it has read, the reports still to be sent, and its
lease.

Theory of operation. A registration begins a dialogue, and each call after it carries all reports that were not taken
yet. The orders and questions that an agent has read are counted within one registration: a Conductor that does not know
it any more may have given its things to another host since. Each answer extends the lease of the host, from the moment
of its question. Nothing here waits or has a thread: `agent.loop` drives it with threads, and histories of tests by
their own clock.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import structlog

from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.wire.messages import Observed, Order, Poll, Polled, Registered, Report, read, written

POLL_S = 15.0

_log = structlog.get_logger("tenuto.hosts")
Send = Callable[[JsonMap, float], JsonMap]


@dataclass(slots=True)
class Progress:
    """The last order and the last question that the agent has read in one registration."""

    registration: str
    taken: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """The work that came with one answer. It counts no more once the agent has registered anew."""

    registration: str
    orders: tuple[Order, ...]
    question: int


class Dialogue:
    """The calls of one agent. Thread-safe. `register` and `poll` make a call, and raise SilentError and RefusedError.

    `extend` takes the moment of `steady` until which the host may hold the things that may be made elsewhere.
    `troubles` returns the troubles of the host that a person should know.
    """

    def __init__(
        self,
        *,
        register: Callable[[], JsonMap],
        poll: Send,
        journal: Journal,
        extend: Callable[[float], None],
        steady: Callable[[], float],
        troubles: Callable[[], tuple[str, ...]] = tuple,
    ) -> None:
        self._register = register
        self._poll = poll
        self._journal = journal
        self._extend = extend
        self._steady = steady
        self._troubles = troubles
        self._lock = threading.Lock()
        self._unsent: dict[str, Report] = {}
        self._progress: Progress | None = None
        self.hosts: Mapping[str, str] = {}
        """The addresses of the hosts of the zone, as they were told last."""
        self.isolated: tuple[ObjectId, ...] | None = None
        """The machines that are to be on no network, as they were told last."""
        self.poll_s = POLL_S

    def begin(self) -> Progress:
        """Register. Raises SilentError and RefusedError."""
        asked_at = self._steady()
        answer = read(Registered, self._register())
        self._check_epoch(answer.epoch)
        _log.info("agent.registered", epoch=answer.epoch, version=answer.version)
        self._hold(asked_at, answer.lease_s)
        progress = Progress(registration=answer.registration)
        self.hosts = answer.hosts
        self._isolate(answer)
        self._progress = progress
        return progress

    def ask(self, progress: Progress) -> tuple[Polled, Task | None]:
        """Ask for news once; return the answer, and the work that it brings. Raises SilentError and RefusedError."""
        answer = self._call(progress, self.poll_s)
        self.hosts = answer.hosts or self.hosts
        self.poll_s = min(POLL_S, answer.poll_s)
        if not (answer.orders or answer.observe):
            return answer, None
        progress.taken = max([progress.taken, *(one.generation for one in answer.orders)])
        progress.asked = max(progress.asked, answer.observe)
        return answer, Task(progress.registration, answer.orders, answer.observe)

    def counts(self, task: Task) -> bool:
        """Whether the work of a task is still to be done: the Conductor may have given its things to another host."""
        return self._progress is not None and self._progress.registration == task.registration

    def keep(self, reports: Sequence[Report]) -> None:
        """Keep reports until the Conductor has them."""
        with self._lock:
            for report in reports:
                self._unsent[report.object_id] = report

    def send(self, observed: Observed | None = None) -> None:
        """Send the reports of finished work. A report that cannot be sent now is sent again. An observation is not: the
        Conductor asks for it anew."""
        progress = self._progress
        if progress is None or not (self._unsent or observed):
            return
        try:
            self._call(progress, 0.0, observed)
        except (SilentError, RefusedError) as failed:
            _log.info("agent.report_waits", reason=str(failed))

    def leave(self) -> bool:
        """Tell the Conductor that the agent ends; False when it has never registered. Raises SilentError and
        RefusedError."""
        if self._progress is None:
            return False
        self._poll(written(Poll(registration=self._progress.registration, is_leaving=True)), 0.0)
        return True

    def _call(self, progress: Progress, wait_s: float, observed: Observed | None = None) -> Polled:
        """One poll, with all reports that were not sent yet."""
        with self._lock:
            reports = tuple(self._unsent.values())
        poll = Poll(
            registration=progress.registration,
            wait_s=wait_s,
            taken=progress.taken,
            asked=progress.asked,
            reports=reports,
            observed=observed,
            troubles=self._troubles(),
        )
        asked_at = self._steady()
        answer = read(Polled, self._poll(written(poll), wait_s))
        self._check_epoch(answer.epoch)
        self._hold(asked_at, answer.lease_s)
        self._isolate(answer)
        with self._lock:
            for one in reports:
                if self._unsent.get(one.object_id) == one:
                    del self._unsent[one.object_id]
        return answer

    def _check_epoch(self, epoch: int) -> None:
        """Raise RefusedError for the answer of a Conductor that led before another one whose orders are here."""
        known = self._journal.epoch()
        if epoch < known:
            raise RefusedError(
                0,
                f"The Conductor has the epoch {epoch}, and orders of the epoch {known} were taken here: it is not the "
                "one that leads, or its database is an older copy. If it is to lead, join again with a new token: "
                "'tenuto node enroll NAME'.",
            )
        if epoch > known:
            self._journal.raise_epoch(epoch)

    def _hold(self, asked_at: float, lease_s: float) -> None:
        """The Conductor has answered: it waits longer than this, from when it heard the question, before it gives
        anything of this host away."""
        if lease_s > 0:
            self._extend(asked_at + lease_s)

    def _isolate(self, answer: Registered | Polled) -> None:
        if answer.isolated is not None:
            self.isolated = answer.isolated
