"""Rendering of what leads to a network from outside, and of its names: on the gateway alone, and nothing more."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.networks.addresses import mac_of
from tenuto.providers.local.rules.networks.names import domain_of, name_problem, records_problem, served_names
from tenuto.providers.local.rules.networks.rendering import render_network
from tenuto.providers.local.rules.networks.spec import UPLINK, Network, NetworkSpec, Port, UnusableValueError

HOSTS = {"h1": "10.0.0.11", "h2": "10.0.0.12"}
NETWORK = Network(
    vni=5000, cidr="10.1.0.0/24", gateway_host="h1", mtu=1450, uplink="198.18.0.2/30", uplink_router="198.18.0.1"
)
NAMED = replace(NETWORK, has_dns=True, domain="red.eu", names=(("a", "10.1.0.10"),), resolvers=("192.0.2.53",))
FLOATING = Port(object_id=ObjectId("a"), mac=mac_of("a", 0), address="10.1.0.10", host="h1", floating="192.0.2.7")
ROUTED = Port(object_id=ObjectId("b"), mac=mac_of("b", 0), address="10.1.0.11", host="h2", routed=("192.0.2.8",))


def _rendered(network: Network, *ports: Port, host: str = "h1") -> NetworkSpec:
    return render_network(network, ports, HOSTS, host)


def test_only_the_gateway_knows_of_addresses_outside() -> None:
    gateway, other = (_rendered(NETWORK, FLOATING, ROUTED, host=host) for host in ("h1", "h2"))
    assert gateway.outside == (("192.0.2.7", "198.18.0.2"), ("192.0.2.8", "198.18.0.2"))
    assert gateway.translated == (("192.0.2.7", "10.1.0.10"), ("192.0.2.8", "10.1.0.11"))
    assert ("192.0.2.8", "10.1.0.11") in gateway.routes
    assert (other.outside, other.translated, other.routes) == ((), (), ())
    assert other == _rendered(NETWORK, replace(FLOATING, floating=""), replace(ROUTED, routed=()), host="h2")


def test_a_network_without_nat_has_a_way_out_for_its_floating_addresses_only() -> None:
    closed = replace(NETWORK, has_nat=False)
    assert UPLINK not in {link.name for link in _rendered(closed).links}
    spec = _rendered(closed, FLOATING, replace(ROUTED, routed=()))
    assert UPLINK in {link.name for link in spec.links}
    assert f'oifname "{UPLINK}" ip saddr 10.1.0.10 snat ip to 192.0.2.7' in spec.filters
    for verdict in ("masquerade", "accept"):
        assert f'oifname "{UPLINK}" ip saddr 10.1.0.0/24 {verdict}' not in spec.filters


@pytest.mark.parametrize(
    ("port", "words"),
    [
        (replace(FLOATING, floating="10.1.0.99"), "is in the network's own block"),
        (replace(FLOATING, floating="1.2.3.4 accept"), "no IPv4 address"),
        (replace(ROUTED, routed=("192.0.2.7",)), "two interfaces have the address 192.0.2.7"),
    ],
)
def test_an_address_outside_that_cannot_be_is_refused(port: Port, words: str) -> None:
    with pytest.raises(UnusableValueError, match=words):
        _rendered(NETWORK, replace(FLOATING, object_id=ObjectId("z")), port)


def test_names_are_served_where_a_network_has_dns_only() -> None:
    served, plain, elsewhere = _rendered(NAMED), _rendered(NETWORK), _rendered(NAMED, host="h2")
    assert served.dns_names == "10.1.0.10 a\n"
    assert {"--local=/red.eu/", "--server=192.0.2.53"} <= set(served.server_options)
    assert "dport 53" in served.filters
    assert (plain.dns_names, "--port=0" in plain.server_options, "dport 53" in plain.filters) == ("", True, False)
    assert (elsewhere.served, elsewhere.dns_names) == ("", "")
    closed = _rendered(replace(NAMED, has_nat=False))
    assert not [one for one in closed.server_options if one.startswith("--server")]
    assert _rendered(replace(NETWORK, has_dhcp=False)).served == ""


@given(st.text(min_size=1))
def test_no_text_for_a_name_adds_a_line(text: str) -> None:
    for network in (replace(NAMED, names=((text, "10.1.0.9"),)), replace(NAMED, names=(("a", text),))):
        try:
            spec = _rendered(network)
        except UnusableValueError:
            continue
        assert spec.dns_names.count("\n") == 1


@given(st.text(), st.text())
def test_the_domain_of_any_namespace_is_a_name(namespace: str, zone: str) -> None:
    assert name_problem(domain_of(namespace, zone)) == ""


def test_a_declared_name_takes_the_place_of_a_machines_and_machines_share_theirs() -> None:
    machines = [("web", "10.1.0.2"), ("db", "10.1.0.3"), ("db", "10.1.0.4")]
    assert served_names(machines, {"web": "10.1.0.9"}) == [["db", "10.1.0.3"], ["db", "10.1.0.4"], ["web", "10.1.0.9"]]


@pytest.mark.parametrize("records", [["a"], {"a b": "10.1.0.1"}, {"a": 5}, {"a": "there"}, {"-a": "10.1.0.1"}])
def test_records_that_cannot_be_served_are_told(records: object) -> None:
    assert records_problem(records)
    assert not records_problem({"a": "10.1.0.1", "_dmarc.example.org": "10.1.0.1"})
