"""One run: the steps of a history, then calm, then what must have come of it.

Theory of operation. After every step the laws are checked. Then calm comes: nothing is faulty any more, nobody dies,
nobody is slow, and what only people can repair is repaired. Now every process must come to rest within a bounded time
and number of jobs. What was suspended is resumed, twice at most
(what broke while it was suspended is only seen then), and must come to rest too; the world must then be as declared. At
last everything is killed, and nothing of ours may remain.
"""

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import structlog
from structlog.testing import capture_logs

from tenuto.compositions.document import to_document
from tenuto.core.compare import progress_message
from tenuto.errors import PermanentError, StoreUnavailableError, UserError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import Instant
from tenuto.model.process import Process, ProcessState
from tenuto.service.intake import Submission
from tenuto.testing.mortality import Crash
from tenuto.testing.simulation.histories import History
from tenuto.testing.simulation.reality import reality_problems
from tenuto.testing.simulation.stage import PERIOD_S, Stage
from tenuto.testing.simulation.steps import (
    Add,
    Death,
    Order,
    Pass,
    Rival,
    SetProperty,
    Stall,
    Step,
    StoreDown,
    Strike,
    Submit,
    Trouble,
)

PATIENCE_S = 1800.0
"""Longer than the slowest chain of the slowest things takes in a calm world, halts after five minutes included."""
MOST_JOBS = 12
"""A process that needs more jobs with a plan than this to come to rest in a calm world is going round in circles."""
_STALE_S = PERIOD_S / 6 + 1.0
"""A job may use a look that is this old."""


class Trial:
    """One run of one history. `log` tells what happened, `problems` what must not have."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._stage = Stage(history)

    @property
    def log(self) -> tuple[str, ...]:
        return tuple(self._stage.log)

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._stage.laws.problems))

    def play(self) -> tuple[str, ...]:
        """Run to the end, or to the first problem. What went wrong; nothing when all is well."""
        with capture_logs(processors=[structlog.processors.format_exc_info]) as logged:
            for chance, told, act in self._acts():
                self._stage.cast.draw_from(Random(f"{self._history.seed} {chance}"))
                if told:
                    self._stage.tell(told)
                act()
                self._stage.laws.check()
                self._stage.laws.hear(logged)
                logged.clear()
                if self.problems:
                    break
            self._stage.cast.dismiss()
        return self.problems

    def _acts(self) -> Iterator[tuple[str, str, Callable[[], None]]]:
        """What its chance follows from, how it is told, and the act."""
        yield "boot", "", self._stage.boot
        for number, step in self._history.steps:
            first_line = str(step).splitlines()[0]
            yield str(number), f"{number:>3} {first_line}", partial(self._do, step)
        for told, act in (
            ("calm", self._calm),
            ("and all come to rest", self._rest),
            ("resume", self._resume),
            ("and all come to rest", self._rest),
            ("resume what a human had to look at once more", self._resume),
            ("and all come to rest", self._converge),
            ("kill", self._kill),
            ("and nothing remains", self._end),
        ):
            yield told, told, act

    def _do(self, step: Step) -> None:
        try:
            self._act(step)
        except Crash as crash:
            self._stage.cast.die(str(crash))
        except (UserError, StoreUnavailableError, PermanentError) as refused:
            self._stage.tell(f"      ! {str(refused).splitlines()[0]}")

    def _act(self, step: Step) -> None:
        match step:
            case Submit():
                self._submit(step)
            case Order():
                self._order(step)
            case SetProperty():
                self._stage.system.commands.set_property(step.alias, step.key, step.value)
            case Pass():
                self._stage.advance(step.seconds)
            case Strike():
                self._strike(step)
            case Add():
                with self._stage.laws.protect():
                    self._stage.ground.add(step.type, step.properties)
            case Trouble():
                self._stage.ground.trouble(step.kind, step.operation, step.subject, step.times, step.seconds)
            case StoreDown():
                self._stage.weather.commits_lost = step.commits
            case Stall() | Rival() | Death():
                self._act_on_conductors(step)

    def _act_on_conductors(self, step: Stall | Rival | Death) -> None:
        match step:
            case Stall():
                self._stage.cast.stall(step.seconds)
            case Rival():
                self._stage.cast.rival()
            case Death(blow=None):
                self._stage.cast.die("now")
            case Death():
                assert step.blow is not None
                self._stage.fate.arm(step.blow)

    def _order(self, step: Order) -> None:
        commands = self._stage.system.commands
        known: dict[str, Callable[[str], object]] = {
            "suspend": commands.suspend,
            "resume": commands.resume,
            "kill": commands.kill,
            "retry": commands.retry,
            "release": commands.release,
        }
        known[step.verb](step.alias)

    def _submit(self, step: Submit) -> None:
        submission = Submission(document=to_document(step.composition), secrets={})
        if step.verb == "run":
            self._stage.system.commands.run(submission, alias=step.alias)
        else:
            self._stage.system.commands.update(step.alias, submission)

    def _strike(self, step: Strike) -> None:
        process = self._stage.store.process(step.alias)
        live = self._stage.store.objects(process.fid) if process is not None else ()
        for found in live:
            if (
                found.logical_id == step.logical_id
                and found.physical_id is not None
                and found.state != ResourceState.RELEASED
            ):
                self._stage.ground.strike(step.act, found, step.path, step.value)

    def _calm(self) -> None:
        self._stage.ground.calm()
        self._stage.weather.commits_lost = 0
        self._stage.fate.disarm()
        self._stage.cast.calm()
        self._stage.boot()
        self._give_up()
        for process in self._live():
            for key, value in (("lock", "off"), ("enforcement", "on")):
                self._stage.system.commands.set_property(process.fid, key, value)

    def _give_up(self) -> None:
        """What was released is in the way of what comes: it has a name, or stands in a network. People delete it."""
        for one in self._stage.ground.standing():
            if self._stage.laws.is_given_up(one):
                self._stage.ground.purge(one)

    def _rest(self) -> None:
        """Whatever state it is in, nothing goes on for ever."""
        self._settle(may_halt=True)

    def _resume(self) -> None:
        for process in self._live():
            if process.state is ProcessState.SUSPENDED:
                self._stage.tell(f"      {process.alias} was {process.state}: {process.last_message}")
                self._stage.system.commands.resume(process.fid)

    def _converge(self) -> None:
        self._settle(may_halt=False)
        for process in self._live():
            for problem in reality_problems(process, self._stage.store, self._stage.ground):
                self._stage.laws.broken(f"{process.alias} says that it has converged, and {problem}")

    def _kill(self) -> None:
        for process in self._live():
            if process.state is ProcessState.RUNNING:
                self._stage.system.commands.kill(process.fid)

    def _end(self) -> None:
        self._settle(may_halt=False)
        self._give_up()
        for one in self._stage.ground.standing():
            if not self._stage.laws.is_protected(one):
                whose = one.owner.logical_id if one.owner is not None else "nobody that it tells"
                self._stage.laws.broken(f"{one.physical_id}, made for {whose}, is left over")

    def _settle(self, *, may_halt: bool) -> None:
        """Let time pass until every live process has come to rest."""
        since = self._stage.clock.now()
        self._stage.work()
        while not self.problems:
            live = self._live()
            halted = [process for process in live if process.state is ProcessState.SUSPENDED and not may_halt]
            for process in halted:
                self._stage.laws.broken(f"{process.alias} was halted in a calm world: {process.last_message}")
            restless = [process for process in live if not _rests(process, since)]
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

    def _live(self) -> tuple[Process, ...]:
        return self._stage.store.processes()

    def _picture(self, process: Process) -> str:
        jobs = [f"{job.command} {job.status} {job.message}" for job in self._stage.store.history(process.fid).jobs[-3:]]
        objects = [
            f"{found.logical_id}#{found.incarnation} {found.state}→{found.target} {progress_message(found)}"
            for found in self._stage.store.objects(process.fid)
            if not found.is_settled or found.is_phase_failed
        ]
        return f"{process.state} {process.last_message!r}; jobs {jobs}; objects {objects}"


def _rests(process: Process, since: Instant) -> bool:
    """Whether a job that saw all that was there at `since` found nothing to do; or no job will ever look again."""
    if process.state is ProcessState.SUSPENDED:
        return True
    last = process.last_job
    return (
        process.state is ProcessState.RUNNING
        and process.job_id is None
        and process.next_command is None
        and process.converged_at is not None
        and last is not None
        and last.started_at > since + _STALE_S
    )
