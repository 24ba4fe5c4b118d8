"""The limits of a namespace: the most of each thing that may be in it, checked before anything is made.

What counts is what is there: live objects of the namespace, of requests and of its live processes. Nothing is counted
in a place of its own that could go wrong.
"""

from collections.abc import Iterator, Mapping

from tenuto.core.language.resolve import is_resolved
from tenuto.errors import NoRoomError, UserError
from tenuto.kit.nearest import meant
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import versions_of
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.object_finding import is_over

ARTIFACTS, UPLOADS, BLOB_BYTES = "artifacts", "uploads", "blob_bytes"
INSTANCES, VCPUS, MEMORY_MIB, INTERFACES, NETWORKS = "instances", "vcpus", "memory_mib", "interfaces", "networks"
THINGS: Mapping[str, str] = {
    INSTANCES: "machines",
    VCPUS: "virtual processors of its machines together",
    MEMORY_MIB: "MiB of memory of its machines together",
    NETWORKS: "networks",
    INTERFACES: "network interfaces",
    ARTIFACTS: "artifacts",
    UPLOADS: "uploads at one time",
    BLOB_BYTES: "bytes of the versions of its artifacts, and of its uploads",
}
"""Everything that can be limited, in words."""
_ALL = 10**6
_COUNTED = {"instance": INSTANCES, "network": NETWORKS, "network_interface": INTERFACES, "artifact": ARTIFACTS}
"""The things by the tables of their objects."""


class Limits:
    """Holds what is to be made against the limits of its namespace."""

    def __init__(self, store: Store) -> None:
        self._store = store

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

    def check_one_more_artifact(self, account: str) -> None:
        """Raise NoRoomError when the namespace may have no further artifact."""
        self.check(account, ARTIFACTS, 1)

    def of(self, account: str) -> JsonMap:
        """The limits of an account; none for one that is no namespace."""
        query = ObjectQuery(account=account, name=account, live=True, limit=20)
        found = [one for one in self._store.object_page(query) if one.lifecycle == "namespace"]
        limits: JsonMap = found[0].desired.get("Limits", {}) if found else {}
        return limits

    def used(self, account: str, *, but: ObjectId | None = None) -> dict[str, int]:
        """Count the things of an account."""
        found: dict[str, int] = {}
        for one in self._live(account):
            if one.object_id == but:
                continue
            for thing, number in weights(one.lifecycle, one.desired, one.attributes).items():
                found[thing] = found.get(thing, 0) + number
        return found

    def _live(self, account: str) -> Iterator[ManagedObject]:
        requested = self._store.object_page(ObjectQuery(account=account, live=True, limit=_ALL))
        yield from (one for one in requested if one.target != CATALOGUE[one.lifecycle].gone)
        for process in self._store.processes(live=True):
            if process.partition.account == account:
                yield from (one for one in self._store.objects(process.fid) if not is_over(one))


def weights(lifecycle: str, desired: JsonMap, attributes: JsonMap) -> dict[str, int]:
    """Weigh an object with this table and these properties, by thing."""
    if lifecycle == "upload":
        return {UPLOADS: 1, BLOB_BYTES: int(desired["SizeBytes"])}
    if lifecycle not in _COUNTED:
        return {}
    found = {_COUNTED[lifecycle]: 1}
    if lifecycle == "instance":
        # A number that a parameter has yet to give counts when it is known.
        known = {name: desired.get(name, 0) for name in ("Vcpus", "MemoryMiB")}
        found |= {VCPUS: _number(known["Vcpus"]), MEMORY_MIB: _number(known["MemoryMiB"])}
    if lifecycle == "artifact":
        sizes = {one.blob: one.size for one in versions_of(attributes)}
        found[BLOB_BYTES] = sum(sizes.values())
    return found


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
    return value if isinstance(value, int) and is_resolved(value) else 0
