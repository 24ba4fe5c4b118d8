"""Changes of disks that no machine can follow: a disk keeps its base, never shrinks, and is never taken out.

Theory of operation. A declaration is compared with the machine that is there, before anything is stored. A machine that
is replaced begins with new disks, so its declaration may say anything. A disk whose size is not declared has the size
of its base, and a smaller one is refused where bases are judged.

A change that was declared and never carried out may be taken back. So an objection needs the disks that the machine
has, beside those that were declared last.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap
from tenuto.model.objection import Objection
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.types import types

_DISKS = "Disks"


def changed_disks(
    declared: Declaration,
    machine: ManagedObject,
    is_of: Callable[[str, str], bool],
    disks_of: Callable[[ManagedObject], Sequence[JsonMap]],
) -> list[Objection]:
    """The objections to the disks of a declaration, for the machine that is there. `is_of` says whether a base has the
    content of a digest, and `disks_of` tells the disks that a machine has, in the words of its declaration."""
    wanted = declared.properties.get(_DISKS, ())
    if not isinstance(wanted, Sequence) or _is_replaced(declared, machine):
        return []
    found = list(_objections(declared, wanted, machine, machine.desired.get(_DISKS, ()), is_of))
    return list(_objections(declared, wanted, machine, disks_of(machine), is_of)) if found else []


def _objections(
    declared: Declaration,
    wanted: Sequence[Json],
    machine: ManagedObject,
    had: Sequence[JsonMap],
    is_of: Callable[[str, str], bool],
) -> Iterator[Objection]:
    if len(wanted) < len(had):
        # The numbers of the disks say nothing about which one is missing.
        yield _taken_out(declared, len(had), len(wanted))
        return
    digests = machine.attributes.get(BASES) or {}
    for number, (disk, before) in enumerate(zip(wanted, had, strict=False)):
        if not isinstance(disk, Mapping):
            continue
        for problem, hint in (_other_base(disk, before, digests, is_of), _smaller(disk, before)):
            if problem:
                detail = f"Disk {number} of {declared.logical_id} {problem}"
                yield Objection(logical_id=declared.logical_id, path=_DISKS, detail=detail, hint=hint)


def _taken_out(declared: Declaration, has: int, wanted: int) -> Objection:
    name = declared.logical_id
    return Objection(
        logical_id=name,
        path=_DISKS,
        detail=f"{name} has {has} disks, and {wanted or 'none'} of them {'are' if wanted > 1 else 'is'} declared. "
        "A disk is never taken out of a machine.",
        hint="Declare them all in their order, or give the machine another logical id to begin with fewer disks.",
    )


def _is_replaced(declared: Declaration, machine: ManagedObject) -> bool:
    given, had = declared.properties, machine.desired
    return any(name in given and given[name] != had.get(name) for name in types()[declared.type].create_only)


def _smaller(disk: JsonMap, before: JsonMap) -> tuple[str, str]:
    size, had = disk.get("SizeGiB"), before.get("SizeGiB")
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
