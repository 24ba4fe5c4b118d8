"""AWS::Lambda::Alias and AWS::Lambda::EventInvokeConfig, which hang on a function. The Ref of an alias is its ARN."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.types.lambda_names import FUNCTION, name_of
from tenuto.providers.aws.types.lambda_provisioned import PROVISIONED, Provisioned
from tenuto.providers.aws.types.named import Named

_ROUTING, _WEIGHTS = "RoutingConfig", "AdditionalVersionWeights"


def _function_and_name(physical_id: str) -> tuple[str, str]:
    function, _, name = physical_id.partition(ID)
    return function, name


def _given(routing: Json) -> Json:
    """The part of the calls that each further version takes, by version: a composition declares a list of them."""
    return {_WEIGHTS: {one["FunctionVersion"]: one["FunctionWeight"] for one in routing.get(_WEIGHTS) or ()}}


def _shown(alias: JsonMap) -> Json:
    weights = (alias.get(_ROUTING) or {}).get(_WEIGHTS) or {}
    return {_WEIGHTS: [{"FunctionVersion": one, "FunctionWeight": weights[one]} for one in sorted(weights)]}


ALIAS = block(
    "AWS::Lambda::Alias",
    "lambda",
    key="FunctionName Name",
    described=Described(call=Call("GetAlias")),
    named=Named("Name", 128),
    create="CreateAlias",
    shown={"FunctionName": lambda alias: name_of(alias["AliasArn"]), _ROUTING: _shown},
    sent_as={_ROUTING: _given},
    attributes={"Ref": "AliasArn"},
    modify={"UpdateAlias": f"Description FunctionVersion {_ROUTING}"},
    delete="DeleteAlias",
    parts=(Provisioned(about=_function_and_name),),
    defaults={"Description": "", PROVISIONED: {}, _ROUTING: {_WEIGHTS: []}},
    compare_as={"FunctionName": FUNCTION, f"{_ROUTING}.{_WEIGHTS}": Comparison.SET},
)
EVENT_INVOKE_CONFIG = block(
    "AWS::Lambda::EventInvokeConfig",
    "lambda",
    key="FunctionName Qualifier",
    described=Described(call=Call("GetFunctionEventInvokeConfig")),
    # The call replaces the configuration that is there.
    asks_first=True,
    create="PutFunctionEventInvokeConfig",
    modify={"PutFunctionEventInvokeConfig": "*"},
    delete="DeleteFunctionEventInvokeConfig",
    defaults={"DestinationConfig": None},
    exclusive=[("FunctionName", "Qualifier")],
    compare_as={"FunctionName": FUNCTION},
)
TYPES = (ALIAS, EVENT_INVOKE_CONFIG)
