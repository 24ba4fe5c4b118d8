"""The objects that an executing plan waits for, so that the end of each wakes its job.

Theory of operation. A look at an executing plan costs as much as the plan is long. Of ten thousand resources of one
type, which rest a thousand at a time, only the last lets the next wave begin; to look at each run's end would make the
cost of a plan grow with the square of its length. So a look leaves behind who was moving in each wave, and who is
waited for inside a wave by name. Only the last of a wave, who is waited for by name, and who is unknown here are worth
the next look. This is a hint and no truth: a look too many finds nothing to do, and one too few comes
with the next period.
"""

from collections.abc import Iterable

from tenuto.core.planning.plan_progress import Advance, StepStatus
from tenuto.model.ids import ObjectId
from tenuto.model.plan import Plan


class Awaited:
    """What one look has left. Not thread-safe."""

    def __init__(self, plan: Plan, where: Advance) -> None:
        self._wave_of = {step.object_id: step.wave for step in plan.steps}
        self._moving: dict[int, set[ObjectId]] = {}
        self._by_name: set[ObjectId] = set()
        for step in plan.steps:
            status = where.status[step.object_id]
            if status is StepStatus.MOVING:
                self._moving.setdefault(step.wave, set()).add(step.object_id)
            elif status is StepStatus.OPEN and step.wave in where.open_waves:
                self._by_name.update(other for other in step.after if where.status.get(other) is not StepStatus.DONE)

    def are_resting(self, object_ids: Iterable[ObjectId]) -> bool:
        """Objects have reached their targets, or failed. Whether that is worth a look."""
        is_worth_it = False
        for object_id in object_ids:
            wave = self._wave_of.get(object_id)
            if wave is None or object_id in self._by_name:
                is_worth_it = True
            moving = self._moving.get(wave, set()) if wave is not None else set()
            if object_id in moving:
                moving.remove(object_id)
                is_worth_it = is_worth_it or not moving
        return is_worth_it
