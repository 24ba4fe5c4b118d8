"""The faults of declarations that the local cloud knows before something is stored: hosts and images that are not
there, and machines that could not take the place of those that are.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from tenuto.errors import ProviderError
from tenuto.lifecycles.roles import stands
from tenuto.model.composition import Declaration
from tenuto.model.ids import Fid, JsonMap, ObjectId, Partition
from tenuto.model.objection import Objection
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageShelf
from tenuto.ports.store import Store
from tenuto.providers.local.driver import Driver, Seen
from tenuto.providers.local.rules.declared import shared_values, text_of, unusable_networks
from tenuto.providers.local.rules.machines.base_faults import content_fault, size_fault
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.machines.cloud_nodes import objections_to
from tenuto.providers.local.rules.machines.disk_changes import changed_disks
from tenuto.providers.local.rules.machines.homes import disks_problem
from tenuto.providers.local.rules.machines.successors import Successor, Zone, misplaced, successors_of, unfounded
from tenuto.providers.local.types import INSTANCE

_HOST, _DISKS, _SIZE = "Host", "Disks", "SizeGiB"


class JudgedDeclarations:
    """Finds the objections to the declarations of a composition."""

    def __init__(self, store: Store, driver: Driver) -> None:
        self._store = store
        self._driver = driver
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def objections(self, partition: Partition, fid: Fid, declared: Sequence[Declaration]) -> Sequence[Objection]:
        objects = self._store.objects(fid)
        machines = [one for one in objects if one.type == INSTANCE]
        successors = successors_of(objects, declared)
        others = [one for one in declared if one.logical_id not in successors]
        return [
            *unusable_networks(declared),
            *shared_values(declared),
            *objections_to(declared),
            *self._unknown_hosts(partition, declared),
            *self._disks_without_place(partition, others),
            *self._unusable_bases(partition, machines, others),
            *self._changed_disks(partition, machines, others),
            *self._impossible_successors(partition, tuple(successors.values()), declared),
        ]

    def _disks_without_place(self, partition: Partition, declared: Sequence[Declaration]) -> list[Objection]:
        """Object to disks of machines in a zone whose hosts have none."""
        try:
            driver = self._driver.name_in(partition.region)
        except ProviderError:
            return []
        problems = ((one, disks_problem(driver, one.properties)) for one in declared if one.type == INSTANCE)
        return [
            Objection(logical_id=one.logical_id, path=_DISKS, detail=f"{problem}.", hint="")
            for one, problem in problems
            if problem
        ]

    def _unusable_bases(
        self, partition: Partition, machines: Sequence[ManagedObject], declared: Sequence[Declaration]
    ) -> list[Objection]:
        """Object to disks that cannot begin with their bases, as far as these are here already. A machine that is there
        keeps the version that was the newest when it began."""
        shelf, found = self._shelf, list[Objection]()
        if shelf is None:
            return found
        begun = {one.logical_id: one.attributes.get(BASES) or {} for one in machines}
        blobs: dict[str, ManagedObject | None] = {}
        for one in declared:
            disks = one.properties.get(_DISKS) if one.type == INSTANCE else None
            for number, disk in enumerate(disks if isinstance(disks, Sequence) else ()):
                base = disk.get("Base") if isinstance(disk, Mapping) else None
                if not isinstance(base, str) or base in begun.get(one.logical_id, ()):
                    continue
                if base not in blobs:
                    blobs[base] = shelf.blob_for(partition.account, base)
                if (fault := _fault_of_base(one, number, disk, blobs[base])) is not None:
                    found.append(fault)
        return found

    def _changed_disks(
        self, partition: Partition, machines: Sequence[ManagedObject], declared: Sequence[Declaration]
    ) -> list[Objection]:
        """Object to disks that are to have another base, to be smaller, or to be taken out, in a machine that is there
        and stays."""
        standing = {one.logical_id: one for one in machines if stands(one)}

        def is_of(base: str, digest: str) -> bool:
            blob = self._shelf.blob_for(partition.account, base) if self._shelf else None
            return blob is not None and blob.desired["Sha512"] == digest

        @cache
        def there() -> Mapping[ObjectId, Seen]:
            # Hosts are asked once, and only where a declaration has other disks.
            return machines_there(self._driver, partition.region)

        return [
            objection
            for one in declared
            if one.type == INSTANCE and (machine := standing.get(one.logical_id)) is not None
            for objection in changed_disks(
                one, machine, is_of, lambda found: _disks_of(found, there().get(found.object_id))
            )
        ]

    def _impossible_successors(
        self, partition: Partition, successors: Sequence[Successor], declared: Sequence[Declaration]
    ) -> list[Objection]:
        """Object to machines that would replace those that are there, and that cannot exist."""
        if not successors:
            return []
        shelf, account = self._shelf, partition.account
        try:
            driver = self._driver.name_in(partition.region)
            zone = Zone(name=partition.region, driver=driver, hosts=self._driver.hosts(partition.region))
        except ProviderError:
            return []

        @cache
        def blob_for(word: str) -> ManagedObject | None:
            return shelf.blob_for(account, word) if shelf else None

        bases = unfounded(successors, declared, driver, account, blob_for) if shelf else ()
        return [*misplaced(successors, zone, blob_for), *bases]

    def _unknown_hosts(self, partition: Partition, declared: Sequence[Declaration]) -> Sequence[Objection]:
        named = [
            (one, host) for one in declared if one.type == INSTANCE and (host := text_of(one.properties.get(_HOST)))
        ]
        if not named:
            return ()
        try:
            hosts = sorted(one.name for one in self._driver.hosts(partition.region))
        except ProviderError:
            return ()
        known = ", ".join(hosts) or "none"
        return [
            Objection(
                logical_id=one.logical_id,
                path=_HOST,
                detail=f"{one.logical_id} asks for the host {host[:80]!r}, and the zone {partition.region} has no host "
                f"of this name. Its hosts: {known}.",
                hint="Name one of them, leave Host out, or let the host join first ('tenuto node enroll').",
            )
            for one, host in named
            if host not in hosts
        ]


def machines_there(driver: Driver, zone: str) -> Mapping[ObjectId, Seen]:
    """The machines of a zone as their hosts show them now, without those on a host that cannot tell."""
    try:
        return {one.object_id: one for one in driver.observe(zone, INSTANCE) if not one.silence}
    except ProviderError:
        return {}


def _disks_of(machine: ManagedObject, seen: Seen | None) -> Sequence[JsonMap]:
    """The disks that a machine has now, with their sizes; none where its host cannot tell, so that nothing is objected
    to."""
    if seen is None:
        return ()
    there = zip(machine.desired.get(_DISKS, ()), seen.properties.get(_DISKS) or (), strict=False)
    return [{**one, **({_SIZE: shown[_SIZE]} if _SIZE in one and _SIZE in shown else {})} for one, shown in there]


def _fault_of_base(one: Declaration, number: int, disk: JsonMap, blob: ManagedObject | None) -> Objection | None:
    """The objection to a disk whose base is no image, or is larger than the disk; None where nothing is wrong."""
    if blob is None:
        return None
    if fault := content_fault(number, str(disk["Base"])[:80], blob):
        detail, hint = f"{fault.problem}.", fault.hint
    else:
        detail, hint = size_fault(one.logical_id, number, disk, blob)
    return Objection(logical_id=one.logical_id, path=_DISKS, detail=detail, hint=hint) if detail else None
