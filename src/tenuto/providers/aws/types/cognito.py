"""AWS::Cognito: the things that hang on a user pool. Their ids have two parts, the pool's first; their Refs are the
last part alone.

The secret of a client is no attribute that is kept: `Fn::GetAtt` gives a reference to it, and the phases that send it
read it at Cognito.
"""

from tenuto.core.language.expressions import KEPT_SECRET
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State, undeclared
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cognito_pool import SERVICE
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.whereabouts import USER_POOL_CLIENT

_BY_MEMBER = Words()
"""The comparison of a mapping by its declared members: Cognito adds members of its own."""


def _secret(client: JsonMap) -> Json:
    """The reference to the secret of a client; None of a client without one."""
    if not client.get("ClientSecret"):
        return None
    return {KEPT_SECRET: f"{USER_POOL_CLIENT}{client['UserPoolId']}{ID}{client['ClientId']}"}


def _pool_of(work: Work) -> JsonMap:
    return {"UserPoolId": work.request.properties.get("UserPoolId") or work.seen("UserPoolId")}


CLIENT = block(
    "AWS::Cognito::UserPoolClient",
    SERVICE,
    key="UserPoolId ClientId",
    described=Described(call=Call("DescribeUserPoolClient"), at="UserPoolClient"),
    named=Named("ClientName", 128),
    beside=Listed(
        operation="ListUserPoolClients", id="UserPoolId ClientId", size=60, given={"UserPoolId": "UserPoolId"}
    ),
    create="CreateUserPoolClient",
    made="UserPoolClient.UserPoolId UserPoolClient.ClientId",
    shown={"GenerateSecret": lambda client: bool(client.get("ClientSecret"))},
    attributes={"Ref": "ClientId", "ClientSecret": _secret, "Name": "ClientName"},
    # An update resets a property that it is not given.
    modify={Call("UpdateUserPoolClient", fills=undeclared): "*"},
    delete="DeleteUserPoolClient",
    named_by="",
    compare_as=dict.fromkeys(
        (
            "AllowedOAuthFlows",
            "AllowedOAuthScopes",
            "CallbackURLs",
            "ExplicitAuthFlows",
            "LogoutURLs",
            "ReadAttributes",
            "SupportedIdentityProviders",
            "WriteAttributes",
        ),
        Comparison.SET,
    ),
    defaults={
        "AllowedOAuthFlows": [],
        "AllowedOAuthFlowsUserPoolClient": False,
        "AllowedOAuthScopes": [],
        "CallbackURLs": [],
        "EnablePropagateAdditionalUserContextData": False,
        "EnableTokenRevocation": True,
        "LogoutURLs": [],
        "RefreshTokenValidity": 30,
        "SupportedIdentityProviders": [],
    },
)
DOMAIN = block(
    "AWS::Cognito::UserPoolDomain",
    SERVICE,
    key="Domain",
    # One that there is not is described as nothing.
    described=Described(
        call=Call("DescribeUserPoolDomain"),
        at="DomainDescription.Domain && DomainDescription",
        gone_at="DomainDescription != `null`",
        anew=True,
    ),
    create="CreateUserPoolDomain",
    # A domain of another pool has an answer of its own, which is not told apart from a wrong request.
    asks_first=True,
    modify={"UpdateUserPoolDomain": "* + UserPoolId"},
    delete="DeleteUserPoolDomain",
    parting=_pool_of,
    state=State(at="Status", pending="CREATING UPDATING", going="DELETING", broken="FAILED"),
    attributes={"CloudFrontDistribution": "CloudFrontDistribution"},
    shows="ManagedLoginVersion",
    exclusive=[("Domain",)],
)
GROUP = block(
    "AWS::Cognito::UserPoolGroup",
    SERVICE,
    key="UserPoolId GroupName",
    described=Described(call=Call("GetGroup"), at="Group"),
    create="CreateGroup",
    modify={"UpdateGroup": "*"},
    delete="DeleteGroup",
    attributes={"Ref": "GroupName"},
    exclusive=[("UserPoolId", "GroupName")],
    defaults={"Description": ""},
)
RESOURCE_SERVER = block(
    "AWS::Cognito::UserPoolResourceServer",
    SERVICE,
    key="UserPoolId Identifier",
    described=Described(call=Call("DescribeResourceServer"), at="ResourceServer"),
    create="CreateResourceServer",
    # The name is required, and scopes that are not given go.
    modify={Call("UpdateResourceServer", fills=undeclared): "*"},
    delete="DeleteResourceServer",
    attributes={"Ref": "Identifier"},
    exclusive=[("UserPoolId", "Identifier")],
    compare_as={"Scopes": Comparison.SET},
    defaults={"Scopes": []},
)
IDENTITY_PROVIDER = block(
    "AWS::Cognito::UserPoolIdentityProvider",
    SERVICE,
    key="UserPoolId ProviderName",
    described=Described(call=Call("DescribeIdentityProvider"), at="IdentityProvider"),
    create="CreateIdentityProvider",
    modify={"UpdateIdentityProvider": "*"},
    delete="DeleteIdentityProvider",
    attributes={"Ref": "ProviderName"},
    exclusive=[("UserPoolId", "ProviderName")],
    compare_as={
        "AttributeMapping": _BY_MEMBER,
        "IdpIdentifiers": Comparison.SET,
        # The addresses of the provider are added, and the certificate of one of SAML.
        "ProviderDetails": _BY_MEMBER,
    },
    defaults={"IdpIdentifiers": []},
)
USER = block(
    "AWS::Cognito::UserPoolUser",
    SERVICE,
    key="UserPoolId Username",
    described=Described(call=Call("AdminGetUser")),
    # A pool whose users sign in with an address has another name for them than the declared one.
    shown={"Username": lambda _: None},
    create="AdminCreateUser",
    attributes={"Ref": "Username"},
    delete="AdminDeleteUser",
    exclusive=[("UserPoolId", "Username")],
    # People change these themselves, and no call of the type's does.
    write_only="UserAttributes",
)
TYPES = (CLIENT, DOMAIN, GROUP, RESOURCE_SERVER, IDENTITY_PROVIDER, USER)
