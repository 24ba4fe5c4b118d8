"""What a refusal means: waited for, or told at once. By the codes that the services document."""

from http.client import CONFLICT

import botocore.session
import pytest
from botocore.exceptions import ClientError

from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.outcome import Pending, Refused
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.outcomes import Patience

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
        ("DependencyTimeoutException", 400, "The system timed out while trying to fulfill the request"),
        ("StateMachineDeleting", 400, "The specified state machine is being deleted"),
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


def test_a_rule_that_a_group_has_already_is_to_be_declared_once() -> None:
    error = told("InvalidPermission.Duplicate", "the specified rule already exists")
    assert faults.is_taken(error)
    assert "declare it once" in faults.hint(error)
    assert "name" not in faults.hint(error)


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


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("InvalidParameterValueException", "The role defined for the function cannot be assumed by Lambda."),
        (
            "InvalidParameterValueException",
            "The provided execution role does not have permissions to call CreateNetworkInterface on EC2",
        ),
        (
            "InvalidParameterValueException",
            "Lambda was unable to configure access to your environment variables because the KMS key is invalid for "
            "CreateGrant. KMS Exception: InvalidArnException KMS Message: ARN does not refer to a valid principal",
        ),
        (
            "InvalidParameterValueException",
            "The provided principal was invalid. Please check the principal and try again.",
        ),
        (
            "InvalidParameterValue",
            "Value (web) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name",
        ),
        (
            "InvalidParameterValue",
            "IAM role ARN value is invalid or does not include the required permissions for: ENHANCED_MONITORING",
        ),
        ("ValidationError", "Invalid IamInstanceProfile: web"),
        (
            "AccessDeniedException",
            "The service principal states.amazonaws.com is not authorized to assume the provided role.",
        ),
        (
            "InvalidInputException",
            "CodeBuild is not authorized to perform: sts:AssumeRole on arn:aws:iam::123456789012:role/build",
        ),
        (
            "InvalidStructureException",
            "CodePipeline is not authorized to perform AssumeRole on role arn:aws:iam::123456789012:role/p",
        ),
        (
            "InvalidRoleException",
            "AWS CodeDeploy does not have the permissions required to assume the role arn:aws:iam::1:role/d.",
        ),
        (
            "InvalidArgumentException",
            "Firehose is unable to assume role arn:aws:iam::123456789012:role/f. Please check the role provided.",
        ),
        (
            "BadRequestException",
            "The role ARN does not have required permissions configured. Please grant trust permission for API Gateway",
        ),
        (
            "ValidationException",
            "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.",
        ),
        ("InvalidRequestException", "unable to assume role arn:aws:iam::123456789012:role/iot"),
        (
            "InvalidParameterException",
            "Role with arn: arn:aws:iam::1:role/eks, could not be assumed because it does not exist",
        ),
        (
            "InvalidParameterException",
            "Unable to assume the service linked role. Please verify that the ECS service linked role exists.",
        ),
        (
            "InvalidParameterException",
            "Could not deliver test message to specified Kinesis stream.",
        ),
        (
            "InvalidParameterException",
            "Could not execute the lambda function.",
        ),
        (
            "InvalidSmsRoleTrustRelationshipException",
            "Role does not have a trust relationship allowing Cognito to assume the role",
        ),
        ("InvalidCloudWatchLogsRoleArnException", "Access denied. Check the trust relationships for your role."),
        ("InvalidCloudWatchLogsLogGroupArnException", "Access denied. Check the permissions for your role."),
        ("InsufficientDeliveryPolicyException", "Insufficient delivery policy to s3 bucket: logs"),
        ("InvalidParameter", "Unable to assume given IAM role"),
        ("AccessDeniedException", "The state machine IAM Role is not authorized to access the Log Destination"),
        ("InvalidConfigurationRequest", "Access Denied for bucket: logs. Please check S3bucket permission"),
        ("InvalidArgument", "Unable to validate the following destination configurations"),
        ("MalformedPolicy", "Invalid principal in policy"),
        ("MalformedPolicyDocument", 'Invalid principal in policy: "AWS":"arn:aws:iam::123456789012:role/new"'),
        ("MalformedPolicyDocumentException", "Policy contains a statement with one or more invalid principals."),
        ("MalformedPolicyDocumentException", "This resource policy contains an unsupported principal."),
        ("InvalidParameter", "Invalid parameter: Policy Error: PrincipalNotFound"),
        ("InvalidAttributeValue", "Invalid value for the parameter Policy."),
        ("InvalidPolicyException", "Policy contains invalid Principal block."),
        ("AccessDeniedFault", "The IAM Role arn:aws:iam::1:role/dms-vpc-role is not configured properly."),
        ("KMSKeyNotAccessibleFault", "The specified KMS key is not accessible"),
    ],
)
def test_a_role_or_a_permission_that_a_service_does_not_know_yet_is_waited_for(code: str, message: str) -> None:
    assert faults.is_maybe_early(told(code, message, 400))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("InvalidParameterValueException", "Unzipped size must be smaller than 262144000 bytes"),
        ("ValidationException", "1 validation error detected: Value 'x' at 'roleArn' failed to satisfy constraint"),
        ("InvalidParameterValue", "Value (t9.huge) for parameter instanceType is invalid."),
        ("MalformedPolicyDocument", "Syntax errors in policy."),
        ("MalformedPolicy", "Policy has invalid resource"),
        (
            "AccessDenied",
            "User: arn:aws:sts::123456789012:assumed-role/tenuto/c is not authorized to perform: iam:PassRole on "
            "resource: arn:aws:iam::1:role/app because no permissions boundary allows the iam:PassRole action",
        ),
        ("UnauthorizedOperation", "You are not authorized to perform this operation: the role has no permission."),
        ("DeleteConflict", "Cannot delete entity, must remove roles from instance profile first."),
        ("LimitExceeded", "Cannot exceed quota for PoliciesPerRole: 10 permissions"),
    ],
)
def test_what_is_wrong_for_good_is_told_at_once(code: str, message: str) -> None:
    assert not faults.is_maybe_early(told(code, message, 400))


def test_a_service_has_two_minutes_to_know_a_role_and_an_id_has_one() -> None:
    patience, one = Patience(), ObjectId("one")
    role = told("InvalidParameterValueException", "The role defined for the function cannot be assumed by Lambda.", 400)
    gone = told("InvalidSubnetID.NotFound", "The subnet ID 'subnet-1' does not exist", 400)
    for error, last in ((role, 119), (gone, 59)):
        outcomes = [patience.outcome(one, error, Instant(at)) for at in (0, last, last + 1)]
        assert [type(outcome) for outcome in outcomes] == [Pending, Pending, Refused]


@pytest.mark.parametrize(
    "code",
    [
        *("ScalingActivityInProgress", "InstanceRefreshInProgress", "UpdateInProgressException", "TrustStoreNotReady"),
        *("IncorrectFileSystemLifeCycleState", "IncorrectMountTargetState", "ResourceNotReadyException"),
        *("InsufficientDBInstanceCapacity", "InsufficientDBClusterCapacityFault", "InsufficientCacheClusterCapacity"),
    ],
)
def test_a_moment_of_a_service_is_waited_for_where_its_model_lists_the_code(code: str) -> None:
    response = {"Error": {"Code": code, "Message": "because"}, "ResponseMetadata": {"HTTPStatusCode": 400}}
    error = faults.translate(ClientError(response, "Change"), "service Change", said={code})
    assert isinstance(error, TransientError)
    assert not faults.is_held(error)


@pytest.mark.parametrize("code", ["ClusterContainsTasksException", "ClusterContainsServicesException"])
def test_what_others_may_have_put_into_a_cluster_holds_it_and_is_told(code: str) -> None:
    error = told(code, "The cluster cannot be deleted while tasks are active", 400)
    assert isinstance(error, TransientError)
    assert faults.is_held(error)
