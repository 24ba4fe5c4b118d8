"""The phases of networks: a number and a gateway, the network itself, and its removal."""

from collections.abc import Sequence
from itertools import count

from tenuto.lifecycles.network import NetworkState
from tenuto.model.phase_map import Heading
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.phases.common import Described, Tools, described, order, remove, spec_of, with_values
from tenuto.providers.local.rules.addresses import host_bits_problem, network_problem, router_of, vni_of
from tenuto.providers.local.rules.placement import Host
from tenuto.providers.local.types import NETWORK

RESERVE = "local.network.reserve"


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
                        "GatewayHost": one.attributes.get("GatewayHost", gateway),
                    }
                )
                run.complete(one)

    def _order(self, run: PhaseRun) -> None:
        there = [one for one in with_values(run) if self._has_gateway(run, one)]
        specs = [(one, spec_of(run, one, str(one.attributes["GatewayHost"]), one.attributes)) for one in there]
        order(self._tools, run, specs)

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
