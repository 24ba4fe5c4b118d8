"""The addresses outside of its network that an interface has: floating and routed ones, from the pool of its zone.

Theory of operation. An address is a claim of the zone, so it has one holder. It is taken before it is ordered, and
given back after the host has confirmed that nothing leads there any more; so it never leads to two machines. A database
that was restored from a backup lacks the claims since: an address that leads to an interface which no object stands for
is taken by none, as long as its host shows that.

A move in one process is a change of two interfaces, and no user can choose their order. So the one that wants the
address takes it away from the one that is not to have it any more, in the same two steps: an order without the address,
then the claim. One that its process still declares keeps it, and the other is refused.
"""

from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network

from tenuto.kit.address_pools import AddressPools, addresses, is_in
from tenuto.lifecycles.roles import has_ended, is_being_deleted
from tenuto.model.ids import Json, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.phases.common import RETRY_S, Tools, problems_of, refuse, spec_for, wire_of
from tenuto.providers.local.rules.networks.addresses import is_ipv4

FLOATING, ROUTED = "Floating", "Routed"
FLOATING_ADDRESS = "FloatingAddress"
SIMULATED_POOL = AddressPools.parse("192.0.2.0/24")
"""The pool of simulated zones: addresses that are for documentation, and that no machine has."""
_ON, _OFF = (True, "true"), (None, False, "false", "")


class OutsideAddresses:
    """Takes, moves and gives back addresses of the pools."""

    def __init__(self, tools: Tools, pools: AddressPools) -> None:
        self._tools = tools
        self._reservations = tools.reservations
        self._pools = pools

    def taken(self, run: PhaseRun, one: PhaseResource) -> tuple[str, tuple[str, ...]] | None:
        """The floating and the routed addresses that an interface has now; None after the phase said why not."""
        routed = tuple(dict.fromkeys(str(address) for address in one.object.desired.get(ROUTED) or ()))
        for address in routed:
            if not self._takes(run, one, address):
                return None
        wanted = one.object.desired.get(FLOATING)
        if wanted in _OFF:
            return "", routed
        if wanted not in _ON:
            address = str(wanted)
            if address in routed:
                refuse(run, one, f"{address} cannot be both in {FLOATING} and in {ROUTED}", "BadProperty")
                return None
            return (address, routed) if self._takes(run, one, address) else None
        floating = self._any(run, one, routed)
        return (floating, routed) if floating else None

    def keep(self, one: ManagedObject, kept: Sequence[str]) -> None:
        """Give back the other addresses of an interface: its host has confirmed that nothing leads there."""
        space = _space(one)
        held = self._reservations.keys_of(one.object_id, space)
        self._reservations.let_go(one.object_id, space, [key for key in held if key not in kept])

    def withdraw(self, run: PhaseRun, resources: Sequence[PhaseResource]) -> None:
        """Take all addresses from interfaces that go. One that is still needed inside is no more reached from outside,
        so that another one can have its addresses."""
        for one in resources:
            found = one.object
            if self._reservations.keys_of(found.object_id, _space(found)) and not self._cut_off(found, ()):
                self.keep(found, ())

    def _any(self, run: PhaseRun, one: PhaseResource, routed: Sequence[str]) -> str:
        """The address of an interface that takes any: the one that it has, or a free one. Empty after the phase said
        why there is none."""
        object_id, space, zone = one.object.object_id, _space(one.object), run.partition.region
        held = [key for key in self._reservations.keys_of(object_id, space) if key not in routed]
        if held:
            known = str(one.attributes.get(FLOATING_ADDRESS, ""))
            return known if known in held else held[0]
        strays = self._strays(zone)
        for address in addresses(self._pool(zone), object_id):
            if address in routed or address in strays:
                continue
            if self._reservations.take(object_id, space, address) is None:
                return address
        if strays:
            address, host = min(strays.items())
            run.sleep(one, RETRY_S, f"no address of the pool of the zone {zone} is free: {_led_astray(address, host)}")
        elif self._pool(zone):
            message = f"no address of the pool of the zone {zone} is free: give one back, or make the pool larger"
            refuse(run, one, f"{message} (--floating-pool of the Conductor)", "PoolFull")
        else:
            refuse(run, one, self._no_pool(zone), "NoPool")
        return ""

    def _takes(self, run: PhaseRun, one: PhaseResource, address: str) -> bool:
        """Take one address; False after the phase said why it cannot be had, or cannot be had yet."""
        zone, space = run.partition.region, _space(one.object)
        if address in self._reservations.keys_of(one.object.object_id, space):
            return True
        pool = self._pool(zone)
        if not pool:
            refuse(run, one, self._no_pool(zone), "NoPool")
            return False
        if not is_ipv4(address) or not is_in(address, pool):
            blocks = ", ".join(map(str, pool))
            refuse(run, one, f"{address!r} is no address of the pool of the zone {zone}: {blocks}", "AddressOutside")
            return False
        if (host := self._strays(zone).get(address)) is not None:
            run.sleep(one, RETRY_S, f"{_led_astray(address, host)}, or choose another address")
            return False
        taken = self._reservations.take(one.object.object_id, space, address)
        if taken is None:
            return True
        holder = self._reservations.find(taken.holder)
        if holder is None or not self._gives_up(one.object, holder, address):
            whose = self._reservations.named(taken.holder, run.partition)
            refuse(run, one, f"the address {address} belongs to {whose}: choose another", "AddressInUse")
            return False
        if self._moves(one.object, holder, address):
            return True
        whose = self._reservations.named(taken.holder, run.partition)
        run.sleep(one, RETRY_S, f"{address} belongs to {whose} until its host has let go of it")
        return False

    def _strays(self, zone: str) -> Mapping[str, str]:
        """The addresses outside that lead to interfaces which no object stands for, with the host of each."""
        led = {
            address: (host, seen.object_id)
            for host, things in self._tools.driver.shown(zone).items()
            for seen in things
            for address in (seen.attributes.get(FLOATING_ADDRESS), *(seen.properties.get(ROUTED) or ()))
            if address
        }
        return {str(address): host for address, (host, key) in led.items() if self._reservations.find(key) is None}

    def _gives_up(self, asks: ManagedObject, holder: ManagedObject, address: str) -> bool:
        """Whether an interface is not to have an address any more."""
        if has_ended(holder) or is_being_deleted(holder) or not _wants(holder, address):
            return True
        if asks.fid is None or holder.fid != asks.fid:
            return False
        if holder.logical_id == asks.logical_id:
            return holder.incarnation < asks.incarnation
        return not self._reservations.is_declared(holder)

    def _moves(self, asks: ManagedObject, holder: ManagedObject, address: str) -> bool:
        """Take an address from another interface of the process; False when that must be tried again."""
        if asks.fid is None or holder.fid != asks.fid or is_being_deleted(holder) or has_ended(holder):
            # Its own phases give it back.
            return False
        space = _space(holder)
        kept = [key for key in self._reservations.keys_of(holder.object_id, space) if key != address]
        if self._cut_off(holder, kept):
            return False
        self._reservations.let_go(holder.object_id, space, (address,))
        return self._reservations.take(asks.object_id, space, address) is None

    def _cut_off(self, found: ManagedObject, kept: Sequence[str]) -> str:
        """Have the host of an interface lead to it only the addresses that it keeps; return the reason when the host
        did not."""
        network = self._reservations.find(ObjectId(str(found.desired.get("Network"))))
        zone, host = found.partition.region, str(found.attributes.get("GatewayHost", ""))
        if network is None or "Address" not in found.attributes or not host or self._tools.is_lost(zone, host):
            return ""
        floating = str(found.attributes.get(FLOATING_ADDRESS, ""))
        routed = tuple(address for address in kept if address != floating)
        spec = interface_spec(found, found.attributes, network, floating if floating in kept else "", routed)
        problems = problems_of([found.object_id], lambda: self._tools.driver.ensure(zone, [spec]))
        now = self._reservations.find(found.object_id)
        if now is None or has_ended(now):
            # It was removed beside this order, which must not bring it back.
            self._tools.driver.remove(zone, [found.object_id])
        return problems[found.object_id].message if problems else ""

    def _pool(self, zone: str) -> tuple[IPv4Network, ...]:
        own = self._pools.of(zone)
        return own or (SIMULATED_POOL.of(zone) if self._tools.driver.name_in(zone) == "simulated" else ())

    def _no_pool(self, zone: str) -> str:
        return (
            f"the zone {zone} has no pool of addresses outside. Start the Conductor with --floating-pool, or leave "
            f"{FLOATING} and {ROUTED} out"
        )


def interface_spec(
    found: ManagedObject,
    attributes: Mapping[str, Json],
    network: ManagedObject,
    floating: str,
    routed: tuple[str, ...],
) -> Spec:
    """The order for an interface with these addresses outside."""
    known = {name: attributes[name] for name in ("InterfaceId", "Address", "MacAddress")}
    shown = {name: known[name] for name in ("Address", "MacAddress")}
    has_wanted = floating or found.desired.get(FLOATING) in _OFF
    # An address that is ordered otherwise than it is declared shows as the order has it.
    outside = {FLOATING: found.desired.get(FLOATING, False) if has_wanted else False, ROUTED: list(routed)}
    wire = wire_of(found.object_id, attributes, network, floating=floating, routed=routed)
    host = str(network.attributes["GatewayHost"])
    return spec_for(found, host, known | {FLOATING_ADDRESS: floating}, wiring=(wire,), **shown, **outside)


def _led_astray(address: str, host: str) -> str:
    """The words about an address that leads to an interface which no object stands for."""
    return (
        f"{address} leads to an interface on the host {host} that this Conductor does not know: "
        f"'tenuto node show {host}' names such things, and 'tenuto node purge {host}' removes them"
    )


def _wants(found: ManagedObject, address: str) -> bool:
    """Whether an interface is declared to have an address, or any, which is this one."""
    floating = found.desired.get(FLOATING)
    has_any = floating in _ON and found.attributes.get(FLOATING_ADDRESS) == address
    return has_any or floating == address or address in (found.desired.get(ROUTED) or ())


def _space(found: ManagedObject) -> str:
    return f"outside {found.partition.region}"
