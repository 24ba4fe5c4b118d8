"""AWS::ElastiCache::CacheCluster. Its Ref is its name, in small letters.

Nodes that go are the last ones. ElastiCache moves none of them, so other zones for nodes that are there are refused.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import Work, texts
from tenuto.providers.aws.types.elasticache_parts import (
    AT_ONCE,
    SERVICE,
    TAGS,
    Logs,
    last_snapshot,
    text_at,
)
from tenuto.providers.aws.types.named import Named

_COUNT, _MODE, _ZONES = "NumCacheNodes", "AZMode", "PreferredAvailabilityZones"
_ZONE = "CustomerAvailabilityZone"
_MODIFY = Call("ModifyCacheCluster", fixed=AT_ONCE)
_LIST = Call("DescribeCacheClusters", fixed={"ShowCacheNodeInfo": True})


def _zones(cluster: JsonMap) -> list[str]:
    """The zones of the nodes that have one: a node has none before it is made."""
    return [str(node[_ZONE]) for node in cluster.get("CacheNodes") or () if _ZONE in node]


@dataclass(frozen=True, kw_only=True)
class _Nodes(Shown):
    """The nodes: how many, and in which zones."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_COUNT, _MODE, _ZONES})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer
        count = (shown.get("PendingModifiedValues") or {}).get(_COUNT) or shown.get(_COUNT)
        zones = _zones(shown)
        mode = {_MODE: "cross-az" if len({*zones}) > 1 else "single-az"} if zones else {}
        return {**mode, **({_COUNT: count} if count is not None else {}), **({_ZONES: zones} if zones else {})}

    def at_birth(self, work: Work) -> dict[str, Json]:
        given = work.given(_COUNT, _MODE, _ZONES)
        return {**given, _COUNT: int(given[_COUNT])} if _COUNT in given else given

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        there, wanted = self._present(work), texts(work.want(_ZONES))
        is_moved = bool(there) and work.differs(_ZONES) and sorted(wanted[: len(there)]) != sorted(there[: len(wanted)])
        if is_moved or (work.differs(_MODE) and not work.differs(_COUNT)):
            raise PermanentError(
                f"The nodes of {work.id} are in {', '.join(there)}, and ElastiCache moves none. Take the change of "
                f"{_MODE} and {_ZONES} back, or declare another cluster.",
                code="InvalidRequest",
            )
        return None

    def _present(self, work: Work) -> Sequence[str]:
        return texts(work.seen(_ZONES))

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_COUNT):
            return
        wanted, there = int(work.want(_COUNT)), int(work.seen(_COUNT) or 0)
        given: dict[str, Json] = {_COUNT: wanted}
        if wanted < there:
            given["CacheNodeIdsToRemove"] = self._nodes(work)[wanted:]
        elif zones := texts(work.want(_ZONES)):
            given["NewAvailabilityZones"] = zones[there:wanted]
        if wanted > there and (mode := work.want(_MODE)):
            given[_MODE] = mode
        work.change(service, _MODIFY.operation, **_MODIFY.about(words, work.id), **given)

    def _nodes(self, work: Work) -> list[str]:
        answer = work.read(SERVICE, _LIST.operation, **_LIST.about("CacheClusterId", work.id))
        return sorted(str(node["CacheNodeId"]) for node in only(answer, "CacheClusters").get("CacheNodes") or ())

    def changes(self, service: str) -> Mapping[str, str]:
        return {_COUNT: f"{service}:{_MODIFY.operation}"}


def _redis(path: str) -> str:
    """The path of a value that only clusters of other engines than memcached have."""
    return f"(Engine != 'memcached' && {path}) || `null`"


CLUSTER = block(
    "AWS::ElastiCache::CacheCluster",
    SERVICE,
    key="CacheClusterId",
    listed=Listed(
        operation=_LIST.operation, id="CacheClusterId", size=100, by_name="CacheClusterId", fixed=_LIST.fixed
    ),
    asked=Call(_LIST.operation),
    named=Named("ClusterName", 50, fit=str.lower),
    create="CreateCacheCluster",
    made="CacheCluster.CacheClusterId",
    renamed={"ClusterName": "CacheClusterId", "VpcSecurityGroupIds": "SecurityGroupIds"},
    shown={
        "CacheNodeType": "PendingModifiedValues.CacheNodeType || CacheNodeType",
        "CacheParameterGroupName": "CacheParameterGroup.CacheParameterGroupName",
        "EngineVersion": "PendingModifiedValues.EngineVersion || EngineVersion",
        "NotificationTopicArn": "NotificationConfiguration.TopicArn",
        "Port": "ConfigurationEndpoint.Port || CacheNodes[0].Endpoint.Port",
        "VpcSecurityGroupIds": "SecurityGroups[].SecurityGroupId",
    },
    attributes={
        "ConfigurationEndpoint.Address": "ConfigurationEndpoint.Address",
        "ConfigurationEndpoint.Port": text_at("ConfigurationEndpoint.Port"),
        "RedisEndpoint.Address": _redis("CacheNodes[0].Endpoint.Address"),
        "RedisEndpoint.Port": _redis(text_at("CacheNodes[0].Endpoint.Port")),
    },
    modify={_MODIFY: "*"},
    interrupting="CacheNodeType EngineVersion",
    parts=(_Nodes(), Logs(write_by=_MODIFY, create="CreateCacheCluster")),
    delete="DeleteCacheCluster",
    parting=last_snapshot,
    recovers=True,
    state=State(
        at="CacheClusterStatus",
        pending="creating modifying snapshotting",
        going="deleting",
        gone="deleted",
        broken="incompatible-network restore-failed",
    ),
    tags=TAGS,
    # The call that changes a cluster does not take these, although the schema does not say so.
    create_only="PreferredAvailabilityZone TransitEncryptionEnabled",
    refused={
        "CacheSecurityGroupNames": "It is of the networks before VPCs, which AWS has no more. Write "
        "VpcSecurityGroupIds on a cluster, or SecurityGroupIds on a replication group.",
    },
    compare_as={
        "CacheParameterGroupName": Comparison.FOLDED,
        "CacheSubnetGroupName": Comparison.FOLDED,
        "ClusterName": Comparison.FOLDED,
        "Engine": Comparison.FOLDED,
        "EngineVersion": Comparison.RELEASE,
        "PreferredMaintenanceWindow": Comparison.FOLDED,
        "VpcSecurityGroupIds": Comparison.SET,
    },
    defaults={"LogDeliveryConfigurations": []},
    named_by="",
    bears_data=True,
    has_snapshots=True,
)
TYPES = (CLUSTER,)
