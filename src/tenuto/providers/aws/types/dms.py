"""AWS::DMS::ReplicationInstance: the machine that runs tasks of the Database Migration Service. Its Ref is its ARN.

CloudFormation's type has no handlers, so Cloud Control cannot make one. DMS keeps identifiers in small letters, and
renames an instance in place: calls name it by its ARN.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_ARN, _NAME = "ReplicationInstanceArn", "ReplicationInstanceIdentifier"
_LIST = "DescribeReplicationInstances"
_AT_ONCE: JsonMap = {"ApplyImmediately": True}


def _addresses(kind: str) -> str:
    return f"ReplicationInstance{kind}IpAddresses && join(',', ReplicationInstance{kind}IpAddresses)"


def _identifier(shown: JsonMap) -> Json:
    """The end of the ARN, which a composition may choose."""
    return str(shown[_ARN]).rpartition(":")[2]


def _coming(name: str) -> str:
    """A property as it will be when the change that goes on is over."""
    return f"PendingModifiedValues.{name} || {name}"


INSTANCE = block(
    "AWS::DMS::ReplicationInstance",
    "dms",
    key=_ARN,
    listed=Listed(operation=_LIST, id=_ARN, size=100),
    asked=Call(_LIST, key="replication-instance-arn="),
    named=Named(_NAME, 63, fit=str.lower),
    create="CreateReplicationInstance",
    made=f"ReplicationInstance.{_ARN}",
    shown={
        "AllocatedStorage": _coming("AllocatedStorage"),
        "EngineVersion": _coming("EngineVersion"),
        "ReplicationInstanceClass": _coming("ReplicationInstanceClass"),
        "ReplicationSubnetGroupIdentifier": "ReplicationSubnetGroup.ReplicationSubnetGroupIdentifier",
        "ResourceIdentifier": _identifier,
        "VpcSecurityGroupIds": "VpcSecurityGroups[].VpcSecurityGroupId",
    },
    attributes={
        "Id": "$id",
        "ReplicationInstancePrivateIpAddresses": _addresses("Private"),
        "ReplicationInstancePublicIpAddresses": _addresses("Public"),
    },
    modify={Call("ModifyReplicationInstance", fixed=_AT_ONCE): "*"},
    delete="DeleteReplicationInstance",
    recovers=True,
    state=State(
        at="ReplicationInstanceStatus",
        pending="creating maintenance modifying rebooting resetting-master-credentials upgrading",
        going="deleting",
        gone="deleted",
        broken="failed incompatible-credentials incompatible-network",
    ),
    tags=TagCalls(
        service="dms",
        put_call="AddTagsToResource",
        remove_call="RemoveTagsFromResource",
        id_name="ResourceArn",
        listed_as="TagList",
    ),
    # DMS does not move an instance. That a major version may be passed is said with a change.
    create_only="AvailabilityZone",
    interrupting="EngineVersion ReplicationInstanceClass",
    write_only="AllowMajorVersionUpgrade",
    compare_as={
        "EngineVersion": Comparison.RELEASE,
        "KmsKeyId": KMS_KEY,
        "PreferredMaintenanceWindow": Comparison.FOLDED,
        _NAME: Comparison.FOLDED,
        "ReplicationSubnetGroupIdentifier": Comparison.FOLDED,
        "VpcSecurityGroupIds": Comparison.SET,
    },
)
TYPES = (INSTANCE,)
