"""The lifecycle of a proposal: how far a command that others must agree to has come.

Theory of operation. A proposal is approved once: when its plan no longer fits, it is stale, and a new one is made. A
proposal that was approved and could not be executed yet, because a job was at work, may still be taken back, may
expire, and may turn out to be stale. It is open again when the policy accepts too few of its approvals by then. Final
proposals stay readable.

It is no table of `lifecycles.table`: those are about objects of providers, each of which ends in one way, and a
proposal makes nothing and ends in five.
"""

from collections.abc import Mapping
from types import MappingProxyType

from tenuto.errors import IllegalTransitionError
from tenuto.model.proposal import ProposalState

_S = ProposalState

MOVES: Mapping[ProposalState, frozenset[ProposalState]] = MappingProxyType(
    {
        _S.OPEN: frozenset({_S.APPROVED, _S.REJECTED, _S.WITHDRAWN, _S.STALE, _S.EXPIRED}),
        _S.APPROVED: frozenset({_S.OPEN, _S.EXECUTED, _S.WITHDRAWN, _S.STALE, _S.EXPIRED}),
        _S.EXECUTED: frozenset(),
        _S.REJECTED: frozenset(),
        _S.WITHDRAWN: frozenset(),
        _S.STALE: frozenset(),
        _S.EXPIRED: frozenset(),
    }
)
"""Every state, and the states that may follow it."""
LIVING = frozenset(state for state, following in MOVES.items() if following)
"""The states in which something is still to be decided or done."""


def check_move(before: ProposalState, after: ProposalState, *, number: int) -> None:
    """Raise IllegalTransitionError for a move that the table does not list."""
    if after not in MOVES[before]:
        raise IllegalTransitionError(
            object_type="proposal",
            object_id=str(number),
            before=before,
            after=after,
            allowed=[one.value for one in MOVES[before]],
        )
