"""The limits of a namespace: the most of each thing that may be in it, checked before anything is made.

The live objects of the namespace count: those of requests and those of its live processes. Nothing is counted in a
place of its own that could go wrong.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from tenuto.errors import NoRoomError, UserError
from tenuto.kit.nearest import meant
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import Fid, JsonMap, LogicalId, ObjectId
from tenuto.model.image import FETCHING, versions_of, whole_gib
from tenuto.model.resource import ManagedObject
from tenuto.ports.machines import AsTheyAre, CountsMachines
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.objects.object_finding import is_over

ARTIFACTS, UPLOADS, BLOB_BYTES = "artifacts", "uploads", "blob_bytes"
INSTANCES, VCPUS, MEMORY_MIB, INTERFACES, NETWORKS = "instances", "vcpus", "memory_mib", "interfaces", "networks"
DISK_GIB, ADDRESSES = "disk_gib", "addresses"
THINGS: Mapping[str, str] = {
    INSTANCES: "machines",
    VCPUS: "virtual processors of its machines together",
    MEMORY_MIB: "MiB of memory of its machines together",
    DISK_GIB: "GiB of disks of its machines together, as declared or as their images have them",
    NETWORKS: "networks",
    INTERFACES: "network interfaces",
    ADDRESSES: "floating and routed addresses",
    ARTIFACTS: "artifacts",
    UPLOADS: "uploads at one time",
    BLOB_BYTES: "bytes of the versions of its artifacts, of its uploads, and of what is fetched for it",
}
"""Everything that can be limited, in words."""
_ALL = 10**6
_MOST_NAMED = 5
"""The resources that a refusal names."""
_COUNTED = {
    "instance": INSTANCES,
    "network": NETWORKS,
    "network_interface": INTERFACES,
    "artifact": ARTIFACTS,
    "upload": UPLOADS,
}
"""The things by the tables of their objects."""


BlobFor = Callable[[str, str], ManagedObject | None]
"""The blob that an account means by a word; None when there is none that it sees."""


class Limits:
    """Checks the objects that are to be made against the limits of their namespace."""

    def __init__(self, store: Store, blob_for: BlobFor | None = None, machines: CountsMachines | None = None) -> None:
        """`blob_for` finds the image of a disk whose size is not declared; None where no provider keeps images.
        `machines` reads the machines of every type as instances; None where there are no others."""
        self._store = store
        self._blob_for = blob_for
        self._machines = machines or AsTheyAre()

    def check(self, account: str, thing: str, more: int, *, but: ObjectId | None = None) -> None:
        """Raise NoRoomError when this much more is beyond the limit. `but` is an upload that does not count."""
        most = self.of(account).get(thing)
        if most is None or more <= 0:
            return
        used = self.used(account, but=but).get(thing, 0)
        if used + more > int(most):
            raise NoRoomError(
                f"The namespace {account} may have {int(most):,} {THINGS[thing]}: it has {used:,}, and {more:,} more "
                f"were asked for. Delete some, or let its administrator raise the limit ('tenuto namespace limits "
                f"{account} {thing}=MOST'). Nothing was changed."
            )

    def bytes_left(self, account: str, *, but_fetched: ObjectId) -> int | None:
        """Return the bytes that further contents of an account may have; None where there is no limit. Bytes on their
        way to the artifact that is named do not count."""
        most = self.of(account).get(BLOB_BYTES)
        if most is None:
            return None
        return max(0, int(most) - sum(_bytes_of(one, but_fetched) for one in self._live(account, None)))

    def check_one_more_artifact(self, account: str) -> None:
        """Raise NoRoomError when the namespace may have no further artifact."""
        self.check(account, ARTIFACTS, 1)

    def check_declared(self, account: str, fid: Fid, declared: Mapping[LogicalId, tuple[str, JsonMap, str]]) -> None:
        """Raise NoRoomError when the declared resources of a process are beyond a limit of its namespace. `declared`
        has each by its name, with its table, its properties, and its name with its line.

        The resources that the process has already stay, also beyond a limit.
        """
        limits = self.of(account)
        if not limits:
            return
        live = [self._read(one) for one in self._store.objects(fid) if not is_over(one)]
        known = {one.logical_id: one for one in live}
        counted = [(name, *self._machines.counted(*one[:2]), one[2]) for name, one in declared.items()]
        sized = [
            (table, self._sized(account, table, properties, known.get(name)), where)
            for name, table, properties, where in counted
        ]
        wanted = _sum((table, properties) for table, properties, _ in sized)
        there = Counter(_sum((one.lifecycle, one.desired) for one in live))
        there[DISK_GIB] += sum(self._beyond_declared(one) for one in live)
        others = self.used(account, but_fid=fid)
        for thing in sorted(limits.keys() & wanted.keys()):
            total, most = others.get(thing, 0) + wanted[thing], int(limits[thing])
            if wanted[thing] > there.get(thing, 0) and total > most:
                raise NoRoomError(
                    f"The namespace {account} may have {most:,} {THINGS[thing]}: others in it have "
                    f"{others.get(thing, 0):,}, and this composition asks for {wanted[thing]:,} "
                    f"({_askers(sized, thing)}). Ask for less, or let its "
                    f"administrator raise the limit ('tenuto namespace limits {account} {thing}=MOST'). Nothing "
                    "was changed."
                )

    def of(self, account: str) -> JsonMap:
        """The limits of an account; none for one that is no namespace."""
        query = ObjectQuery(account=account, name=account, live=True, limit=20)
        found = [one for one in self._store.object_page(query) if one.lifecycle == "namespace"]
        limits: JsonMap = found[0].desired.get("Limits", {}) if found else {}
        return limits

    def used(self, account: str, *, but: ObjectId | None = None, but_fid: Fid | None = None) -> dict[str, int]:
        """Count the things of an account. Neither the object nor those of the process that are named count."""
        found = [one for one in self._live(account, but_fid) if one.object_id != but]
        sizes = Counter(_sum((one.lifecycle, one.desired) for one in found))
        sizes[DISK_GIB] += sum(self._beyond_declared(one) for one in found)
        sizes[BLOB_BYTES] += sum(_bytes_of(one) for one in found)
        return dict(sizes)

    def _beyond_declared(self, found: ManagedObject) -> int:
        """The GiB of a machine's disks beyond the sizes that are declared: those of its images."""
        if found.lifecycle != "instance":
            return 0
        account, declared = found.partition.account, _sum([(found.lifecycle, found.desired)])[DISK_GIB]
        reserved = _number(found.attributes.get("DiskGiB"))
        if not reserved:  # It has no host yet.
            sized = self._sized(account, found.lifecycle, found.desired)
            reserved = _sum([(found.lifecycle, sized)])[DISK_GIB]
        return max(0, reserved - declared)

    def _sized(self, account: str, lifecycle: str, properties: JsonMap, known: ManagedObject | None = None) -> JsonMap:
        """The properties of a machine, with the sizes of images that are here in place of those that are not declared.
        An image that another resource will give has its size when the machine gets its host. `known` is the machine
        that there is: it keeps the version that its disks began with."""
        if lifecycle != "instance" or self._blob_for is None:
            return properties
        reserved = _number(known.attributes.get("DiskGiB")) if known is not None else 0
        if known is not None and reserved and known.desired.get("Disks") == properties.get("Disks"):
            return {**properties, "Disks": [{"SizeGiB": reserved}]}
        disks: list[Any] = []
        for disk in _listed(properties.get("Disks")):
            base = disk.get("Base") if isinstance(disk, dict) and not disk.get("SizeGiB") else None
            blob = self._blob_for(account, base) if isinstance(base, str) else None
            size = 0 if blob is None else whole_gib(_number(blob.desired.get("VirtualSizeBytes")))
            disks.append({**disk, "SizeGiB": size} if size else disk)
        return {**properties, "Disks": disks}

    def _live(self, account: str, but_fid: Fid | None) -> Iterator[ManagedObject]:
        requested = self._store.object_page(ObjectQuery(account=account, live=True, limit=_ALL))
        yield from (one for one in requested if one.target != CATALOGUE[one.lifecycle].gone)
        for process in self._store.processes(live=True):
            if process.partition.account == account and process.fid != but_fid:
                yield from (self._read(one) for one in self._store.objects(process.fid) if not is_over(one))

    def _read(self, found: ManagedObject) -> ManagedObject:
        """An object with the table and the properties that count."""
        lifecycle, desired = self._machines.counted(found.lifecycle, found.desired)
        return replace(found, lifecycle=lifecycle, desired=desired)


def _sum(parts: Iterable[tuple[str, JsonMap]]) -> dict[str, int]:
    """The weight of objects with these tables and properties, by thing."""
    found: Counter[str] = Counter()
    for lifecycle, desired in parts:
        if lifecycle not in _COUNTED:
            continue
        found[_COUNTED[lifecycle]] += 1
        if lifecycle == "instance":
            found[VCPUS] += _number(desired.get("Vcpus"))
            found[MEMORY_MIB] += _number(desired.get("MemoryMiB"))
            found[DISK_GIB] += sum(
                _number(one.get("SizeGiB")) for one in _listed(desired.get("Disks")) if isinstance(one, dict)
            )
        if lifecycle == "network_interface":
            # A value that another resource or a parameter has yet to give may be an address.
            found[ADDRESSES] += int(desired.get("Floating") not in (None, False)) + len(_listed(desired.get("Routed")))
    return dict(found)


def _askers(declared: Iterable[tuple[str, JsonMap, str]], thing: str) -> str:
    """The resources that ask for a thing, each with its line."""
    asking = [where for table, properties, where in declared if _sum([(table, properties)]).get(thing, 0)]
    more = f" and {len(asking) - _MOST_NAMED} more" if len(asking) > _MOST_NAMED else ""
    return ", ".join(asking[:_MOST_NAMED]) + more


def _listed(value: Any) -> list[Any]:
    """The value as a list; an empty one for a value that a parameter has yet to give."""
    return value if isinstance(value, list) else []


def _bytes_of(found: ManagedObject, but_fetched: ObjectId | None = None) -> int:
    """The bytes that an object has on the Conductor's disk, or will have. Those on their way to an artifact do not
    count when it is named."""
    if found.lifecycle == "upload":
        return _number(found.desired.get("SizeBytes"))
    if found.lifecycle != "artifact":
        return 0
    coming = 0 if found.object_id == but_fetched else _number(found.attributes.get(FETCHING))
    return coming + sum({one.blob: one.size for one in versions_of(found.attributes)}.values())


def checked_limits(given: JsonMap) -> dict[str, int]:
    """The limits of a request. Raises UserError, which names every thing that can be limited."""
    found: dict[str, int] = {}
    for name, most in given.items():
        if name not in THINGS:
            raise UserError(f"{name[:80]!r} cannot be limited.{meant(name, THINGS)} There are: {', '.join(THINGS)}.")
        if isinstance(most, bool) or not isinstance(most, int) or most < 0:
            raise UserError(f"The limit of {name} must be a whole number from 0 on.")
        found[name] = most
    return found


def _number(value: object) -> int:
    """A number; 0 for one that a parameter has yet to give."""
    return value if isinstance(value, int) else 0
