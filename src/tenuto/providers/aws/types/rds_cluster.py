"""AWS::RDS::DBCluster. Its Ref is its name, in small letters. It has no instances by itself."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.comparisons import CLUSTER_ZONES
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_groups import rds_tags
from tenuto.providers.aws.types.rds_parts import (
    BROKEN,
    PASSWORDS,
    PENDING,
    DataApi,
    LogExports,
    last_snapshot,
    made_or_restored,
    secret_key,
)
from tenuto.providers.aws.types.rds_roles import ON_ITS_WAY, ROLES_AS, Roles, state_at

_NAME = "AWS::RDS::DBCluster"
_MODIFY = Call("ModifyDBCluster", fixed={"ApplyImmediately": True})
_PASSWORDS = Call(
    "ModifyDBCluster", fixed={"ApplyImmediately": True}, renamed={"MasterUserSecret": "MasterUserSecretKmsKeyId"}
)


def _made_by(create: str) -> AwsType:
    return block(
        _NAME,
        "rds",
        key="DBClusterIdentifier",
        listed=Listed(
            operation="DescribeDBClusters", id="DBClusterIdentifier", size=100, by_name="DBClusterIdentifier"
        ),
        asked=Call("DescribeDBClusters"),
        named=Named("DBClusterIdentifier", 63, fit=str.lower),
        create=create,
        made="DBCluster.DBClusterIdentifier",
        renamed={
            "MasterUserSecret": "MasterUserSecretKmsKeyId",
            "PerformanceInsightsEnabled": "EnablePerformanceInsights",
        },
        # CloudFormation takes an engine in any case.
        sent_as={"Engine": str.lower, "MasterUserSecret": secret_key},
        shown={
            "DBClusterParameterGroupName": "DBClusterParameterGroup",
            "DBSubnetGroupName": "DBSubnetGroup",
            "EnableIAMDatabaseAuthentication": "IAMDatabaseAuthenticationEnabled",
            "EngineVersion": "PendingModifiedValues.EngineVersion || EngineVersion",
            # RDS does not repeat the wish; it shows the secret that it keeps for it.
            "ManageMasterUserPassword": "MasterUserSecret != `null`",
            "MasterUserSecret": "MasterUserSecret",
            "PerformanceInsightsEnabled": "PerformanceInsightsEnabled",
            "ScalingConfiguration": "ScalingConfigurationInfo",
            "VpcSecurityGroupIds": "VpcSecurityGroups[].VpcSecurityGroupId",
        },
        attributes={
            "DBClusterResourceId": "DbClusterResourceId",
            "Endpoint.Address": "Endpoint",
            "Endpoint.Port": "Port",
            "MasterUserSecret.SecretArn": "MasterUserSecret.SecretArn",
            "ReadEndpoint.Address": "ReaderEndpoint",
        },
        modify={_MODIFY: "*", _PASSWORDS: PASSWORDS},
        parts=(LogExports(write_by=_MODIFY), DataApi(write_by=_MODIFY), Roles(kind="DBCluster")),
        defaults={
            "BackupRetentionPeriod": 1,
            "CopyTagsToSnapshot": False,
            "DeletionProtection": False,
            "EnableCloudwatchLogsExports": [],
            "EnableHttpEndpoint": False,
            "EnableIAMDatabaseAuthentication": False,
        },
        delete="DeleteDBCluster",
        parting=last_snapshot,
        recovers=True,
        state=State(at=state_at("Status"), pending=f"{PENDING} {ON_ITS_WAY}", going="deleting", broken=BROKEN),
        tags=rds_tags("DBClusterArn"),
        # The call that changes a cluster does not take them, although the schema does not say so.
        create_only="AvailabilityZones MasterUsername ReplicationSourceIdentifier",
        interrupting="EngineVersion Port",
        refused={
            "EnableGlobalWriteForwarding": "Only the second clusters of a global cluster have it, which Tenuto "
            "does not make.",
            "GlobalClusterIdentifier": "A member joins a global cluster when it is made, and leaves it by "
            "another call. Make this cluster the first of its global cluster by the SourceDBClusterIdentifier of "
            "an AWS::RDS::GlobalCluster.",
            "SourceRegion": "It signs the way to a cluster of another region, which Tenuto does not take as "
            "the source of a replica. Make the replica with `aws rds create-db-cluster`, and bring it in with "
            "`tenuto import`.",
        },
        compare_as={
            **CLUSTER_ZONES,
            **ROLES_AS,
            "DBClusterIdentifier": Comparison.FOLDED,
            "DBClusterParameterGroupName": Comparison.FOLDED,
            "DBSubnetGroupName": Comparison.FOLDED,
            "EnableCloudwatchLogsExports": Comparison.SET,
            "Engine": Comparison.FOLDED,
            "EngineVersion": Comparison.RELEASE,
            "KmsKeyId": KMS_KEY,
            "PerformanceInsightsKmsKeyId": KMS_KEY,
            "PreferredMaintenanceWindow": Comparison.FOLDED,
            "VpcSecurityGroupIds": Comparison.SET,
        },
        named_by="",
        bears_data=True,
        has_snapshots=True,
    )


CLUSTER = made_or_restored(_made_by)
TYPES = (CLUSTER,)
