"""Rendering of networks: what a host holds follows from the network, and no value can add a rule."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.networking.settings import settings_of
from tenuto.providers.local.rules.networks.addresses import candidates, mac_of
from tenuto.providers.local.rules.networks.rendering import render_network
from tenuto.providers.local.rules.networks.server import kept_leases
from tenuto.providers.local.rules.networks.spec import (
    ANY_MAC,
    BRIDGE,
    MESH,
    UPLINK,
    Network,
    NetworkSpec,
    Port,
    UnusableValueError,
    port_name,
)

HOSTS = {"h1": "10.0.0.11", "h2": "10.0.0.12", "h3": "10.0.0.13"}
NETWORK = Network(
    vni=5000, cidr="10.1.0.0/24", gateway_host="h1", mtu=1450, uplink="198.18.0.2/30", uplink_router="198.18.0.1"
)


def _port(number: int, host: str) -> Port:
    object_id = ObjectId(f"interface-{number}")
    address = list(candidates(NETWORK.cidr, "seed"))[number]
    return Port(object_id=object_id, mac=mac_of(object_id, 0), address=address, host=host)


def _names(spec: NetworkSpec) -> set[str]:
    return {link.name for link in spec.links}


def test_only_the_gateway_has_router_way_out_and_dhcp() -> None:
    ports = [_port(0, "h1"), _port(1, "h2")]
    gateway, other = (render_network(NETWORK, ports, HOSTS, host) for host in ("h1", "h2"))
    assert gateway.addresses == ((BRIDGE, "10.1.0.1/24"), (UPLINK, "198.18.0.2/30"))
    assert gateway.routes == (("0.0.0.0/0", "198.18.0.1"),)
    assert "masquerade" in gateway.filters
    assert gateway.dhcp_hosts.count("\n") == 2
    assert (other.addresses, other.routes, other.server_options, other.dhcp_hosts) == ((), (), (), "")
    assert "table inet" not in other.filters
    assert _names(other) == {BRIDGE, MESH, port_name(ports[1].object_id)}


def test_a_router_has_settings_of_the_kernel_by_which_it_answers_and_sends_on() -> None:
    gateway, other = (render_network(NETWORK, [], HOSTS, host) for host in ("h1", "h2"))
    inner = render_network(replace(NETWORK, has_nat=False), [], HOSTS, "h1")
    wanted = settings_of(gateway)
    assert next(iter(wanted)) == "ipv4/ip_forward", "it sets those of all links, so it comes first"
    assert {wanted[f"ipv4/conf/{link}/arp_ignore"] for link in ("all", BRIDGE, UPLINK)} == {"0"}
    assert (wanted["ipv4/icmp_echo_ignore_all"], wanted[f"ipv4/conf/{UPLINK}/forwarding"]) == ("0", "1")
    assert "ipv4/icmp_echo_ignore_all" in settings_of(inner)
    assert not [name for name in settings_of(inner) if "forward" in name]
    assert settings_of(other) == {}


def test_without_nat_nothing_leaves_and_without_dhcp_nobody_is_served() -> None:
    spec = render_network(replace(NETWORK, has_nat=False, has_dhcp=False), [_port(0, "h1")], HOSTS, "h1")
    assert UPLINK not in _names(spec)
    assert (spec.routes, spec.server_options) == ((), ())
    assert "masquerade" not in spec.filters
    assert "hook forward priority 0; policy drop;" in spec.filters


def test_a_gateway_lets_machines_of_its_network_meet_where_bridged_frames_are_shown_to_it() -> None:
    for network in (NETWORK, replace(NETWORK, has_nat=False)):
        rule = f'iifname "{BRIDGE}" oifname "{BRIDGE}" ip saddr 10.1.0.0/24 accept'
        assert rule in render_network(network, [], HOSTS, "h1").filters


def _way_through(spec: NetworkSpec) -> list[str]:
    """The rules for what passes the router, in their order."""
    lines = spec.filters.partition("chain forward {")[2].partition("}\n  chain")[0]
    return [line.strip() for line in lines.splitlines()]


def test_a_router_lets_nothing_out_to_the_mesh_the_hosts_and_the_conductor() -> None:
    network = replace(NETWORK, conductor=("10.0.0.5", "10.0.0.11"))
    port = replace(_port(0, "h1"), floating="192.0.2.7", routed=("192.0.2.8",))
    for one in (network, replace(network, has_nat=False)):
        rules = _way_through(render_network(one, [port], HOSTS, "h1"))
        kept = "ip daddr { 10.0.0.11, 10.0.0.12, 10.0.0.13, 10.0.0.5 }"
        dropped = [
            f'oifname "{UPLINK}" udp dport 4789 drop',
            f'oifname "{UPLINK}" {kept} ct direction reply accept',
            f'oifname "{UPLINK}" {kept} drop',
        ]
        let_out = [rule for rule in rules if f'iifname "{BRIDGE}"' in rule and f'oifname "{BRIDGE}"' not in rule]
        assert let_out
        assert [rule for rule in rules if rule in dropped] == dropped
        assert max(map(rules.index, dropped)) < min(map(rules.index, let_out))
        untranslated = f'iifname "{BRIDGE}" oifname "{UPLINK}" ip saddr 10.1.0.0/24 ct state invalid drop'
        assert let_out[0] == untranslated


def test_a_host_takes_the_frames_of_a_network_from_the_other_hosts_only() -> None:
    def last(hosts: dict[str, str]) -> str:
        return render_network(NETWORK, [], hosts, "h1").mesh_filters.splitlines()[-1]

    taken = "add rule ip tenuto_mesh tn-5000 udp dport 4789 @th,96,24 5000"
    assert last(HOSTS) == f"{taken} ip saddr != {{ 10.0.0.12, 10.0.0.13 }} drop"
    assert last({"h1": "10.0.0.11"}) == f"{taken} drop"


def test_an_address_of_the_conductor_adds_no_rule() -> None:
    with pytest.raises(UnusableValueError, match="no IPv4 address"):
        render_network(replace(NETWORK, conductor=("10.0.0.5 }; accept",)), [], HOSTS, "h1")


@given(host=st.sampled_from(sorted(HOSTS)))
def test_the_mesh_is_the_other_hosts_and_never_the_host_itself(host: str) -> None:
    """#43: a host sends no frame of the network to itself."""
    spec = render_network(NETWORK, [], HOSTS, host)
    assert set(spec.mesh) == {(ANY_MAC, address) for name, address in HOSTS.items() if name != host}


def test_networks_with_equal_blocks_share_no_namespace() -> None:
    specs = [render_network(replace(NETWORK, vni=vni), [], HOSTS, "h1") for vni in (5000, 5001)]
    assert specs[0].netns != specs[1].netns
    assert specs[0].addresses == specs[1].addresses
    assert not {link.vni for link in specs[0].links if link.vni} & {link.vni for link in specs[1].links if link.vni}


@given(st.text(min_size=1))
def test_no_text_for_a_value_adds_a_line(text: str) -> None:
    good = _port(0, "h1")
    lines = render_network(NETWORK, [good], HOSTS, "h1").filters.count("\n")
    for port in (replace(good, mac=text), replace(good, address=text), replace(good, host_name=text)):
        try:
            spec = render_network(NETWORK, [port], HOSTS, "h1")
        except UnusableValueError:
            continue
        assert spec.filters.count("\n") == lines
        assert spec.dhcp_hosts.count("\n") == 1


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (replace(NETWORK, vni=2**24), "no number of a network"),
        (replace(NETWORK, cidr="10.1.0.0/30"), "is not between"),
        (replace(NETWORK, mtu=500), "too small"),
        (replace(NETWORK, uplink="198.18.0.2"), "has no prefix"),
        (replace(NETWORK, uplink_router="x; drop"), "no IPv4 address"),
    ],
)
def test_an_unusable_value_is_refused_with_its_name(network: Network, said: str) -> None:
    with pytest.raises(UnusableValueError, match=said):
        render_network(network, [], HOSTS, "h1")


def test_a_gateway_that_has_left_the_zone_changes_nothing_on_other_hosts() -> None:
    elsewhere = render_network(replace(NETWORK, gateway_host="h2"), [], HOSTS, "h1")
    assert render_network(replace(NETWORK, gateway_host="h9"), [], HOSTS, "h1") == elsewhere


@pytest.mark.parametrize("port", ["tp0", "tpf"])
def test_names_of_ports_fit_the_kernel(port: str) -> None:
    assert len(port_name(ObjectId(port * 40))) <= 15


def test_the_server_keeps_the_leases_of_machines_that_have_their_address_still() -> None:
    hosts = "02:00:00:00:00:01,10.1.0.10\n02:00:00:00:00:02,10.1.0.11,web\n"
    stays = "1796076663 02:00:00:00:00:02 10.1.0.11 * 01:02:00:00:00:00:02\n"
    gone = "1796076663 02:00:00:00:00:77 10.1.0.10 * *\n1796076663 02:00:00:00:00:01 10.1.0.12 * *\n"
    assert kept_leases(f"{gone}{stays}", hosts) == stays
    assert kept_leases(f"{stays}no lease\n\n", "") == ""
    assert kept_leases(stays.replace(" * ", " web "), hosts) == stays, "a name is declared, and never remembered"


@pytest.mark.parametrize("has_dns", [True, False])
def test_the_server_takes_neither_a_name_nor_an_identifier_from_machines(has_dns: bool) -> None:
    spec = render_network(replace(NETWORK, has_dns=has_dns, domain="red.eu"), [], HOSTS, "h1")
    assert {"--dhcp-ignore-names", "--dhcp-ignore-clid"} <= set(spec.server_options)
