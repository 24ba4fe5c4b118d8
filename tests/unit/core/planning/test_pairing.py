"""Everybody gets a partner where there is a way, however the first ones chose."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.equality.pairing import each_has_a_partner


@given(members=st.integers(0, 5), others=st.integers(0, 5), data=st.data())
def test_a_way_is_found_just_where_there_is_one(members: int, others: int, data: st.DataObject) -> None:
    couples = data.draw(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))))
    there_is_a_way = any(
        all((member, other) in couples for member, other in enumerate(chosen))
        for chosen in permutations(range(others), members)
    )
    assert each_has_a_partner(members, others, lambda *couple: couple in couples) == there_is_a_way


def test_a_long_chain_of_changes_is_followed_to_its_end() -> None:
    last = 500
    # Each has its own partner and suits the next one's; the last comes for the first's.
    assert each_has_a_partner(
        last + 1, last + 1, lambda member, other: other == 0 if member == last else other in (member, member + 1)
    )


def test_the_one_who_suits_a_single_partner_gets_it_though_it_comes_last() -> None:
    suits = {0: (0, 1, 2), 1: (0, 1), 2: (0,)}
    assert each_has_a_partner(3, 3, lambda member, other: other in suits[member])
    assert not each_has_a_partner(3, 3, lambda member, other: other in suits[member] and other < 2)
