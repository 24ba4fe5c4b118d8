"""The orders that a host holds, and the parts of networks and machines that they come to.

Theory of operation. Every order is kept in a folder (`kept_orders`) before it is carried out, so that a host knows
after a restart all things that it is to hold. The requests to the executor follow from all orders together: the part of
a network that this host holds is its own order, where the host is its gateway, and the wiring of the machines and
interfaces here. A machine that is isolated counts as one without wiring, although its order has some: so it has no part
in any network.

An order that is lost is missing in all this: without it, a router, a port or an address outside that serves would be
one too much. So the networks that the host had are left as they are until the Conductor has given it again. An order is
lost where its files are damaged, and where the executor has a thing and this folder knows nothing of it. A folder that
was put back from a backup holds the orders of yesterday: the executor was told of later ones, so all of them are lost.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from ipaddress import IPv4Network

from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId, TypeName
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.drivers.ns.kept_orders import KIND as _SPECS
from tenuto.providers.local.drivers.ns.kept_orders import MADE, keep, kept
from tenuto.providers.local.drivers.ns.resolvers import resolvers
from tenuto.providers.local.drivers.ns.routes import routes
from tenuto.providers.local.executor.requests import Kept, NetworkOrder, uplink_name
from tenuto.providers.local.rules.machines.replacement import is_fenced
from tenuto.providers.local.rules.machines.spec import Cable, MachineSpec
from tenuto.providers.local.rules.networks.addresses import router_of, vni_of
from tenuto.providers.local.rules.networks.names import DOMAIN, NAMES
from tenuto.providers.local.rules.networks.spec import Port, UnusableValueError
from tenuto.providers.local.rules.networks.ways_out import free_way_out, is_taken
from tenuto.providers.local.turns import Turn
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK

_UPLINKS = "uplinks"
_CHOICES = 3
"""The numbers that a network may have by its id: another one than the first was taken where two ids came to one number,
which one in millions does."""
_ISOLATED, _YES = "isolated", "yes"
"""The mark of a machine that was taken off its networks, so that an agent that is started again leaves it off."""


class Orders:
    """The orders of one host. Not thread-safe: a host carries out one thing at a time."""

    def __init__(
        self, folder: StateFolder, *, host: str, address: str, mtu: int, there: Kept, conductor: Sequence[str] = ()
    ) -> None:
        """`address` is where other hosts reach this one; `mtu` is the largest packet of a network. `there` lists the
        things that the executor has. `conductor` are the addresses of the Conductor, which machines do not reach."""
        self._folder = folder
        self._host = host
        self._own = {host: address}
        self._hosts = dict(self._own)
        self._mtu = mtu
        self._conductor = tuple(conductor)
        specs, damaged = kept(folder)
        ordered = {vni for spec in specs for vni in networks_of(spec)}
        self._standing = frozenset(ordered | {int(number) for number in there.networks})
        self._turn = Turn(folder.path)
        if self._turn.number < there.turn:
            damaged, specs = damaged | {spec.object_id for spec in specs}, []
        self._last = max(self._turn.number, there.turn)
        self._specs = {spec.object_id: spec for spec in specs}
        things = {*there.machines, *(one for noted in there.networks.values() for one in noted)}
        self._lost = damaged | (things - self._specs.keys())
        self._aside: dict[ObjectId, Spec] = {}
        marked = (one for one in self._specs if folder.read(_SPECS, one, _ISOLATED) == _YES)
        self._isolated: frozenset[ObjectId] = frozenset(marked)

    def meet(self, hosts: Mapping[str, str]) -> None:
        """The hosts have these addresses from now on, this one the address that its agent has told last."""
        self._hosts = {**self._own, **hosts}

    def all(self) -> tuple[Spec, ...]:
        return tuple(self._counted(spec) for spec in self._specs.values())

    @property
    def lost(self) -> frozenset[ObjectId]:
        """The things whose order is damaged, old or not there, although one was carried out."""
        return self._lost

    def is_in_doubt(self, vni: int) -> bool:
        """Whether an order that is lost may have been for this network, or for a thing on it: until that order is given
        again, the surplus parts there are not known."""
        return bool(self._lost) and (vni in self._standing or any(vni in numbers_by(one) for one in self._lost))

    def get(self, object_id: ObjectId) -> Spec | None:
        found = self._specs.get(object_id)
        return self._counted(found) if found is not None else None

    def isolate(self, object_ids: frozenset[ObjectId]) -> set[int]:
        """Count just these machines as ones without wiring; return the numbers of the networks that this changes."""
        changed = [spec for spec in self._specs.values() if spec.object_id in object_ids ^ self._isolated]
        self._isolated = object_ids
        return {vni for spec in changed if spec.type == INSTANCE for vni in networks_of(spec)}

    def note_isolated(self) -> None:
        """Keep that the isolation which was asked for last was carried out."""
        for object_id, spec in self._specs.items():
            mark = _YES if spec.type == INSTANCE and object_id in self._isolated else ""
            if (self._folder.read(_SPECS, object_id, _ISOLATED) or "") != mark:
                self._folder.write(_SPECS, object_id, _ISOLATED, mark)

    def _counted(self, spec: Spec) -> Spec:
        is_off = spec.type == INSTANCE and spec.object_id in self._isolated
        return replace(spec, wiring=()) if is_off else spec

    def unusable(self, specs: Sequence[Spec]) -> Sequence[tuple[Spec, str]]:
        """Return the orders of a batch with which a network could not be, with the reasons. They are not to be kept:
        the host could neither bring about nor tell of that network while it has them."""
        if not self._with(specs)._problem(specs):
            return ()
        usable, found = self, list[tuple[Spec, str]]()
        for spec in specs:
            tried = usable._with([spec])
            if why := tried._problem([spec]):
                found.append((spec, why))
            else:
                usable = tried
        return found

    def _with(self, specs: Sequence[Spec]) -> "Orders":
        """The orders as they would be with some more, which are not kept."""
        found = copy(self)
        found._specs = {**self._specs, **{spec.object_id: spec for spec in specs}}
        return found

    def _problem(self, specs: Sequence[Spec]) -> str:
        """The reason why a network of these orders cannot be as all orders have it; empty where each can."""
        try:
            for vni in sorted({vni for spec in specs for vni in networks_of(spec)}):
                if self.is_needed(vni):
                    # Its way out gets a number only when it is made.
                    self._network(vni, max(self._uplink(vni), 0))
        except UnusableValueError as error:
            return str(error)
        return ""

    def keep(self, specs: Sequence[Spec]) -> None:
        """Keep a batch of orders, each in the place of the one before it."""
        for spec in specs:
            keep(self._folder, spec)
            self._specs[spec.object_id] = spec
            if spec.object_id in self._lost:
                # It stood here, and orders that are still lost may be for things on it.
                self._standing |= {*networks_of(spec)}
        self._lost -= {spec.object_id for spec in specs}
        if specs:
            self._last += 1
            if not self._lost:
                # An agent that ends before the last one has come again still has old orders in its folder.
                self._turn.raise_to(self._last)

    def set_aside(self, spec: Spec) -> None:
        """Count the order no more, until it is removed or put back."""
        self._aside[spec.object_id] = self._specs.pop(spec.object_id)

    def put_back(self, spec: Spec) -> None:
        self._specs[spec.object_id] = self._aside.pop(spec.object_id)

    def remove(self, object_id: ObjectId) -> None:
        """Forget an order that was set aside."""
        self._aside.pop(object_id, None)
        self._lost -= {object_id}
        self._folder.remove(_SPECS, object_id)

    def note_made(self, spec: Spec) -> None:
        """The machine was made: it has data from now on."""
        self._folder.write(_SPECS, spec.object_id, MADE, "")

    def was_made(self, spec: Spec) -> bool:
        return self._folder.read(_SPECS, spec.object_id, MADE) is not None

    def forget_network(self, vni: int) -> None:
        """The network is gone from this host, and its way out is for another one."""
        self._folder.remove(_UPLINKS, str(vni))
        self._standing -= {vni}

    def is_needed(self, vni: int) -> bool:
        """Whether this host holds a part of a network: as its gateway, or for a machine."""
        return any(spec.type in (NETWORK, INSTANCE) and vni in networks_of(spec) for spec in self.all())

    def left_over(self) -> set[int]:
        """Return the networks that were here at the start, and that nothing here needs any more."""
        return {vni for vni in self._standing if not self.is_needed(vni)}

    def network_to_make(self, vni: int) -> NetworkOrder:
        """The host's part of a network, with a way out of its own if it needs one. It keeps the one that it has, but
        where this host reaches those addresses by a link of others. Raises UnusableValueError.
        """
        own = self._gateway_order(vni)
        if own is None or not _has_way_out(own, self._wires(INSTANCE, vni) | self._wires(INTERFACE, vni)):
            return self.network(vni)
        kept, reached = self._uplink(vni), routes(but=uplink_name(vni))
        if kept < 0 or is_taken(kept, reached):
            given = {self._uplink(int(name)) for name in self._folder.names(_UPLINKS) if name.isdecimal()}
            self._folder.write(_UPLINKS, str(vni), _UPLINKS, str(free_way_out(given, reached)))
        return self.network(vni)

    def network(self, vni: int) -> NetworkOrder:
        """The host's part of a network, as it was to be made last. Raises UnusableValueError."""
        return self._network(vni, self._uplink(vni))

    def _network(self, vni: int, uplink: int) -> NetworkOrder:
        """The host's part of a network, with this way out if it needs one. Raises UnusableValueError."""
        own, here, interfaces = self._gateway_order(vni), self._wires(INSTANCE, vni), self._wires(INTERFACE, vni)
        # The interface's own order, at the gateway, names the addresses that lead to it from outside.
        known = here | interfaces
        if own is not None:
            cidr, gateway = str(own.properties["CidrBlock"]), self._host
        else:
            wire = next(iter(here.values()))
            # The gateway has the order of the network. A machine that was left on a host that had been lost may have an
            # order from before the gateway went elsewhere, and that one would be a second router.
            cidr, gateway = wire.cidr, "" if wire.gateway_host == self._host else wire.gateway_host
        has_nat = own is not None and _has_nat(own)
        has_dns = own is not None and own.properties.get("Dns") is True
        return NetworkOrder(
            vni=vni,
            cidr=cidr,
            gateway_host=gateway,
            mtu=self._mtu,
            has_dhcp=own is not None and own.properties.get("Dhcp") is not False,
            has_nat=has_nat,
            host=self._host,
            hosts=self._hosts,
            ports=tuple(
                Port(
                    object_id=wire.interface,
                    mac=wire.mac,
                    address=wire.address,
                    host=self._host if wire.interface in here else "",
                    floating=wire.floating if own is not None else "",
                    routed=wire.routed if own is not None else (),
                )
                for wire in known.values()
            ),
            uplink=uplink if own is not None and _has_way_out(own, known) else -1,
            has_dns=has_dns,
            domain=str(own.attributes.get(DOMAIN, "")) if own is not None and has_dns else "",
            names=_names_of(own) if own is not None and has_dns else (),
            conductor=self._conductor,
            resolvers=resolvers() if has_dns and has_nat else (),
            things=tuple(sorted([*interfaces, *((own.object_id,) if own is not None else ())])),
            turn=self._last,
        )

    def machine(self, spec: Spec) -> MachineSpec:
        """A machine, as the executor is told of it."""
        properties = spec.properties
        return MachineSpec(
            object_id=spec.object_id,
            name=str(properties["Name"]),
            vcpus=int(properties["Vcpus"]),
            memory_mib=int(properties["MemoryMiB"]),
            power=str(properties["PowerState"]),
            cables=tuple(self._cable(wire) for wire in spec.wiring),
            user_data=str(properties.get("UserData", "")),
            ends_with_lease=is_fenced(str(properties.get("Replace", ""))),
        )

    def _gateway_order(self, vni: int) -> Spec | None:
        """The order for a network itself, which its gateway has."""
        return next((s for s in self.all() if s.type == NETWORK and vni in networks_of(s)), None)

    def _wires(self, type_name: TypeName, vni: int) -> dict[ObjectId, Wire]:
        """The wires of machines or interfaces on a network, by their interfaces."""
        specs = (spec for spec in self.all() if spec.type == type_name)
        return {wire.interface: wire for spec in specs for wire in spec.wiring if wire.vni == vni}

    def _uplink(self, vni: int) -> int:
        """The number of a network's way out; -1 before it was made, and where it cannot be read."""
        kept = self._folder.read(_UPLINKS, str(vni), _UPLINKS) or ""
        return int(kept) if kept.isdecimal() else -1

    def _cable(self, wire: Wire) -> Cable:
        return Cable(
            interface=wire.interface,
            vni=wire.vni,
            mac=wire.mac,
            address=wire.address,
            prefix=IPv4Network(wire.cidr, strict=False).prefixlen,
            router=router_of(wire.cidr),
            mtu=self._mtu,
        )


def networks_of(spec: Spec) -> tuple[int, ...]:
    """The numbers of the networks that an order touches."""
    if spec.type == NETWORK:
        return (int(spec.attributes["Vni"]),)
    return tuple(dict.fromkeys(wire.vni for wire in spec.wiring))


def numbers_by(object_id: ObjectId) -> frozenset[int]:
    """The numbers that a network may have by its id."""
    return frozenset(vni_of(object_id, attempt) for attempt in range(_CHOICES))


def _has_nat(network: Spec) -> bool:
    return network.properties.get("Nat") is not False


def _has_way_out(network: Spec, wires: Mapping[ObjectId, Wire]) -> bool:
    """Whether anything of a network leaves it here, or comes in."""
    return _has_nat(network) or any(wire.outside for wire in wires.values())


def _names_of(network: Spec) -> tuple[tuple[str, str], ...]:
    """The names that a network serves, by its order."""
    return tuple((str(name), str(address)) for name, address in network.attributes.get(NAMES) or ())
