"""The loop of an agent: register, wait for news, hand it to the worker, and send the worker's reports.

Theory of operation. Four threads. The *listener* polls: its calls wait at the Conductor for orders and questions. The
*worker* does orders, in their order, and observes the host; it sends each report at once, in a call of its own, and
keeps a report that could not be sent for the next call. The *lease* thread passes on until when the host may hold its
machines. The caller's thread waits for the end. So a host that is long at work is not silent, and a report never waits
behind an empty poll. Nothing here decides: the agent does nothing without an order of the Conductor.
"""

import queue
import threading
from collections.abc import Callable
from contextlib import suppress

import structlog

from tenuto.errors import ForbiddenError, NotAllowedError, TransientError, UserError
from tenuto.model.ids import JsonMap
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.dialogue import Dialogue, Progress, Send, Task
from tenuto.providers.local.agent.journal import Journal, JournalFullError
from tenuto.providers.local.agent.troubles import DISK, FOLDERS, NETWORKS, ORDERS, Troubles
from tenuto.providers.local.agent.worker import Worker
from tenuto.providers.local.leases import seconds_since_boot

RETRY_S = (0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds between tries while the Conductor does not answer; the last of them for ever."""
FINISH_S = 30.0
"""Seconds for which an agent that is to end goes on with the order that it has begun."""
LIVE_FOR_S = 30.0
"""Seconds for which a name that another agent has is asked for again: after a crash of the machine it is our own."""

_log = structlog.get_logger("tenuto.hosts")


class Agent:
    """Runs until `stop` is set, or the Conductor will not have it."""

    def __init__(
        self,
        *,
        register: Callable[[], JsonMap],
        poll: Send,
        worker: Worker,
        journal: Journal,
        troubles: Troubles,
    ) -> None:
        """`register` and `poll` make a call, and raise SilentError and RefusedError."""
        self._worker = worker
        self._journal = journal
        self._troubles = troubles
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
        self._lease: queue.SimpleQueue[float] = queue.SimpleQueue()
        self._dialogue = Dialogue(
            register=register,
            poll=poll,
            journal=journal,
            extend=self._lease.put,
            steady=seconds_since_boot,
            troubles=troubles.now,
        )
        self._failure: UserError | None = None

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
        # The order that is under way comes to its end, and is reported; an order that was not begun is given again.
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
        progress: Progress | None = None
        tries = 0
        while not stop.is_set():
            try:
                progress = progress or self._dialogue.begin()
                answer, task = self._dialogue.ask(progress)
                if task is not None:
                    self._tasks.put(task)
                if answer.is_dismissed:
                    _log.info("agent.dismissed")
                    stop.set()
                tries = 0
            except SilentError as silent:
                _log.warning("agent.conductor_silent", reason=str(silent))
                tries = _pause(stop, tries)
            except JournalFullError as full:
                # The token may be used up by now, so the host goes on to join once there is room.
                _log.warning("agent.disk_full", reason=str(full))
                tries = _pause(stop, tries)
            except RefusedError as refused:
                progress = None
                tries = self._refused(refused, stop, tries)

    def _refused(self, refused: RefusedError, stop: threading.Event, tries: int) -> int:
        """Wait before another try where the refusal may pass; raise UserError where it does not."""
        if refused.status == 404:
            _log.info("agent.registers_again", reason=str(refused))
            return tries if tries == 0 and not stop.wait(RETRY_S[0]) else _pause(stop, tries)
        if refused.status == 403:
            raise ForbiddenError(f"{refused}{_left_here(len(self._journal.held()))}")
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
                self._see_to_networks()
                self._dialogue.send()
                continue
            if not self._dialogue.counts(task):
                continue
            self._worker.meet(self._dialogue.hosts)
            # Before anything that may let a machine of another host have the addresses of one that is here.
            self._see_to_networks()
            if task.orders:
                self._dialogue.keep(self._worker.work(task.orders))
                self._dialogue.send()
            if task.question:
                self._dialogue.send(self._worker.observe(task.question))

    def _see_to_networks(self) -> None:
        """Have the machines off their networks that are to be on none, and tell why a network is left as it is."""
        self._troubles.tell(NETWORKS, self._worker.isolate(self._dialogue.isolated))
        self._troubles.tell(ORDERS, self._worker.doubt())
        self._troubles.tell(FOLDERS, self._worker.foreign())

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
                self._troubles.tell(DISK, "")
            except (TransientError, OSError) as error:
                _log.warning("agent.lease_not_kept", reason=str(error))
                self._troubles.tell(DISK, f"the host cannot write down its lease: {error}")

    def _leave(self) -> None:
        """Tell the Conductor that the agent ends, if it can be told. Machines run on."""
        try:
            if self._dialogue.leave():
                # The Conductor knows that the machines here run on, and makes none of them elsewhere.
                self._worker.let_go()
        except (SilentError, RefusedError, TransientError) as failed:
            _log.info("agent.left_silently", reason=str(failed))


def _left_here(things: int) -> str:
    """The words about the things of a host whose agent ends since it is not known any more."""
    if not things:
        return ""
    counted = "1 thing" if things == 1 else f"{things} things"
    return (
        f" This host was ordered to hold {counted}, and a machine among these may still run. Start the agent with a "
        "new token and this state directory: the Conductor then removes each thing that does not belong here any more."
    )


def _pause(stop: threading.Event, tries: int) -> int:
    stop.wait(RETRY_S[min(tries, len(RETRY_S) - 1)])
    return tries + 1
