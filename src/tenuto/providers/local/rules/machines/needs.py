"""The needs of the machine of a stored object, with which it is placed."""

from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.placement import DISK_GIB, Machine


def machine_of(found: ManagedObject) -> Machine:
    """The needs of the machine of an object. Raises KeyError, TypeError, ValueError or AttributeError for no needs."""
    desired = found.desired
    return Machine(
        object_id=found.object_id,
        namespace=found.partition.account,
        vcpus=int(desired["Vcpus"]),
        memory_mib=int(desired["MemoryMiB"]),
        host=str(desired.get("Host", "")),
        affinity={tag: int(weight) for tag, weight in desired.get("Affinity", {}).items()},
        tags=frozenset(f"{key}={value}" for key, value in desired.get("Tags", {}).items()),
        disk_gib=int(found.attributes.get(DISK_GIB) or 0),
    )
