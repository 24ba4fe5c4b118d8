"""AWS::ApiGatewayV2: HTTP and WebSocket APIs, with all that hangs on them; domains have a module of their own.

What hangs on an API has an id that begins with the API's; its Ref is the last part alone.
"""

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.apigateway import arn_at
from tenuto.providers.aws.types.apigateway_definition import Definition
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "apigatewayv2"


def tags(path: str) -> TagCalls:
    return TagCalls(
        service=_SERVICE,
        list_call="GetTags",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="ResourceArn",
        identify=arn_at(path),
        shown_at="Tags",
        is_mapping=True,
    )


def _part(
    name: str,
    *,
    on: str = "",
    unsupported: str = "",
    shows: str = "",
    exclusive: str = "",
    defaults: JsonMap | None = None,
) -> AwsType:
    """A part of an API that the service gives an id, or of that part of one which the property `on` names. `exclusive`
    is the property that no two parts share."""
    key, holders = f"{name}Id", ["ApiId", *on.split()]
    above = " ".join(f"${one}" for one in holders)
    return block(
        f"AWS::ApiGatewayV2::{name}",
        _SERVICE,
        key=f"{' '.join(holders)} {key}",
        described=Described(call=Call(f"Get{name}")),
        beside=Listed(
            operation=f"Get{name}s", id=f"{above} {key}", given={one: one for one in holders}, members="Items"
        ),
        create=f"Create{name}",
        made=f"{' '.join(holders)} {key}",
        modify={f"Update{name}": "*"},
        delete=f"Delete{name}",
        attributes={"Ref": key},
        shows=shows,
        unsupported=unsupported,
        exclusive=[(*holders, exclusive)] if exclusive else (),
        defaults=defaults or {},
    )


API = block(
    "AWS::ApiGatewayV2::Api",
    _SERVICE,
    key="ApiId",
    listed=Listed(operation="GetApis", id="ApiId", members="Items"),
    described=Described(call=Call("GetApi"), anew=True),
    create="CreateApi",
    made="ApiId",
    modify={"UpdateApi": "*", Call("UpdateApi", drop="DeleteCorsConfiguration"): "CorsConfiguration"},
    parts=(
        Definition(
            put=Call("ReimportApi"),
            body="Body",
            options={"BasePath": "Basepath", "FailOnWarnings": "FailOnWarnings"},
            grown=Call("GetRoutes"),
            grown_at="Items",
            at_first=0,
            born={"Name": None, "ProtocolType": "HTTP"},
        ),
    ),
    delete="DeleteApi",
    tags=tags("/apis/{}"),
    shows="DisableSchemaValidation",
    defaults={"Description": "", "DisableExecuteApiEndpoint": False, "Version": ""},
)

STAGE = block(
    "AWS::ApiGatewayV2::Stage",
    _SERVICE,
    key="ApiId StageName",
    described=Described(call=Call("GetStage"), anew=True),
    create="CreateStage",
    modify={"UpdateStage": "*", Call("UpdateStage", drop="DeleteAccessLogSettings"): "AccessLogSettings"},
    delete="DeleteStage",
    attributes={"Ref": "StageName"},
    tags=tags("/apis/{}/stages/{}"),
    defaults={"AutoDeploy": False, "Description": ""},
    exclusive=[("ApiId", "StageName")],
)

INTEGRATION = _part("Integration")
ROUTE = _part(
    "Route",
    shows="AuthorizerId RequestParameters",
    exclusive="RouteKey",
    defaults={"ApiKeyRequired": False, "AuthorizationScopes": []},
)
AUTHORIZER = _part(
    "Authorizer",
    shows="AuthorizerCredentialsArn AuthorizerPayloadFormatVersion AuthorizerResultTtlInSeconds AuthorizerUri "
    "EnableSimpleResponses",
)
DEPLOYMENT = _part("Deployment", unsupported="StageName")
MODEL = _part("Model")
ROUTE_RESPONSE = _part("RouteResponse", on="RouteId", exclusive="RouteResponseKey")
INTEGRATION_RESPONSE = _part("IntegrationResponse", on="IntegrationId", exclusive="IntegrationResponseKey")
TYPES = (API, STAGE, INTEGRATION, ROUTE, AUTHORIZER, DEPLOYMENT, MODEL, ROUTE_RESPONSE, INTEGRATION_RESPONSE)
