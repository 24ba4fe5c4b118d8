"""Messages about objects that are not as declared, from their phases and from the things themselves."""

from tenuto.model.observation import ObservedItem
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject


def progress_message(found: ManagedObject) -> str:
    """The activity of an object on its way, in a few words, most telling phase first."""
    order = (PhaseStatus.FAILED, PhaseStatus.RUNNING, PhaseStatus.SLEEPING, PhaseStatus.WAITING, PhaseStatus.BLOCKED)
    entries = sorted(
        (entry for entry in found.phases.values() if entry.state == found.state and entry.status in order),
        key=lambda entry: (order.index(entry.status), entry.phase),
    )
    if not entries:
        return f"in {found.state}"
    first = entries[0]
    return f"{first.phase} {first.status.lower()}" + (f": {first.message}" if first.message else "")


def unwell_message(item: ObservedItem) -> str:
    """The message about a thing that worked, that the provider reports as broken, and that may work again."""
    why = f": {item.message}" if item.message else ""
    return (
        f"the provider reports it as broken{why}. It may work again, so Tenuto does not make another one: correct the "
        "cause, or delete it at the provider to have it made anew"
    )
