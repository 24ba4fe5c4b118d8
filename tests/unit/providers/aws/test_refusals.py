"""What a refusal means: waited for, or told at once. By the codes that the services document."""

from http.client import CONFLICT

import botocore.session
import pytest
from botocore.exceptions import ClientError

from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.providers.aws.client import faults

QUOTA = "LimitExceeded"
CALLS = {
    "iam": "CreateRole DeleteRole AttachRolePolicy CreatePolicy CreatePolicyVersion CreateInstanceProfile TagRole",
    "s3": "CreateBucket DeleteBucket PutBucketTagging PutBucketPolicy",
}
"""Of the services whose models tell the status of each refusal, and know conflicts."""


def told(code: str, message: str = "because", status: int = CONFLICT) -> ProviderError:
    response = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return faults.translate(ClientError(response, "Change"), "service Change")


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("ResourceInUseException", 400, "Attempt to change a resource which is still in use: Table is being updated"),
        ("LimitExceededException", 400, "Only 10 tables can be created, updated, or deleted simultaneously"),
        ("LimitExceededException", 400, "Only 1 online index can be created or deleted simultaneously per table"),
        ("ConcurrentTagAccess", 400, "You can't run simultaneous commands to modify a tag"),
        ("IncorrectModificationState", 400, "Volume is still being modified"),
        ("PendingSnapshotLimitExceeded", 400, "The limit of concurrent pending snapshots is reached"),
        ("SnapshotCreationPerVolumeRateExceeded", 400, "Use an increasing interval between requests"),
        ("ConcurrentModification", 409, "Multiple requests to change this object were submitted"),
        ("EntityTemporarilyUnmodifiable", 409, "The name was just deleted"),
        ("OperationAbortedException", 400, "Multiple requests to update the same resource were in conflict"),
        ("OperationAborted", 409, "A conflicting conditional operation is currently in progress"),
        ("ConcurrentAccess", 400, "Can't perform multiple operations on a tag simultaneously"),
        ("StaleTag", 400, "A tag was added to a resource with the same ARN as a deleted resource"),
        ("AWS.SimpleQueueService.QueueDeletedRecently", 400, "You must wait 60 seconds"),
        ("TooManyUpdates", 400, "There are concurrent updates"),
    ],
)
def test_what_something_else_is_at_now_is_waited_for(code: str, status: int, message: str) -> None:
    error = told(code, message, status)
    assert isinstance(error, TransientError)
    assert not faults.is_held(error)
    assert message in str(error)


@pytest.mark.parametrize("code", ["ConflictException", "Conflict", "ResourceConflictException", "UpdateInProgress"])
def test_a_clash_that_may_be_one_for_good_is_waited_for_and_told_when_it_lasts(code: str) -> None:
    error = told(code, "The resource is being updated")
    assert isinstance(error, TransientError)
    assert "The resource is being updated" in str(error)
    assert faults.is_held(error)
    assert "what else works on it" in faults.hint(error)


@pytest.mark.parametrize("code", ["ConflictException", "ResourceInUseException"])
def test_a_clash_that_says_that_there_is_one_already_is_none(code: str) -> None:
    error = told(code, "Table already exists: orders")
    assert isinstance(error, PermanentError)
    assert faults.is_taken(error)
    assert "Table already exists: orders" in str(error)


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("LimitExceeded", 409, "Cannot exceed quota for RolesPerAccount: 1000"),
        ("LimitExceededException", 400, "There is a limit of 2500 tables per subscriber"),
        ("BucketNotEmpty", 409, "The bucket you tried to delete is not empty"),
        ("InvalidBucketState", 409, "Object Lock configuration cannot be enabled on existing buckets"),
        ("InvalidSubnet.Conflict", 400, "The CIDR conflicts with another subnet"),
        ("ValidationException", 400, "One or more parameter values were invalid"),
    ],
)
def test_what_is_wrong_with_the_request_is_told_at_once(code: str, status: int, message: str) -> None:
    error = told(code, message, status)
    assert isinstance(error, PermanentError)
    assert (error.code, message in str(error)) == (code, True)


@pytest.mark.parametrize("code", ["BadRequestException", "ClientException", "InvalidParameterValue"])
def test_a_refusal_of_a_request_is_no_lost_answer(code: str) -> None:
    """API Gateway and Batch have one code for everything that is wrong with a request."""
    assert not faults.may_pass(told(code, "the name is taken", 400))
    assert faults.may_pass(told("Woodchuck", "because", 400))


def documented() -> set[str]:
    """Each code that comes with the status of a conflict, of the calls that change something."""
    session = botocore.session.get_session()
    return {
        str(shape.metadata["error"].get("code", shape.name))
        for service, operations in CALLS.items()
        for operation in operations.split()
        for shape in session.get_service_model(service).operation_model(operation).error_shapes
        if shape.metadata.get("error", {}).get("httpStatusCode") == CONFLICT
    }


def test_each_documented_conflict_has_its_place() -> None:
    named = documented()
    assert {"ConcurrentModification", "BucketAlreadyExists"} <= named
    for code in sorted(named - {QUOTA}):
        error = told(code)
        assert isinstance(error, TransientError) or faults.is_taken(error), code


@pytest.mark.parametrize(("code", "is_undone"), [("DependencyViolation", True), ("OperationAborted", False)])
def test_a_clash_may_be_with_the_same_request_that_arrived_before(code: str, is_undone: bool) -> None:
    """So what was made of it is looked for, and not forgotten when it is killed meanwhile."""
    assert faults.is_undone(told(code)) is is_undone
