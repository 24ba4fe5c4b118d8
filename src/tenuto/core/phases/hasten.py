"""Objects that need not sleep any longer: a report or a person says that what they wait for has come."""

from tenuto.core.phases.progress import Progress
from tenuto.kit.evolve import evolve
from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject


def hastened(object: ManagedObject, now: Instant) -> Progress:  # noqa: A002
    """The object with every Sleeping entry due now. One that is due already changes nothing."""
    due = {
        name: evolve(entry, wake_at=now)
        for name, entry in object.phases.items()
        if entry.status is PhaseStatus.SLEEPING and entry.wake_at is not None and entry.wake_at > now
    }
    return Progress.between(object, evolve(object, phases={**object.phases, **due}) if due else object)
