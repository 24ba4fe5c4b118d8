"""The ledger of a zone: the host of each thing, and the room that each host has given away.

Theory of operation. The hosts cannot be asked for it, since one of them may be away just now. It follows from the
stored objects: an object has its host in its attributes before the first order for it is given. So a Conductor that is
started again reads the objects of the processes of a zone once, and keeps the ledger from then on. A placement that was
answered and not stored, because the Conductor ended in between, is made again: nothing was ordered for it.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.observation import Owner
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_claims import live_objects
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.objects import BLOB, OPERATION
from tenuto.providers.local.phases.placing import reserved_of
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance
from tenuto.providers.local.rules.machines.placement import (
    Assigned,
    Host,
    Machine,
    Placed,
    PlacementRules,
    Placing,
    misfits,
    outgrown,
    place,
    resized,
)
from tenuto.providers.local.rules.replication import place_of, replica_id
from tenuto.providers.local.types import INSTANCE, PROVIDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing. The first of `hosts` is the one that tells of it; `machine` has the needs of a machine."""

    type: TypeName
    account: str
    owner: Owner | None
    hosts: tuple[str, ...]
    machine: Machine | None = None


class Ledger:
    """The ledgers of all zones. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._zones: dict[str, dict[ObjectId, Entry]] = {}
        self._lock = threading.RLock()

    def entries(self, zone: str) -> Mapping[ObjectId, Entry]:
        """Return the things of a zone, as of now."""
        with self._lock:
            return dict(self._zone(zone))

    def note(self, zone: str, specs: Sequence[Spec]) -> None:
        """Specs are about to be ordered: from now on their things are expected on their hosts, and on no other."""
        with self._lock:
            here = self._zone(zone)
            for spec in specs:
                before = here.get(spec.object_id)
                here[spec.object_id] = Entry(
                    type=spec.type,
                    account=spec.account,
                    owner=spec.owner,
                    hosts=(spec.host,),
                    machine=resized(before.machine, spec.properties) if before and before.machine else None,
                )

    def leave(self, zone: str, name: str, object_ids: Iterable[ObjectId]) -> None:
        """Things are not expected on one host any more."""
        with self._lock:
            here = self._zone(zone)
            for object_id in object_ids:
                if (entry := here.get(object_id)) is not None:
                    left = tuple(one for one in entry.hosts if one != name)
                    if left:
                        here[object_id] = replace(entry, hosts=left)
                    else:
                        del here[object_id]

    def drop(self, zone: str, object_ids: Iterable[ObjectId]) -> None:
        """Things are gone from every host."""
        with self._lock:
            for object_id in object_ids:
                self._zone(zone).pop(object_id, None)

    def assign(self, zone: str, machines: Sequence[Machine], hosts: Sequence[Host], rules: PlacementRules) -> Placing:
        """Give each machine a host, and reserve there the room that it needs. One that has its host keeps it."""
        with self._lock:
            here = self._zone(zone)
            known = {one.object_id: here[one.object_id] for one in machines if one.object_id in here}
            fresh = [one for one in machines if one.object_id not in known]
            placed = [
                Placed(host=one.hosts[0], machine=one.machine) for one in here.values() if one.machine is not None
            ]
            found = dict(place(fresh, hosts, placed, rules))
            for machine in fresh:
                answer = found[machine.object_id]
                if isinstance(answer, Assigned):
                    here[machine.object_id] = Entry(
                        type=INSTANCE,
                        account=machine.namespace,
                        owner=None,
                        hosts=(answer.host,),
                        machine=replace(machine, host=""),
                    )
            return found | {object_id: Assigned(host=one.hosts[0]) for object_id, one in known.items()}

    def misfits(
        self, zone: str, machines: Sequence[Machine], hosts: Sequence[Host], rules: PlacementRules
    ) -> Mapping[ObjectId, str]:
        """Return why machines do not fit on their hosts any more."""
        with self._lock:
            placed = self._placed(zone)
        return misfits(machines, hosts, placed, rules)

    def resize(
        self, zone: str, machines: Sequence[Machine], hosts: Sequence[Host], rules: PlacementRules
    ) -> Mapping[ObjectId, str]:
        """Reserve the room that machines need from now on, on their present hosts; return why some cannot have it."""
        with self._lock:
            found, here = outgrown(machines, hosts, self._placed(zone), rules), self._zone(zone)
            for machine in machines:
                if machine.object_id in here and machine.object_id not in found:
                    here[machine.object_id] = replace(here[machine.object_id], machine=replace(machine, host=""))
            return found

    def _placed(self, zone: str) -> dict[ObjectId, Placed]:
        return {
            key: Placed(host=one.hosts[0], machine=one.machine)
            for key, one in self._zone(zone).items()
            if one.machine is not None
        }

    def _zone(self, zone: str) -> dict[ObjectId, Entry]:
        if zone not in self._zones:
            declared = (
                found
                for process in self._store.processes()
                if process.partition.region == zone
                for found in self._store.objects(process.fid)
            )
            copies = {
                replica_id(blob.object_id, key): _copy_of(blob, place_of(key)[1])
                for blob in live_objects(self._store, BLOB)
                for key in blob.attributes.get("Replicas") or {}
                if place_of(key)[0] == zone
            }
            asked = (one for one in live_objects(self._store, OPERATION) if one.partition.region == zone)
            self._zones[zone] = {
                found.object_id: entry
                for found in (*declared, *asked)
                if found.provider == PROVIDER and (entry := _entry_of(found)) is not None
            } | copies
        return self._zones[zone]


def _copy_of(blob: ManagedObject, host: str) -> Entry:
    """The entry of the copy of a blob on a host."""
    return Entry(type=BLOB, account=blob.partition.account, owner=None, hosts=(host,))


def _entry_of(found: ManagedObject) -> Entry | None:
    """The entry of a stored object; None for one that is over, or has no host."""
    found, table = as_instance(found), CATALOGUE.get(found.lifecycle)
    hosts = _hosts_of(found.attributes)
    if table is None or table.is_final(found.state) or not hosts:
        return None
    return Entry(
        type=found.type,
        account=found.partition.account,
        owner=Owner(fid=found.fid, logical_id=found.logical_id, object_id=found.object_id) if found.fid else None,
        hosts=hosts,
        machine=reserved_of(found) if found.type == INSTANCE else None,
    )


def _hosts_of(attributes: JsonMap) -> tuple[str, ...]:
    """The hosts in the attributes of an object, the one that tells of it first."""
    named = [attributes.get("Host"), attributes.get("GatewayHost"), *(attributes.get("Hosts") or ())]
    return tuple(dict.fromkeys(str(name) for name in named if name))
