"""The means of a demonstration: it types commands, tells of a process, and waits for the work of the next jobs."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

from tenuto.bootstrap.system import System
from tenuto.errors import TenutoError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid
from tenuto.model.job import Job
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.service.views.process_view import resource_message

READ_S = 0.2
"""Seconds between two reads of the process that the story waits for."""
PATIENCE_S = 300.0
"""Everything here takes seconds; a step that takes longer than this on a slow machine is stuck."""

Say = Callable[[str], None]


def unheard(say: Say) -> Say:
    """Return a `say` that no lost reader stops: the terminal may be closed, and the end of a pipe gone."""

    def tell(text: str) -> None:
        with suppress(OSError):
            say(text)

    return tell


class Teller:
    """Base of the stories. A wait that leads nowhere raises TenutoError."""

    def __init__(self, system: System, say: Say) -> None:
        self._system = system
        self._say = say

    def _jobs(self, fid: Fid) -> tuple[Job, ...]:
        found = self._system.queries.history(fid).history.jobs
        return tuple(job for job in found if job.kind.value != "dry-run")

    def _repairs(self, fid: Fid) -> tuple[Job, ...]:
        return tuple(job for job in self._jobs(fid) if job.command == "enforce" and job.plan_id and job.finished_at)

    def _watch(self, fid: Fid, is_done: Callable[[Process], bool]) -> None:
        """Tell how the process goes on, a line for each change, until it is where it should be."""
        began = time.monotonic()
        told = ""
        for process in self._reads(fid):
            line = _progress(self._system.store.objects(fid))
            if line != told:
                self._tell(f"{time.monotonic() - began:5.1f} s  {line}")
                told = line
            if is_done(process):
                self._tell(f"{time.monotonic() - began:5.1f} s  {process.state.value.lower()}, nothing left to do")
                return

    def _until(self, awaited: str, is_done: Callable[[], object]) -> None:
        """Wait for it; `awaited` names it in the message of the TenutoError when it does not come."""
        deadline = time.monotonic() + PATIENCE_S
        while not is_done():
            if time.monotonic() > deadline:
                raise TenutoError(f"{awaited} did not come within {PATIENCE_S:g} s")
            time.sleep(READ_S)

    def _reads(self, fid: Fid) -> Iterator[Process]:
        """The process, again and again. Raises TenutoError when it was suspended, or takes too long."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            process = self._system.store.process(fid)
            if process is None or process.state is ProcessState.SUSPENDED:
                raise TenutoError(f"the process was suspended: {process.last_message if process else 'lost'}")
            yield process
            time.sleep(READ_S)
        raise TenutoError(f"the process was not done within {PATIENCE_S:g} s")

    def _scene(self, text: str) -> None:
        self._say(f"\n{text}")

    def _typed(self, command: str) -> None:
        self._say(f"\n$ {command}")

    def _tell(self, text: str) -> None:
        for line in text.splitlines():
            self._say(f"  {line}")


def _progress(objects: tuple[ManagedObject, ...]) -> str:
    """Return how many resources are in which state, and the reason why one of those on their way waits."""
    counts = Counter(found.state for found in objects)
    told = ", ".join(f"{count} {state}" for state, count in sorted(counts.items(), key=lambda one: one[0]))
    waiting = [found for found in objects if not found.is_settled and resource_message(found)]
    why = f"  ({waiting[0].logical_id}: {resource_message(waiting[0])})" if waiting else ""
    return (told or "planning") + why
