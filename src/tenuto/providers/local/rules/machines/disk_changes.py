"""Changes of disks that no machine can follow: a disk keeps its base, and never shrinks.

Theory of operation. A declaration is compared with the machine that is there, before anything is stored: with its disks
as its host shows them, since a size that was declared last may have been refused. A machine that is replaced begins
with new disks, so its declaration may say anything. A disk whose size is not declared has the size of its base, and a
smaller one is refused where bases are judged.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tenuto.model.composition import Declaration
from tenuto.model.ids import JsonMap
from tenuto.model.objection import Objection
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.types import types

_DISKS = "Disks"


def changed_disks(
    declared: Declaration, machine: ManagedObject, shown: Sequence[JsonMap], is_of: Callable[[str, str], bool]
) -> Iterator[Objection]:
    """The objections to the disks of a declaration, for the machine that is there. `shown` are its disks as its host
    shows them, and `is_of` says whether a base has the content of a digest."""
    wanted, had = declared.properties.get(_DISKS), machine.desired.get(_DISKS, ())
    if not isinstance(wanted, Sequence) or _is_replaced(declared, machine):
        return
    digests = machine.attributes.get(BASES) or {}
    for number, (disk, before, there) in enumerate(zip(wanted, had, shown, strict=False)):
        if not isinstance(disk, Mapping):
            continue
        for problem, hint in (_other_base(disk, before, digests, is_of), _smaller(disk, there)):
            if problem:
                detail = f"Disk {number} of {declared.logical_id} {problem}"
                yield Objection(logical_id=declared.logical_id, path=_DISKS, detail=detail, hint=hint)


def _is_replaced(declared: Declaration, machine: ManagedObject) -> bool:
    given, had = declared.properties, machine.desired
    return any(name in given and given[name] != had.get(name) for name in types()[declared.type].create_only)


def _smaller(disk: JsonMap, there: JsonMap) -> tuple[str, str]:
    size, had = disk.get("SizeGiB"), there.get("SizeGiB")
    if type(size) is not int or type(had) is not int or size >= had:
        return "", ""
    return (
        f"has {had} GiB, and a disk never shrinks.",
        f"Give it a SizeGiB of {had} or more, or give the machine another logical id to begin with smaller disks.",
    )


def _other_base(disk: JsonMap, before: JsonMap, digests: JsonMap, is_of: Callable[[str, str], bool]) -> tuple[str, str]:
    base, had = disk.get("Base", ""), before.get("Base", "")
    # The last declaration may have been another one, which was refused: the bases that were taken tell.
    if not isinstance(base, str) or base == had or base in digests or is_of(base, str(digests.get(had, ""))):
        return "", ""
    return (
        f"keeps the base that it was made with: {had or 'none'}.",
        "Give the machine another logical id to begin with another base, or take the change back.",
    )
