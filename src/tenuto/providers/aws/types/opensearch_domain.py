"""AWS::OpenSearchService::Domain. Its Ref is its name. It works for a while on each change, and on its deletion.

CloudFormation replaces a domain whose version changes unless a policy says otherwise. Tenuto always upgrades in place:
that keeps the data, and the service refuses what it cannot upgrade.
"""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

DOMAIN = block(
    "AWS::OpenSearchService::Domain",
    "opensearch",
    key="DomainName",
    listed=Listed(
        operation="ListDomainNames", id="DomainName", members="DomainNames", fixed={"EngineType": "OpenSearch"}
    ),
    described=Described(call=Call("DescribeDomain"), at="DomainStatus", anew=True),
    named=Named("DomainName", 28, fit=str.lower),
    create="CreateDomain",
    modify={
        "UpdateDomainConfig": "*",
        Call("UpgradeDomain", renamed={"EngineVersion": "TargetVersion"}): "EngineVersion",
    },
    delete="DeleteDomain",
    state=State(
        at="Deleted && 'Deleted' || ((Processing || UpgradeProcessing) && 'Processing' || 'Active')",
        pending="Processing",
        going="Deleted",
    ),
    attributes={
        "Arn": "ARN",
        "DomainArn": "ARN",
        "DomainEndpoint": "Endpoint || Endpoints.vpc",
        "DomainEndpointV2": "EndpointV2",
        "DomainEndpoints": "Endpoints",
        "Id": "DomainId",
        "Ref": "DomainName",
    },
    tags=TagCalls(
        service="opensearch",
        list_call="ListTags",
        put_call="AddTags",
        remove_call="RemoveTags",
        id_name="ARN",
        listed_as="TagList",
        given_as="TagList",
        named=lambda _, shown: shown["ARN"],
    ),
    compare_as={
        "AccessPolicies": POLICY,
        # The one who made a domain knows its first user and its keys, and nothing shows them.
        "AdvancedSecurityOptions.JWTOptions.PublicKey": Comparison.SHOWN,
        "AdvancedSecurityOptions.MasterUserOptions": Comparison.SHOWN,
        "AdvancedSecurityOptions.SAMLOptions.MasterBackendRole": Comparison.SHOWN,
        "AdvancedSecurityOptions.SAMLOptions.MasterUserName": Comparison.SHOWN,
        "EncryptionAtRestOptions.KmsKeyId": KMS_KEY,
        "VPCOptions.SecurityGroupIds": Comparison.SET,
        "VPCOptions.SubnetIds": Comparison.SET,
    },
    # No call of the SDK takes them.
    unsupported="EngineMode SkipShardMigrationWait UseCase",
    named_attributes="Arn DomainArn",
    bears_data=True,
)
TYPES = (DOMAIN,)
