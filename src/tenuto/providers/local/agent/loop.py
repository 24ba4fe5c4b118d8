"""The loop of an agent: register, wait for news, hand it to the worker, and send what the worker has done.

Theory of operation. Four threads. The *listener* polls: its calls wait at the Conductor for orders and questions. The
*worker* does orders, in their order, and observes the host; it sends each report at once, in a call of its own, and
keeps what could not be sent for the next. The *lease* thread passes on until when the host may hold its machines. The
caller's thread waits for the end. So a host that is long at work is not
silent, and a report never waits behind an empty poll. Nothing here decides: what the Conductor does not order, the
agent does not do.
"""

import queue
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import structlog

from tenuto.errors import ForbiddenError, NotAllowedError, TransientError, UserError
from tenuto.model.ids import JsonMap
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.leases import seconds_since_boot
from tenuto.providers.local.wire.messages import Observed, Order, Poll, Polled, Registered, Report, read, written

POLL_S = 15.0
RETRY_S = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between tries while the Conductor does not answer; the last of them for ever."""
FINISH_S = 30.0
"""Seconds for which an agent that is to end goes on with the order that it has begun."""
LIVE_FOR_S = 30.0
"""Seconds for which a name that another agent has is asked for again: after a crash of the machine it is our own."""

_log = structlog.get_logger("tenuto.hosts")
Send = Callable[[JsonMap, float], JsonMap]


@dataclass(slots=True)
class _Progress:
    """The last order and the last question that the agent has read in one registration."""

    registration: str
    taken: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class _Task:
    """The work that came with one answer. It counts no more once the agent has registered anew."""

    registration: str
    orders: tuple[Order, ...]
    question: int


class Agent:
    """Runs until `stop` is set, or the Conductor will not have it."""

    def __init__(self, *, register: Callable[[], JsonMap], poll: Send, worker: Worker, journal: Journal) -> None:
        """`register` and `poll` make a call, and raise SilentError and RefusedError."""
        self._register = register
        self._poll = poll
        self._worker = worker
        self._journal = journal
        self._tasks: queue.SimpleQueue[_Task] = queue.SimpleQueue()
        self._lease: queue.SimpleQueue[float] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unsent: dict[str, Report] = {}
        self._progress: _Progress | None = None
        self._failure: UserError | None = None
        self._hosts: Mapping[str, str] = {}
        self._poll_s = POLL_S

    def run(self, stop: threading.Event) -> None:
        """Raises UserError when the agent cannot go on: the Conductor refuses it, or the journal is unusable."""
        threads = [
            threading.Thread(target=self._guarded, args=(target, stop), name=name, daemon=True)
            for name, target in (("listener", self._listen), ("lease", self._keep_lease), ("worker", self._work))
        ]
        for one in threads:
            one.start()
        stop.wait()
        if self._failure is not None:
            raise self._failure
        # The order that is under way comes to its end, and is reported; what was not begun is ordered again.
        threads[-1].join(FINISH_S)
        threads[1].join(FINISH_S)
        self._leave()

    def _guarded(self, target: Callable[[threading.Event], None], stop: threading.Event) -> None:
        try:
            target(stop)
        except UserError as failed:
            self._failure = failed
        except Exception as error:  # noqa: BLE001 - the end of the agent, with its reason
            _log.exception("agent.crashed")
            self._failure = UserError(f"The agent has failed: {error!r}. Its log has the details.")
        finally:
            stop.set()

    def _listen(self, stop: threading.Event) -> None:
        progress: _Progress | None = None
        tries = 0
        while not stop.is_set():
            try:
                progress = progress or self._begin()
                answer = self._call(progress, self._poll_s)
                self._hear(progress, answer)
                if answer.is_dismissed:
                    _log.info("agent.dismissed")
                    stop.set()
                tries = 0
            except SilentError as silent:
                _log.warning("agent.conductor_silent", reason=str(silent))
                tries = _pause(stop, tries)
            except RefusedError as refused:
                progress = None
                tries = self._refused(refused, stop, tries)

    def _begin(self) -> _Progress:
        asked_at = seconds_since_boot()
        answer = read(Registered, self._register())
        self._check_epoch(answer.epoch)
        _log.info("agent.registered", epoch=answer.epoch, version=answer.version)
        self._extend(asked_at, answer.lease_s)
        progress = _Progress(registration=answer.registration)
        self._hosts = answer.hosts
        self._progress = progress
        return progress

    def _call(self, progress: _Progress, wait_s: float, observed: Observed | None = None) -> Polled:
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
        )
        asked_at = seconds_since_boot()
        answer = read(Polled, self._poll(written(poll), wait_s))
        self._check_epoch(answer.epoch)
        self._extend(asked_at, answer.lease_s)
        with self._lock:
            for one in reports:
                if self._unsent.get(one.object_id) == one:
                    del self._unsent[one.object_id]
        return answer

    def _hear(self, progress: _Progress, answer: Polled) -> None:
        self._hosts = answer.hosts or self._hosts
        self._poll_s = min(POLL_S, answer.poll_s)
        if answer.orders or answer.observe:
            progress.taken = max([progress.taken, *(one.generation for one in answer.orders)])
            progress.asked = max(progress.asked, answer.observe)
            self._tasks.put(_Task(progress.registration, answer.orders, answer.observe))

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

    def _refused(self, refused: RefusedError, stop: threading.Event, tries: int) -> int:
        """Try again what may pass; raise UserError for what does not."""
        if refused.status == 404:
            _log.info("agent.registers_again", reason=str(refused))
            return tries if tries == 0 and not stop.wait(RETRY_S[0]) else _pause(stop, tries)
        if refused.status == 403:
            raise ForbiddenError(str(refused))
        if refused.status == 400:
            raise UserError(str(refused))
        _log.warning("agent.refused", status=refused.status, reason=str(refused))
        if refused.status == 409 and tries * RETRY_S[-1] > LIVE_FOR_S:
            raise NotAllowedError(str(refused))
        return _pause(stop, tries)

    def _work(self, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                task = self._tasks.get(timeout=1.0)
            except queue.Empty:
                self._send()
                continue
            if self._progress is None or self._progress.registration != task.registration:
                # The Conductor may have given these things to another host since.
                continue
            self._worker.meet(self._hosts)
            if task.orders:
                for report in self._worker.work(task.orders):
                    with self._lock:
                        self._unsent[report.object_id] = report
                self._send()
            if task.question:
                self._send(self._worker.observe(task.question))

    def _extend(self, asked_at: float, lease_s: float) -> None:
        """The Conductor has answered: it waits longer than this, from when it heard the question, before it gives
        anything of this host away."""
        if lease_s > 0:
            self._lease.put(asked_at + lease_s)

    def _keep_lease(self, stop: threading.Event) -> None:
        """Pass on the end of the lease, on a thread of its own: the driver may be long at work, and no call waits."""
        while not stop.is_set():
            try:
                until = self._lease.get(timeout=1.0)
            except queue.Empty:
                continue
            with suppress(queue.Empty):
                while True:
                    until = max(until, self._lease.get_nowait())
            try:
                self._worker.hold(until)
            except TransientError as error:
                _log.warning("agent.lease_not_kept", reason=str(error))

    def _send(self, observed: Observed | None = None) -> None:
        """Send what is done. What cannot be sent now is sent again, but for an observation: it is asked for anew."""
        progress = self._progress
        if progress is None or not (self._unsent or observed):
            return
        try:
            self._call(progress, 0.0, observed)
        except (SilentError, RefusedError) as failed:
            _log.info("agent.report_waits", reason=str(failed))

    def _leave(self) -> None:
        """Tell the Conductor that the agent ends, if it can be told. Machines run on."""
        if self._progress is not None:
            try:
                self._poll(written(Poll(registration=self._progress.registration, is_leaving=True)), 0.0)
                # The Conductor knows that what is here runs on, and makes none of it elsewhere.
                self._worker.let_go()
            except (SilentError, RefusedError, TransientError) as failed:
                _log.info("agent.left_silently", reason=str(failed))


def _pause(stop: threading.Event, tries: int) -> int:
    stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
    return tries + 1
