"""AWS::ECS: providers of capacity, and those that a cluster has. Their Refs are their names, and that of the cluster.

A provider has the name or the ARN of its Auto Scaling group, and ECS shows the ARN. A provider of managed instances
belongs to a cluster, which its calls name. One that is deleted is shown as inactive for a while.

The providers of a cluster are a part of it and no thing: their deletion takes all of them out, and the cluster stays.
ECS takes no other change of a cluster while it attaches them.
"""

from dataclasses import replace

from tenuto.model.ids import JsonMap
from tenuto.model.naming import Naming
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, State
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

_GROUP = "AutoScalingGroupProvider"
_TEMPLATE = "ManagedInstancesProvider.InstanceLaunchTemplate"
_SCALING_GROUP = Naming(
    thing="Auto Scaling group",
    qualified=r"(?P<where>arn:[\w-]+:autoscaling:[\w-]*:\d*:autoScalingGroup:[\w-]*):autoScalingGroupName/(?P<name>.+)",
)
_CLUSTER = Naming(thing="cluster of ECS", qualified=r"(?P<where>arn:[\w-]+:ecs:[\w-]*:\d*:cluster)/(?P<name>.+)")
_WORKING = "ends_with(updateStatus || '', 'IN_PROGRESS') && updateStatus || status"
"""The path of the state: of a change or a deletion that goes on, else of the provider."""
_MISSING = "failures[?reason=='MISSING']"
_NONE: JsonMap = {"capacityProviders": [], "defaultCapacityProviderStrategy": []}
_ASK_AGAIN_S = 5.0


def _cluster(work: Work) -> JsonMap:
    """The cluster of a provider of managed instances, for its deletion."""
    cluster = work.request.properties.get("ClusterName") or work.seen("ClusterName")
    return {"cluster": cluster} if cluster else {}


PROVIDER = block(
    "AWS::ECS::CapacityProvider",
    "ecs",
    key="capacityProvider",
    described=Described(
        call=Call("DescribeCapacityProviders", key="capacityProviders[]"),
        at="capacityProviders[0]",
        gone_at=_MISSING,
        anew=True,
    ),
    named=Named("Name", 255),
    # The answer to a creation does not tell whether there was one of the name.
    asks_first=True,
    create=Call("CreateCapacityProvider", key="name"),
    renamed={"ClusterName": "cluster"},
    modify={Call("UpdateCapacityProvider", key="name"): f"{_GROUP} ManagedInstancesProvider + ClusterName"},
    delete="DeleteCapacityProvider",
    parting=_cluster,
    state=State(
        at=_WORKING,
        pending="PROVISIONING CREATE_IN_PROGRESS UPDATE_IN_PROGRESS",
        going="DEPROVISIONING DELETE_IN_PROGRESS",
        gone="INACTIVE",
        broken="CREATE_FAILED",
        reason="updateStatusReason",
    ),
    tags=tags_in_small_words("ecs", "capacityProviderArn"),
    # The call that changes a provider takes none of these.
    create_only=f"{_GROUP}.AutoScalingGroupArn {_TEMPLATE}.CapacityOptionType {_TEMPLATE}.FipsEnabled",
    compare_as={f"{_GROUP}.AutoScalingGroupArn": _SCALING_GROUP},
)


def _attached(work: Work) -> JsonMap | None:
    """The cluster as it is now; None while it attaches providers. Raises ProviderError when it is gone."""
    call = Call("DescribeClusters", key="clusters[]", fixed={"include": ["ATTACHMENTS"]})
    clusters = work.read("ecs", call.operation, **call.about("cluster", str(work.id)))["clusters"]
    shown: JsonMap = clusters[0] if clusters else {}
    return None if shown.get("attachmentsStatus") == "UPDATE_IN_PROGRESS" else shown


def _detach(work: Work) -> Outcome:
    """Take all providers out of the cluster, and wait until ECS has done so: they could not be deleted before."""
    shown = _attached(work)
    if shown is not None and not any(shown.get(name) for name in _NONE):
        return Done(physical_id=work.id)
    if shown is not None:
        work.change("ecs", "PutClusterCapacityProviders", cluster=work.id, **_NONE)
    return Pending(message=f"{work.id} gives up its providers of capacity", delay_s=_ASK_AGAIN_S)


ASSOCIATIONS: AwsType = replace(
    block(
        "AWS::ECS::ClusterCapacityProviderAssociations",
        "ecs",
        key="cluster",
        described=Described(
            call=Call("DescribeClusters", key="clusters[]", fixed={"include": ["ATTACHMENTS"]}),
            at="clusters[?status!='INACTIVE'] | [0]",
            gone_at=f"{_MISSING} || clusters[?status=='INACTIVE']",
            anew=True,
        ),
        create=Call("PutClusterCapacityProviders", fixed=_NONE),
        shown={"Cluster": "clusterArn"},
        modify={Call("PutClusterCapacityProviders", fixed=_NONE): "*"},
        delete="PutClusterCapacityProviders",
        state=State(at="attachmentsStatus", pending="UPDATE_IN_PROGRESS"),
        exclusive=[("Cluster",)],
        compare_as={
            "CapacityProviders": Comparison.SET,
            "Cluster": _CLUSTER,
            "DefaultCapacityProviderStrategy": Comparison.SET,
        },
        defaults={"CapacityProviders": []},
    ),
    delete=_detach,
)
TYPES = (PROVIDER, ASSOCIATIONS)
