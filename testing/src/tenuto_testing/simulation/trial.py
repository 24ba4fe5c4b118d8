"""One run: the steps of a history, then calm, then the checks of its end.

Theory of operation. After every step the laws are checked. Then calm comes: nothing is faulty any more, no Conductor
dies, no task is slow, and damage that only people can repair is repaired. Now every process must come to rest within a
bounded time and number of jobs, and the world be as declared; at last everything is killed (`aftermath`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from random import Random

import structlog
from structlog.testing import capture_logs

from tenuto.compositions.documents.document import to_document
from tenuto.errors import PermanentError, ProviderError, StoreUnavailableError, UserError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.service.intake.composition import Submission
from tenuto.settings import DEFAULT_PATIENCE_S
from tenuto_testing.mortality import Crash
from tenuto_testing.simulation.aftermath import Aftermath
from tenuto_testing.simulation.histories import History
from tenuto_testing.simulation.rehearsals import Rehearsals
from tenuto_testing.simulation.stage import PERIOD_S, Stage
from tenuto_testing.simulation.steps import (
    EVERYTHING,
    Add,
    Death,
    Enter,
    Execute,
    Order,
    Pass,
    Rehearse,
    Rival,
    SetProperty,
    SetTempo,
    Stall,
    Step,
    StoreDown,
    Strike,
    Submit,
    Swap,
    Together,
    Trouble,
)

_BUSY_S = 1800.0
"""The effects of a step are over after so long, or are tried again seldom."""
_SELDOM = 100
"""The jobs of each process in the rest of a long pause."""


class Trial:
    """One run of one history. `log` tells the events, `problems` those that must not have been."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._stage = Stage(history)
        self._rehearsals = Rehearsals(self._stage)
        self._aftermath = Aftermath(self._stage, self._rehearsals)

    @property
    def log(self) -> tuple[str, ...]:
        return tuple(self._stage.log)

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._stage.laws.problems))

    def play(self) -> tuple[str, ...]:
        """Run to the end, or to the first problem. Returns the problems; none when all is well."""
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
        """The acts of the run, each with the text that seeds its chance and the line that tells it."""
        yield "boot", "", self._stage.boot
        for number, step in self._history.steps:
            first_line = str(step).splitlines()[0]
            yield str(number), f"{number:>3} {first_line}", partial(self._do, step)
        for told, act in (
            ("calm", self._calm),
            ("and all come to rest", self._aftermath.rest),
            ("resume", self._aftermath.resume),
            ("and all come to rest", self._aftermath.rest),
            ("resume what a human had to look at once more", self._aftermath.resume),
            ("and all come to rest", self._aftermath.converge),
            ("kill", self._aftermath.kill),
            ("and nothing remains", self._aftermath.end),
        ):
            yield told, told, act

    def _do(self, step: Step) -> None:
        try:
            self._act(step)
        except Crash as crash:
            self._stage.cast.die(str(crash))
        except (UserError, StoreUnavailableError, ProviderError) as refused:
            self._stage.tell(f"      ! {str(refused).splitlines()[0]}")

    def _act(self, step: Step) -> None:
        match step:
            case Submit() | Order() | Together() | Rehearse() | Execute() | SetProperty() | SetTempo():
                self._act_on_processes(step)
            case Pass():
                self._pass(step.seconds)
            case Strike():
                self._strike(step)
            case Add():
                with self._stage.laws.protect():
                    self._stage.ground.add(step.type, step.properties)
            case Trouble():
                self._stage.ground.trouble(step.kind, step.operation, step.subject, step.times, step.seconds)
            case StoreDown():
                self._stage.weather.come(step.how, step.times)
            case Stall() | Rival() | Death() | Enter() | Swap():
                self._act_on_conductors(step)

    def _pass(self, seconds: float) -> None:
        """Let time pass. After the first half hour the jobs of a long pause come seldom: their period is a setting, and
        thousands of jobs that find nothing would cost the seeds that find something."""
        busy_s = min(seconds, _BUSY_S)
        self._stage.advance(busy_s)
        if seconds > busy_s:
            tempo = self._stage.system.tempo
            period_s = tempo.period_s
            tempo.period_s = max(period_s, (seconds - busy_s) / _SELDOM)
            self._stage.advance(seconds - busy_s)
            tempo.period_s = period_s

    def _act_on_processes(self, step: Submit | Order | Together | Rehearse | Execute | SetProperty | SetTempo) -> None:
        match step:
            case Submit():
                self._submit(step)
            case Order():
                self._order(step)
            case Together():
                self._together(step)
            case Rehearse():
                self._rehearsals.rehearse(step)
            case Execute():
                with self._called_in(step.alias, "execute", ""):
                    self._rehearsals.execute(step)
            case SetProperty() | SetTempo():
                self._set(step)

    def _act_on_conductors(self, step: Stall | Rival | Death | Enter | Swap) -> None:
        match step:
            case Enter(account="own"):
                self._stage.ground.enter("own")
            case Swap():
                self._swap(step.account)
            case Enter():
                # Whose account it is must be known by then: the first one that is seen is kept.
                self._stage.system.commands.accounts.check(DEFAULT_ACCOUNT)
                with self._stage.laws.protect():
                    self._stage.ground.enter(step.account)
            case Stall():
                self._stage.cast.stall(step.seconds)
            case Rival():
                self._stage.cast.rival()
            case Death(blow=None):
                self._stage.cast.die("now")
            case Death():
                assert step.blow is not None
                self._stage.fate.arm(step.blow)

    def _swap(self, account: str) -> None:
        """Let the credentials lead elsewhere from now on, or home again. No Conductor is told."""
        if account == "other":
            self._stage.system.commands.accounts.check(DEFAULT_ACCOUNT)
        self._stage.laws.promises.forget()
        with self._stage.laws.protect():
            self._stage.ground.swap(account)

    def _set(self, step: SetProperty | SetTempo) -> None:
        system = self._stage.system
        if isinstance(step, SetTempo):
            system.tempo.period_s, system.tempo.patience_s = step.period_s, step.patience_s
            return
        process = self._stage.store.process(step.alias)
        if process is not None:
            # Enforcement that comes back before the plan is made adds operations to those of the command.
            self._stage.laws.promises.withdraw(process.fid)
        until = None if step.until_s is None else f"{step.until_s:.3f}s"
        system.commands.set_property(step.alias, step.key, step.value, until=until)

    def _together(self, step: Together) -> None:
        """Give the first command; while its giver decides, the second one is given."""

        def meanwhile() -> None:
            with suppress(UserError):
                self._order(Order(verb=step.second, alias=step.alias))

        # Two retries save under one lock, for which the one thread of a run cannot wait: one follows the other.
        is_apart = step.first == step.second == "retry"
        if not is_apart:
            self._stage.weather.interrupt(meanwhile)
        try:
            self._order(Order(verb=step.first, alias=step.alias))
        finally:
            if is_apart:
                meanwhile()
            self._stage.weather.meet_interruption()

    def _order(self, step: Order) -> None:
        commands = self._stage.system.commands
        known: dict[str, Callable[[str], object]] = {
            "suspend": commands.suspend,
            "resume": commands.resume,
            "kill": commands.kill,
            "retry": commands.retry,
            "release": partial(commands.release, keep_tags=step.keeps_tags),
        }
        with self._called_in(step.alias, step.verb, ""):
            known[step.verb](step.alias)

    @contextmanager
    def _called_in(self, alias: str, verb: str, digest: str) -> Iterator[None]:
        """The command is given within; one that is refused calls nothing in."""
        process = self._stage.store.process(alias)
        if process is None:
            yield
            return
        promises = self._stage.laws.promises
        promises.call_in(process, verb, digest)
        try:
            yield
        except BaseException:  # Also a death: it is not known whether the command was taken.
            promises.withdraw(process.fid)
            raise

    def _submit(self, step: Submit) -> None:
        submission = Submission(document=to_document(step.composition), secrets={})
        with self._called_in(step.alias, step.verb, step.composition.digest):
            if step.verb == "run":
                self._stage.system.commands.run(submission, alias=step.alias)
            else:
                self._stage.system.commands.update(step.alias, submission)

    def _strike(self, step: Strike) -> None:
        process = self._stage.store.process(step.alias)
        live = self._stage.store.objects(process.fid) if process is not None else ()
        for found in live:
            if (
                step.logical_id in (found.logical_id, EVERYTHING)
                and found.physical_id is not None
                and found.state != ResourceState.RELEASED
            ):
                self._stage.laws.struck(found)
                try:
                    self._stage.ground.strike(step.act, found, step.path, step.value)
                except PermanentError as refused:
                    self._stage.tell(f"      ! {str(refused).splitlines()[0]}")

    def _calm(self) -> None:
        self._stage.laws.promises.forget()
        self._stage.ground.calm()
        if any(isinstance(step, Enter) for _, step in self._history.steps):
            # A Conductor that stands still has the wrong credentials, too.
            self._do(Enter(account="own"))
            self._stage.cast.replace()
        if any(isinstance(step, Swap) for _, step in self._history.steps):
            self._do(Swap(account="own"))
        self._stage.weather.calm()
        self._stage.fate.disarm()
        self._stage.cast.calm()
        self._stage.boot()
        self._aftermath.give_up()
        self._set(SetTempo(period_s=PERIOD_S, patience_s=DEFAULT_PATIENCE_S))
        for process in self._stage.store.processes():
            for key, value in (("lock", "off"), ("enforcement", "on")):
                self._stage.system.commands.set_property(process.fid, key, value)
