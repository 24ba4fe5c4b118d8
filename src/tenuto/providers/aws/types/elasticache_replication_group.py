"""AWS::ElastiCache::ReplicationGroup. Its Ref is its name, in small letters.

ElastiCache shows half of the properties that a group was made with on the clusters that are its members: the first of
them is read for that. The numbers of shards and of replicas change in place; CloudFormation replaces a group whose
shards change, unless a policy says otherwise.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at, sent
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.elasticache_parts import (
    AT_ONCE,
    SERVICE,
    TAGS,
    Logs,
    ids,
    last_snapshot,
    text_at,
)
from tenuto.providers.aws.types.named import Named

_CREATE, _MODIFY = "CreateReplicationGroup", Call("ModifyReplicationGroup", fixed=AT_ONCE)
_TOKEN = Call("ModifyReplicationGroup", fixed={**AT_ONCE, "AuthTokenUpdateStrategy": "ROTATE"})
_SHARDS, _REPLICAS, _CLUSTERS = "NumNodeGroups", "ReplicasPerNodeGroup", "NumCacheClusters"
_ON_MEMBERS = {
    "CacheParameterGroupName": "CacheParameterGroup.CacheParameterGroupName",
    "CacheSubnetGroupName": "CacheSubnetGroupName",
    "EngineVersion": "PendingModifiedValues.EngineVersion || EngineVersion",
    "NotificationTopicArn": "NotificationConfiguration.TopicArn",
    "PreferredMaintenanceWindow": "PreferredMaintenanceWindow",
    "SecurityGroupIds": "SecurityGroups[].SecurityGroupId",
}
"""The properties that a member shows, each with its path."""


@dataclass(frozen=True, kw_only=True)
class _OnMembers(Plain):
    """The properties of a group that its first member shows."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(_ON_MEMBERS)

    def read(self, thing: Thing) -> dict[str, Json]:
        members = thing.answer.get("MemberClusters")
        if not members:
            return {}
        answer = thing.client.read(SERVICE, "DescribeCacheClusters", CacheClusterId=members[0])
        found = {name: at(only(answer, "CacheClusters"), path) for name, path in _ON_MEMBERS.items()}
        return {name: value for name, value in found.items() if value is not None}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return sent(work.client.input_of(SERVICE, _CREATE), work.given(*sorted(_ON_MEMBERS)), {})


@dataclass(frozen=True, kw_only=True)
class _Sizes(Shown):
    """The numbers of shards, of replicas of each, and of all clusters."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_SHARDS, _REPLICAS, _CLUSTERS})

    def read(self, thing: Thing) -> dict[str, Json]:
        shards = thing.answer.get("NodeGroups") or ()
        if not shards:
            return {}
        members = [len(shard.get("NodeGroupMembers") or ()) for shard in shards]
        return {_SHARDS: len(shards), _REPLICAS: members[0] - 1, _CLUSTERS: sum(members)}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {name: int(value) for name, value in work.given(_SHARDS, _REPLICAS, _CLUSTERS).items()}

    def repair(self, work: Work, service: str, words: str) -> None:
        about: JsonMap = {"ReplicationGroupId": work.id, **AT_ONCE}
        if work.differs(_SHARDS):
            wanted = int(work.want(_SHARDS))
            gone = self._shards(work)[wanted:]
            given = {"NodeGroupsToRemove": gone} if gone else {}
            work.change(service, "ModifyReplicationGroupShardConfiguration", **about, NodeGroupCount=wanted, **given)
        replicas, there = self._replicas(work), int(work.seen(_REPLICAS) or 0)
        if replicas is not None and replicas != there:
            verb = "Increase" if replicas > there else "Decrease"
            work.change(service, f"{verb}ReplicaCount", **about, NewReplicaCount=replicas)

    def _replicas(self, work: Work) -> int | None:
        """The declared number of replicas of a shard, in either of the two ways to say it."""
        if work.differs(_REPLICAS):
            return int(work.want(_REPLICAS))
        return int(work.want(_CLUSTERS)) - 1 if work.differs(_CLUSTERS) else None

    def _shards(self, work: Work) -> list[str]:
        answer = work.read(SERVICE, "DescribeReplicationGroups", ReplicationGroupId=work.id)
        return sorted(str(one["NodeGroupId"]) for one in answer["ReplicationGroups"][0]["NodeGroups"])

    def changes(self, service: str) -> Mapping[str, str]:
        return {
            _SHARDS: f"{service}:ModifyReplicationGroupShardConfiguration",
            _REPLICAS: f"{service}:IncreaseReplicaCount",
            _CLUSTERS: f"{service}:IncreaseReplicaCount",
        }


def _endpoints(word: str, path: str) -> dict[str, str]:
    return {f"{word}.Address": f"{path}.Address", f"{word}.Port": text_at(f"{path}.Port")}


def _readable(member: str) -> str:
    """The endpoints of all members, of a group that is no cluster."""
    return f"NodeGroups[0].NodeGroupMembers[].ReadEndpoint.{member}"


def _all_of(member: str) -> str:
    """The path of these as one text, as CloudFormation writes a list."""
    return f"{_readable(member)} && join('', ['[', join(', ', map(&to_string(@), {_readable(member)})), ']'])"


GROUP = block(
    "AWS::ElastiCache::ReplicationGroup",
    SERVICE,
    key="ReplicationGroupId",
    listed=Listed(
        operation="DescribeReplicationGroups", id="ReplicationGroupId", size=100, by_name="ReplicationGroupId"
    ),
    asked=Call("DescribeReplicationGroups"),
    named=Named("ReplicationGroupId", 40, fit=str.lower),
    create=_CREATE,
    made="ReplicationGroup.ReplicationGroupId",
    shown={
        "AutomaticFailoverEnabled": "AutomaticFailover && contains(['enabled', 'enabling'], AutomaticFailover)",
        "DataTieringEnabled": "DataTiering && DataTiering == 'enabled'",
        "GlobalReplicationGroupId": "GlobalReplicationGroupInfo.GlobalReplicationGroupId",
        "MultiAZEnabled": "MultiAZ && MultiAZ == 'enabled'",
        "Port": "ConfigurationEndpoint.Port || NodeGroups[0].PrimaryEndpoint.Port",
        "ReplicationGroupDescription": "Description",
    },
    attributes={
        **_endpoints("ConfigurationEndPoint", "ConfigurationEndpoint"),
        **_endpoints("PrimaryEndPoint", "NodeGroups[0].PrimaryEndpoint"),
        **_endpoints("ReaderEndPoint", "NodeGroups[0].ReaderEndpoint"),
        "ReadEndPoint.Addresses": _all_of("Address"),
        "ReadEndPoint.AddressesList": _readable("Address"),
        "ReadEndPoint.Ports": _all_of("Port"),
        "ReadEndPoint.PortsList": f"map(&to_string(@), {_readable('Port')} || `[]`)",
    },
    modify={
        _MODIFY: "* CacheParameterGroupName EngineVersion NotificationTopicArn PreferredMaintenanceWindow "
        "SecurityGroupIds",
        _TOKEN: "AuthToken",
    },
    parts=(
        _OnMembers(),
        _Sizes(),
        ids("UserGroupIds", _MODIFY),
        Logs(write_by=_MODIFY, create=_CREATE),
    ),
    delete="DeleteReplicationGroup",
    parting=last_snapshot,
    recovers=True,
    state=State(at="Status", pending="creating modifying snapshotting", going="deleting", broken="create-failed"),
    tags=TAGS,
    shows=f"{' '.join(_ON_MEMBERS)} KmsKeyId {_SHARDS}",
    # The slots and zones of shards are settled at the creation, although the schema does not say so.
    create_only="NodeGroupConfiguration",
    interrupting="CacheNodeType EngineVersion",
    refused={
        "CacheSecurityGroupNames": "It is of the networks before VPCs, which AWS has no more. Write "
        "VpcSecurityGroupIds on a cluster, or SecurityGroupIds on a replication group.",
    },
    compare_as={
        "CacheParameterGroupName": Comparison.FOLDED,
        "CacheSubnetGroupName": Comparison.FOLDED,
        "Engine": Comparison.FOLDED,
        "EngineVersion": Comparison.RELEASE,
        "KmsKeyId": KMS_KEY,
        "LogDeliveryConfigurations": Comparison.SET,
        "PreferredMaintenanceWindow": Comparison.FOLDED,
        "ReplicationGroupId": Comparison.FOLDED,
        "SecurityGroupIds": Comparison.SET,
        "UserGroupIds": Comparison.SET,
    },
    defaults={"LogDeliveryConfigurations": [], "UserGroupIds": []},
    named_by="",
    bears_data=True,
    has_snapshots=True,
)
TYPES = (GROUP,)
