"""AWS::DAX::Cluster. Its Ref is its name, in small letters.

Cloud Control serves the groups that a cluster names, and not the cluster. Nodes that go are the last ones. DAX moves no
node, so other zones for nodes that are there are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import Work, texts
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

SERVICE = "dax"
_COUNT, _ZONES = "ReplicationFactor", "AvailabilityZones"
_LIST = Call("DescribeClusters", key="ClusterNames[]")


@dataclass(frozen=True, kw_only=True)
class _Nodes(Shown):
    """The nodes: how many, and in which zones."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_COUNT, _ZONES})

    def read(self, thing: Thing) -> dict[str, Json]:
        nodes = thing.answer.get("Nodes") or ()
        zones = [str(node["AvailabilityZone"]) for node in nodes if node.get("AvailabilityZone")]
        return {_COUNT: thing.answer["TotalNodes"], **({_ZONES: zones} if zones else {})}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {**work.given(_ZONES), _COUNT: int(work.want(_COUNT))}

    def repair(self, work: Work, service: str, words: str) -> None:
        wanted, there = int(work.want(_COUNT)), int(work.seen(_COUNT) or 0)
        zones, present = sorted(texts(work.want(_ZONES))), sorted(texts(work.seen(_ZONES)))
        if wanted == there:
            if work.differs(_ZONES):
                raise self._refused(work, present)
            return
        given: dict[str, Json] = {"NewReplicationFactor": wanted}
        if wanted > there and zones:
            for zone in present:
                if zone not in zones:
                    raise self._refused(work, present)
                zones.remove(zone)
            given |= {_ZONES: zones} if zones else {}
        elif wanted < there:
            given["NodeIdsToRemove"] = self._leaving(work, zones, there - wanted)
        verb = "Increase" if wanted > there else "Decrease"
        work.change(service, f"{verb}ReplicationFactor", ClusterName=work.id, **given)

    def _refused(self, work: Work, present: list[str]) -> PermanentError:
        return PermanentError(
            f"The nodes of {work.id} are in {', '.join(present)}, and DAX moves none. Take the change of {_ZONES} "
            "back, or declare another cluster.",
            code="InvalidProperty",
        )

    def _leaving(self, work: Work, zones: list[str], count: int) -> list[str]:
        """The nodes that go: those in zones that are not declared any more, and then the last ones."""
        cluster = only(work.read(SERVICE, _LIST.operation, ClusterNames=[work.id]), "Clusters")
        nodes, kept, extra = sorted(cluster["Nodes"], key=lambda node: str(node["NodeId"])), [*zones], []
        for node in nodes:
            if node.get("AvailabilityZone") in kept:
                kept.remove(node["AvailabilityZone"])
            elif zones:
                extra.append(str(node["NodeId"]))
        last = [str(node["NodeId"]) for node in reversed(nodes) if str(node["NodeId"]) not in extra]
        return sorted([*extra, *last][:count])

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((_COUNT, _ZONES), f"{service}:IncreaseReplicationFactor")


CLUSTER = block(
    "AWS::DAX::Cluster",
    SERVICE,
    key="ClusterName",
    listed=Listed(operation=_LIST.operation, id="ClusterName", size=100),
    asked=_LIST,
    named=Named("ClusterName", 20, fit=str.lower),
    create="CreateCluster",
    made="Cluster.ClusterName",
    shown={
        "NotificationTopicARN": "NotificationConfiguration.TopicArn",
        "ParameterGroupName": "ParameterGroup.ParameterGroupName",
        "SSESpecification": "SSEDescription && {SSEEnabled: contains(['ENABLED', 'ENABLING'], SSEDescription.Status)}",
        "SecurityGroupIds": "SecurityGroups[].SecurityGroupIdentifier",
        "SubnetGroupName": "SubnetGroup",
    },
    sent_as={"SSESpecification": lambda declared: {"Enabled": declared["SSEEnabled"]}},
    attributes={
        "Arn": "ClusterArn",
        "ClusterDiscoveryEndpoint": "ClusterDiscoveryEndpoint.Address && "
        "join(':', [ClusterDiscoveryEndpoint.Address, to_string(ClusterDiscoveryEndpoint.Port)])",
        "ClusterDiscoveryEndpointURL": "ClusterDiscoveryEndpoint.URL",
        "Id": "$id",
    },
    modify={"UpdateCluster": "*"},
    parts=(_Nodes(),),
    delete="DeleteCluster",
    recovers=True,
    state=State(at="Status", pending="creating modifying", going="deleting", gone="deleted"),
    tags=TagCalls(
        service=SERVICE,
        list_call="ListTags",
        id_name="ResourceName",
        named=lambda _, shown: shown["ClusterArn"],
    ),
    compare_as={
        _ZONES: Comparison.SET,
        "ClusterName": Comparison.FOLDED,
        "ParameterGroupName": Comparison.FOLDED,
        "PreferredMaintenanceWindow": Comparison.FOLDED,
        "SecurityGroupIds": Comparison.SET,
        "SubnetGroupName": Comparison.FOLDED,
    },
    named_by="",
)
TYPES = (CLUSTER,)
