"""Whether every process comes to rest in a calm world, within a bounded time and a bounded number of jobs."""

from collections.abc import Collection

from tenuto.core.planning.comparing.messages import progress_message
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.process import Process
from tenuto_testing.simulation.compositions import exports_of, imports_of
from tenuto_testing.simulation.stage import PERIOD_S, Stage

PATIENCE_S = 1800.0
"""Longer than the slowest chain of the slowest things takes in a calm world, halts after five minutes included."""
MOST_JOBS = 12
"""A process that needs more jobs with a plan than this to come to rest in a calm world is going round in circles."""
_AT_WORK = (ProcessState.RUNNING,)
_STALE_S = PERIOD_S / 6 + 1.0
"""A job may use a sweep that is this old."""


class Rest:
    """Lets time pass on a stage until there is nothing more to do."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def settle(self, *, may_halt: bool) -> None:
        """Let time pass until every live process has come to rest."""
        since = self._stage.clock.now()
        self._stage.work()
        while not self._stage.laws.problems:
            live = self._stage.store.processes()
            halted = [process for process in live if process.state is ProcessState.SUSPENDED and not may_halt]
            for process in halted:
                self._stage.laws.broken(f"{process.alias} was halted in a calm world: {process.last_message}")
            restless = [
                process
                for process in live
                if not _rests(
                    process, since, may_halt and (self.is_held(process) or self.is_stranded(process, _AT_WORK))
                )
            ]
            if not restless:
                return
            if self._stage.clock.now() - since > PATIENCE_S:
                for process in restless:
                    self._stage.laws.broken(f"{process.alias} never comes to rest: {self._picture(process)}")
            for process in live:
                jobs = self._stage.store.history(process.fid, start=since).jobs
                if sum(1 for job in jobs if job.plan_id is not None) > MOST_JOBS:
                    self._stage.laws.broken(f"{process.alias} goes round in circles: {self._picture(process)}")
            self._stage.clock.set(self._stage.next_wake())
            self._stage.work()

    def is_held(self, process: Process) -> bool:
        """Whether something of it is fought over."""
        return any(flip.held_at is not None for flip in self._stage.store.flips(process.fid))

    def is_stranded(self, process: Process, states: Collection[ProcessState] = tuple(ProcessState)) -> bool:
        """Whether a process imports a value that no process in these states exports any more, or yet."""
        store = self._stage.store
        mine = store.composition(process.composition_digest)
        others = [one for one in store.processes() if one.fid != process.fid and one.state in states]
        known = [composition for one in others if (composition := store.composition(one.composition_digest))]
        exported = {name for composition in known for name in exports_of(composition)}
        return mine is not None and not imports_of(mine) <= exported

    def _picture(self, process: Process) -> str:
        jobs = [f"{job.command} {job.status} {job.message}" for job in self._stage.store.history(process.fid).jobs[-3:]]
        objects = [
            f"{found.logical_id}#{found.incarnation} {found.state}→{found.target} {progress_message(found)}"
            for found in self._stage.store.objects(process.fid)
            if not found.is_settled or found.is_phase_failed
        ]
        return f"{process.state} {process.last_message!r}; jobs {jobs}; objects {objects}"


def _rests(process: Process, since: Instant, may_differ: bool) -> bool:
    """Whether a job that saw all that was there at `since` found nothing to do; or no job will ever look again.

    Where people must decide who is right, it `may_differ`: there is nothing to do either.
    """
    if process.state is ProcessState.SUSPENDED:
        return True
    last = process.last_job
    return (
        process.state is ProcessState.RUNNING
        and process.job_id is None
        and process.intent.waiting is None
        and (process.converged_at is not None or may_differ)
        and last is not None
        and last.started_at > since + _STALE_S
    )
