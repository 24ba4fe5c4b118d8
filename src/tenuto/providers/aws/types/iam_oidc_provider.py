"""AWS::IAM::OIDCProvider, whose tokens roles of the account may trust. Its Ref is its ARN.

IAM shows the address without its beginning. Thumbprints that are not declared are IAM's own to find.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.types.tag_calls import TagCalls

_SCHEME = "https://"


def _address(shown: JsonMap) -> Json:
    """IAM takes no address of another kind."""
    return _SCHEME + str(shown["Url"]).removeprefix(_SCHEME)


OIDC_PROVIDER = block(
    "AWS::IAM::OIDCProvider",
    "iam",
    key="OpenIDConnectProviderArn",
    listed=Listed(operation="ListOpenIDConnectProviders", id="Arn", members="OpenIDConnectProviderList"),
    described=Described(call=Call("GetOpenIDConnectProvider"), anew=True),
    create="CreateOpenIDConnectProvider",
    made="OpenIDConnectProviderArn",
    modify={"UpdateOpenIDConnectProviderThumbprint": "ThumbprintList"},
    parts=(
        Members(
            name="ClientIdList",
            shown_at="ClientIDList",
            put=Call("AddClientIDToOpenIDConnectProvider"),
            drop=Call("RemoveClientIDFromOpenIDConnectProvider"),
            member="ClientID",
        ),
    ),
    shown={"Url": _address},
    delete="DeleteOpenIDConnectProvider",
    tags=TagCalls(
        service="iam",
        list_call="ListOpenIDConnectProviderTags",
        put_call="TagOpenIDConnectProvider",
        remove_call="UntagOpenIDConnectProvider",
        id_name="OpenIDConnectProviderArn",
        shown_at="Tags",
    ),
    exclusive=[("Url",)],
    compare_as={"ClientIdList": Comparison.SET},
)
TYPES = (OIDC_PROVIDER,)
