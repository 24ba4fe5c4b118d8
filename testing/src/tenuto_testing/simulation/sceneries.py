"""The clouds of the simulator, by name."""

from collections.abc import Mapping

from tenuto.errors import UserError
from tenuto_testing.simulation.scenery import Scenery
from tenuto_testing.simulation.simulated import SIMULATED
from tenuto_testing.simulation.strict_scenery import STRICT

SCENERIES: Mapping[str, Scenery] = {one.name: one for one in (SIMULATED, STRICT)}


def scenery_of(name: str) -> Scenery:
    """Raises UserError."""
    if name not in SCENERIES:
        raise UserError(f"there is no cloud {name!r}; there are: {', '.join(sorted(SCENERIES))}")
    return SCENERIES[name]
