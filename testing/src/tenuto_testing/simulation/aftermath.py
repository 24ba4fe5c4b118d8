"""The end of a run: after the calm all come to rest, are as declared, and are killed; nothing of ours remains.

A suspended process is resumed, twice at most (damage during the suspension is only seen then), and must come to rest
too.
"""

from collections.abc import Set
from contextlib import suppress

from tenuto.errors import NotAllowedError, PermanentError
from tenuto.lifecycles.resource import ResourceState
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import ProcessState
from tenuto.model.ids import PhysicalId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto_testing.simulation.reality import reality_problems
from tenuto_testing.simulation.rehearsals import Rehearsals
from tenuto_testing.simulation.rest import Rest
from tenuto_testing.simulation.stage import Stage

PURGED_S = 10.0
"""The seconds after which no cloud here shows a deleted thing any more."""


class Aftermath:
    """The acts that end a run, in the order in which a trial calls them."""

    def __init__(self, stage: Stage, rehearsals: Rehearsals) -> None:
        self._stage = stage
        self._rehearsals = rehearsals
        self._rest = Rest(stage)

    def give_up(self) -> None:
        """Delete as people do: a released thing stands in the way of a new one by its name, or in a network. They wait
        until that can be seen; once more before they resume, since a kill may come too late for a thing that was on its
        way to be let go."""
        standing = self._stage.ground.standing()
        left = [one for one in standing if self._stage.laws.is_given_up(one)]
        for one in left:
            self._stage.ground.purge(one)
        parts = 0
        for part in self._parts_given_up({one.physical_id for one in standing}):
            with suppress(PermanentError):  # it is gone already
                self._stage.ground.strike("vanish", part, "", None)
                parts += 1
        if left or parts:
            self._stage.advance(PURGED_S)

    def _parts_given_up(self, standing: Set[PhysicalId]) -> list[ManagedObject]:
        """The released objects whose things are parts of others (a route, a policy of a role), and that no object holds
        by now."""
        objects = [
            one for process in self._stage.store.processes(live=False) for one in self._stage.store.objects(process.fid)
        ]
        held = {(one.type, one.physical_id) for one in objects if not has_ended(one)}
        return [
            one
            for one in objects
            if one.state == ResourceState.RELEASED
            and one.physical_id is not None
            and one.physical_id not in standing
            and (one.type, one.physical_id) not in held
        ]

    def rest(self) -> None:
        """Check that no process in any state goes on for ever."""
        self._rest.settle(may_halt=True)

    def resume(self) -> None:
        """Act like a person on each process that waits for one. The kill of an exporter is cancelled before those of
        its importers; one whose exporter is being released stays in its kill."""
        self.give_up()
        waiting = self._live()
        while refused := tuple(process for process in waiting if not self._resumed(process)):
            if refused == waiting:
                for process in refused:
                    self._stage.system.commands.kill(process.fid)
                break
            waiting = refused

    def _resumed(self, process: Process) -> bool:
        """Whether the process was acted on, or needs nothing."""
        with suppress(NotAllowedError):
            self._resume(process)
            return True
        return False

    def _resume(self, process: Process) -> None:
        if self._rest.is_stranded(process):
            if process.state is not ProcessState.KILLING:
                self._stage.tell(f"      {process.alias} imports what nobody exports")
                self._stage.system.commands.kill(process.fid)
        elif process.state is ProcessState.SUSPENDED:
            self._stage.tell(f"      {process.alias} was {process.state}: {process.last_message}")
            self._stage.system.commands.resume(process.fid)
        elif self._rest.is_held(process):
            self._stage.tell(f"      {process.alias} does not correct everything: {process.last_message}")
            self._stage.system.commands.retry(process.fid)

    def converge(self) -> None:
        """All come to rest, and the world is as declared."""
        self._rest.settle(may_halt=False)
        for process in self._live():
            for problem in reality_problems(process, self._stage.store, self._stage.ground):
                self._stage.laws.broken(f"{process.alias} says that it has converged, and {problem}")
            self._rehearsals.expect_nothing(process)

    def kill(self) -> None:
        """Kill all processes, first those from which no other imports."""
        for _ in self._live():
            for process in self._live():
                if process.state is ProcessState.RUNNING:
                    with suppress(NotAllowedError):
                        self._rehearsals.kill(process)
            self._rest.settle(may_halt=False)
        self._rehearsals.check_kills()

    def end(self) -> None:
        """Nothing of ours stands any more."""
        self.give_up()
        for one in self._stage.ground.standing():
            if not self._stage.laws.is_protected(one):
                whose = one.owner.logical_id if one.owner is not None else "nobody that it tells"
                self._stage.laws.broken(f"{one.physical_id}, made for {whose}, is left over")

    def _live(self) -> tuple[Process, ...]:
        return self._stage.store.processes()
