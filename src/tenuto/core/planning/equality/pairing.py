"""Pairing: whether each of one kind finds a partner of its own among the other.

Theory of operation. Each member takes the first free partner that suits. If all partners that suit are taken, one of
their holders changes to another partner that suits as well, and so on along a chain that ends with a free partner: the
augmenting path of a bipartite matching. So a member that suits many never stands in the way of one that suits few.

In lists of the same order each finds a partner at once; the worst case asks `suits` once for each member, each chain
and each partner.
"""

from collections.abc import Callable


def each_has_a_partner(members: int, others: int, suits: Callable[[int, int], bool]) -> bool:
    """Whether each of `members` (counted from 0) can have one of `others` to itself; `suits` says who suits whom."""
    partner_of: dict[int, int] = {}
    taken_by: dict[int, int] = {}
    return all(_finds_partner(member, others, suits, partner_of, taken_by) for member in range(members))


def _finds_partner(
    member: int,
    others: int,
    suits: Callable[[int, int], bool],
    partner_of: dict[int, int],
    taken_by: dict[int, int],
) -> bool:
    """Whether `member` has a partner now, for which those before it may have changed theirs."""
    wanted_by: dict[int, int] = {}
    asking = [member]
    for one in asking:
        for other in sorted(range(others), key=taken_by.__contains__):
            if other in wanted_by or not suits(one, other):
                continue
            wanted_by[other] = one
            if other not in taken_by:
                _change_partners(other, wanted_by, partner_of, taken_by)
                return True
            asking.append(taken_by[other])
    return False


def _change_partners(
    free: int, wanted_by: dict[int, int], partner_of: dict[int, int], taken_by: dict[int, int]
) -> None:
    """Each along the chain that ends with `free` takes whom it wanted."""
    other: int | None = free
    while other is not None:
        member = wanted_by[other]
        taken_by[other] = member
        partner_of[member], other = other, partner_of.get(member)
