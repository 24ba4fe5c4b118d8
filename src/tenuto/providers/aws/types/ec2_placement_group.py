"""AWS::EC2::PlacementGroup. Its Ref is its name, which no property declares; EC2 tags it by its id."""

from dataclasses import replace

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.types.named import Named

_GROUPS = "DescribePlacementGroups"
_GROUP = block(
    "AWS::EC2::PlacementGroup",
    "ec2",
    key="GroupName",
    listed=Listed(operation=_GROUPS, id="GroupName", members="PlacementGroups", by_id="group-name"),
    asked=Call(_GROUPS, key="GroupNames[]"),
    named=Named("GroupName", 255),
    create="CreatePlacementGroup",
    made="PlacementGroup.GroupName",
    delete="DeletePlacementGroup",
    state=State(at="State", pending="pending", going="deleting", gone="deleted"),
    tags="placement-group",
    in_place="Tags",
    named_by="",
    exclusive=[("GroupName",)],
)
TYPES = (replace(_GROUP, tag_id="GroupId"),)
