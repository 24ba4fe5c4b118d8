"""The machines without disks: those of the driver `ns` have a home on their host instead."""

from tenuto.model.ids import JsonMap

DRIVER = "ns"


def disks_problem(driver: str, properties: JsonMap) -> str:
    """Return why a machine of a driver cannot have the disks that it declares, for people; empty when it can."""
    if driver != DRIVER or not properties.get("Disks"):
        return ""
    return f"machines of the driver {DRIVER} have no disks, but a home: leave Disks out"
