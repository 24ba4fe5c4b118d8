"""The faults of machines that an update declares in the place of machines that run.

Theory of operation. A machine is replaced by deletion first, since the two cannot share their interfaces, and its disks
go with it. The phases would find a fault of the new one only after that. So the faults that no waiting mends are found
before anything is stored, for replacements alone: a driver that the hosts do not have, more than any host could ever
hold, and a base that is no image. Room that others have at this moment is no such fault: the new machine waits for it.

A machine that is new costs nothing when it fails, so its phases judge it. Only values that are there already count: one
that another resource will give is neither a replacement nor a fault.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.lifecycles.roles import is_to_stand
from tenuto.model import cloud_node
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.composition import Declaration
from tenuto.model.ids import JsonMap, LogicalId
from tenuto.model.image import whole_gib
from tenuto.model.objection import Objection
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.declared import text_of
from tenuto.providers.local.rules.machines.base_faults import (
    BaseFault,
    content_fault,
    may_be_on_a_host,
    missing_base,
    size_fault,
)
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, is_machine, is_on_hosts, is_up
from tenuto.providers.local.rules.machines.drivers import driver_problem
from tenuto.providers.local.rules.machines.homes import disks_problem
from tenuto.providers.local.rules.machines.needs import machine_of
from tenuto.providers.local.rules.machines.placement import Host, Machine, PlacementRules, never_placed
from tenuto.providers.local.types import ARTIFACT, INSTANCE, types

BlobFor = Callable[[str], ManagedObject | None]
"""The blob that a namespace means by a word."""
_OF_A_NODE = {"Vcpus": "MachineType", "MemoryMiB": "MachineType", "Disks": "Image"}
_FIRST = "The update would delete the present machine with its disks first."


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """The hosts of a zone as they are now, and the driver that they have."""

    name: str
    driver: str
    hosts: Sequence[Host]


@dataclass(frozen=True, slots=True, kw_only=True)
class Successor:
    """A machine that is declared in the place of another one. `wanted` reads it as the object of an instance."""

    declared: Declaration
    before: ManagedObject
    wanted: ManagedObject

    def objection(self, path: str, detail: str, hint: str) -> Objection:
        """The objection to a property, named in the words of an instance."""
        if self.declared.type == CLOUD_NODE:
            path = _OF_A_NODE.get(path, path)
        return Objection(logical_id=self.declared.logical_id, path=path, detail=f"{detail} {_FIRST}", hint=hint)


def successors_of(objects: Sequence[ManagedObject], declared: Sequence[Declaration]) -> Mapping[LogicalId, Successor]:
    """The declared machines that take the place of machines that are up, by name."""
    up = {one.logical_id: one for one in objects if is_machine(one) and is_up(one) and is_to_stand(one)}
    return {
        one.logical_id: Successor(declared=one, before=up[one.logical_id], wanted=_wanted(one, up[one.logical_id]))
        for one in declared
        if one.logical_id in up and _is_local(one) and _is_replaced(one, up[one.logical_id])
    }


def misplaced(successors: Sequence[Successor], zone: Zone, blob_for: BlobFor) -> Iterator[Objection]:
    """Object to machines that the hosts of the zone can never have."""
    for one in successors:
        driver, name = one.wanted.desired.get("Driver"), one.declared.logical_id
        if isinstance(driver, str) and (problem := driver_problem(driver, zone.driver, zone.name)):
            hint = "Leave Driver out, or choose a zone whose hosts have it."
            yield one.objection("Driver", f"{name} {problem}.", hint)
        elif problem := disks_problem(text_of(driver) or zone.driver, one.wanted.desired):
            yield one.objection("Disks", f"{name} has Disks, and {problem}.", "")
        elif machine := _needs(one.wanted, blob_for):
            yield from _without_room(one, machine, zone)


def unfounded(
    successors: Sequence[Successor], declared: Sequence[Declaration], driver: str, account: str, blob_for: BlobFor
) -> Iterator[Objection]:
    """Object to machines whose disks cannot begin with their bases. `declared` is the whole composition: an artifact of
    it may be made before the machine."""
    coming = {one.properties.get("Name") for one in declared if one.type == ARTIFACT}
    for one in successors:
        for number, disk in enumerate(_disks(one.wanted)):
            word = text_of(disk.get("Base"))
            if not word or word in coming:
                continue
            blob = blob_for(word)
            if blob is None and may_be_on_a_host(word, driver):
                if not _is_from_a_host(one.before, word):
                    yield one.objection("Disks", *_unknown(one, number, word, account))
                continue
            fault = missing_base(number, word, account) if blob is None else content_fault(number, word, blob)
            if fault is not None:
                yield one.objection("Disks", *_told(one, fault))
            elif blob is not None and (problem := size_fault(one.declared.logical_id, number, disk, blob))[0]:
                yield one.objection("Disks", *problem)


def _is_local(one: Declaration) -> bool:
    return one.type == INSTANCE or (one.type == CLOUD_NODE and is_on_hosts(one.properties))


def _is_replaced(one: Declaration, machine: ManagedObject) -> bool:
    """Whether a machine surely is replaced: by another type, or for a text that is set at creation alone."""
    if one.type != machine.type:
        return True
    names = types()[one.type].create_only - {cloud_node.PROVIDER}
    return any((text := text_of(one.properties.get(name))) and text != machine.desired.get(name) for name in names)


def _wanted(one: Declaration, machine: ManagedObject) -> ManagedObject:
    return as_instance(replace(machine, type=one.type, desired=one.properties, attributes={}))


def _disks(wanted: ManagedObject) -> Sequence[JsonMap]:
    disks = wanted.desired.get("Disks")
    return [one for one in disks if isinstance(one, Mapping)] if isinstance(disks, Sequence) else ()


def _needs(wanted: ManagedObject, blob_for: BlobFor) -> Machine | None:
    """The needs of a machine, as far as they are known already; None for no needs."""
    try:
        return replace(machine_of(wanted), disk_gib=sum(_gib(one, blob_for) for one in _disks(wanted)))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _gib(disk: JsonMap, blob_for: BlobFor) -> int:
    if size := disk.get("SizeGiB"):
        return int(size)
    word = text_of(disk.get("Base"))
    blob = blob_for(word) if word else None
    return 0 if blob is None else whole_gib(int(blob.desired["VirtualSizeBytes"]))


def _without_room(one: Successor, machine: Machine, zone: Zone) -> Iterator[Objection]:
    rules = PlacementRules()
    if machine.host and machine.host not in {host.name for host in zone.hosts}:
        return
    if (never := never_placed(machine, zone.hosts, rules)) is not None:
        lighter = (
            ("Vcpus", replace(machine, vcpus=0)),
            ("MemoryMiB", replace(machine, memory_mib=0)),
            ("Disks", replace(machine, disk_gib=0)),
        )
        path = next((path for path, less in lighter if never_placed(less, zone.hosts, rules) is None), "MemoryMiB")
        detail = f"{one.declared.logical_id} can be placed on no host: {never.message}."
        yield one.objection(path, detail, f"{never.advice}.")


def _is_from_a_host(machine: ManagedObject, word: str) -> bool:
    """Whether a disk of a machine has begun with an image in the folder of its host."""
    known: Mapping[str, object] = machine.attributes.get(BASES) or {}
    return word not in known and any(disk.get("Base") == word for disk in _disks(as_instance(machine)))


def _told(one: Successor, fault: BaseFault) -> tuple[str, str]:
    return f"{one.declared.logical_id} cannot begin: {fault.problem}.", fault.hint


def _unknown(one: Successor, number: int, word: str, account: str) -> tuple[str, str]:
    detail, _ = _told(one, missing_base(number, word, account))
    return (
        f"{detail} It is not known here whether a host has an image of this name in its folder.",
        "Correct it, upload the image ('tenuto artifact upload'), or declare the machine under another logical id, "
        "beside the present one.",
    )
