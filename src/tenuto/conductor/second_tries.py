"""What failed is tried again when its process is resumed; but not with a wish that is none any more.

Theory of operation. Where nothing was updated in between, `resume` itself clears what failed. After an update that
would have the old wish tried once more before there is a plan for the new one. So it is left to the job: it plans as if
everything were tried again, and clears what the plan leaves as it is. What the plan changes or takes away starts over
when that step begins.
"""

from collections.abc import Sequence

from tenuto.conductor.phases import PhaseEngine
from tenuto.core.progress import retry
from tenuto.model.ids import Instant
from tenuto.model.plan import Plan
from tenuto.model.process import Command, Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_reads import HistoryReads


class SecondTries:
    """Keeps nothing between calls."""

    def __init__(self, *, store: HistoryReads, engine: PhaseEngine) -> None:
        self._store = store
        self._engine = engine

    def imagined(self, process: Process, objects: tuple[ManagedObject, ...]) -> tuple[ManagedObject, ...]:
        """The objects as a job shall plan for them: as they are, or as if all that failed were tried again."""
        if not any(found.is_phase_failed for found in objects) or not self._is_corrected(process):
            return objects
        return tuple(retry(found, None).object for found in objects)

    def begin(
        self, plan: Plan, objects: Sequence[ManagedObject], imagined: Sequence[ManagedObject], now: Instant
    ) -> None:
        """Try again what has no step in the plan. Before the plan is stored: after a crash it is made again."""
        turned = {step.object_id for step in plan.steps}
        pairs = zip(objects, imagined, strict=True)
        left = [one.object_id for one, after in pairs if one.object_id not in turned and after != one]
        if left:
            self._engine.retry(left, now)

    def _is_corrected(self, process: Process) -> bool:
        """Whether it was updated while it was suspended, and is resumed now."""
        if process.next_command is not Command.RESUME or process.last_job is None:
            return False
        given = self._store.history(process.fid, start=process.last_job.finished_at).commands
        return any(one.command is Command.UPDATE for one in given)
