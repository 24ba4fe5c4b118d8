"""The drivers that machines may ask for. None takes the place of another."""

from tenuto.model.ids import Json

_OFFERED_WITH = {"qemu": ("ns",)}
"""The drivers that a host of a driver has besides."""


def driver_problem(wanted: Json, offered: str, zone: str) -> str:
    """Return why the hosts of a zone cannot have a machine with this driver, for people; empty when they can. `offered`
    is the driver of the hosts; empty where it is not known."""
    if not offered or wanted in (None, offered, *_OFFERED_WITH.get(offered, ())):
        return ""
    return f"asks for the driver {wanted}, and the hosts of the zone {zone} have the driver {offered}"
