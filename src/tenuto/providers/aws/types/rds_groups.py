"""AWS::RDS::DBSubnetGroup and AWS::RDS::DBParameterGroup. Their Refs are their names, in small letters."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls


def rds_tags(arn: str, service: str = "rds") -> TagCalls:
    """The tags of RDS, which knows things by their ARNs; `arn` is where an answer shows it. DocumentDB has the same
    calls."""
    return TagCalls(
        service=service,
        put_call="AddTagsToResource",
        remove_call="RemoveTagsFromResource",
        id_name="ResourceName",
        listed_as="TagList",
        named=lambda _, shown: shown[arn],
    )


SUBNET_GROUP = block(
    "AWS::RDS::DBSubnetGroup",
    "rds",
    key="DBSubnetGroupName",
    listed=Listed(operation="DescribeDBSubnetGroups", id="DBSubnetGroupName", size=100, by_name="DBSubnetGroupName"),
    asked=Call("DescribeDBSubnetGroups"),
    named=Named("DBSubnetGroupName", 255, fit=str.lower),
    create="CreateDBSubnetGroup",
    made="DBSubnetGroup.DBSubnetGroupName",
    shown={"SubnetIds": "Subnets[].SubnetIdentifier"},
    modify={"ModifyDBSubnetGroup": "*"},
    delete="DeleteDBSubnetGroup",
    tags=rds_tags("DBSubnetGroupArn"),
    compare_as={"DBSubnetGroupName": Comparison.FOLDED, "SubnetIds": Comparison.SET},
)
TYPES = (SUBNET_GROUP,)
