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


class SecondTries:
    """Keeps nothing between calls."""

    def __init__(self, engine: PhaseEngine) -> None:
        self._engine = engine

    def imagined(self, process: Process, objects: Sequence[ManagedObject], now: Instant) -> tuple[ManagedObject, ...]:
        """The objects as a job shall plan for them."""
        if process.next_command is not Command.RESUME:
            return tuple(objects)
        return tuple(retry(found, None, now).object for found in objects)

    def begin(self, process: Process, plan: Plan, objects: Sequence[ManagedObject], now: Instant) -> None:
        """Clear what failed and has no step in the plan. Before the plan is stored: after a crash it is made again."""
        if process.next_command is Command.RESUME:
            turned = {step.object_id for step in plan.steps}
            left = [found.object_id for found in objects if found.is_phase_failed and found.object_id not in turned]
            if left:
                self._engine.retry(left, now)
