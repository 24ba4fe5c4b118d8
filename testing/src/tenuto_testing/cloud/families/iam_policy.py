"""Managed policies with their versions, and AWS's own ones as far as they are known here."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.iam_documents import (
    check_is_new,
    check_size,
    checked_policy,
    listed,
    merged_tags,
    path_of,
    untagged,
)
from tenuto_testing.cloud.families.iam_kinds import POLICY, ROLE
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_MOST_VERSIONS = 5
_LARGEST = 6144
_OF_AWS = frozenset(
    f"arn:aws:iam::aws:policy/{name}"
    for name in (
        "AdministratorAccess",
        "AmazonAthenaFullAccess",
        "AmazonBedrockFullAccess",
        "AmazonCognitoPowerUser",
        "AmazonDynamoDBFullAccess",
        "AmazonDynamoDBReadOnlyAccess",
        "AmazonEC2ContainerRegistryFullAccess",
        "AmazonEC2ContainerRegistryPowerUser",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonEC2ContainerRegistryReadOnly",
        "AmazonEC2FullAccess",
        "AmazonEC2ReadOnlyAccess",
        "AmazonEKSClusterPolicy",
        "AmazonEKSServicePolicy",
        "AmazonEKSVPCResourceController",
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEKS_CNI_Policy",
        "AmazonKinesisFullAccess",
        "AmazonRDSFullAccess",
        "AmazonS3FullAccess",
        "AmazonS3ReadOnlyAccess",
        "AmazonSNSFullAccess",
        "AmazonSQSFullAccess",
        "AmazonSSMFullAccess",
        "AmazonSSMManagedInstanceCore",
        "AmazonSSMPatchAssociation",
        "AmazonSSMReadOnlyAccess",
        "AmazonSageMakerFullAccess",
        "AmazonVPCFullAccess",
        "AWSCloudFormationFullAccess",
        "AWSLambda_FullAccess",
        "AWSStepFunctionsFullAccess",
        "AWSXRayDaemonWriteAccess",
        "AWSXrayWriteOnlyAccess",
        "CloudWatchAgentServerPolicy",
        "CloudWatchFullAccess",
        "CloudWatchLambdaInsightsExecutionRolePolicy",
        "CloudWatchLogsFullAccess",
        "CloudWatchReadOnlyAccess",
        "CloudWatchSyntheticsFullAccess",
        "EC2InstanceProfileForImageBuilder",
        "IAMReadOnlyAccess",
        "PowerUserAccess",
        "ReadOnlyAccess",
        "SecurityAudit",
        "ViewOnlyAccess",
        "job-function/ViewOnlyAccess",
        "service-role/AWSAppSyncPushToCloudWatchLogs",
        "service-role/AWSBatchServiceRole",
        "service-role/AWSConfigRole",
        "service-role/AWSConfigRoleForOrganizations",
        "service-role/AWSGlueServiceRole",
        "service-role/AWSLambdaBasicExecutionRole",
        "service-role/AWSLambdaDynamoDBExecutionRole",
        "service-role/AWSLambdaENIManagementAccess",
        "service-role/AWSLambdaKinesisExecutionRole",
        "service-role/AWSLambdaRole",
        "service-role/AWSLambdaSQSQueueExecutionRole",
        "service-role/AWSLambdaVPCAccessExecutionRole",
        "service-role/AmazonAPIGatewayPushToCloudWatchLogs",
        "service-role/AmazonEBSCSIDriverPolicy",
        "service-role/AmazonEC2RoleforSSM",
        "service-role/AmazonECSTaskExecutionRolePolicy",
        "service-role/AmazonRDSEnhancedMonitoringRole",
        "service-role/AmazonSSMAutomationRole",
        "service-role/AmazonEC2ContainerServiceforEC2Role",
        "service-role/EC2ImageBuilderLifecycleExecutionPolicy",
    )
)


def policy_of(call: Call, arn: str) -> Thing | None:
    """The policy of an ARN; None for one of AWS's. Raises Refusal."""
    if arn in _OF_AWS:
        return None
    policy = call.place.table(POLICY).things.get(arn)
    if policy is None or policy.made_at > call.horizon().new:
        raise Refusal("NoSuchEntity", f"Policy {arn} does not exist or is not attachable.")
    return policy


def own_policy(call: Call) -> Thing:
    """The policy that a request is about, which must be the account's. Raises Refusal."""
    policy = policy_of(call, call.want("PolicyArn"))
    if policy is None:
        raise Refusal("AccessDenied", f"{call.want('PolicyArn')} belongs to AWS.", 403)
    return policy


def attachment(arn: str) -> Data:
    """A policy as those show it that it is attached to."""
    return {"PolicyName": arn.rpartition("/")[2], "PolicyArn": arn}


def count_attachments(call: Call, arn: str, more: int) -> None:
    policy = call.place.table(POLICY).things.get(arn)
    if policy is not None:
        call.edit(policy)["AttachmentCount"] += more


def holders(call: Call, arn: str) -> list[Thing]:
    """The roles that have it."""
    return [role for role in call.all(ROLE) if arn in role.hidden["attached"]]


def versions(policy: Thing) -> list[Data]:
    """As lists show them, the newest first."""
    return [{**one, "IsDefaultVersion": one["VersionId"] == policy["DefaultVersionId"]} for one in _newest(policy)]


def _newest(policy: Thing) -> list[Data]:
    return sorted(policy.hidden["versions"], key=lambda one: -int(one["VersionId"][1:]))


def _create(call: Call) -> Data:
    name, path = call.want("PolicyName"), path_of(call)
    names = [arn.rpartition("/")[2] for arn in call.place.table(POLICY).things]
    if name in names:
        raise Refusal("EntityAlreadyExists", f"A policy called {name} already exists. Duplicate names are not allowed.")
    arn = f"arn:aws:iam::{call.account}:policy{path}{name}"
    check_is_new(call, POLICY, arn, "Policy")
    document = checked_policy(call.want("PolicyDocument"))
    check_size("PolicySize", _LARGEST, [document])
    tags = merged_tags([], call.want("Tags") or ())
    policy = call.make(
        POLICY,
        {
            "PolicyName": name,
            "PolicyId": f"ANPA{call.cloud.ids.letters('policy-id', 17)}",
            "Path": path,
            "DefaultVersionId": "v1",
            "AttachmentCount": 0,
            "PermissionsBoundaryUsageCount": 0,
            "IsAttachable": True,
            **call.copied("Description"),
            "CreateDate": call.now,
            "UpdateDate": call.now,
        },
        id=arn,
        hidden={"versions": [{"Document": document, "VersionId": "v1", "CreateDate": call.now}], "last": 1},
        is_asked_for=False,
    )
    policy.data["Tags"] = tags
    return {"Policy": policy}


def _get(call: Call) -> Data:
    return {"Policy": own_policy(call)}


def _list(call: Call) -> Data:
    views = list(call.seen(POLICY)) if call.want("Scope") != "AWS" else []
    items = [{name: one for name, one in view.data.items() if name != "Tags"} for view in views]
    return listed(call, "Policies", items, [view.thing.id for view in views])


def _delete(call: Call) -> Data:
    policy = own_policy(call)
    if holders(call, policy.id):
        raise Refusal("DeleteConflict", "Cannot delete a policy attached to entities.")
    if len(policy.hidden["versions"]) > 1:
        raise Refusal(
            "DeleteConflict", "This policy has more than one version. Before you delete a policy, delete all of them."
        )
    call.remove(policy)
    return {}


def _create_version(call: Call) -> Data:
    policy, document = own_policy(call), checked_policy(call.want("PolicyDocument"))
    check_size("PolicySize", _LARGEST, [document])
    if len(policy.hidden["versions"]) >= _MOST_VERSIONS:
        raise Refusal(
            "LimitExceeded",
            f"A managed policy can have up to {_MOST_VERSIONS} versions. Before you create a new version, you must "
            "delete an existing version.",
        )
    policy.hidden["last"] += 1
    version = {"Document": document, "VersionId": f"v{policy.hidden['last']}", "CreateDate": call.now}
    policy.hidden["versions"].append(version)
    if call.want("SetAsDefault"):
        call.edit(policy).update(DefaultVersionId=version["VersionId"], UpdateDate=call.now)
    shown = {name: value for name, value in version.items() if name != "Document"}
    return {"PolicyVersion": {**shown, "IsDefaultVersion": bool(call.want("SetAsDefault"))}}


def _version(call: Call) -> tuple[Thing, Data]:
    policy, wanted = own_policy(call), call.want("VersionId")
    for version in policy.hidden["versions"]:
        if version["VersionId"] == wanted:
            return policy, version
    raise Refusal("NoSuchEntity", f"Policy {policy.id} version {wanted} does not exist or is not attachable.")


def _get_version(call: Call) -> Data:
    policy, version = _version(call)
    return {"PolicyVersion": {**version, "IsDefaultVersion": version["VersionId"] == policy["DefaultVersionId"]}}


def _delete_version(call: Call) -> Data:
    policy, version = _version(call)
    if version["VersionId"] == policy["DefaultVersionId"]:
        raise Refusal("DeleteConflict", "Cannot delete the default version of a policy.")
    policy.hidden["versions"].remove(version)
    return {}


def _list_versions(call: Call) -> Data:
    found = [
        {name: one for name, one in version.items() if name != "Document"} for version in versions(own_policy(call))
    ]
    return listed(call, "Versions", found, [one["VersionId"] for one in found])


def _list_entities(call: Call) -> Data:
    roles = holders(call, call.want("PolicyArn")) if call.want("EntityFilter", "Role") == "Role" else []
    found = [{"RoleName": role.id, "RoleId": role["RoleId"]} for role in roles]
    return {**listed(call, "PolicyRoles", found, [role.id for role in roles]), "PolicyUsers": [], "PolicyGroups": []}


def _tag(call: Call) -> Data:
    policy = own_policy(call)
    tags = merged_tags(policy.tags(), call.want("Tags"))
    call.edit(policy)["Tags"] = tags
    return {}


def _untag(call: Call) -> Data:
    policy = own_policy(call)
    call.edit(policy)["Tags"] = untagged(policy.tags(), call.want("TagKeys"))
    return {}


def _list_tags(call: Call) -> Data:
    tags = own_policy(call).tags()
    return listed(call, "Tags", tags, [tag["Key"] for tag in tags])


HANDLERS: Mapping[str, Any] = {
    "CreatePolicy": _create,
    "CreatePolicyVersion": _create_version,
    "DeletePolicy": _delete,
    "DeletePolicyVersion": _delete_version,
    "GetPolicy": _get,
    "GetPolicyVersion": _get_version,
    "ListEntitiesForPolicy": _list_entities,
    "ListPolicies": _list,
    "ListPolicyTags": _list_tags,
    "ListPolicyVersions": _list_versions,
    "TagPolicy": _tag,
    "UntagPolicy": _untag,
}
