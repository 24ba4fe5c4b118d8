"""The phases of network interfaces: an address that is used once, the interface itself, and its removal."""

from collections.abc import Sequence
from itertools import count

from tenuto.errors import ConflictError
from tenuto.kit.times import iso_text
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.phase_map import Heading
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.phases.common import (
    Described,
    Tools,
    described,
    order,
    remove,
    with_values,
)
from tenuto.providers.local.phases.outside import OutsideAddresses, interface_spec
from tenuto.providers.local.reservations import Taken
from tenuto.providers.local.rules.networks.addresses import (
    CONGESTED_FREE_AGAIN_S,
    FREE_AGAIN_S,
    address_problem,
    candidates,
    mac_of,
)
from tenuto.providers.local.types import INTERFACE, NETWORK

_EARLY_S = FREE_AGAIN_S - CONGESTED_FREE_AGAIN_S
_SOON_S = 1.0
"""Seconds until an address is tried again that became free, and went to another interface, at the same moment."""
RESERVE = "local.interface.reserve"


class Interfaces:
    """Makes the definitions and their handlers."""

    def __init__(self, tools: Tools, outside: OutsideAddresses) -> None:
        self._tools = tools
        self._reservations = tools.reservations
        self._outside = outside

    def phases(self) -> Sequence[Described]:
        ready, gone = Heading.READY, Heading.GONE
        ended = (MadeState.INITIAL, MadeState.CREATED, MadeState.ERROR)
        return (
            described(
                RESERVE,
                self._reserve,
                INTERFACE,
                (MadeState.INITIAL,),
                "Choosing its addresses",
                heading=ready,
                acts=False,
            ),
            described(
                "local.interface.make",
                self._order,
                INTERFACE,
                (MadeState.INITIAL,),
                "Making it",
                heading=ready,
                after=RESERVE,
            ),
            described(
                "local.interface.change", self._order, INTERFACE, (MadeState.CREATED,), "Changing it", heading=ready
            ),
            described("local.interface.delete", self._remove, INTERFACE, ended, "Deleting it", heading=gone),
        )

    def _reserve(self, run: PhaseRun) -> None:
        for one in with_values(run):
            network = self._network(run, one)
            if network is None:
                continue
            try:
                self._reservations.need(one.object.object_id, "network", (network.object_id,))
            except ConflictError as error:
                run.fail(one, f"its network cannot be used: {error}", code="NetworkGoing")
                continue
            address = self._address(run, one, network)
            mac = self._mac(run, one) if address else ""
            if address and mac:
                gateway = network.attributes["GatewayHost"]
                identity = {"InterfaceId": one.object.object_id, "Address": address, "MacAddress": mac}
                one.attributes.update(identity | {"GatewayHost": gateway})
                run.complete(one)

    def _network(self, run: PhaseRun, one: PhaseResource) -> ManagedObject | None:
        """The network that it names; None after the phase said why there is none."""
        name = ObjectId(str(one.object.desired["Network"]))
        found = self._reservations.find(name)
        # A network of another namespace is no network here: no caller learns which ids exist.
        if found is None or found.type != NETWORK or found.partition != run.partition:
            run.fail(one, f"there is no network {name} here: Network takes the Ref of a network", code="NoNetwork")
            return None
        return found

    def _address(self, run: PhaseRun, one: PhaseResource, network: ManagedObject) -> str:
        """The address that it has now; empty after the phase said why it has none.

        One that no host was told yet is not reserved when the interface ends (`_reserve_after`).
        """
        cidr, space = str(network.desired["CidrBlock"]), _space(network.object_id)
        wanted = one.object.desired.get("Address")
        if wanted is None:
            tried = candidates(cidr, one.object.object_id)
            found = self._reservations.take_first(one.object.object_id, space, tried)
            return found or self._released(run, one, cidr, space)
        address = str(wanted)
        if problem := address_problem(cidr, address):
            run.fail(one, f"{problem}. Correct Address, or leave it out", code="AddressOutside")
            return ""
        taken = self._reservations.take(one.object.object_id, space, address)
        if taken and taken.until and self._reservations.is_predecessor(taken.holder, one.object):
            taken = self._reservations.take(one.object.object_id, space, address, early_s=FREE_AGAIN_S)
        return "" if taken and self._has_told(run, one, f"the address {address}", taken) else address

    def _released(self, run: PhaseRun, one: PhaseResource, cidr: str, space: str) -> str:
        """A reserved address, where no other is free: one that its own predecessor had, or one that was reserved for
        long enough. Empty after the phase said why there is none."""
        object_id = one.object.object_id
        resting = self._reservations.resting(space, candidates(cidr, object_id))
        for address, taken in resting:
            is_own = self._reservations.is_predecessor(taken.holder, one.object)
            early_s = FREE_AGAIN_S if is_own else _EARLY_S
            if self._reservations.take(object_id, space, address, early_s=early_s) is None:
                return address
        if resting:
            address, taken = resting[0]
            until = Instant((taken.until or run.now) - _EARLY_S)
            message = f"no address of {cidr} is free now: {address} was given back, and may be taken from"
            run.sleep(one, max(until - run.now, _SOON_S), f"{message} {iso_text(until)} on", code="Reserved")
            return ""
        run.fail(one, f"no address of {cidr} is free: {self._way_out_of(one, space)}", code="NetworkFull")
        return ""

    def _way_out_of(self, one: PhaseResource, space: str) -> str:
        """The advice for an interface whose network is full. The predecessor of one that is replaced goes before it
        only when they cannot share what is declared."""
        name, earlier = one.object.logical_id, self._reservations.incarnations(one.object)
        held = (self._reservations.keys_of(found.object_id, space) for found in earlier)
        own = next((keys[0] for keys in held if keys), "")
        if not own:
            return "delete an interface, or make a larger network"
        return (
            f"the interface that {name} replaces has {own} until {name} is there. Declare Address {own} for {name}, so "
            "that the old one goes first, or make a larger network"
        )

    def _mac(self, run: PhaseRun, one: PhaseResource) -> str:
        """The MAC address that it has now; empty after the phase said why it has none."""
        object_id, space = one.object.object_id, f"mac {run.partition.region}"
        wanted = one.object.desired.get("MacAddress")
        if wanted is None:
            tried = (mac_of(object_id, attempt) for attempt in count())
            return self._reservations.take_first(object_id, space, tried) or ""
        taken = self._reservations.take(object_id, space, str(wanted))
        return "" if taken and self._has_told(run, one, f"the MAC address {wanted}", taken) else str(wanted)

    def _has_told(self, run: PhaseRun, one: PhaseResource, what: str, taken: Taken) -> bool:
        """Say why a value cannot be had: a reservation ends by itself, another's value needs a person."""
        if taken.until is not None and taken.until > run.now:
            left = taken.until - run.now
            run.sleep(
                one, left, f"{what} was given back and is reserved until {iso_text(taken.until)}", code="Reserved"
            )
        else:
            holder = self._reservations.named(taken.holder, run.partition)
            run.fail(one, f"{what} belongs to {holder}: choose another", code="AddressInUse")
        return True

    def _order(self, run: PhaseRun) -> None:
        specs: dict[ObjectId, tuple[PhaseResource, Spec]] = {}
        for one in with_values(run):
            network = self._network(run, one)
            outside = self._outside.taken(run, one) if network else None
            if network and outside is not None and self._reserve_after(run, one, network):
                specs[one.object.object_id] = (one, self._spec(one, network, *outside))
        for object_id in order(self._tools, run, tuple(specs.values())):
            one, spec = specs[object_id]
            (wire,) = spec.wiring
            self._outside.keep(one.object, (wire.floating, *wire.routed))

    def _reserve_after(self, run: PhaseRun, one: PhaseResource, network: ManagedObject) -> bool:
        """Have its address reserved after its end, before a host is told of it for the first time: until then no
        neighbour can have met it, and others need not wait for a failed try."""
        if one.physical_id is not None:
            return True
        address, space = str(one.attributes["Address"]), _space(network.object_id)
        taken = self._reservations.take(one.object.object_id, space, address, halo_s=FREE_AGAIN_S)
        return not (taken and self._has_told(run, one, f"the address {address}", taken))

    def _spec(self, one: PhaseResource, network: ManagedObject, floating: str, routed: tuple[str, ...]) -> Spec:
        # The gateway of its network may have moved since.
        one.attributes["GatewayHost"] = network.attributes["GatewayHost"]
        return interface_spec(one.object, one.attributes, network, floating, routed)

    def _remove(self, run: PhaseRun) -> None:
        self._outside.withdraw(run, run.resources)
        remove(self._tools, run, run.resources)


def _space(network: ObjectId) -> str:
    return f"address {network}"
