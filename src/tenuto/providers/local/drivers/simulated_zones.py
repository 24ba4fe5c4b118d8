"""The zones of the simulated driver: the data that it keeps of each, and the document of that data."""

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tenuto.kit.documents import from_document, to_document
from tenuto.model.ids import Instant, Json, JsonMap, ObjectId
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.rules.machines.placement import Host, Machine, Placed

FORMAT = 3
_NEW_HOSTS = {name: Host(name=name, cores=8, memory_mib=16384, disk_gib=100) for name in ("h1", "h2")}


@dataclass(slots=True, kw_only=True)
class Thing:
    """One thing. `properties` are those that its host shows now."""

    spec: Spec
    properties: dict[str, Json]
    running_at: Instant
    files: dict[str, bytes] = field(default_factory=dict)
    """The files that were put into the guest of a machine."""


@dataclass(slots=True, kw_only=True)
class Zone:
    """One zone. `placed` are the machines that have their hosts, also before they are made."""

    hosts: dict[str, Host] = field(default_factory=lambda: dict(_NEW_HOSTS))
    things: dict[ObjectId, Thing] = field(default_factory=dict)
    placed: dict[ObjectId, Placed] = field(default_factory=dict)
    cut: dict[str, Instant] = field(default_factory=dict)
    """The moments since when hosts do not answer."""
    full: set[str] = field(default_factory=set)
    """The hosts whose disks others have filled."""
    left: set[str] = field(default_factory=set)
    """The hosts that ended in good order."""
    behind: dict[ObjectId, Thing] = field(default_factory=dict)
    """The things on hosts that are not expected there any more."""


def zone_document(zone: Zone) -> JsonMap:
    return {
        "hosts": [asdict(host) for host in zone.hosts.values()],
        "placed": [
            {"host": one.host, "machine": asdict(one.machine) | {"tags": sorted(one.machine.tags)}}
            for one in zone.placed.values()
        ],
        "things": [_thing_document(one) for one in zone.things.values()],
        "behind": [_thing_document(one) for one in zone.behind.values()],
        "cut": dict(zone.cut),
        "left": sorted(zone.left),
        "full": sorted(zone.full),
    }


def _thing_document(thing: Thing) -> JsonMap:
    return {
        "spec": to_document(thing.spec),
        "properties": thing.properties,
        "running_at": thing.running_at,
        "files": {path: base64.b64encode(content).decode() for path, content in thing.files.items()},
    }


def zone_of(document: Mapping[str, Any]) -> Zone:
    placed = [
        Placed(host=one["host"], machine=Machine(**one["machine"] | {"tags": frozenset(one["machine"]["tags"])}))
        for one in document["placed"]
    ]
    things, behind = (
        [
            Thing(
                spec=from_document(Spec, one["spec"]),
                properties=one["properties"],
                running_at=Instant(one["running_at"]),
                files={path: base64.b64decode(text) for path, text in one["files"].items()},
            )
            for one in document[name]
        ]
        for name in ("things", "behind")
    )
    return Zone(
        hosts={one["name"]: Host(**one) for one in document["hosts"]},
        placed={one.machine.object_id: one for one in placed},
        things={one.spec.object_id: one for one in things},
        behind={one.spec.object_id: one for one in behind},
        cut={name: Instant(at) for name, at in document["cut"].items()},
        left=set(document["left"]),
        full=set(document.get("full", ())),
    )
