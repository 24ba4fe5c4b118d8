"""ElastiCache as it is needed to try its types: each thing keeps the values that it is sent, and shows them.

moto changes no cluster and no group, and has no parameter groups and no groups of users. So the calls about all of them
are here, and none of moto's is left: the things of the one could not refer to those of the other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.elasticache.exceptions import ElastiCacheException
from moto.elasticache.responses import ElastiCacheResponse

Sent = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class _Kind:
    """A kind of thing: its word in calls, the word in its ARN, the key of its name, and how it is shown."""

    word: str
    arn: str
    shown: Callable[[Any, Sent], Sent]
    key: str = ""
    is_bare: bool = False
    """True when an answer is the thing itself."""

    @property
    def name(self) -> str:
        return self.key or f"{self.word}Id"


def _things(self: Any, kind: _Kind) -> dict[str, Sent]:
    everything: dict[str, dict[str, Sent]] = vars(self.elasticache_backend).setdefault("tenuto_things", {})
    return everything.setdefault(kind.word, {})


def _thing(self: Any, kind: _Kind, sent: Sent) -> Sent:
    found = _things(self, kind).get(sent[kind.name].lower())
    if found is None:
        raise ElastiCacheException(f"{kind.word}NotFoundFault", f"{kind.word} {sent[kind.name]} not found.")
    return found


def _arn(self: Any, kind: _Kind, name: str) -> str:
    return f"arn:aws:elasticache:{self.region}:{self.current_account}:{kind.arn}:{name}"


def _told(self: Any, kind: _Kind, thing: Sent) -> Sent:
    return {**thing, **kind.shown(self, thing), "ARN": _arn(self, kind, thing[kind.name])}


def _answer(self: Any, kind: _Kind, thing: Sent) -> ActionResult:
    told = _told(self, kind, thing)
    return ActionResult(told if kind.is_bare else {kind.word: told})


def _tags(self: Any, arn: str) -> dict[str, str]:
    tags: dict[str, dict[str, str]] = vars(self.elasticache_backend).setdefault("tenuto_tags", {})
    return tags.setdefault(arn, {})


def _create(kind: _Kind) -> Callable[[Any], ActionResult]:
    def act(self: Any) -> ActionResult:
        sent = dict(self._get_params())
        name = sent[kind.name] = sent[kind.name].lower()
        if name in _things(self, kind):
            raise ElastiCacheException(f"{kind.word}AlreadyExistsFault", f"{kind.word} {name} already exists.")
        tags = sent.pop("Tags", [])
        _things(self, kind)[name] = sent
        _tags(self, _arn(self, kind, name)).update({one["Key"]: one["Value"] for one in tags})
        return _answer(self, kind, _thing(self, kind, sent))

    return act


def _modify(kind: _Kind) -> Callable[[Any], ActionResult]:
    def act(self: Any) -> ActionResult:
        sent = self._get_params()
        thing = _thing(self, kind, sent)
        thing.update({name: value for name, value in sent.items() if name != kind.name})
        _members(thing, "UserIds", sent.get("UserIdsToAdd"), sent.get("UserIdsToRemove"))
        _members(thing, "UserGroupIds", sent.get("UserGroupIdsToAdd"), sent.get("UserGroupIdsToRemove"))
        return _answer(self, kind, thing)

    return act


def _members(thing: Sent, name: str, more: list[str] | None, fewer: list[str] | None) -> None:
    if more or fewer:
        kept = [one for one in thing.get(name, []) if one not in (fewer or ())]
        thing[name] = kept + [one for one in more or () if one not in kept]


def _delete(kind: _Kind) -> Callable[[Any], ActionResult]:
    def act(self: Any) -> ActionResult:
        sent = self._get_params()
        thing = _thing(self, kind, sent)
        answer = _answer(self, kind, thing)
        del _things(self, kind)[thing[kind.name]]
        _tags(self, _arn(self, kind, thing[kind.name])).clear()
        return answer

    return act


def _describe(kind: _Kind) -> Callable[[Any], ActionResult]:
    def act(self: Any) -> ActionResult:
        sent = self._get_params()
        found = [_thing(self, kind, sent)] if sent.get(kind.name) else list(_things(self, kind).values())
        return ActionResult({f"{kind.word}s": [_told(self, kind, one) for one in found]})

    return act


def _endpoint(name: str, port: Any) -> Sent:
    return {"Address": f"{name}.abc.cache.amazonaws.com", "Port": int(port or 6379)}


def _logs(thing: Sent) -> list[Sent]:
    return [one for one in thing.get("LogDeliveryConfigurations", []) if one.get("Enabled", True) is True]


_ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


def _cluster(_: Any, thing: Sent) -> Sent:
    is_memcached = thing.get("Engine") == "memcached"
    endpoint = _endpoint(thing["CacheClusterId"], thing.get("Port", 11211 if is_memcached else 6379))
    count = int(thing.get("NumCacheNodes", 1))
    zone = thing.get("PreferredAvailabilityZone", "us-east-1a")
    # Nodes across zones stand in several of them, whether these are told or not.
    spread = [zone, *(one for one in _ZONES if one != zone)] if thing.get("AZMode") == "cross-az" else [zone]
    zones = thing.get("PreferredAvailabilityZones") or [spread[at % len(spread)] for at in range(count)]
    nodes = [
        {"CacheNodeId": f"{at + 1:04}", "Endpoint": endpoint, "CustomerAvailabilityZone": zones[at % len(zones)]}
        for at in range(count)
    ]
    return {
        "CacheClusterStatus": "available",
        "CacheNodes": nodes,
        "CacheParameterGroup": {"CacheParameterGroupName": thing.get("CacheParameterGroupName", "default")},
        "LogDeliveryConfigurations": _logs(thing),
        "NotificationConfiguration": {"TopicArn": thing.get("NotificationTopicArn"), "TopicStatus": "active"},
        "PreferredAvailabilityZone": zone if len(set(zones)) == 1 else "Multiple",
        "SecurityGroups": [{"SecurityGroupId": one, "Status": "active"} for one in thing.get("SecurityGroupIds", [])],
        **({"ConfigurationEndpoint": endpoint} if is_memcached else {}),
    }


_ON_MEMBERS = (
    "CacheNodeType CacheParameterGroupName CacheSubnetGroupName Engine EngineVersion NotificationTopicArn "
    "PreferredMaintenanceWindow SecurityGroupIds"
)
"""The properties of a group that its clusters show."""


def _group(self: Any, thing: Sent) -> Sent:
    name, port = thing["ReplicationGroupId"], thing.get("Port")
    shards = int(thing.get("NumNodeGroups", 1))
    is_clustered = shards > 1 or thing.get("ClusterMode") == "enabled"
    each = int(thing.get("ReplicasPerNodeGroup", int(thing.get("NumCacheClusters", shards)) // shards - 1)) + 1
    members = [[f"{name}-{at + 1:04}-{one + 1:03}" for one in range(each)] for at in range(shards)]
    own = {} if is_clustered else {"PrimaryEndpoint": _endpoint(f"master.{name}", port)}
    if own:
        own["ReaderEndpoint"] = _endpoint(f"replica.{name}", port)
    nodes = [
        {
            "NodeGroupId": f"{at + 1:04}",
            "NodeGroupMembers": [
                {"CacheClusterId": one, **({} if is_clustered else {"ReadEndpoint": _endpoint(one, port)})}
                for one in some
            ],
            **own,
        }
        for at, some in enumerate(members)
    ]
    clusters = _things(self, CLUSTER)
    for one in (cluster for some in members for cluster in some):
        about = {word: thing[word] for word in _ON_MEMBERS.split() if word in thing}
        clusters[one] = {"CacheClusterId": one, "ReplicationGroupId": name, **about}
    return {
        "AutomaticFailover": "enabled" if thing.get("AutomaticFailoverEnabled") else "disabled",
        "ClusterEnabled": is_clustered,
        "Description": thing["ReplicationGroupDescription"],
        "LogDeliveryConfigurations": _logs(thing),
        "DataTiering": "enabled" if thing.get("DataTieringEnabled") else "disabled",
        "MemberClusters": [one for some in members for one in some],
        "MultiAZ": "enabled" if thing.get("MultiAZEnabled") else "disabled",
        "NodeGroups": nodes,
        "Status": "available",
        **({"ConfigurationEndpoint": _endpoint(f"clustercfg.{name}", port)} if is_clustered else {}),
    }


def _subnets(_: Any, thing: Sent) -> Sent:
    return {"Subnets": [{"SubnetIdentifier": one} for one in thing.get("SubnetIds", [])], "VpcId": "vpc-1"}


def _active(_: Any, thing: Sent) -> Sent:
    return {"Status": "active"}


CLUSTER = _Kind(word="CacheCluster", arn="cluster", shown=_cluster)
GROUP = _Kind(word="ReplicationGroup", arn="replicationgroup", shown=_group)
SUBNETS = _Kind(word="CacheSubnetGroup", arn="subnetgroup", shown=_subnets, key="CacheSubnetGroupName")
PARAMETERS = _Kind(
    word="CacheParameterGroup", arn="parametergroup", shown=lambda _, thing: {}, key="CacheParameterGroupName"
)
USER = _Kind(word="User", arn="user", shown=_active, is_bare=True)
USERS = _Kind(word="UserGroup", arn="usergroup", shown=_active, is_bare=True)


def _own_clusters_go(self: Any) -> ActionResult:
    """The deletion of a replication group takes its clusters along."""
    name = self._get_params()["ReplicationGroupId"]
    answer = _delete(GROUP)(self)
    clusters = _things(self, CLUSTER)
    for one in [cluster for cluster, about in clusters.items() if about.get("ReplicationGroupId") == name]:
        del clusters[one]
    return answer


def _parameters(self: Any) -> ActionResult:
    sent = self._get_params()
    values: dict[str, str] = _thing(self, PARAMETERS, sent).get("values", {})
    by_user = [{"ParameterName": name, "ParameterValue": values[name], "Source": "user"} for name in sorted(values)]
    others = [] if sent.get("Source") == "user" else [{"ParameterName": "timeout", "ParameterValue": "0"}]
    return ActionResult({"Parameters": by_user + [one for one in others if one["ParameterName"] not in values]})


def _set_parameters(self: Any) -> ActionResult:
    sent = self._get_params()
    values = _thing(self, PARAMETERS, sent).setdefault("values", {})
    values.update({one["ParameterName"]: one["ParameterValue"] for one in sent["ParameterNameValues"]})
    return ActionResult({"CacheParameterGroupName": sent["CacheParameterGroupName"]})


def _reset_parameters(self: Any) -> ActionResult:
    sent = self._get_params()
    values = _thing(self, PARAMETERS, sent).setdefault("values", {})
    for one in sent["ParameterNameValues"]:
        values.pop(one["ParameterName"], None)
    return ActionResult({"CacheParameterGroupName": sent["CacheParameterGroupName"]})


def _shards(self: Any) -> ActionResult:
    sent = self._get_params()
    thing = _thing(self, GROUP, sent)
    thing["NumNodeGroups"] = sent["NodeGroupCount"]
    return _answer(self, GROUP, thing)


def _replicas(self: Any) -> ActionResult:
    sent = self._get_params()
    thing = _thing(self, GROUP, sent)
    thing["ReplicasPerNodeGroup"] = sent["NewReplicaCount"]
    return _answer(self, GROUP, thing)


def _listed_tags(self: Any) -> ActionResult:
    tags = _tags(self, self._get_params()["ResourceName"])
    return ActionResult({"TagList": [{"Key": key, "Value": tags[key]} for key in sorted(tags)]})


def _tag(self: Any) -> EmptyResult:
    sent = self._get_params()
    _tags(self, sent["ResourceName"]).update({one["Key"]: one["Value"] for one in sent["Tags"]})
    return EmptyResult()


def _untag(self: Any) -> EmptyResult:
    sent = self._get_params()
    for key in sent["TagKeys"]:
        _tags(self, sent["ResourceName"]).pop(key, None)
    return EmptyResult()


def add() -> None:
    """Put the calls in the place of moto's."""
    calls: dict[str, Callable[[Any], Any]] = {
        "add_tags_to_resource": _tag,
        "decrease_replica_count": _replicas,
        "delete_replication_group": _own_clusters_go,
        "describe_cache_parameters": _parameters,
        "increase_replica_count": _replicas,
        "list_tags_for_resource": _listed_tags,
        "modify_cache_parameter_group": _set_parameters,
        "modify_replication_group_shard_configuration": _shards,
        "remove_tags_from_resource": _untag,
        "reset_cache_parameter_group": _reset_parameters,
    }
    for word, kind in (
        ("cache_cluster", CLUSTER),
        ("replication_group", GROUP),
        ("cache_subnet_group", SUBNETS),
        ("cache_parameter_group", PARAMETERS),
        ("user", USER),
        ("user_group", USERS),
    ):
        made = {
            f"create_{word}": _create(kind),
            f"delete_{word}": _delete(kind),
            f"describe_{word}s": _describe(kind),
            f"modify_{word}": _modify(kind),
        }
        calls = {**made, **calls}
    for name, call in calls.items():
        setattr(ElastiCacheResponse, name, call)
