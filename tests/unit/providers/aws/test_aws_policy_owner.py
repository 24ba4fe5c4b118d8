"""Whose a managed policy is, when it must be asked."""

from typing import Any, cast

import pytest

from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.types.iam_policy import MANAGED_POLICY

ITEM = ObservedItem(physical_id=PhysicalId("arn:aws:iam::111122223333:policy/p"), properties={})
REQUEST = Request(
    object_id=ObjectId("object-1"),
    fid=None,
    process_name="web",
    logical_id=LogicalId("Policy"),
    type=TypeName("AWS::IAM::ManagedPolicy"),
    token="object-1",
    properties={},
)


class RefusingDoor:
    """Answers every call with one error."""

    def __init__(self, code: str) -> None:
        self._code = code

    def pages(self, *_: Any, **__: Any) -> Any:
        raise PermanentError(f"no: {self._code}", code=self._code, request_id="r-1")


@pytest.mark.parametrize(("code", "expected"), [("NoSuchEntity", TransientError), ("AccessDenied", PermanentError)])
def test_a_policy_that_is_listed_and_not_known_yet_is_asked_for_again(code: str, expected: type[Exception]) -> None:
    assert MANAGED_POLICY.confirm is not None
    with pytest.raises(expected, match=code):
        MANAGED_POLICY.confirm(cast("AccountClient", RefusingDoor(code)), REQUEST, ITEM)
