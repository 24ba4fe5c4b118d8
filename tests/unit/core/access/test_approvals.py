"""The people who may approve a proposal: others than the one who made it, and each of them once."""

import pytest

from tenuto.core.access.approvals import still_needed, why_not_approver
from tenuto.model.access import Right
from tenuto.model.ids import Fid, Instant
from tenuto.model.proposal import Approval, ApprovalRule, Proposal, ProposalState, When

PROPOSAL = Proposal(
    number=1,
    state=ProposalState.OPEN,
    command="kill",
    fid=Fid("fid"),
    process="shop",
    digest="d",
    plan_file={},
    comment="",
    proposed_by="ann@example.org",
    proposed_at=Instant(0.0),
    expires_at=Instant(1.0),
    approvals=(Approval(by="bob@example.org", at=Instant(0.5), comment=""),),
)


@pytest.mark.parametrize(
    ("user", "why"),
    [
        ("ann@example.org", "you proposed it yourself"),
        ("Ann@Example.org", "you proposed it yourself"),
        ("BOB@example.org", "you have approved it already"),
        ("carl@example.org", ""),
    ],
)
def test_one_person_whose_name_is_written_in_two_ways_is_one_person(user: str, why: str) -> None:
    found = why_not_approver(PROPOSAL, None, user, is_root=False)
    assert found.startswith(why) if why else not found


def test_an_approval_in_another_case_counts_once() -> None:
    rule = ApprovalRule(
        accounts=("*",),
        commands=frozenset({Right.KILL}),
        when=When.ALWAYS,
        approvers=frozenset({"bob", "Bob", "carl"}),
        count=2,
    )
    given = [Approval(by=name, at=Instant(0.5), comment="") for name in ("bob", "Bob", "carl")]
    assert still_needed(rule, tuple(given[:2])) == 1
    assert still_needed(rule, tuple(given)) == 0
