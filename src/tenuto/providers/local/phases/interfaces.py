"""The phases of network interfaces: an address that is used once, the interface itself, and its removal."""

from collections.abc import Sequence
from itertools import count

from tenuto.errors import ConflictError
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.ids import ObjectId
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
        """The address that it has now; empty after the phase said why it has none."""
        object_id, cidr = one.object.object_id, str(network.desired["CidrBlock"])
        space = f"address {network.object_id}"
        wanted = one.object.desired.get("Address")
        if wanted is None:
            tried = candidates(cidr, object_id)
            found = self._reservations.take_first(object_id, space, tried, halo_s=FREE_AGAIN_S, early_s=_EARLY_S)
            if found is None:
                run.fail(one, f"no address of {cidr} is free: make a larger network", code="NetworkFull")
            return found or ""
        address = str(wanted)
        if problem := address_problem(cidr, address):
            run.fail(one, f"{problem}. Correct Address, or leave it out", code="AddressOutside")
            return ""
        taken = self._reservations.take(object_id, space, address, halo_s=FREE_AGAIN_S)
        return "" if taken and self._has_told(run, one, f"the address {address}", taken) else address

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
            run.sleep(one, left, f"{what} was given back and is reserved for {left:.0f} s more", code="Reserved")
        else:
            holder = self._reservations.named(taken.holder, run.partition)
            run.fail(one, f"{what} belongs to {holder}: choose another", code="AddressInUse")
        return True

    def _order(self, run: PhaseRun) -> None:
        specs: dict[ObjectId, tuple[PhaseResource, Spec]] = {}
        for one in with_values(run):
            network = self._network(run, one)
            outside = self._outside.taken(run, one) if network else None
            if network and outside is not None:
                specs[one.object.object_id] = (one, self._spec(one, network, *outside))
        for object_id in order(self._tools, run, tuple(specs.values())):
            one, spec = specs[object_id]
            (wire,) = spec.wiring
            self._outside.keep(one.object, (wire.floating, *wire.routed))

    def _spec(self, one: PhaseResource, network: ManagedObject, floating: str, routed: tuple[str, ...]) -> Spec:
        # The gateway of its network may have moved since.
        one.attributes["GatewayHost"] = network.attributes["GatewayHost"]
        return interface_spec(one.object, one.attributes, network, floating, routed)

    def _remove(self, run: PhaseRun) -> None:
        self._outside.withdraw(run, run.resources)
        remove(self._tools, run, run.resources)
