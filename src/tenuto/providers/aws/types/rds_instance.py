"""AWS::RDS::DBInstance. Its Ref is its name, in small letters.

An instance is made in one of three ways: anew, from a snapshot, or as a replica of another one; each has a call of its
own, and what that call does not take is changed afterwards. RDS shows changes that wait for the next window apart from
what there is: they count as done, or each sweep would order them again.
"""

from dataclasses import replace

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_groups import rds_tags
from tenuto.providers.aws.types.rds_parts import (
    BROKEN,
    PASSWORDS,
    PENDING,
    WITHOUT_SNAPSHOT,
    LogExports,
    last_snapshot,
    secret_key,
)
from tenuto.providers.aws.types.rds_roles import ON_ITS_WAY, ROLES_AS, Roles, state_at

_NAME = "AWS::RDS::DBInstance"
_MODIFY = Call("ModifyDBInstance", fixed={"ApplyImmediately": True}, renamed={"Port": "DBPortNumber"})
_PASSWORDS = Call("ModifyDBInstance", fixed={"ApplyImmediately": True})
_WAITING = (
    "AllocatedStorage BackupRetentionPeriod CACertificateIdentifier DBInstanceClass EngineVersion Iops LicenseModel "
    "MultiAZ StorageThroughput StorageType"
)
"""The properties whose changes may wait for a window, and are shown apart until then."""


def _parting(work: Work) -> JsonMap:
    """The parameters of a deletion. RDS makes no snapshot of a member of a cluster, and none of a replica."""
    wanted = work.request.properties
    is_alone = not wanted.get("DBClusterIdentifier") and not wanted.get("SourceDBInstanceIdentifier")
    return last_snapshot(work) if is_alone else WITHOUT_SNAPSHOT


def _made_by(create: str) -> AwsType:
    return block(
        _NAME,
        "rds",
        key="DBInstanceIdentifier",
        listed=Listed(
            operation="DescribeDBInstances", id="DBInstanceIdentifier", size=100, by_name="DBInstanceIdentifier"
        ),
        asked=Call("DescribeDBInstances"),
        named=Named("DBInstanceIdentifier", 63, fit=str.lower),
        create=create,
        made="DBInstance.DBInstanceIdentifier",
        renamed={"MasterUserSecret": "MasterUserSecretKmsKeyId", "VPCSecurityGroups": "VpcSecurityGroupIds"},
        # CloudFormation takes an engine in any case.
        sent_as={"Engine": str.lower, "MasterUserSecret": secret_key},
        shown={
            **{name: f"PendingModifiedValues.{name} || {name}" for name in _WAITING.split()},
            "DBParameterGroupName": "DBParameterGroups[0].DBParameterGroupName",
            "DBSecurityGroups": "DBSecurityGroups[].DBSecurityGroupName",
            "DBSubnetGroupName": "DBSubnetGroup.DBSubnetGroupName",
            "EnableIAMDatabaseAuthentication": "IAMDatabaseAuthenticationEnabled",
            "EnablePerformanceInsights": "PerformanceInsightsEnabled",
            # RDS does not repeat the wish; it shows the secret that it keeps for it.
            "ManageMasterUserPassword": "MasterUserSecret != `null`",
            "MasterUserSecret": "MasterUserSecret",
            "OptionGroupName": "OptionGroupMemberships[0].OptionGroupName",
            "Port": "PendingModifiedValues.Port || Endpoint.Port || DbInstancePort",
            "VPCSecurityGroups": "VpcSecurityGroups[].VpcSecurityGroupId",
        },
        attributes={"MasterUserSecret.SecretArn": "MasterUserSecret.SecretArn"},
        modify={_MODIFY: "*", _PASSWORDS: PASSWORDS},
        parts=(LogExports(write_by=_MODIFY), Roles(kind="DBInstance")),
        defaults={
            "AutoMinorVersionUpgrade": True,
            "BackupRetentionPeriod": 1,
            "CopyTagsToSnapshot": False,
            "DeletionProtection": False,
            "EnableCloudwatchLogsExports": [],
            "EnableIAMDatabaseAuthentication": False,
            "EnablePerformanceInsights": False,
            "MonitoringInterval": 0,
            "MultiAZ": False,
        },
        delete="DeleteDBInstance",
        parting=_parting,
        recovers=True,
        state=State(
            at=state_at("DBInstanceStatus"), pending=f"{PENDING} {ON_ITS_WAY}", going="deleting", broken=BROKEN
        ),
        tags=rds_tags("DBInstanceArn"),
        # The call that changes an instance does not take it, although the schema does not say so.
        create_only="AvailabilityZone",
        unsupported="AutomaticBackupReplicationKmsKeyId AutomaticBackupReplicationRegion "
        "AutomaticBackupReplicationRetentionPeriod DBClusterSnapshotIdentifier RestoreTime SourceDBClusterIdentifier "
        "SourceDBInstanceAutomatedBackupsArn SourceDbiResourceId UseLatestRestorableTime",
        compare_as={
            **ROLES_AS,
            "DBInstanceIdentifier": Comparison.FOLDED,
            "DBParameterGroupName": Comparison.FOLDED,
            "DBSecurityGroups": Comparison.SET,
            "DBSubnetGroupName": Comparison.FOLDED,
            "EnableCloudwatchLogsExports": Comparison.SET,
            "Engine": Comparison.FOLDED,
            "EngineVersion": Comparison.RELEASE,
            "KmsKeyId": KMS_KEY,
            "OptionGroupName": Comparison.FOLDED,
            "PerformanceInsightsKMSKeyId": KMS_KEY,
            "PreferredMaintenanceWindow": Comparison.FOLDED,
            "VPCSecurityGroups": Comparison.SET,
        },
        named_by="",
        bears_data=True,
        has_snapshots=True,
    )


INSTANCE = _made_by("CreateDBInstance")
_RESTORED = _made_by("RestoreDBInstanceFromDBSnapshot")
_REPLICA = _made_by("CreateDBInstanceReadReplica")


def _create(work: Work) -> Outcome:
    wanted = work.request.properties
    way = _RESTORED if wanted.get("DBSnapshotIdentifier") else INSTANCE
    way = _REPLICA if wanted.get("SourceDBInstanceIdentifier") else way
    return way.create(work)


TYPES = (replace(INSTANCE, create=_create),)
