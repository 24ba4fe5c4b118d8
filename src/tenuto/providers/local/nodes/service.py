"""The attendance of hosts: the watch over them, and the questions and commands of people about them
(`ports.host_keeper`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.core.objects.requested import command_given
from tenuto.errors import NotAllowedError, NotFoundError
from tenuto.kit.first_names import first_of
from tenuto.lifecycles.node import GIVEN_UP, LEAVING, LEFT, MISSED, NODE, SHUT_DOWN
from tenuto.lifecycles.roles import has_ended
from tenuto.model.host_node import HostNode
from tenuto.model.ids import Json, ObjectId
from tenuto.model.node import STRAYS
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.objects import ObjectWork
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.providers.local.driver import HostedDriver, Problem
from tenuto.providers.local.nodes.records import (
    CORDONED,
    HEARD_AT,
    LEFT_BEHIND,
    STOPPED_RUN,
    NodeRecords,
    heard_at,
    moved,
    names_in,
    noted,
)
from tenuto.providers.local.nodes.watch import HostWatch
from tenuto.providers.local.programs import OperationPrograms
from tenuto.providers.local.rules.deadlines import Deadlines, Presence
from tenuto.providers.local.rules.machines.abilities import lacking
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, is_machine
from tenuto.providers.local.rules.machines.placement import DISK_GIB
from tenuto.providers.local.types import INTERFACE, NETWORK

_SERVED = (INTERFACE, NETWORK)
"""The types of which a host holds those of others, in the order of their removal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attendance:
    """The parts of the work on hosts, without the work on objects that a Conductor brings."""

    hosts: HostedDriver
    records: NodeRecords
    store: Store
    clock: Clock
    deadlines: Deadlines

    def watch(self, work: ObjectWork) -> HostWatch:
        return HostWatch(
            hosts=self.hosts,
            records=self.records,
            work=work,
            store=self.store,
            clock=self.clock,
            deadlines=self.deadlines,
        )

    def programs(self, work: ObjectWork) -> OperationPrograms:
        return OperationPrograms(self.store, self.clock, work)

    def keeper(self, work: ObjectWork) -> "NodeKeeper":
        return NodeKeeper(self, work)


class NodeKeeper:
    """Implements `ports.host_keeper.HostKeeper`."""

    def __init__(self, attendance: Attendance, work: ObjectWork) -> None:
        self._hosts = attendance.hosts
        self._records = attendance.records
        self._store = attendance.store
        self._clock = attendance.clock
        self._deadlines = attendance.deadlines
        self._work = work

    def zones(self) -> Sequence[str]:
        return self._hosts.zones()

    def nodes(self, zone: str, *, with_machines: bool = True) -> Sequence[HostNode]:
        known, there = self._records.live(zone), self._machines(zone) if with_machines else {}
        told = {one.name: one for one in self._hosts.presences(zone)}
        return [self._node(zone, name, known.get(name), told.get(name), there) for name in sorted({*known, *told})]

    def deleted(self, zone: str, name: str) -> HostNode | None:
        node = self._records.deleted(zone, name)
        return self._node(zone, name, node, None, {}) if node is not None else None

    def cordon(self, zone: str, name: str, *, is_cordoned: bool, actor: str) -> None:
        node = self._live(zone, name)
        if bool(node.attributes.get(CORDONED)) != is_cordoned:
            command = "node cordon" if is_cordoned else "node uncordon"
            self._commit(node, command, actor, noted(node, **{CORDONED: is_cordoned}))

    def stop(self, zone: str, name: str, *, actor: str) -> None:
        node = self._live(zone, name)
        if node.state in SHUT_DOWN:
            return
        if node.state != NODE.ready:
            raise NotAllowedError(
                f"The host {name} of {zone} is {node.state} and cannot be told to stop: it does not answer. Nothing "
                "was changed."
            )
        presence = next((one for one in self._hosts.presences(zone) if one.name == name), None)
        run = presence.run if presence is not None else ""
        # The next Conductor finds by this that the agent which answers is the one that is to end.
        at, noting = self._clock.now(), {STOPPED_RUN: run}
        stopping = moved(node, (LEAVING,), at, reason="a user stops it", actor=actor, noting=noting)
        self._commit(node, "node stop", actor, stopping)
        self._hosts.dismiss(zone, name, for_good=False)

    def purge(self, zone: str, name: str, *, actor: str) -> Sequence[ObjectId]:
        node = self._live(zone, name)
        if node.state != NODE.ready:
            raise NotAllowedError(
                f"The host {name} of {zone} is {node.state}, so nothing can be removed there now. Nothing was changed."
            )
        noted_ = names_in(node, STRAYS)
        # A thing that became known since the watch noted it belongs to an object.
        known = {one.object_id for one in self._store.selected(noted_)} if noted_ else set()
        strays = [one for one in self._hosts.unwanted(zone, name) if one in noted_ and one not in known]
        if strays:
            self._commit(node, f"node purge {' '.join(strays)}", actor)
            self._hosts.clear(zone, name, strays)
        return strays

    def delete(self, zone: str, name: str, *, is_forced: bool, actor: str) -> None:
        node = self._live(zone, name)
        machines = self._standing(zone, name)
        if machines and not is_forced:
            told = _named([self._name(one) for one in machines], "machine")
            raise NotAllowedError(
                f"The host {name} of {zone} has {told}. Move them away first: cordon "
                "the host and make them elsewhere; or delete it with --force, then each of them is gone and its "
                "process makes another one. Nothing was changed."
            )
        served = self._served(zone, name)
        self._check_heirs(zone, name, served, is_forced=is_forced)
        is_cleared = self._clear(zone, node, machines, served, is_forced=is_forced, actor=actor)
        if is_cleared:
            # That took a while: both are read again, since others may have changed them meanwhile.
            removed = [one.object_id for one in machines]
            node = self._live(zone, name)
            machines = [one for one in self._store.selected(removed) if not has_ended(one)]
            if more := [self._name(one) for one in self._standing(zone, name) if one.object_id not in removed]:
                told = _named(more, "machine")
                raise NotAllowedError(f"The host {name} of {zone} got {told} meanwhile. Give the command again.")
        changes: list[StoreChange] = []
        for one in machines:
            changes += self._work.vanish(one, actor=actor)
        at = self._clock.now()
        presence = next((one for one in self._hosts.presences(zone) if one.name == name), None)
        noting = {
            HEARD_AT: heard_at(node, presence, at),
            LEFT_BEHIND: self._left_on(zone, node, frozenset(one.object_id for one in served if is_cleared)),
        }
        changes.append(moved(node, (NODE.gone,), at, reason="a user deletes it", actor=actor, noting=noting))
        with self._records.lives:
            self._commit(node, "node delete", actor, *changes)
            self._hosts.dismiss(zone, name, for_good=True)

    def _left_on(self, zone: str, node: ManagedObject, removed: frozenset[ObjectId]) -> list[Json]:
        """The things that are on a host still: those that were left there before, and those that are expected there."""
        here = {one for one, names in self._hosts.whereabouts(zone).items() if node.logical_id in names}
        return sorted({*names_in(node, LEFT_BEHIND), *(here - removed)})

    def _served(self, zone: str, name: str) -> Sequence[ManagedObject]:
        """The networks whose gateway a host is, after the interfaces that it serves for others."""
        here = [one for one, names in self._hosts.whereabouts(zone).items() if name in names]
        found = [one for one in self._store.selected(here) if one.type in _SERVED and not has_ended(one)]
        return sorted(found, key=lambda one: (_SERVED.index(one.type), one.logical_id, one.object_id))

    def _check_heirs(self, zone: str, name: str, served: Sequence[ManagedObject], *, is_forced: bool) -> None:
        """Raise NotAllowedError when no other host takes the networks of a host, unless it is deleted by force."""
        nodes = self._records.live(zone)
        heirs = [
            one
            for one in self._hosts.hosts(zone)
            if one.name != name
            and one.is_up
            and (node := nodes.get(one.name)) is not None
            and node.state == NODE.ready
            and not node.attributes.get(CORDONED)
        ]
        networks = [str(one.logical_id) for one in served if one.type == NETWORK]
        if networks and not heirs and not is_forced:
            raise NotAllowedError(
                f"The host {name} of {zone} is the gateway of {_named(networks, 'network')}, and no other host answers "
                "and takes anything new. Let another host join first; or delete it with --force, then its networks "
                "wait for one. Nothing was changed."
            )

    def _clear(
        self,
        zone: str,
        node: ManagedObject,
        machines: Sequence[ManagedObject],
        served: Sequence[ManagedObject],
        *,
        is_forced: bool,
        actor: str,
    ) -> bool:
        """Make sure that nothing of ours is on a host that is to be deleted, or that the host is known not to have it.
        Returns whether the host was asked to remove anything.

        The networks and interfaces that it serves for others go to other hosts, and do not count as gone. By force, a
        silent host keeps them. Before its machines are removed the host takes nothing new: their processes would make
        them again there.
        """
        if not (machines or served) or node.state in (GIVEN_UP, LEFT):
            return False
        presence = next((one for one in self._hosts.presences(zone) if one.name == node.logical_id), None)
        if presence is not None and presence.silent_s > self._deadlines.silent_s:
            if is_forced and not machines:
                return False
            what = "machines" if machines else "networks"
            raise NotAllowedError(
                f"The host {node.logical_id} of {zone} does not answer, and its {what} may still run: wait until it "
                "counts as lost ('tenuto node show'), or let it answer again. Nothing was changed."
            )
        problems: dict[ObjectId, Problem] = {}
        if machines:
            self.cordon(zone, str(node.logical_id), is_cordoned=True, actor=actor)
            problems = dict(self._hosts.remove(zone, [one.object_id for one in machines]))
        if served and not problems:
            problems = dict(self._hosts.strip(zone, str(node.logical_id), [one.object_id for one in served]))
        if problems:
            told = "; ".join(sorted({one.message for one in problems.values()})[:3])
            raise NotAllowedError(
                f"Not everything on the host {node.logical_id} is removed yet: {told}. It takes nothing new; give the "
                "command again."
            )
        return True

    def _name(self, machine: ManagedObject) -> str:
        """A machine as commands take it: with its process, since two processes may have machines of one name."""
        process = self._store.process(machine.fid) if machine.fid else None
        return f"{process.alias or process.fid}/{machine.logical_id}" if process else str(machine.logical_id)

    def _standing(self, zone: str, name: str) -> Sequence[ManagedObject]:
        """The machines on a host that have not ended."""
        return [one for one in self._machines(zone).get(name, ()) if not has_ended(one)]

    def _machines(self, zone: str) -> Mapping[str, Sequence[ManagedObject]]:
        """The machines by the hosts on which they are."""
        found = self._store.selected(list(self._hosts.whereabouts(zone)))
        named: dict[str, list[ManagedObject]] = {}
        for one in sorted(found, key=lambda one: (one.logical_id, one.object_id)):
            if is_machine(one):
                named.setdefault(str(one.attributes.get("Host")), []).append(one)
        return named

    def _node(
        self,
        zone: str,
        name: str,
        node: ManagedObject | None,
        presence: Presence | None,
        machines: Mapping[str, Sequence[ManagedObject]],
    ) -> HostNode:
        there = machines.get(name, ())
        return HostNode(
            zone=zone,
            name=name,
            node=node,
            machines=tuple(one for one in there if not has_ended(one)),
            committed_mib=sum(int(as_instance(one).desired.get("MemoryMiB", 0)) for one in there),
            committed_disk_gib=sum(int(one.attributes.get(DISK_GIB) or 0) for one in there),
            heard_at=heard_at(node, presence, self._clock.now()) if node is not None else None,
            lost_at=self._lost_at(node),
            lacks=lacking(presence.abilities) if presence is not None and presence.is_heard else (),
            troubles=presence.troubles if presence is not None and presence.is_heard else (),
        )

    def _lost_at(self, node: ManagedObject | None) -> float | None:
        if node is None or node.state != MISSED:
            return None
        return node.moved_at + self._deadlines.lost_s - self._deadlines.missing_s

    def _live(self, zone: str, name: str) -> ManagedObject:
        node = self._records.live(zone).get(name)
        if node is None:
            raise NotFoundError(
                f"There is no host {name} in the zone {zone} that has checked in. 'tenuto node list' shows them."
            )
        return node

    def _commit(self, node: ManagedObject, command: str, actor: str, *changes: StoreChange) -> None:
        event = command_given(node, command, actor, self._clock.now())
        self._work.commit((Append(events=(event,)), *changes))


def _named(names: Sequence[str], kind: str) -> str:
    """The number of things of a kind, with the names of the first ones."""
    count = f"1 {kind}" if len(names) == 1 else f"{len(names)} {kind}s"
    return f"{count} ({first_of(names, 5)})"
