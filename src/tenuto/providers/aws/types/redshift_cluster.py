"""AWS::Redshift::Cluster. Its Ref is its name, in small letters.

Theory of operation. Redshift takes a new size, another encryption and another zone only by themselves, and no change
while one is carried out. So these go one at a time, each with what it needs and without the values that stay, by the
cluster as it is just then. A cluster is made anew or from a snapshot, each by a call of its own; no snapshot brings
tags or a password.
"""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.outcome import Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.exchanged import Exchanged
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.facts import untried
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_parts import with_password_due
from tenuto.providers.aws.types.redshift_groups import SERVICE, redshift_tags

_NAME = TypeName("AWS::Redshift::Cluster")
_CLUSTER, _NODES = "ClusterIdentifier", "NumberOfNodes"
_ALONE = (("ClusterType", "NodeType", _NODES), ("Encrypted", "KmsKeyId"), ("AvailabilityZone",))
"""The groups of properties that only a call of their own changes."""
_AGAIN_S = 15.0
"""A change of the size or of the encryption takes minutes."""


def _type(cluster: JsonMap) -> Json:
    count = cluster.get(_NODES)
    return None if count is None else "multi-node" if int(count) > 1 else "single-node"


def _is_relocatable(cluster: JsonMap) -> Json:
    status = cluster.get("AvailabilityZoneRelocationStatus")
    return None if status is None else str(status).endswith("enabled")


def _is_in_zones(cluster: JsonMap) -> Json:
    """Whether it runs in two zones: a call takes a truth value, and an answer has a word."""
    return {"enabled": True, "disabled": False}.get(str(cluster.get("MultiAZ")).lower())


def _log(status: JsonMap) -> Json:
    members = ("BucketName", "LogDestinationType", "LogExports", "S3KeyPrefix")
    return {name: status[name] for name in members if status.get(name)} if status.get("LoggingEnabled") else None


def _last_snapshot(work: Work) -> JsonMap:
    if not work.request.keeps_snapshot:
        return {"SkipFinalClusterSnapshot": True}
    return {"SkipFinalClusterSnapshot": False, "FinalClusterSnapshotIdentifier": generated_name(work.request, 63)}


def _made_by(create: str) -> AwsType:
    return block(
        _NAME,
        SERVICE,
        key=_CLUSTER,
        listed=Listed(operation="DescribeClusters", id=_CLUSTER, size=100, by_name=_CLUSTER),
        asked=Call("DescribeClusters"),
        named=Named(_CLUSTER, 63, fit=str.lower),
        create=create,
        made=f"Cluster.{_CLUSTER}",
        shown={
            "AvailabilityZoneRelocation": _is_relocatable,
            "ClusterParameterGroupName": "ClusterParameterGroups[0].ParameterGroupName",
            "ClusterSecurityGroups": "ClusterSecurityGroups[].ClusterSecurityGroupName",
            "ClusterType": _type,
            "ClusterVersion": "PendingModifiedValues.ClusterVersion || ClusterVersion",
            "ElasticIp": "ElasticIpStatus.ElasticIp",
            "HsmClientCertificateIdentifier": "HsmStatus.HsmClientCertificateIdentifier",
            "HsmConfigurationIdentifier": "HsmStatus.HsmConfigurationIdentifier",
            # Redshift does not repeat the wish; it shows the secret that it keeps for it.
            "ManageMasterPassword": "MasterPasswordSecretArn != `null`",
            "MultiAZ": _is_in_zones,
            "Port": "Endpoint.Port",
            "VpcSecurityGroupIds": "VpcSecurityGroups[].VpcSecurityGroupId",
        },
        shows="ManageMasterPassword",
        attributes={
            "DeferMaintenanceIdentifier": "DeferredMaintenanceWindows[0].DeferMaintenanceIdentifier",
            "Endpoint.Address": "Endpoint.Address",
            "Endpoint.Port": "Endpoint.Port",
        },
        modify={
            "ModifyCluster": "*",
            "ModifyAquaConfiguration": "AquaConfigurationStatus",
            Call("ModifyCluster", key=_CLUSTER): "ManageMasterPassword MasterPasswordSecretKmsKeyId MasterUserPassword",
        },
        parts=(
            Exchanged(
                name="IamRoles",
                write_by=Call("ModifyClusterIamRoles"),
                shown_at="IamRoles[?ApplyStatus != 'removing'].IamRoleArn",
            ),
            Setting(
                name="LoggingProperties",
                read_by=Call("DescribeLoggingStatus"),
                shown_at=_log,
                write_by=Call("EnableLogging", drop="DisableLogging"),
            ),
        ),
        delete="DeleteCluster",
        parting=_last_snapshot,
        recovers=True,
        state=State(
            at="ClusterStatus",
            pending="cancelling-resize creating modifying rebooting renaming resizing rotating-keys updating-hsm",
            going="deleting final-snapshot",
            broken=(
                "hardware-failure incompatible-hsm incompatible-network incompatible-parameters incompatible-restore"
            ),
        ),
        tags=redshift_tags("cluster"),
        # The schema has them for something that is shown. AWS chooses the configuration of AQUA by itself by now.
        write_only="AquaConfigurationStatus OwnerAccount SnapshotClusterIdentifier",
        interrupting="ClusterType NodeType NumberOfNodes Port",
        refused={
            "AvailabilityZoneRelocationStatus": "Redshift shows it: write the wish as AvailabilityZoneRelocation.",
            "Classic": "It tells how a change of size is made, and nothing of the cluster. Take it out.",
            "DeferMaintenance DeferMaintenanceDuration DeferMaintenanceEndTime DeferMaintenanceStartTime": "It "
            "names an act, and no state. Take it out, and defer the maintenance with `aws redshift "
            "modify-cluster-maintenance`.",
            "DestinationRegion SnapshotCopyGrantName SnapshotCopyManual SnapshotCopyRetentionPeriod": "The "
            "copies of snapshots are kept in another region, where no process would own them. Take it out, and "
            "start them with `aws redshift enable-snapshot-copy`.",
            "Endpoint": "Redshift gives it: ask for Endpoint.Address and Endpoint.Port with Fn::GetAtt.",
            "NamespaceResourcePolicy": untried("aws redshift put-resource-policy"),
            "ResourceAction": "It names an act, and no state. Take it out, and act with `aws redshift "
            "pause-cluster`, `resume-cluster` or `failover-primary-compute`.",
            "RevisionTarget": "It names an act, and no state. Take it out, and act with `aws redshift "
            "modify-cluster-db-revision`.",
            "RotateEncryptionKey": "It names an act, and no state. Take it out, and act with `aws redshift "
            "rotate-encryption-key`.",
        },
        compare_as={
            **dict.fromkeys((_CLUSTER, "ClusterParameterGroupName", "ClusterSubnetGroupName"), Comparison.FOLDED),
            "KmsKeyId": KMS_KEY,
            "LoggingProperties.LogExports": Comparison.SET,
            "MasterPasswordSecretKmsKeyId": KMS_KEY,
            "PreferredMaintenanceWindow": Comparison.FOLDED,
        },
        defaults={
            "AllowVersionUpgrade": True,
            "AutomatedSnapshotRetentionPeriod": 1,
            "EnhancedVpcRouting": False,
            "IamRoles": [],
            "MaintenanceTrackName": "current",
            "ManualSnapshotRetentionPeriod": -1,
            "MultiAZ": False,
        },
        bears_data=True,
        has_snapshots=True,
    )


_BLOCK, _RESTORED = _made_by("CreateCluster"), _made_by("RestoreFromClusterSnapshot")


def _without(work: Work, names: Iterable[str]) -> Work:
    """The work on the other properties."""
    kept = {name: value for name, value in work.request.properties.items() if name not in {*names}}
    return replace(work, request=replace(work.request, properties=kept))


def _sized(work: Work) -> Work:
    """The work as Redshift takes it: one node is not counted."""
    return _without(work, [_NODES] if work.want("ClusterType") == "single-node" else [])


def _create(work: Work) -> Outcome:
    if work.want("SnapshotIdentifier"):
        return with_password_due(_RESTORED.create(_sized(work)))
    return _BLOCK.create(_sized(work))


def _modify(work: Work) -> Outcome:
    """Make the next change that goes alone, or all others when none is left."""
    item = work.ready_item()
    if item is None:
        return Pending(message="an earlier change of the cluster is still being made", delay_s=_AGAIN_S)
    now = _sized(replace(work, request=replace(work.request, observed=item.properties)))
    made = list(work.request.progress.get("made") or ())
    for names in _ALONE:
        if names[0] not in made and any(now.differs(name) for name in names):
            work.change(SERVICE, "ModifyCluster", **{_CLUSTER: work.id}, **now.given(*names))
            progress = {"made": [*made, names[0]]}
            return Pending(message=f"{' and '.join(names)} are being changed", delay_s=_AGAIN_S, progress=progress)
    hidden = {"Tags", *work.type.facts.write_only}
    stays = [name for name in now.request.properties if name not in hidden and not now.differs(name)]
    rest = _BLOCK.modify
    assert rest is not None
    return rest(_without(now, [*stays, *(name for names in _ALONE for name in names)]))


CLUSTER: AwsType = replace(_BLOCK, create=_create, modify=_modify)
TYPES = (CLUSTER,)
