"""Pools of addresses: what is given, to which zone, and which blocks are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.kit.address_pools import AddressPools, addresses, is_in


def test_a_zone_has_its_own_blocks_or_those_for_every_zone() -> None:
    pools = AddressPools.parse("192.0.2.0/28, eu=198.51.100.0/30 eu=203.0.113.5/32")
    assert [str(one) for one in pools.of("us")] == ["192.0.2.0/28"]
    assert [str(one) for one in pools.of("eu")] == ["198.51.100.0/30", "203.0.113.5/32"]
    assert AddressPools.parse(str(pools)) == pools
    assert AddressPools().of("us") == ()


@given(seed=st.text(), prefix=st.integers(24, 32))
def test_each_address_of_a_pool_is_given_once_and_none_that_a_network_keeps(seed: str, prefix: int) -> None:
    blocks = AddressPools.parse(f"192.0.2.0/{prefix}").of("us")
    found = list(addresses(blocks, seed))
    count = blocks[0].num_addresses
    assert len(set(found)) == len(found) == (count - 2 if count > 2 else count)
    assert all(is_in(one, blocks) for one in found)
    if count > 2:
        assert not is_in("192.0.2.0", blocks)
        assert not is_in(str(blocks[0][-1]), blocks)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("192.0.2.1/28", "is no block such as"),
        ("somewhere", "is no block such as"),
        ("10.0.0.0/8", "is too large"),
        ("198.18.5.0/24", "has another use"),
        ("127.0.0.0/24", "has another use"),
        ("224.0.0.0/24", "has another use"),
    ],
)
def test_what_is_no_pool_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        AddressPools.parse(f"192.0.2.0/28 {text}")
