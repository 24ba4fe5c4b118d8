"""The phases of networks: a number and a gateway, the network itself, its names, and its removal.

Theory of operation. The names that a network serves follow from the machines on it, whose own phases know nothing of
that. So they are looked up in each order for the network, and in a round of upkeep: the gateway is told of them when
they differ from those that it was told last, for any reason.
"""

from collections.abc import Sequence
from itertools import count

from tenuto.lifecycles.network import NetworkState
from tenuto.model.phase_map import Heading
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.phases.common import (
    Described,
    Tools,
    described,
    host_name_of,
    kept_up,
    order,
    refuse,
    remove,
    spec_of,
    with_values,
)
from tenuto.providers.local.rules.machines.cloud_nodes import as_instance, is_machine
from tenuto.providers.local.rules.machines.placement import Host
from tenuto.providers.local.rules.networks.addresses import host_bits_problem, network_problem, router_of, vni_of
from tenuto.providers.local.rules.networks.names import (
    DOMAIN,
    NAMES,
    domain_of,
    records_problem,
    served_names,
    unserved_problem,
)
from tenuto.providers.local.types import INTERFACE, NETWORK

RESERVE = "local.network.reserve"
NAMES_S = 5.0
"""Seconds between two looks at the names: a machine is made in about as many, and a look reads a few rows."""


class Networks:
    """Makes the definitions and their handlers."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    def phases(self) -> Sequence[Described]:
        ready, gone = Heading.READY, Heading.GONE
        return (
            described(
                RESERVE,
                self._reserve,
                NETWORK,
                (NetworkState.INITIAL,),
                "Choosing a number and a gateway",
                heading=ready,
                acts=False,
            ),
            described(
                "local.network.make",
                self._order,
                NETWORK,
                (NetworkState.INITIAL,),
                "Making it",
                heading=ready,
                after=RESERVE,
            ),
            described(
                "local.network.change", self._order, NETWORK, (NetworkState.CREATED,), "Changing it", heading=ready
            ),
            kept_up(
                "network.names",
                self._tell_names,
                (NETWORK,),
                (NetworkState.CREATED,),
                "Telling its gateway the names of its machines",
                every_s=NAMES_S,
                applies=_has_dns,
            ),
            described("local.network.delete", self._remove, NETWORK, (NetworkState.DELETE_WAIT,), "Deleting it"),
            described(
                "local.network.drop",
                self._remove,
                NETWORK,
                (NetworkState.INITIAL, NetworkState.ERROR),
                "Removing what was made",
                heading=gone,
            ),
        )

    def _reserve(self, run: PhaseRun) -> None:
        hosts = self._open_hosts(run)
        for one in with_values(run):
            found = one.object
            cidr = str(found.desired["CidrBlock"])
            if problem := network_problem(cidr) or host_bits_problem(cidr):
                run.fail(one, f"{problem}. Correct CidrBlock", code="BadBlock")
            elif not hosts:
                run.sleep(one, message="no host of the zone answers and takes anything new", code="HostSilent")
            else:
                numbers = (str(vni_of(found.object_id, attempt)) for attempt in count())
                number = self._tools.reservations.take_first(found.object_id, "vni", numbers)
                assert number is not None
                gateway = hosts[int(number) % len(hosts)].name
                one.attributes.update(
                    {
                        "NetworkId": found.object_id,
                        "Vni": int(number),
                        "Router": router_of(cidr),
                        DOMAIN: domain_of(found.partition.account, found.partition.region),
                        "GatewayHost": one.attributes.get("GatewayHost", gateway),
                    }
                )
                run.complete(one)

    def _order(self, run: PhaseRun) -> None:
        there = [one for one in with_values(run) if self._has_names(run, one) and self._has_gateway(run, one)]
        order(self._tools, run, [(one, self._spec(run, one)) for one in there])

    def _spec(self, run: PhaseRun, one: PhaseResource) -> Spec:
        found = one.object
        # The object has the names that its gateway took, so they are its own after that only.
        known = {DOMAIN: domain_of(found.partition.account, found.partition.region), NAMES: self._names(found)}
        return spec_of(run, one, str(one.attributes["GatewayHost"]), {**one.attributes, **known})

    def _has_names(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether the names that a network declares can be served; False after the phase said why not."""
        records = one.object.desired.get("DnsRecords") or {}
        problem = records_problem(records) or unserved_problem(records, has_dns=_has_dns(one.object))
        if problem:
            refuse(run, one, problem, "BadNames")
        return not problem

    def _names(self, found: ManagedObject) -> list[list[str]]:
        """The names that a network is to serve now: pairs of a name and an address."""
        if not _has_dns(found):
            return []
        machines = [
            (host_name_of(as_instance(machine)), str(interface.attributes["Address"]))
            for interface in self._tools.reservations.all_users_of(found.object_id)
            if interface.type == INTERFACE and "Address" in interface.attributes
            for machine in self._tools.reservations.users_of(interface.object_id)
            if is_machine(machine)
        ]
        return served_names(machines, found.desired.get("DnsRecords") or {})

    def _tell_names(self, run: PhaseRun) -> None:
        changed = []
        for one in run.resources:
            if self._names(one.object) == one.attributes.get(NAMES):
                run.complete(one)
            else:
                changed.append((one, self._spec(run, one)))
        order(self._tools, run, changed)

    def _has_gateway(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether the network has a gateway that is not lost: another one is chosen for that, if any host answers."""
        if not self._tools.is_lost(run.partition.region, str(one.attributes["GatewayHost"])):
            return True
        hosts = self._open_hosts(run)
        if not hosts:
            run.sleep(one, message="no host of the zone answers and takes anything new", code="HostSilent")
            return False
        one.attributes["GatewayHost"] = hosts[int(one.attributes["Vni"]) % len(hosts)].name
        return True

    def _open_hosts(self, run: PhaseRun) -> list[Host]:
        """The hosts that may become a gateway."""
        there = self._tools.driver.hosts(run.partition.region)
        return [host for host in there if host.is_up and not host.is_cordoned]

    def _remove(self, run: PhaseRun) -> None:
        remove(self._tools, run, run.resources)


def _has_dns(found: ManagedObject) -> bool:
    return found.desired.get("Dns") is True
