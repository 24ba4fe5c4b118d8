"""An installation whose Conductor dies at a chosen durable write, and what must be true once another has taken over."""

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import forked
from live import Live

from tenuto.cli.terminal.exits import Exit


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """At which durable write of its life a Conductor dies, and on which side of it."""

    number: int
    when: str
    """`before` or `after`."""


SCRIPT = Path(__file__).with_name("mortal_conductor.py")


class Doomed(Live):
    """Drives one process through acts during which its Conductor is killed."""

    def survive(self, deaths: Sequence[Death], act: Callable[[], bool], is_over: Callable[[], bool]) -> int:
        """Perform an act under Conductors that die one after the other, then under one that stays. How many died.

        `act` gives the command and says whether it was heard. It may be called again when nobody knows.
        """
        self.stop()
        died = sum(self._die(death, act, is_over) for death in deaths)
        self.start()
        self.until(act, "the command is heard")
        self.until(is_over, "what was commanded has come about")
        return died

    def _die(self, death: Death, act: Callable[[], bool], is_over: Callable[[], bool]) -> bool:
        """One life. Whether the moment of its death came before everything was done."""
        self._start_mortal(death)
        heard = False
        while not self._is_dead() and not (heard and is_over()):
            heard = heard or act()
        assert self.process is not None
        died = self._is_dead()
        if died:
            assert self.process.returncode == -signal.SIGKILL, self.log()
        else:
            self.kill_9()
        return died

    def _start_mortal(self, death: Death) -> None:
        with (self.folder / "conductor.log").open("ab") as log:
            words = (str(death.number), death.when)
            self.process = forked.start(words, self.environment, log, script=SCRIPT)
        self.until(lambda: self._is_dead() or self.tenuto("status").code == 0, "the Conductor answers or dies")

    def _is_dead(self) -> bool:
        assert self.process is not None
        return self.process.poll() is not None

    def apply(self, template: Path, name: str) -> Callable[[], bool]:
        """The command that makes a process be as a template says."""
        return lambda: self.tenuto("apply", str(template), "-a", name).code == 0

    def end(self, name: str) -> Callable[[], bool]:
        """The command that takes it down; heard, too, when it is on its way or gone."""

        def act() -> bool:
            return self.tenuto("kill", name).code in (Exit.DONE, Exit.NOT_FOUND, Exit.NOT_ALLOWED)

        return act

    def is_as(self, template: Path, name: str) -> Callable[[], bool]:
        """Whether a job found the process converged on that template."""

        def is_over() -> bool:
            answer = self.tenuto("--json", "status", name)
            if answer.code != 0:  # it may be dead by now
                return False
            document = answer.document
            return bool(document["converged"] and document["composition"]["name"] == template.stem)

        return is_over

    def is_gone(self, name: str) -> Callable[[], bool]:
        return lambda: self.tenuto("status", name).code == Exit.NOT_FOUND
