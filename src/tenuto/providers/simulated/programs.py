"""Programs in simulated machines, which run nothing: each program ends at once, with 0 and without output.

So a person can try the phases of a plugin before there is a machine.
"""

from tenuto.model.resource import ManagedObject
from tenuto.ports.programs import ProgramEnd, ProgramOrder


class NoPrograms:
    """Implements `ports.programs.Programs`."""

    def start(self, machine: ManagedObject, order: ProgramOrder) -> str:
        return order.id

    def end(self, machine: ManagedObject, handle: str) -> ProgramEnd | None:
        return ProgramEnd(code=0)
