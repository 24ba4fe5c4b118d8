"""AWS::ApiGatewayV2: HTTP and WebSocket APIs, with all that hangs on them; domains have a module of their own.

The things that hang on an API have ids that begin with the API's; their Ref is the last part alone. An update adds to
the maps of a thing: a variable or a parameter goes when its text is empty, and the settings of a route by a call of
their own.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.apigateway import arn_at
from tenuto.providers.aws.types.apigateway_definition import Definition
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "apigatewayv2"


def tags(path: str) -> TagCalls:
    return TagCalls(
        service=_SERVICE,
        list_call="GetTags",
        id_name="ResourceArn",
        identify=arn_at(path),
        shown_at="Tags",
        is_mapping=True,
    )


def _part(
    name: str,
    *,
    on: str = "",
    refused: Mapping[str, str] | None = None,
    shows: str = "",
    exclusive: str = "",
    emptied: str = "",
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
        modify={Call(f"Update{name}", emptied=emptied): "*"},
        delete=f"Delete{name}",
        attributes={"Ref": key},
        shows=shows,
        refused=refused,
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

_ROUTES, _DEFAULT = "RouteSettings", "DefaultRouteSettings"


@dataclass(frozen=True, kw_only=True)
class _RouteSettings(Shown):
    """The settings of a stage for some of its routes, by the keys of these."""

    properties = frozenset({_ROUTES})

    @property
    def defaults(self) -> JsonMap:
        return {_ROUTES: None}

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_ROUTES: thing.answer.get(_ROUTES) or {}}

    def at_birth(self, work: Work) -> dict[str, Json]:
        wanted = work.want(_ROUTES)
        return sent(work.client.input_of(_SERVICE, "CreateStage"), {_ROUTES: wanted}, {}) if wanted else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_ROUTES):
            return
        about = Call("UpdateStage").about(words, work.id)
        wanted, seen = work.want(_ROUTES) or {}, work.seen(_ROUTES) or {}
        for route in sorted(seen.keys() - wanted.keys()):
            work.let_go(service, "DeleteRouteSettings", **about, RouteKey=route)
        changed = {route: one for route, one in wanted.items() if not means_same(one, seen.get(route), {})}
        if changed:
            given = sent(work.client.input_of(service, "UpdateStage"), {_ROUTES: changed}, {})
            work.change(service, "UpdateStage", **about, **given)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_ROUTES: f"{service}:UpdateStage"}

    def drops(self, service: str) -> Mapping[str, str]:
        return {_ROUTES: f"{service}:DeleteRouteSettings"}


STAGE = block(
    "AWS::ApiGatewayV2::Stage",
    _SERVICE,
    key="ApiId StageName",
    described=Described(call=Call("GetStage"), anew=True),
    create="CreateStage",
    modify={
        Call("UpdateStage", emptied="StageVariables"): "*",
        Call("UpdateStage", drop="DeleteAccessLogSettings"): "AccessLogSettings",
    },
    parts=(_RouteSettings(),),
    delete="DeleteStage",
    attributes={"Ref": "StageName"},
    tags=tags("/apis/{}/stages/{}"),
    compare_as={_ROUTES: Comparison.KEYED, "StageVariables": Comparison.KEYED},
    # No call takes a limit of all routes away: the plan says that it stays.
    defaults={
        "AutoDeploy": False,
        f"{_DEFAULT}.DataTraceEnabled": False,
        f"{_DEFAULT}.DetailedMetricsEnabled": False,
        f"{_DEFAULT}.LoggingLevel": "OFF",
        "Description": "",
        "StageVariables": {},
    },
    exclusive=[("ApiId", "StageName")],
)

INTEGRATION = _part("Integration", emptied="RequestParameters", defaults={"RequestParameters": {}})
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
DEPLOYMENT = _part(
    "Deployment",
    refused={
        "StageName": "A stage says by itself what it serves: name the deployment there, as DeploymentId of the "
        "AWS::ApiGatewayV2::Stage."
    },
)
MODEL = _part("Model")
ROUTE_RESPONSE = _part("RouteResponse", on="RouteId", exclusive="RouteResponseKey")
INTEGRATION_RESPONSE = _part("IntegrationResponse", on="IntegrationId", exclusive="IntegrationResponseKey")
TYPES = (API, STAGE, INTEGRATION, ROUTE, AUTHORIZER, DEPLOYMENT, MODEL, ROUTE_RESPONSE, INTEGRATION_RESPONSE)
