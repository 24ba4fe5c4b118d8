"""AWS::DocDB: clusters, their instances and subnet groups. Their Refs are their names, in small letters.

DocumentDB is served by the endpoint of RDS, whose lists show databases of all engines; here they are narrowed to this
one. A cluster is made anew, of another one as that was at some moment, or from a snapshot: each is a call of its own.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.comparisons import CLUSTER_ZONES
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_groups import rds_tags
from tenuto.providers.aws.types.rds_parts import BROKEN, PENDING, LogExports, last_snapshot, made_or_restored

_SERVICE = "docdb"
_AT_ONCE: JsonMap = {"ApplyImmediately": True}
_ENGINE: JsonMap = {"Engine": "docdb"}
_OWN: JsonMap = {"Filters": [{"Name": "engine", "Values": ["docdb"]}]}
_MODIFY = Call("ModifyDBCluster", fixed=_AT_ONCE)
_MOMENT = "RestoreToTime RestoreType UseLatestRestorableTime"
_CLUSTER, _INSTANCE, _GROUP = "DBClusterIdentifier", "DBInstanceIdentifier", "DBSubnetGroupName"
# A password that did not change is not set again with every change of something else.
_PASSWORDS = Call("ModifyDBCluster", key=_CLUSTER, fixed=_AT_ONCE)


def _port(shown: JsonMap) -> Json:
    return None if shown.get("Port") is None else str(shown["Port"])


def _made_by(create: str) -> AwsType:
    return block(
        "AWS::DocDB::DBCluster",
        _SERVICE,
        key=_CLUSTER,
        listed=Listed(operation="DescribeDBClusters", id=_CLUSTER, size=100, by_name=_CLUSTER, fixed=_OWN),
        asked=Call("DescribeDBClusters"),
        named=Named(_CLUSTER, 63, fit=str.lower),
        # A cluster that is made of another one has its engine.
        create=Call(create, fixed={} if create == "RestoreDBClusterToPointInTime" else _ENGINE),
        made=f"DBCluster.{_CLUSTER}",
        shown={
            "DBClusterParameterGroupName": "DBClusterParameterGroup",
            "DBSubnetGroupName": "DBSubnetGroup",
            # DocumentDB does not repeat the wish; it shows the secret that it keeps for it.
            "ManageMasterUserPassword": "MasterUserSecret != `null`",
            "MasterUserSecretKmsKeyId": "MasterUserSecret.KmsKeyId",
            "VpcSecurityGroupIds": "VpcSecurityGroups[].VpcSecurityGroupId",
        },
        attributes={
            "ClusterResourceId": "DbClusterResourceId",
            "Endpoint": "Endpoint",
            "Id": "$id",
            "Port": _port,
            "ReadEndpoint": "ReaderEndpoint",
        },
        modify={
            _MODIFY: "*",
            _PASSWORDS: "ManageMasterUserPassword MasterUserPassword MasterUserSecretKmsKeyId RotateMasterUserPassword",
        },
        parts=(LogExports(write_by=_MODIFY),),
        defaults={"BackupRetentionPeriod": 1, "DeletionProtection": False, "EnableCloudwatchLogsExports": []},
        delete="DeleteDBCluster",
        parting=last_snapshot,
        recovers=True,
        state=State(at="Status", pending=PENDING, going="deleting", broken=BROKEN),
        tags=rds_tags("DBClusterArn", _SERVICE),
        # The schema has them for something that is shown, and the moment of a restoration for one that can change.
        write_only=f"MasterUserPassword RotateMasterUserPassword SourceDBClusterIdentifier {_MOMENT}",
        create_only=_MOMENT,
        interrupting="EngineVersion Port",
        refused={
            "GlobalClusterIdentifier": "No answer of DocumentDB shows it, so nothing could be held. Make this "
            "cluster the first of its global cluster by the SourceDBClusterIdentifier of an "
            "AWS::DocDB::GlobalCluster.",
        },
        compare_as={
            **CLUSTER_ZONES,
            _CLUSTER: Comparison.FOLDED,
            "DBClusterParameterGroupName": Comparison.FOLDED,
            "DBSubnetGroupName": Comparison.FOLDED,
            "EnableCloudwatchLogsExports": Comparison.SET,
            "KmsKeyId": KMS_KEY,
            "MasterUserSecretKmsKeyId": KMS_KEY,
            "PreferredMaintenanceWindow": Comparison.FOLDED,
            "VpcSecurityGroupIds": Comparison.SET,
        },
        named_by="",
        bears_data=True,
        has_snapshots=True,
    )


CLUSTER = made_or_restored(_made_by)
INSTANCE = block(
    "AWS::DocDB::DBInstance",
    _SERVICE,
    key=_INSTANCE,
    listed=Listed(operation="DescribeDBInstances", id=_INSTANCE, size=100, by_name=_INSTANCE, fixed=_OWN),
    asked=Call("DescribeDBInstances"),
    named=Named(_INSTANCE, 63, fit=str.lower),
    create=Call("CreateDBInstance", fixed=_ENGINE),
    made=f"DBInstance.{_INSTANCE}",
    shown={"EnablePerformanceInsights": "PerformanceInsightsEnabled"},
    attributes={"Endpoint": "Endpoint.Address", "Id": "$id", "Port": "Endpoint.Port"},
    modify={Call("ModifyDBInstance", fixed=_AT_ONCE): "*"},
    delete="DeleteDBInstance",
    recovers=True,
    state=State(at="DBInstanceStatus", pending=PENDING, going="deleting", broken=BROKEN),
    tags=rds_tags("DBInstanceArn", _SERVICE),
    write_only="CertificateRotationRestart",
    interrupting="CACertificateIdentifier DBInstanceClass",
    compare_as={
        _INSTANCE: Comparison.FOLDED,
        _CLUSTER: Comparison.FOLDED,
        "PreferredMaintenanceWindow": Comparison.FOLDED,
    },
    named_by="",
)
SUBNET_GROUP = block(
    "AWS::DocDB::DBSubnetGroup",
    _SERVICE,
    key=_GROUP,
    listed=Listed(operation="DescribeDBSubnetGroups", id=_GROUP, size=100, by_name=_GROUP),
    asked=Call("DescribeDBSubnetGroups"),
    named=Named(_GROUP, 255, fit=str.lower),
    create="CreateDBSubnetGroup",
    made=f"DBSubnetGroup.{_GROUP}",
    shown={"SubnetIds": "Subnets[].SubnetIdentifier"},
    modify={"ModifyDBSubnetGroup": "*"},
    delete="DeleteDBSubnetGroup",
    tags=rds_tags("DBSubnetGroupArn", _SERVICE),
    compare_as={_GROUP: Comparison.FOLDED, "SubnetIds": Comparison.SET},
    named_by="",
)
TYPES = (CLUSTER, INSTANCE, SUBNET_GROUP)
