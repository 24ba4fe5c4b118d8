"""AWS::ApiGateway: REST APIs, and the plain things that hang on them; methods, deployments and stages have modules of
their own.

The things that hang on an API have ids of two parts, the API's first; their Ref is the last part alone. API Gateway
changes things by patches (`blocks.patches`).
"""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tenuto.core.planning.equality.scalars import unescaped
from tenuto.kit.regions import aws_partition
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.apigateway_definition import Definition
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls


def patch(operation: str) -> Call:
    """A call that takes the operations of a patch."""
    return Call(operation, patched_as="patchOperations")


def arn_at(path: str) -> Callable[[Work], str]:
    """The ARN of the thing at a path of API Gateway, with `{}` for each part of the id."""

    def arn(work: Work) -> str:
        region = work.client.partition.region
        partition = aws_partition(region).name
        return f"arn:{partition}:apigateway:{region}::{path.format(*work.id.split(ID))}"

    return arn


def tags(path: str) -> TagCalls:
    """The tags of the thing at a path."""
    return TagCalls(
        service="apigateway",
        list_call="GetTags",
        id_name="resourceArn",
        identify=arn_at(path),
        shown_at="tags",
        listed_as="tags",
        given_as="tags",
        keys_as="tagKeys",
        is_mapping=True,
    )


def beside(operation: str, id_path: str = "id") -> Listed:
    """The things of one kind that hang on an API."""
    return Listed(operation=operation, id=f"$restApiId {id_path}", given={"restApiId": "RestApiId"}, members="items")


def _letters(name: str) -> str:
    """A name as API Gateway takes it for a model."""
    return "".join(sign for sign in name if sign.isalnum())


def _root(resource: JsonMap) -> str:
    return "" if resource.get("parentId") else "it comes with its API"


# A policy of an API may name its resources without the API, whose id no composition knows before it is made.
_POLICY = replace(
    POLICY,
    texts=(*POLICY.texts, r"execute-api:(?P<same>/.*)", r"arn:[\w-]+:execute-api:[\w-]+:\d{12}:\w+(?P<same>/.*)"),
)


def _policy_in(answer: JsonMap) -> Json:
    """The policy in an answer, which the service shows with a backslash before each quotation mark of it."""
    text: Json = answer.get("policy")
    if not isinstance(text, str):
        return text
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:  # It is not escaped, as that of an emulator.
        return text


def _media_types(declared: Json) -> Json:
    """The types as the service keeps them. CloudFormation's reference writes `~1` for the slash of each."""
    return [unescaped(str(one)).removeprefix("/") for one in declared]


REST_API = block(
    "AWS::ApiGateway::RestApi",
    "apigateway",
    key="restApiId",
    listed=Listed(operation="GetRestApis", id="id", size=500),
    described=Described(call=Call("GetRestApi"), anew=True),
    create="CreateRestApi",
    made="id",
    renamed={"ApiKeySourceType": "apiKeySource", "RestApiId": "id"},
    modify={patch("UpdateRestApi"): "*"},
    shown={"Policy": _policy_in},
    parts=(
        Definition(
            put=Call("PutRestApi", fixed={"mode": "overwrite"}),
            body="body",
            options={"FailOnWarnings": "failOnWarnings", "Mode": "mode", "Parameters": "parameters"},
            grown=Call("GetResources"),
            grown_at="items",
            at_first=1,
            born={"name": None},
        ),
    ),
    delete="DeleteRestApi",
    tags=tags("/restapis/{}"),
    sent_as={"BinaryMediaTypes": _media_types},
    compare_as={"BinaryMediaTypes": Comparison.SET, "BinaryMediaTypes[]": Comparison.POINTER, "Policy": _POLICY},
    defaults={
        "ApiKeySourceType": "HEADER",
        "BinaryMediaTypes": [],
        "Description": "",
        "DisableExecuteApiEndpoint": False,
    },
)


def on_api(name: str, **more: Any) -> AwsType:
    """A type that hangs on an API and gets an id from API Gateway."""
    own_id = f"{name}Id"
    return block(
        f"AWS::ApiGateway::{name}",
        "apigateway",
        key=f"restApiId {own_id[0].lower()}{own_id[1:]}",
        described=Described(call=Call(f"Get{name}")),
        beside=beside(f"Get{name}s"),
        create=f"Create{name}",
        made="restApiId id",
        renamed={own_id: "id"},
        delete=f"Delete{name}",
        attributes={"Ref": "id"},
        **more,
    )


RESOURCE = on_api("Resource", undeclarable=_root, exclusive=[("RestApiId", "ParentId", "PathPart")])
AUTHORIZER = on_api("Authorizer", modify={patch("UpdateAuthorizer"): "*"}, compare_as={"ProviderARNs": Comparison.SET})
REQUEST_VALIDATOR = on_api("RequestValidator", modify={patch("UpdateRequestValidator"): "*"})
MODEL = block(
    "AWS::ApiGateway::Model",
    "apigateway",
    key="restApiId modelName",
    named=Named("Name", 255, fit=_letters),
    described=Described(call=Call("GetModel")),
    create="CreateModel",
    made="restApiId name",
    attributes={"Ref": "name"},
    renamed={"Name": "name"},
    modify={patch("UpdateModel"): "*"},
    delete="DeleteModel",
    beside=beside("GetModels", "name"),
    exclusive=[("RestApiId", "Name")],
)
TYPES = (REST_API, RESOURCE, AUTHORIZER, REQUEST_VALIDATOR, MODEL)
