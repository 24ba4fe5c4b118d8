"""AWS::Elasticsearch::Domain and AWS::OpenSearchService::Domain, which one service knows under two names.

The Ref of a domain is its name. A domain works for a while on each change, and its deletion takes minutes.

CloudFormation replaces a domain whose version changes unless a policy says otherwise. Tenuto always upgrades in place:
that keeps the data, and the service refuses an upgrade that it cannot do.
"""

from collections.abc import Mapping

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.facts import untried
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls


def _domain(
    name: str,
    service: str,
    *,
    engine: str,
    word: str,
    version: str,
    attributes: Mapping[str, str],
    hidden: str,
    refused: Mapping[str, str] | None = None,
) -> AwsType:
    """Domains of one engine. `word` is the noun in the names of their calls, `version` the property of their version,
    and `hidden` are the parts of `AdvancedSecurityOptions` that the one who made a domain knows, and that nothing
    shows."""
    return block(
        name,
        service,
        key="DomainName",
        listed=Listed(
            operation="ListDomainNames", id="DomainName", members="DomainNames", fixed={"EngineType": engine}
        ),
        described=Described(call=Call(f"Describe{word}"), at="DomainStatus", anew=True),
        named=Named("DomainName", 28, fit=str.lower),
        create=f"Create{word}",
        modify={
            f"Update{word}Config": "*",
            Call(f"Upgrade{word}", renamed={version: "TargetVersion"}): version,
        },
        delete=f"Delete{word}",
        state=State(
            at="Deleted && 'Deleted' || ((Processing || UpgradeProcessing) && 'Processing' || 'Active')",
            pending="Processing",
            going="Deleted",
        ),
        attributes={
            "Arn": "ARN",
            "DomainArn": "ARN",
            "DomainEndpoint": "Endpoint || Endpoints.vpc",
            "Id": "DomainId",
            "Ref": "DomainName",
            **attributes,
        },
        tags=TagCalls(
            service=service,
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
            **{f"AdvancedSecurityOptions.{part}": Comparison.SHOWN for part in hidden.split()},
            "EncryptionAtRestOptions.KmsKeyId": KMS_KEY,
            "VPCOptions.SecurityGroupIds": Comparison.SET,
            "VPCOptions.SubnetIds": Comparison.SET,
        },
        refused=refused,
        named_attributes="Arn DomainArn",
        bears_data=True,
    )


ELASTICSEARCH = _domain(
    "AWS::Elasticsearch::Domain",
    "es",
    engine="Elasticsearch",
    word="ElasticsearchDomain",
    version="ElasticsearchVersion",
    attributes={},
    hidden="MasterUserOptions",
)
OPENSEARCH = _domain(
    "AWS::OpenSearchService::Domain",
    "opensearch",
    engine="OpenSearch",
    word="Domain",
    version="EngineVersion",
    attributes={"DomainEndpointV2": "EndpointV2", "DomainEndpoints": "Endpoints"},
    hidden=("JWTOptions.PublicKey MasterUserOptions SAMLOptions.MasterBackendRole SAMLOptions.MasterUserName"),
    refused={
        "EngineMode": "No emulator serves its calls, so nothing shows that it would be held. Take it out: the "
        "engine is chosen as the domain is made.",
        "SkipShardMigrationWait": "It tells CloudFormation for how long to wait, and nothing of the domain. "
        "Take it out.",
        "UseCase": untried("aws opensearch update-domain-config"),
    },
)
TYPES = (ELASTICSEARCH, OPENSEARCH)
