"""Properties that something else in the same composition moves: they are left to it, as if the resource said `ignore`.

Theory of operation. CloudFormation sets the count of a service when the template changes, and never looks again. A
Conductor looks all the time: it would set a service that was scaled out under load back to the declared count, a group
back to the size of the night, a listener back to the machines that a deployment has just replaced. An autoscaler, a
schedule, a pipeline and a deployment say in the composition which resource they move. So the compiler writes
`Metadata: {Tenuto: {ignore: [DesiredCount]}}` for their author, and from there on it is an ordinary ignored property:
set when the resource is made and by an update that declares another value, told by `status`, never corrected. A
resource that has an `ignore` of its own stays as it says; an empty one holds every property.

The movers and their properties are a table here, by type, since no schema has them. A mover names its resource by a
reference, or by the name that the resource declares.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tenuto.core.language.expressions import is_list
from tenuto.core.language.resolve import referenced_resources
from tenuto.core.planning.comparing.adoption import SECTION, section_of
from tenuto.core.planning.comparing.ignores import IGNORE, MOVED_BY
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap, LogicalId

_ALIAS = "AWS::Lambda::Alias"
_GROUP = "AWS::AutoScaling::AutoScalingGroup"
_LISTENER = "AWS::ElasticLoadBalancingV2::Listener"
_SERVICE = "AWS::ECS::Service"
_TABLE = "AWS::DynamoDB::Table"
_SIZES = ("DesiredCapacity", "MaxSize", "MinSize")


@dataclass(frozen=True, slots=True)
class _Moved:
    """A property of the resources of a type, which `named_by` may name in place of a reference."""

    type: str
    path: str
    named_by: str = ""


_BY_DIMENSION: Mapping[str, _Moved] = {
    "appstream:fleet:DesiredCapacity": _Moved("AWS::AppStream::Fleet", "ComputeCapacity.DesiredInstances", "Name"),
    "cassandra:table:ReadCapacityUnits": _Moved(
        "AWS::Cassandra::Table", "BillingMode.ProvisionedThroughput.ReadCapacityUnits", "TableName"
    ),
    "cassandra:table:WriteCapacityUnits": _Moved(
        "AWS::Cassandra::Table", "BillingMode.ProvisionedThroughput.WriteCapacityUnits", "TableName"
    ),
    "dynamodb:index:ReadCapacityUnits": _Moved(_TABLE, "GlobalSecondaryIndexes", "TableName"),
    "dynamodb:index:WriteCapacityUnits": _Moved(_TABLE, "GlobalSecondaryIndexes", "TableName"),
    "dynamodb:table:ReadCapacityUnits": _Moved(_TABLE, "ProvisionedThroughput.ReadCapacityUnits", "TableName"),
    "dynamodb:table:WriteCapacityUnits": _Moved(_TABLE, "ProvisionedThroughput.WriteCapacityUnits", "TableName"),
    "ecs:service:DesiredCount": _Moved(_SERVICE, "DesiredCount", "ServiceName"),
    "elasticache:replication-group:NodeGroups": _Moved(
        "AWS::ElastiCache::ReplicationGroup", "NumNodeGroups", "ReplicationGroupId"
    ),
    "elasticache:replication-group:Replicas": _Moved(
        "AWS::ElastiCache::ReplicationGroup", "ReplicasPerNodeGroup", "ReplicationGroupId"
    ),
    "kafka:broker-storage:VolumeSize": _Moved(
        "AWS::MSK::Cluster", "BrokerNodeGroupInfo.StorageInfo.EBSStorageInfo.VolumeSize", "ClusterName"
    ),
    "lambda:function:ProvisionedConcurrency": _Moved(_ALIAS, "ProvisionedConcurrencyConfig", "Name"),
}
"""The property behind each dimension of Application Auto Scaling. A list is left as a whole."""
_BY_ACTION: Mapping[str, _Moved] = {
    "ECS": _Moved(_SERVICE, "TaskDefinition", "ServiceName"),
    "ElasticBeanstalk": _Moved("AWS::ElasticBeanstalk::Environment", "VersionLabel", "EnvironmentName"),
}
"""The property that an action of a pipeline sets, by the provider of the action."""
_Left = Iterator[tuple[LogicalId, str]]


class _Resources:
    """The declared resources, as movers name them."""

    def __init__(self, declarations: Iterable[Declaration]) -> None:
        self._by_type: dict[str, list[Declaration]] = defaultdict(list)
        for one in declarations:
            self._by_type[one.type].append(one)

    def named(self, value: Json, type_name: str, named_by: str = "") -> Iterator[Declaration]:
        """The resources of a type that a value refers to, or names as a part of a text."""
        referred, words = referenced_resources(value), set(_words(value))
        for one in self._by_type[type_name]:
            name = one.properties.get(named_by) if named_by else None
            if one.logical_id in referred or (isinstance(name, str) and name in words):
                yield one

    def aliases_of(self, value: Json) -> Iterator[Declaration]:
        """The aliases of the functions that a value refers to: a scaler names an alias by words of its own."""
        referred = referenced_resources(value)
        for one in self._by_type[_ALIAS]:
            if not set(referenced_resources(one.properties.get("FunctionName"))).isdisjoint(referred):
                yield one


def left_to_others(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """The declarations, where each resource ignores those of its declared properties that another resource moves."""
    resources = _Resources(declarations)
    left: dict[LogicalId, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in declarations:
        mover = _MOVERS.get(one.type)
        for name, path in mover(one, resources) if mover is not None else ():
            left[name][path].add(one.logical_id)
    return tuple(_ignoring(one, left[one.logical_id]) if one.logical_id in left else one for one in declarations)


def _ignoring(declaration: Declaration, movers: Mapping[str, set[str]]) -> Declaration:
    """The declaration with its declared paths that are moved, and with their movers."""
    said = section_of(declaration)
    declared = sorted(path for path in movers if _at(declaration.properties, path) is not None)
    if IGNORE in said or not declared:
        return declaration
    moved_by = sorted({mover for path in declared for mover in movers[path]})
    ours = {**said, IGNORE: declared, MOVED_BY: moved_by}
    return replace(declaration, metadata={**declaration.metadata, SECTION: ours})


def _at(value: Json, path: str) -> Json:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _members(value: Json, path: str) -> Sequence[Json]:
    found = _at(value, path)
    return found if is_list(found) else ()


def _words(value: Json) -> Iterator[str]:
    """The parts between slashes and colons of every text in a value."""
    if isinstance(value, str):
        yield from (word for part in value.split("/") for word in part.split(":"))
    elif isinstance(value, Mapping) or is_list(value):
        yield from (word for one in (value.values() if isinstance(value, Mapping) else value) for word in _words(one))


def _scalable_target(one: Declaration, resources: _Resources) -> _Left:
    """A scaled resource, and the bounds of the target itself where its own schedule sets them."""
    for action in _members(one.properties, "ScheduledActions"):
        bounds = _at(action, "ScalableTargetAction")
        yield from ((one.logical_id, name) for name in (bounds if isinstance(bounds, Mapping) else ()))
    dimension, place = one.properties.get("ScalableDimension"), one.properties.get("ResourceId")
    moved = _BY_DIMENSION.get(dimension) if isinstance(dimension, str) else None
    if moved is None:
        return
    found = {found.logical_id for found in resources.named(place, moved.type, moved.named_by)}
    if moved.type == _ALIAS:
        found |= {found.logical_id for found in resources.aliases_of(place)}
    yield from ((name, moved.path) for name in sorted(found))


def _group_policy(one: Declaration, resources: _Resources) -> _Left:
    """The size of a group that a policy scales."""
    for group in resources.named(one.properties.get("AutoScalingGroupName"), _GROUP, "AutoScalingGroupName"):
        yield group.logical_id, "DesiredCapacity"


def _group_schedule(one: Declaration, resources: _Resources) -> _Left:
    """The sizes of a group that a schedule sets."""
    for group in resources.named(one.properties.get("AutoScalingGroupName"), _GROUP, "AutoScalingGroupName"):
        yield from ((group.logical_id, name) for name in _SIZES if name in one.properties)


def _capacity_provider(one: Declaration, resources: _Resources) -> _Left:
    """The size of a group that a cluster scales with the tasks that wait for a machine."""
    group = _at(one.properties, "AutoScalingGroupProvider")
    if _at(group, "ManagedScaling.Status") == "ENABLED":
        for found in resources.named(_at(group, "AutoScalingGroupArn"), _GROUP, "AutoScalingGroupName"):
            yield found.logical_id, "DesiredCapacity"


def _deployment_group(one: Declaration, resources: _Resources) -> _Left:
    """The listeners and services that deployments switch from one set of tasks to another."""
    for pair in _members(one.properties, "LoadBalancerInfo.TargetGroupPairInfoList"):
        for route in ("ProdTrafficRoute", "TestTrafficRoute"):
            for listener in resources.named(_at(pair, f"{route}.ListenerArns"), _LISTENER):
                yield listener.logical_id, "DefaultActions"
    for service in _members(one.properties, "ECSServices"):
        for found in resources.named(_at(service, "ServiceName"), _SERVICE, "ServiceName"):
            yield from ((found.logical_id, path) for path in ("LoadBalancers", "TaskDefinition"))


def _pipeline(one: Declaration, resources: _Resources) -> _Left:
    """The services and environments that a pipeline brings new versions to."""
    for stage in _members(one.properties, "Stages"):
        for action in _members(stage, "Actions"):
            provider = _at(action, "ActionTypeId.Provider")
            moved = _BY_ACTION.get(provider) if isinstance(provider, str) else None
            if moved is not None:
                named = _at(action, f"Configuration.{moved.named_by}")
                for found in resources.named(named, moved.type, moved.named_by):
                    yield found.logical_id, moved.path


def _own(path: str, moves: Callable[[JsonMap], bool]) -> Callable[[Declaration, _Resources], _Left]:
    """The property of a resource that its own service moves, where it is told to."""

    def mover(one: Declaration, _: _Resources) -> _Left:
        if moves(one.properties):
            yield one.logical_id, path

    return mover


def _is_ranged(properties: JsonMap) -> bool:
    return bool(_at(properties, "ScalingConfig.MinSize") != _at(properties, "ScalingConfig.MaxSize"))


_MOVERS: Mapping[str, Callable[[Declaration, _Resources], _Left]] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": _scalable_target,
    "AWS::AutoScaling::ScalingPolicy": _group_policy,
    "AWS::AutoScaling::ScheduledAction": _group_schedule,
    "AWS::Batch::ComputeEnvironment": _own("ComputeResources.DesiredvCpus", lambda _: True),
    "AWS::CodeDeploy::DeploymentGroup": _deployment_group,
    "AWS::CodePipeline::Pipeline": _pipeline,
    "AWS::ECS::CapacityProvider": _capacity_provider,
    "AWS::EKS::Nodegroup": _own("ScalingConfig.DesiredSize", _is_ranged),
    "AWS::RDS::DBInstance": _own("AllocatedStorage", lambda properties: "MaxAllocatedStorage" in properties),
}
