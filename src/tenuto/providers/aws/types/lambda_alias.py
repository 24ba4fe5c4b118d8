"""AWS::Lambda::Alias, AWS::Lambda::Url and AWS::Lambda::EventInvokeConfig, which hang on a function.

The Refs of the first two are the ARNs of the alias and of the function.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.types.lambda_names import FUNCTION, name_of
from tenuto.providers.aws.types.named import Named

ALIAS = block(
    "AWS::Lambda::Alias",
    "lambda",
    key="FunctionName Name",
    described=Described(call=Call("GetAlias")),
    named=Named("Name", 128),
    create="CreateAlias",
    shown={"FunctionName": lambda alias: name_of(alias["AliasArn"])},
    attributes={"Ref": "AliasArn"},
    modify={"UpdateAlias": "Description FunctionVersion RoutingConfig"},
    delete="DeleteAlias",
    # No emulator serves its calls, so nothing could show that it is held.
    unsupported="ProvisionedConcurrencyConfig",
    defaults={"Description": ""},
    compare_as={"FunctionName": FUNCTION},
)
URL = block(
    "AWS::Lambda::Url",
    "lambda",
    key="FunctionName",
    described=Described(call=Call("GetFunctionUrlConfig")),
    create="CreateFunctionUrlConfig",
    renamed={"TargetFunctionArn": "FunctionName"},
    shown={"TargetFunctionArn": lambda url: name_of(url["FunctionArn"])},
    attributes={"Ref": "FunctionArn"},
    modify={"UpdateFunctionUrlConfig": "*"},
    delete="DeleteFunctionUrlConfig",
    # A URL of an alias would have an id of two parts, one of which need not be there.
    unsupported="Qualifier",
    exclusive=[("TargetFunctionArn",)],
    compare_as={"TargetFunctionArn": FUNCTION},
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
    exclusive=[("FunctionName", "Qualifier")],
    compare_as={"FunctionName": FUNCTION},
)
TYPES = (ALIAS, URL, EVENT_INVOKE_CONFIG)
