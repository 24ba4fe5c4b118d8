"""Things to be adopted that could not be read: the reason, and the advice that fits it."""

import pytest

from tenuto.core.planning.comparing.adoption import candidate_problem
from tenuto.errors import NotReadableError
from tenuto.model.ids import Partition, PhysicalId, TypeName
from tenuto.model.snapshot import Candidate

HERE = Partition(account="default", region="eu-west-1")


def told(unread: str, *, is_denied: bool) -> str:
    candidate = Candidate(physical_id=PhysicalId("net-1"), item=None, unread=unread, is_denied=is_denied)
    problem = candidate_problem(candidate, TypeName("Simulated::Network"), HERE, "Net cannot adopt net-1")
    assert isinstance(problem, NotReadableError)
    return str(problem)


def test_a_denial_advises_to_permit_it() -> None:
    text = told("AccessDenied", is_denied=True)
    assert text.startswith("Net cannot adopt net-1: it could not be read: AccessDenied. Permit the account default")


@pytest.mark.parametrize("unread", ["the answer was broken", "the answer was broken."])
def test_another_cause_advises_to_try_again(unread: str) -> None:
    text = told(unread, is_denied=False)
    assert text.startswith("Net cannot adopt net-1: it could not be read: the answer was broken. Try again;")
    assert "Permit" not in text
