"""AWS::RDS::DBInstance. Its Ref is its name, in small letters.

An instance is made in one of four ways: anew, from a snapshot, of another one as that was at some moment, or as a
replica; each has a call of its own, and the properties that the call does not take are changed afterwards. The source
is named alike for a replica and for a moment: a moment beside it tells the one from the other. RDS shows changes that
wait for the next window apart from the present values: they count as done, or each sweep would order them again.
"""

from dataclasses import replace

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import AwsType, Work, flag
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
    with_password_due,
)
from tenuto.providers.aws.types.rds_roles import ON_ITS_WAY, ROLES_AS, Roles, state_at

_NAME = "AWS::RDS::DBInstance"
_MODIFY = Call("ModifyDBInstance", fixed={"ApplyImmediately": True}, renamed={"Port": "DBPortNumber"})
_PASSWORDS = Call("ModifyDBInstance", fixed={"ApplyImmediately": True})
_ORIGIN = (
    "DBClusterSnapshotIdentifier RestoreTime SourceDBClusterIdentifier SourceDBInstanceAutomatedBackupsArn "
    "SourceDbiResourceId UseLatestRestorableTime"
)
"""The properties that name the source of the instance. RDS shows none of them, or not as it was declared."""
_WAITING = (
    "AllocatedStorage BackupRetentionPeriod CACertificateIdentifier DBInstanceClass EngineVersion Iops LicenseModel "
    "MultiAZ StorageThroughput StorageType"
)
"""The properties whose changes may wait for a window, and are shown apart until then."""


def _parting(work: Work) -> JsonMap:
    """The parameters of a deletion. RDS makes no snapshot of a member of a cluster, and none of a replica."""
    is_alone = not work.want("DBClusterIdentifier") and not (_has_source(work) and _follows(work))
    return last_snapshot(work) if is_alone else WITHOUT_SNAPSHOT


def _has_source(work: Work) -> bool:
    return bool(work.want("SourceDBInstanceIdentifier") or work.want("SourceDBClusterIdentifier"))


def _follows(work: Work) -> bool:
    """Whether the instance is a replica now. One that was made of another instance as that was at some moment never
    was one, even where the moment is not declared any more, and a replica may have been promoted."""
    shown = only(work.read("rds", "DescribeDBInstances", DBInstanceIdentifier=work.id), "DBInstances")
    return any(shown.get(f"ReadReplicaSource{kind}Identifier") for kind in ("DBInstance", "DBCluster"))


def _is_to_point_in_time(work: Work) -> bool:
    """Whether the instance is made of another one, or of its backups, as that was at some moment."""
    is_of_backups = work.want("SourceDbiResourceId") or work.want("SourceDBInstanceAutomatedBackupsArn")
    return bool(work.want("RestoreTime") or flag(work.want("UseLatestRestorableTime")) or is_of_backups)


def _made_by(create: str | Call) -> AwsType:
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
        # The call that changes an instance does not take them, although the schema does not say so.
        create_only=f"AvailabilityZone {_ORIGIN}",
        interrupting="CACertificateIdentifier DBInstanceClass EngineVersion LicenseModel Port",
        write_only=_ORIGIN,
        refused={
            "AutomaticBackupReplicationKmsKeyId AutomaticBackupReplicationRegion "
            "AutomaticBackupReplicationRetentionPeriod": "The replicated backups are kept in another region, "
            "where no process would own them. Take it out, and start the replication with `aws rds "
            "start-db-instance-automated-backups-replication`.",
        },
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
_FROM_SNAPSHOT = _made_by("RestoreDBInstanceFromDBSnapshot")
_TO_POINT_IN_TIME = _made_by(
    Call("RestoreDBInstanceToPointInTime", renamed={"DBInstanceIdentifier": "TargetDBInstanceIdentifier"})
)
_REPLICA = _made_by("CreateDBInstanceReadReplica")


def _create(work: Work) -> Outcome:
    if _is_to_point_in_time(work):
        return with_password_due(_TO_POINT_IN_TIME.create(work))
    if _has_source(work):
        return _REPLICA.create(work)
    if work.want("DBSnapshotIdentifier") or work.want("DBClusterSnapshotIdentifier"):
        return with_password_due(_FROM_SNAPSHOT.create(work))
    return INSTANCE.create(work)


TYPES = (replace(INSTANCE, create=_create),)
