"""What is public is what anybody could call; everything else must be listed."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.reach import Reach, carried, is_public


@pytest.mark.parametrize(
    "text",
    [
        "1.1.1.1",
        "52.95.110.1",
        "172.32.0.1",
        "100.128.0.1",
        "2600:1f18::1",
        "2a00:1450::1",
        "64:ff9b::101:101",
        "::ffff:1.1.1.1",
    ],
)
def test_public_addresses_need_no_list(text: str) -> None:
    assert is_public(ip_address(text))


@given(address=st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_nothing_that_python_knows_as_special_is_public(address) -> None:  # type: ignore[no-untyped-def]
    if is_public(address):
        special = ("is_loopback", "is_link_local", "is_multicast", "is_unspecified", "is_reserved")
        assert [one for one in special if getattr(carried(address), one)] == []
        assert address.version == 6 or not address.is_private


@given(address=st.ip_addresses(v=4))
def test_an_address_is_as_public_as_each_form_that_carries_it(address) -> None:  # type: ignore[no-untyped-def]
    number = int(address)
    for carrier in (0xFFFF << 32 | number, (0x64FF9B << 96) | number, (0x2002 << 112) | (number << 80)):
        assert is_public(ip_address(carrier.to_bytes(16, "big"))) == is_public(address)


def test_a_listed_network_is_meant_in_every_form() -> None:
    reach = Reach.parse("10.0.0.0/8\nhooks.internal, fd00::/8 192.168.1.7")
    assert str(reach) == "10.0.0.0/8, fd00::/8, 192.168.1.7/32, hooks.internal"
    for text in ("10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "192.168.1.7"):
        assert reach.permits("any", ip_address(text)), text
    for text in ("11.1.2.3", "192.168.1.8", "fe80::1%eth0", "127.0.0.1"):
        assert reach.permits("any", ip_address(text)) is (text == "11.1.2.3"), text
    assert reach.permits("Hooks.Internal.", ip_address("127.0.0.1"))
    assert not reach.permits("a.hooks.internal", ip_address("127.0.0.1"))


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0", "http://x", "a/b", "*.internal", "::1::", "300.0.0.1", "x:1"])
def test_what_is_neither_network_nor_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no network"):
        Reach.parse(text)
