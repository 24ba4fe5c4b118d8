"""AWS::ApiGateway::Method: the work of an API for one verb on one resource, and the place where it sends the request.

A method has answers, and an integration with answers of its own; API Gateway keeps them by status code, and
compositions declare lists. The answers of the method come first, since those of the integration map to them. To put an
integration takes its answers away, so they are put again with it; callers notice nothing, for a stage serves a
deployment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import MemberCalls
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import declared, sent
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.apigateway import patch
from tenuto.providers.aws.types.facts import member, published

_NAME = "AWS::ApiGateway::Method"
_VERB = {"Integration.IntegrationHttpMethod": "httpMethod"}
_KEY = "restApiId resourceId httpMethod"


def _put(work: Work, operation: str, properties: JsonMap) -> None:
    shape = work.client.input_of("apigateway", operation)
    work.change("apigateway", operation, **Call(operation).about(_KEY, work.id), **sent(shape, properties, {}))


def _listed(by_code: Json) -> list[Json]:
    return [by_code[code] for code in sorted(by_code)] if isinstance(by_code, Mapping) else []


@dataclass(frozen=True, kw_only=True)
class _Answers(Shown):
    """The answers of a method, by status code."""

    properties = frozenset({"MethodResponses"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = {"MethodResponses": lambda answer: _listed(answer.get("methodResponses"))}
        return declared(thing.answer, published(_NAME), sorted(self.properties), {}, shown)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs("MethodResponses"):
            return
        wanted, seen = work.want("MethodResponses"), work.seen("MethodResponses") or ()
        for code in _codes(seen):
            if code not in _codes(wanted) or _with_code(seen, code) != _with_code(wanted, code):
                about = Call("DeleteMethodResponse").about(words, work.id)
                work.let_go(service, "DeleteMethodResponse", **about, statusCode=code)
        for one in wanted:
            if one not in seen:
                _put(work, "PutMethodResponse", one)

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        return {"MethodResponses": member(f"{service}:PutMethodResponse", f"{service}:DeleteMethodResponse")}


@dataclass(frozen=True, kw_only=True)
class _Integration(Shown):
    """The integration of a method, with its answers."""

    properties = frozenset({"Integration"})

    def read(self, thing: Thing) -> dict[str, Json]:
        def shown(answer: JsonMap) -> Json:
            found = answer.get("methodIntegration")
            answers = [_with_templates(one) for one in _listed((found or {}).get("integrationResponses"))]
            return found and {**found, "integrationResponses": answers}

        return declared(thing.answer, published(_NAME), sorted(self.properties), _VERB, {"Integration": shown})

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs("Integration"):
            wanted = dict(work.want("Integration"))
            answers: Sequence[JsonMap] = wanted.pop("IntegrationResponses", ())
            _put(work, "PutIntegration", wanted)
            for one in answers:
                _put(work, "PutIntegrationResponse", one)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"Integration": f"{service}:PutIntegration"}


def _with_templates(answer: JsonMap) -> JsonMap:
    """An answer with the empty templates that it was given: API Gateway shows null for them."""
    templates = answer.get("responseTemplates")
    if not templates:
        return answer
    return {**answer, "responseTemplates": {name: "" if one is None else one for name, one in templates.items()}}


def _codes(answers: Sequence[JsonMap]) -> list[str]:
    return [str(one["StatusCode"]) for one in answers]


def _with_code(answers: Sequence[JsonMap], code: str) -> JsonMap | None:
    return next((one for one in answers if str(one["StatusCode"]) == code), None)


METHOD = block(
    _NAME,
    "apigateway",
    key=_KEY,
    described=Described(call=Call("GetMethod"), anew=True),
    create="PutMethod",
    modify={patch("UpdateMethod"): "*"},
    parts=(_Answers(), _Integration()),
    delete="DeleteMethod",
    # The call replaces a method of the same verb.
    asks_first=True,
    defaults={
        "ApiKeyRequired": False,
        "AuthorizationScopes": [],
        "AuthorizerId": None,
        "MethodResponses": [],
        "RequestModels": {},
        "RequestParameters": {},
        "RequestValidatorId": None,
    },
    exclusive=[("RestApiId", "ResourceId", "HttpMethod")],
)
TYPES = (METHOD,)
