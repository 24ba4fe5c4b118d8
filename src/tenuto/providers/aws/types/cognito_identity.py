"""AWS::Cognito: identity pools and the roles of their identities. Their Refs are the id of the pool.

The mappings of roles are known by the provider of the identities, and a template may have them under names of its own:
they are compared with the values that were sent.
"""

from collections.abc import Mapping

from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Documents
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, undeclared
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "cognito-identity"
_LISTED = Listed(operation="ListIdentityPools", id="IdentityPoolId", size=60)
_SET_ROLES = Call("SetIdentityPoolRoles", fixed={"Roles": {}})
_PROVIDER = "IdentityProvider"


def _by_provider(mappings: Json) -> Json:
    """The mappings by the provider that each is about: its name is the key, or a member."""
    if not isinstance(mappings, Mapping):
        return mappings
    return {
        one.get(_PROVIDER) or name: {key: value for key, value in one.items() if key != _PROVIDER}
        for name, one in mappings.items()
    }


def _arn(work: Work) -> str:
    region = work.client.partition.region
    account = work.read("sts", "GetCallerIdentity")["Account"]
    return f"arn:{aws_partition(region).name}:{_SERVICE}:{region}:{account}:identitypool/{work.id}"


POOL = block(
    "AWS::Cognito::IdentityPool",
    _SERVICE,
    key="IdentityPoolId",
    listed=_LISTED,
    described=Described(call=Call("DescribeIdentityPool")),
    # Several pools may have one name.
    named=Named("IdentityPoolName", 128),
    beside=_LISTED,
    create="CreateIdentityPool",
    made="IdentityPoolId",
    attributes={"Id": "$id", "Name": "IdentityPoolName"},
    sent_as={"SupportedLoginProviders": parsed},
    # An update resets a property that it is not given.
    modify={Call("UpdateIdentityPool", fills=undeclared): "*"},
    delete="DeleteIdentityPool",
    tags=TagCalls(
        service=_SERVICE,
        id_name="ResourceArn",
        identify=_arn,
        shown_at="IdentityPoolTags",
        declared_as="IdentityPoolTags",
        is_mapping=True,
    ),
    named_by="",
    refused={
        "CognitoEvents": "It belongs to Amazon Cognito Sync, which Tenuto does not manage. Take it out, and "
        "set it with `aws cognito-sync set-cognito-events`.",
        "CognitoStreams PushSync": "It belongs to Amazon Cognito Sync, which Tenuto does not manage. Take it "
        "out, and set it with `aws cognito-sync set-identity-pool-configuration`.",
    },
    compare_as={
        "CognitoIdentityProviders": Comparison.SET,
        "OpenIdConnectProviderARNs": Comparison.SET,
        "SamlProviderARNs": Comparison.SET,
        "SupportedLoginProviders": Documents(),
    },
    defaults={
        "AllowClassicFlow": False,
        "CognitoIdentityProviders": [],
        "OpenIdConnectProviderARNs": [],
        "SamlProviderARNs": [],
        "SupportedLoginProviders": {},
    },
)
ROLES = block(
    "AWS::Cognito::IdentityPoolRoleAttachment",
    _SERVICE,
    key="IdentityPoolId",
    # A pool has roles or not, and the call that sets them replaces all.
    described=Described(call=Call("GetIdentityPoolRoles"), at="(Roles || RoleMappings) && @", gone_at="IdentityPoolId"),
    create=_SET_ROLES,
    asks_first=True,
    sent_as={"RoleMappings": _by_provider},
    modify={_SET_ROLES: "*"},
    delete=_SET_ROLES,
    attributes={"Id": "$id"},
    exclusive=[("IdentityPoolId",)],
    write_only="RoleMappings",
    compare_as={"Roles": Documents()},
)
TYPES = (POOL, ROLES)
