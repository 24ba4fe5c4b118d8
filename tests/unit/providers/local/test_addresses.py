"""Addresses: every one that may be given is tried once, and none that may not."""

from ipaddress import IPv4Address, IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.providers.local.rules.networks.addresses import (
    address_problem,
    candidates,
    host_bits_problem,
    mac_of,
    network_problem,
    router_of,
    vni_of,
)

NETWORKS = st.builds(
    lambda address, prefix: str(IPv4Network((address, prefix), strict=False)),
    st.integers(0, 2**32 - 1),
    st.integers(20, 29),
)


@given(NETWORKS, st.text(max_size=8))
def test_each_free_address_is_tried_once_and_none_that_is_kept(cidr: str, seed: str) -> None:
    network, found = IPv4Network(cidr), list(candidates(cidr, seed))
    assert len(found) == len(set(found)) == network.num_addresses - 3
    assert not {IPv4Address(one) for one in found} & {network[0], network[1], network[-1]}
    assert all(not address_problem(cidr, one) for one in found)


@given(NETWORKS)
def test_kept_addresses_are_refused_with_their_reason(cidr: str) -> None:
    network = IPv4Network(cidr)
    assert address_problem(cidr, router_of(cidr)).endswith("is its router's")
    assert address_problem(cidr, str(network[0])).endswith("names the network")
    assert address_problem(cidr, str(network[-1])).endswith("is for broadcasts")


@pytest.mark.parametrize("address", ["10.1.0", "::1", "", "10.1.0.256"])
def test_what_is_no_address_is_refused(address: str) -> None:
    assert address_problem("10.1.0.0/24", address) == f"{address!r} is no IPv4 address"


@pytest.mark.parametrize("cidr", ["10.0.0.0/7", "10.0.0.0/30", "10.0.0.0/33", "fd00::/64", "net", ""])
def test_behaviour_42_what_is_no_block_for_a_network_is_refused(cidr: str) -> None:
    assert network_problem(cidr)


def test_the_addresses_of_ways_out_are_no_block_for_a_network() -> None:
    assert network_problem("198.18.7.0/24") == (
        "198.18.7.0/24 meets 198.18.0.0/16, which hosts use for the ways out of networks"
    )


@pytest.mark.parametrize(
    ("cidr", "met", "why"),
    [
        ("0.0.0.0/8", "0.0.0.0/8", "unspecified"),
        ("0.0.0.0/24", "0.0.0.0/8", "unspecified"),
        ("127.0.0.0/24", "127.0.0.0/8", "loopback"),
        ("127.255.255.0/24", "127.0.0.0/8", "loopback"),
        ("169.254.0.0/24", "169.254.0.0/16", "link-local"),
        ("169.254.169.248/29", "169.254.0.0/16", "link-local"),
        ("169.0.0.0/8", "169.254.0.0/16", "link-local"),
        ("224.0.0.0/24", "224.0.0.0/4", "multicast"),
        ("239.255.255.0/24", "224.0.0.0/4", "multicast"),
        ("240.0.0.0/24", "240.0.0.0/4", "reserved"),
        ("255.255.255.0/24", "240.0.0.0/4", "reserved"),
    ],
)
def test_a_block_whose_addresses_no_machine_can_have_is_refused_with_the_reason(cidr: str, met: str, why: str) -> None:
    problem = network_problem(cidr)
    assert problem.startswith(f"{cidr} meets {met}, whose addresses are ")
    assert why in problem


@pytest.mark.parametrize(
    "cidr",
    [
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "192.0.0.0/24"),
        *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.19.0.0/16", "192.88.99.0/24"),
        *("1.0.0.0/24", "8.8.8.0/24", "126.255.255.0/24", "128.0.0.0/24", "169.253.255.0/24", "169.255.0.0/24"),
        "223.255.255.0/24",
    ],
)
def test_blocks_of_private_public_and_documented_addresses_are_good(cidr: str) -> None:
    assert network_problem(cidr) == host_bits_problem(cidr) == ""


@pytest.mark.parametrize("cidr", ["10.0.0.0/8", "10.0.0.0/29", "10.1.2.0/24", "10.1.0.0/255.255.0.0"])
def test_an_exact_block_is_good(cidr: str) -> None:
    assert network_problem(cidr) == host_bits_problem(cidr) == ""


@pytest.mark.parametrize("cidr", ["10.1.2.3/24", "10.1.2.0/16"])
def test_behaviour_42_host_bits_are_told_with_the_block(cidr: str) -> None:
    block = IPv4Network(cidr, strict=False)
    assert host_bits_problem(cidr) == f"{cidr} has host bits: its block is {block}"


@given(st.text(max_size=8), st.integers(0, 9))
def test_a_mac_address_is_local_and_of_one_receiver_and_a_number_fits_vxlan(seed: str, attempt: int) -> None:
    first = int(mac_of(seed, attempt).split(":")[0], 16)
    assert (first & 1, first & 2) == (0, 2)
    assert 4096 <= vni_of(seed, attempt) < 2**24
