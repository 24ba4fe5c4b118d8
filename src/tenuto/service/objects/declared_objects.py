"""Objects that compositions declare, listed across processes as `tenuto instance list` shows them.

Theory of operation. A machine of the local cloud belongs to a process and is a thing on a host at the same time. This
is the second view of it. A reference is an id or the beginning of one, `PROCESS/RESOURCE`, or the name of a resource.
It is looked up only among the objects that the caller may see, so an object of a hidden namespace is not there, and
never makes a name ambiguous.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tenuto.errors import NotFoundError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import Fid, JsonMap, ObjectId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.sights import Sights
from tenuto.ports.store import Store
from tenuto.service.common.values import time_text
from tenuto.service.objects.object_finding import is_over
from tenuto.service.views.process_view import resource_message

SHORTEST = 4
"""Letters of an id that may stand for the whole. Fewer of them are a name more often."""
_MOST_USERS = 1_000_000
_TOLD = (
    "Host",
    "Driver",
    "Address",
    "Addresses",
    "MacAddress",
    "FloatingAddress",
    "PowerState",
    "BootedAt",
    "NetworkId",
    "Vni",
    "Router",
    "Domain",
    "Names",
    "GatewayHost",
)
"""The attributes that are shown. A type of another provider may have one that is a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredObject:
    """An object with the process that declares it, and the note of the last sweep about it."""

    item: ManagedObject
    process: Process
    note: str = ""

    @property
    def name(self) -> str:
        return f"{self.process.alias or self.process.fid}/{self.item.logical_id}"


def declared_objects(
    store: Store, sights: Sights, types: Sequence[str], *, account: str = "", is_seen: Callable[[Fid], bool]
) -> tuple[DeclaredObject, ...]:
    """Return the live objects of these types whose processes are seen, by name, then id."""
    processes = [one for one in store.processes() if account in ("", one.partition.account) and is_seen(one.fid)]
    found = [
        DeclaredObject(item=item, process=process)
        for process in processes
        for item in store.objects(process.fid)
        if item.type in types and not is_over(item)
    ]
    notes = sights.notes([one.item for one in found])
    noted = (replace(one, note=notes.get(one.item.object_id, "")) for one in found)
    return tuple(sorted(noted, key=lambda one: (one.name, one.item.object_id)))


def named(reference: str, known: Sequence[DeclaredObject]) -> DeclaredObject:
    """Return the object that a reference means. Raises NotFoundError, and UserError when it means several."""
    found = (
        [one for one in known if one.item.object_id == reference]
        or [one for one in known if reference in (one.name, f"{one.process.fid}/{one.item.logical_id}")]
        or [one for one in known if one.item.logical_id == reference]
        or [one for one in known if len(reference) >= SHORTEST and one.item.object_id.startswith(reference)]
    )
    if not found:
        raise NotFoundError(f"No process that you may see declares {reference!r}.")
    if len(found) > 1:
        listed = ", ".join(f"{one.item.object_id} ({one.name})" for one in found)
        raise UserError(f"{reference!r} may be several objects: {listed}. Name one by its id.")
    return found[0]


def needing(store: Store, target: ObjectId, known: Sequence[DeclaredObject]) -> tuple[DeclaredObject, ...]:
    """Return those of the known objects that need another one, in their order."""
    found = {one.object_id for one in store.users_of(target, _MOST_USERS)}
    return tuple(one for one in known if one.item.object_id in found)


def users_of(store: Store, one: DeclaredObject, is_seen: Callable[[Fid], bool]) -> list[str]:
    """Return the names of the objects that need this one and whose processes are seen."""
    return [
        DeclaredObject(item=user, process=process).name
        for user in store.users_of(one.item.object_id, _MOST_USERS)
        if user.fid and is_seen(user.fid) and not is_over(user) and (process := store.process(user.fid)) is not None
    ]


def declared_document(one: DeclaredObject) -> JsonMap:
    """The line of a declared object. `failed` says that a person must act."""
    item, process = one.item, one.process
    attributes = {name: item.attributes[name] for name in _TOLD if item.attributes.get(name) is not None}
    address = attributes.get("Address")
    return {
        "id": item.object_id,
        "name": one.name,
        "process": process.fid,
        "alias": process.alias,
        "resource": item.logical_id,
        "type": item.type,
        "account": item.partition.account,
        "region": item.partition.region,
        "state": item.state,
        "target": item.target,
        "settled": item.is_settled,
        "failed": item.is_phase_failed or item.state in CATALOGUE[item.lifecycle].errors,
        "message": "; ".join(part for part in (resource_message(item), one.note) if part) or None,
        "host": attributes.get("Host") or attributes.get("GatewayHost"),
        "driver": attributes.get("Driver"),
        "addresses": attributes.get("Addresses") or ([address] if address else []),
        "created": time_text(item.created_at),
        "moved": time_text(item.moved_at),
        "attributes": attributes,
    }
