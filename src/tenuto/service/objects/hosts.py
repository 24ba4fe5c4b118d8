"""Hosts of a provider as nodes: the views of them for people, and the commands about them.

Theory of operation. A host is named by its name, and by its zone where several zones have one of that name. Everything
is answered by the keeper of the provider (`ports.host_keeper`); a Conductor without such a provider has no hosts.
"""

from tenuto.errors import NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.lifecycles.node import GIVEN_UP, MISSED, NODE
from tenuto.model.event import Event
from tenuto.model.host_node import HostNode
from tenuto.model.ids import Instant, Json, JsonMap
from tenuto.model.node import ISOLATED, STRAYS
from tenuto.ports.clock import Clock
from tenuto.ports.host_keeper import HostKeeper
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery
from tenuto.service.common.values import time_text

EVENTS = 20
"""Events in the detail of one host."""
ENROLLED = "enrolled"
"""The word for a host that has not checked in yet: it has no state of its own."""
LOST, IN_TROUBLE, SILENT = "lost", "in-trouble", "silent"
NEEDS_A_PERSON = (LOST, IN_TROUBLE, SILENT)
"""The words for hosts that need a person, the most urgent first."""


class Hosts:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError, and then has changed nothing."""

    def __init__(self, *, store: Store, clock: Clock, keeper: HostKeeper | None = None) -> None:
        """`keeper` is None without a provider that has hosts of its own."""
        self._store = store
        self._clock = clock
        self._keeper = keeper

    def all(self, zone: str | None = None) -> JsonMap:
        """Return the hosts of a zone, or of all."""
        keeper = self._known()
        zones = [one for one in keeper.zones() if zone in (None, one)]
        return {"hosts": [self._row(one) for found in zones for one in keeper.nodes(found)]}

    def needing(self) -> list[JsonMap]:
        """Return the hosts of all zones that need a person, the most urgent first, each with the reason. A Conductor
        without hosts has none."""
        keeper = self._keeper
        found = [one for zone in keeper.zones() for one in keeper.nodes(zone, with_machines=False)] if keeper else []
        rows = [row for one in found if (row := self._row(one))["why"] in NEEDS_A_PERSON]
        told = [{name: row[name] for name in ("zone", "name", "why", "since", "troubles", "lost_at")} for row in rows]
        return sorted(told, key=lambda one: NEEDS_A_PERSON.index(one["why"]))

    def show(self, name: str, zone: str | None = None) -> JsonMap:
        """Return one host, with the things on it and its events: also one that was deleted."""
        found = self._deleted(name, zone) or self._find(name, zone)
        left = _names(found, "LeftBehind")
        return {
            **self._row(found),
            "machines": [
                {
                    "id": one.object_id,
                    "account": one.partition.account,
                    "process": one.fid,
                    "resource": one.logical_id,
                    "state": one.state,
                    "replace": one.desired.get("Replace", "never"),
                }
                for one in found.machines
            ],
            "lacks": list(found.lacks),
            "left_behind": left,
            "isolated": [one for one in _names(found, ISOLATED) if one not in left],
            "strays": _names(found, STRAYS),
            "events": [_event(one) for one in self._events(found)],
        }

    def cordon(self, name: str, zone: str | None = None, *, is_cordoned: bool, actor: str) -> JsonMap:
        """Exclude a host from new placements, or include it again."""
        found = self._find(name, zone)
        self._known().cordon(found.zone, found.name, is_cordoned=is_cordoned, actor=actor)
        return self.show(found.name, found.zone)

    def stop(self, name: str, zone: str | None = None, *, actor: str) -> JsonMap:
        """Have the agent of a host end once its work is done."""
        found = self._find(name, zone)
        self._known().stop(found.zone, found.name, actor=actor)
        return self.show(found.name, found.zone)

    def purge(self, name: str, zone: str | None = None, *, actor: str) -> JsonMap:
        """Have a host remove the things that no object stands for."""
        found = self._find(name, zone)
        purged = self._known().purge(found.zone, found.name, actor=actor)
        return {**self.show(found.name, found.zone), "purged": list(purged)}

    def delete(self, name: str, zone: str | None = None, *, is_forced: bool = False, actor: str) -> JsonMap:
        """Take a host out of its zone for good."""
        found = self._find(name, zone)
        self._known().delete(found.zone, found.name, is_forced=is_forced, actor=actor)
        return {**self._row(found), "state": NODE.gone.value, "machines": len(found.machines)}

    def _known(self) -> HostKeeper:
        if self._keeper is None:
            raise NotFoundError(
                "There are no hosts, since no provider of this Conductor has any: start it with --provider local."
            )
        return self._keeper

    def _find(self, name: str, zone: str | None) -> HostNode:
        keeper = self._known()
        known = [one for found in keeper.zones() if zone in (None, found) for one in keeper.nodes(found)]
        named = [one for one in known if one.name == name]
        if not named:
            there = f" in the zone {zone}" if zone else ""
            names = [one.name for one in known]
            listed = f" There are: {', '.join(names)}." if names else ""
            raise NotFoundError(f"There is no host {name[:80]!r}{there}.{meant(name, names)}{listed}")
        if len(named) > 1:
            zones = ", ".join(one.zone for one in named)
            raise UserError(f"There is a host {name} in each of the zones {zones}: name one with --zone.")
        return named[0]

    def _deleted(self, name: str, zone: str | None) -> HostNode | None:
        """The host of this name that was deleted last; None where one has the name now, or none ever had."""
        keeper = self._known()
        zones = [one for one in keeper.zones() if zone in (None, one)]
        if any(one.name == name for found in zones for one in keeper.nodes(found)):
            return None
        gone = [one for found in zones if (one := keeper.deleted(found, name)) is not None]
        return max(gone, key=lambda one: one.node.moved_at if one.node else 0.0, default=None)

    def _row(self, host: HostNode) -> JsonMap:
        node, heard_at = host.node, host.heard_at
        return {
            "zone": host.zone,
            "name": host.name,
            "id": None if node is None else node.object_id,
            "state": ENROLLED if node is None else node.state,
            "why": _why(host),
            "since": None if node is None else time_text(node.moved_at),
            "cordoned": bool(_attribute(host, "Cordoned")),
            "driver": _attribute(host, "Driver") or None,
            "address": _attribute(host, "Address") or None,
            "version": _attribute(host, "Version") or None,
            "accelerator": _attribute(host, "Accelerator") or None,
            "cores": _attribute(host, "Cores"),
            "memory_mib": _attribute(host, "MemoryMiB"),
            "disk_gib": _attribute(host, "DiskGiB"),
            "committed_mib": host.committed_mib,
            "committed_disk_gib": host.committed_disk_gib,
            "machine_count": len(host.machines),
            "checked_in": time_text(heard_at),
            "silent_s": self._silence_of(heard_at),
            "troubles": list(host.troubles),
            "lost_at": None if host.lost_at is None else time_text(Instant(host.lost_at)),
        }

    def _silence_of(self, heard_at: Instant | None) -> float | None:
        """The seconds since a check-in; None where they are not known, since the clock went back after it."""
        now = self._clock.now()
        return None if heard_at is None or heard_at > now else round(now - heard_at, 1)

    def _events(self, host: HostNode) -> tuple[Event, ...]:
        if host.node is None:
            return ()
        return self._store.events(EventQuery(object_id=host.node.object_id, limit=EVENTS))


def _why(host: HostNode) -> str:
    """The word for how a host is, of several the most urgent."""
    node = host.node
    if node is None:
        return ENROLLED
    if node.state == GIVEN_UP:
        return LOST
    if host.troubles:
        return IN_TROUBLE
    if node.state == MISSED:
        return SILENT
    if node.state == NODE.ready:
        return "cordoned" if _attribute(host, "Cordoned") else "ready"
    return node.state


def _names(host: HostNode, name: str) -> list[Json]:
    found = _attribute(host, name)
    return list(found) if isinstance(found, list | tuple) else []


def _attribute(host: HostNode, name: str) -> Json:
    return None if host.node is None else host.node.attributes.get(name)


def _event(event: Event) -> JsonMap:
    return {
        "at": time_text(event.at),
        "type": event.type.value,
        "before": event.before or None,
        "after": event.after or event.data.get("command") or None,
        "actor": event.actor,
        "reason": event.reason or None,
    }
