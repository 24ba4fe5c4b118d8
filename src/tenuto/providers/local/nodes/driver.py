"""The hosts as phases and sweeps meet them, with the facts of their nodes.

Theory of operation. The driver below knows which host answers now; the node of a host knows whether it is in service,
takes anything new, and is lost. A host gets new things only when both say so. A thing that is to be removed from a lost
host is gone as far as its process is concerned: it is noted with the node, durably and before anything else, and the
watch has it removed when the host is back. So is the copy of a blob on a host whose agent was stopped, which may stay
so for ever: a copy does nothing there, and its content cannot come again before the blob is gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tenuto.kit.times import iso_text
from tenuto.lifecycles.node import GIVEN_UP, LEFT, MISSED, NODE
from tenuto.lifecycles.roles import has_ended, is_failing, is_leaving
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.ids import Instant, Json, ObjectId, TypeName
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.providers.local.driver import HostedDriver, Problem, Seen, Spec
from tenuto.providers.local.nodes.records import CORDONED, LEFT_BEHIND, NodeRecords, incarnations_of, names_in, noted
from tenuto.providers.local.rules.deadlines import Deadlines
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance
from tenuto.providers.local.rules.machines.placement import Host, Machine, PlacementRules, Placing
from tenuto.providers.local.rules.machines.replacement import losses_before, replaced_at
from tenuto.providers.local.rules.replication import is_replica
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK, completed


class NodeHosts:
    """Implements `providers.local.driver.Driver` over a driver that tells of its hosts."""

    def __init__(self, *, hosts: HostedDriver, records: NodeRecords, store: Store, deadlines: Deadlines) -> None:
        self._hosts = hosts
        self._records = records
        self._store = store
        self._deadlines = deadlines

    def name_in(self, zone: str) -> str:
        return self._hosts.name_in(zone)

    def zones(self) -> Sequence[str]:
        """Return the zones that have hosts, by name."""
        return self._hosts.zones()

    def hosts(self, zone: str) -> Sequence[Host]:
        nodes = self._records.live(zone)
        return [_in_service(host, nodes.get(host.name)) for host in self._hosts.hosts(zone)]

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        return self._hosts.assign(zone, machines, self._with_closed(zone, rules))

    def misfits(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._hosts.misfits(zone, machines, self._with_closed(zone, rules))

    def resize(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Mapping[ObjectId, str]:
        return self._hosts.resize(zone, machines, rules)

    def unassign(self, zone: str, object_ids: Sequence[ObjectId]) -> None:
        self._hosts.unassign(zone, object_ids)

    def _with_closed(self, zone: str, rules: PlacementRules) -> PlacementRules:
        closed = {name: why for name, node in self._records.live(zone).items() if (why := _closed(node))}
        return replace(rules, closed={**closed, **rules.closed})

    def ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        lost = {name for name in {spec.host for spec in specs} if self.is_lost(zone, name)}
        nodes = self._records.live(zone) if lost else {}
        told = {
            spec.object_id: Problem(
                message=f"the host {spec.host} is {'lost' if spec.host in nodes else 'deleted'}", is_silent=True
            )
            for spec in specs
            if spec.host in lost
        }
        return told | dict(self._hosts.ensure(zone, [spec for spec in specs if spec.object_id not in told]))

    def remove(self, zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        where, nodes = self._hosts.whereabouts(zone), self._records.live(zone)
        for name in sorted({name for one in object_ids for name in where.get(one, ())}):
            node, is_lost = nodes.get(name), self.is_lost(zone, name)
            is_stopped = node is not None and node.state == LEFT
            there = [one for one in object_ids if name in where.get(one, ())]
            left = there if is_lost else [one for one in there if is_stopped and is_replica(one)]
            if not left:
                continue
            if node is not None:
                known = names_in(node, LEFT_BEHIND)
                self._store.commit((noted(node, **{LEFT_BEHIND: sorted({*known, *left})}),))
            self._hosts.leave_behind(zone, name, left)
        return self._hosts.remove(zone, object_ids)

    def shown(self, zone: str) -> Mapping[str, Sequence[Seen]]:
        return self._hosts.shown(zone)

    def observe(self, zone: str, type_name: TypeName) -> Sequence[Seen]:
        seen = self._hosts.observe(zone, type_name)
        if not any(one.silence for one in seen):
            return seen
        where, nodes = self._hosts.whereabouts(zone), self._records.live(zone)
        lost_orders = [one.object_id for one in seen if one.is_order_lost]
        known = {one.object_id: as_instance(one) for one in self._store.selected(lost_orders)} if lost_orders else {}
        seen = [_to_order_again(one, known[one.object_id], where) if one.object_id in known else one for one in seen]
        silent = {one.object_id: where.get(one.object_id, ()) for one in seen if one.silence}
        if type_name in (NETWORK, INTERFACE):
            gone = {name for name in {one for names in silent.values() for one in names} if self.is_lost(zone, name)}
            lost = [key for key, names in silent.items() if not gone.isdisjoint(names)]
            moving = {one.object_id: one for one in self._store.selected(lost)} if lost else {}
            seen = [_without_gateway(one, moving[one.object_id]) if one.object_id in moving else one for one in seen]
        then = self._fates(type_name, [*silent])
        return [
            self._with_reason(one, silent[one.object_id], nodes, then[one.object_id]) if one.silence else one
            for one in seen
        ]

    def is_lost(self, zone: str, name: str) -> bool:
        """Whether a host is lost, or deleted: its things count as gone."""
        node = self._records.live(zone).get(name)
        if node is not None:
            return node.state == GIVEN_UP
        return name not in {one.name for one in self._hosts.hosts(zone)}

    def _fates(self, type_name: TypeName, silent: Sequence[ObjectId]) -> dict[ObjectId, str]:
        """The words for each thing about its time after the loss of its host. A sweep of machines shows those of nodes,
        too, and no silent host tells which is which."""
        if type_name in (NETWORK, INTERFACE):
            return dict.fromkeys(silent, _MOVES)
        nodes = {one.object_id for one in self._store.selected(silent) if one.type == CLOUD_NODE} if silent else set()
        return {one: _WAITS if one in nodes else _AS_DECLARED for one in silent}

    def _with_reason(self, seen: Seen, names: Sequence[str], nodes: Mapping[str, ManagedObject], then: str) -> Seen:
        """The thing with more words for the silence of its host."""
        node = next((nodes[name] for name in names if name in nodes and f" {name} " in f"{seen.silence} "), None)
        if node is None:
            return seen
        told = f"{seen.silence}{_standing(node, self._deadlines, then)}"
        return replace(seen, silence=f"{told}{self._wait_of(seen.object_id, node)}" if node.state == GIVEN_UP else told)

    def _wait_of(self, object_id: ObjectId, node: ManagedObject) -> str:
        """The words about a machine on a lost host that waits for its replacement."""
        for machine in self._store.selected([object_id]):
            if machine.type == INSTANCE and not (has_ended(machine) or is_failing(machine) or is_leaving(machine)):
                losses = losses_before(machine, incarnations_of(self._store, machine), node.moved_at)
                if losses and (due_at := replaced_at(machine, losses, node.moved_at)) is not None:
                    return (
                        f". That is the loss number {len(losses) + 1} of the machine within an hour, so another one is "
                        f"made from {iso_text(due_at)} on"
                    )
        return ""


def _without_gateway(seen: Seen, found: ManagedObject) -> Seen:
    """A network or an interface whose gateway is lost: all of it is as ordered, but for the place. A plan moves it."""
    host = str(found.attributes.get("GatewayHost"))
    return _as_ordered(seen, found, host, "its gateway host is lost, so it moves to another one")


def _to_order_again(seen: Seen, found: ManagedObject, where: Mapping[ObjectId, Sequence[str]]) -> Seen:
    """A thing whose order is lost on its host, as it was ordered. A plan gives the order again: that changes no part
    that is as it should be, and until then the host holds nothing of it."""
    host = where[seen.object_id][0]
    return _as_ordered(seen, found, host, f"the order for it is lost on the host {host} (specs/{seen.object_id})")


def _as_ordered(seen: Seen, found: ManagedObject, host: str, but: str) -> Seen:
    return replace(
        seen,
        silence="",
        properties={**completed(found.type, found.desired), **_shown_of(found), "Deviations": {host: [but]}},
        attributes=dict(found.attributes),
    )


def _shown_of(found: ManagedObject) -> dict[str, Json]:
    return {name: found.attributes[name] for name in ("Address", "MacAddress") if name in found.attributes}


def _in_service(host: Host, node: ManagedObject | None) -> Host:
    if node is None:
        return host
    is_up = host.is_up and node.state == NODE.ready
    return replace(host, is_up=is_up, is_cordoned=bool(node.attributes.get(CORDONED)))


def _closed(node: ManagedObject) -> str:
    """The reason why a host takes nothing new; empty when it does."""
    if node.state != NODE.ready:
        return "it is lost" if node.state == GIVEN_UP else f"it is {node.state}"
    return "it is cordoned" if node.attributes.get(CORDONED) else ""


_MOVES = "It moves to another gateway host then"
_WAITS = "A node stays there and waits: let the host come back, or kill the node"
_AS_DECLARED = (
    "A machine with Replace: on-host-error or on-error is made anew on another host then; any other is in error"
)


def _standing(node: ManagedObject, deadlines: Deadlines, then: str) -> str:
    since = iso_text(node.moved_at)
    if node.state == MISSED:
        lost_at = Instant(node.moved_at + deadlines.lost_s - deadlines.missing_s)
        return f": it is missing since {since}, and counts as lost from {iso_text(lost_at)} on. {then}"
    if node.state == GIVEN_UP:
        return f": it is lost since {since}"
    return f": its agent was stopped at {since}. What runs there runs on" if node.state == LEFT else ""
