"""AWS::Logs::QueryDefinition and AWS::Logs::ResourcePolicy, which belong to the account. Their Refs are id and name."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.named import Named

QUERY_DEFINITION = block(
    "AWS::Logs::QueryDefinition",
    "logs",
    key="queryDefinitionId",
    listed=Listed(
        operation="DescribeQueryDefinitions",
        id="queryDefinitionId",
        members="queryDefinitions",
        next_page="nextToken nextToken",
        may_lack=True,
    ),
    create="PutQueryDefinition",
    made="queryDefinitionId",
    token="clientToken",
    attributes={"QueryDefinitionId": "$id"},
    modify={"PutQueryDefinition": "*"},
    delete="DeleteQueryDefinition",
)
RESOURCE_POLICY = block(
    "AWS::Logs::ResourcePolicy",
    "logs",
    key="policyName",
    listed=Listed(operation="DescribeResourcePolicies", id="policyName", size=50),
    named=Named("PolicyName", 255),
    # The call replaces a policy of the same name.
    asks_first=True,
    create="PutResourcePolicy",
    modify={"PutResourcePolicy": "*"},
    delete="DeleteResourcePolicy",
    compare_as={"PolicyDocument": POLICY},
)
TYPES = (QUERY_DEFINITION, RESOURCE_POLICY)
