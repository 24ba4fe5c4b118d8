"""AWS::ECS::Cluster. Its Ref is its name. A cluster that is deleted is shown as inactive for a while."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import tags_in_small_words

CLUSTER = block(
    "AWS::ECS::Cluster",
    "ecs",
    key="cluster",
    listed=Listed(operation="ListClusters", id=lambda arn: str(arn).rpartition("/")[2], size=100),
    described=Described(
        call=Call("DescribeClusters", key="clusters[]", fixed={"include": ["SETTINGS", "CONFIGURATIONS"]}),
        at="clusters[0]",
        gone_at="failures[?reason=='MISSING']",
        anew=True,
    ),
    named=Named("ClusterName", 255),
    # ECS answers the creation of a cluster that is there already like any other.
    asks_first=True,
    create="CreateCluster",
    made="cluster.clusterName",
    renamed={"ClusterSettings": "settings"},
    attributes={"Arn": "clusterArn"},
    modify={
        "UpdateCluster": "ClusterSettings Configuration ServiceConnectDefaults",
        Call(
            "PutClusterCapacityProviders", fixed={"capacityProviders": [], "defaultCapacityProviderStrategy": []}
        ): "CapacityProviders DefaultCapacityProviderStrategy",
    },
    delete="DeleteCluster",
    state=State(at="status", pending="PROVISIONING", going="DEPROVISIONING", gone="INACTIVE", broken="FAILED"),
    tags=tags_in_small_words("ecs", "clusterArn"),
    compare_as={"CapacityProviders": Comparison.SET, "ClusterSettings": Comparison.MEMBERS},
    defaults={"CapacityProviders": [], "DefaultCapacityProviderStrategy": []},
    named_by="ClusterName",
    named_attributes="Arn",
)
TYPES = (CLUSTER,)
