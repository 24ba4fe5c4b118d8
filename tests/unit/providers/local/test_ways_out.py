"""The ways out of a host's networks: numbers, addresses, and what the host reaches already."""

from ipaddress import IPv4Network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.address_pools import WAYS_OUT
from tenuto.providers.local.drivers.ns.routes import routes
from tenuto.providers.local.rules.networks.spec import UnusableValueError
from tenuto.providers.local.rules.networks.ways_out import free_way_out, is_taken, way_out

SHOWN = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
tu-7\t040012C6\t00000000\t0001\t0\t0\t0\tFCFFFFFF\t0\t0\t0
"""
BLOCKS = st.builds(
    lambda last, prefix: IPv4Network((int(WAYS_OUT[0]) + last, prefix), strict=False),
    st.integers(0, WAYS_OUT.num_addresses - 1),
    st.integers(18, 32),
)


def test_every_way_out_has_four_addresses_of_its_own() -> None:
    assert [str(way_out(number)) for number in (0, 1, 16383)] == [
        "198.18.0.0/30",
        "198.18.0.4/30",
        "198.18.255.252/30",
    ]
    for number in (-1, 16384):
        with pytest.raises(UnusableValueError, match="is no number of a way out"):
            way_out(number)


@given(st.sets(st.integers(0, 40)), st.lists(BLOCKS, max_size=3))
def test_the_first_way_out_is_given_that_nobody_has(given_already: set[int], reached: list[IPv4Network]) -> None:
    found = free_way_out(given_already, reached)
    assert found not in given_already
    assert not is_taken(found, reached)
    assert all(one in given_already or is_taken(one, reached) for one in range(found))


def test_a_host_that_reaches_all_of_them_is_told() -> None:
    with pytest.raises(UnusableValueError, match=r"no address of 198\.18\.0\.0/16 is free for a way out"):
        free_way_out(set(), [IPv4Network("198.18.0.0/15")])


def test_a_default_route_in_parts_reaches_no_block() -> None:
    halves = [IPv4Network("0.0.0.0/1"), IPv4Network("128.0.0.0/1"), IPv4Network("0.0.0.0/0")]
    assert free_way_out(set(), halves) == 0


def test_the_routes_of_the_host_are_read_but_those_of_one_link(tmp_path: Path) -> None:
    file = tmp_path / "route"
    file.write_text(SHOWN)
    assert [str(block) for block in routes(file)] == ["0.0.0.0/0", "192.0.2.0/24", "198.18.0.4/30"]
    assert [str(block) for block in routes(file, but="tu-7")] == ["0.0.0.0/0", "192.0.2.0/24"]
    assert routes(tmp_path / "none") == ()
