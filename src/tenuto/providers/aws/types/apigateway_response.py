"""AWS::ApiGateway::GatewayResponse: the answer of an API to requests that reach nothing. Its Ref is its id.

The id is that of Cloud Control, the API and the kind of answer with a colon between, so the type is no block. It is a
part of an API and no thing: of every kind there is an answer of API Gateway's own before one is declared, and again
after its deletion. The call that makes one replaces it as a whole.
"""

from collections.abc import Mapping

from tenuto.errors import PermanentError, TakenError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.wire import declared as in_schema
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts, published

_NAME = "AWS::ApiGateway::GatewayResponse"
_SERVICE, _PUT = "apigateway", "PutGatewayResponse"
_API, _KIND = "RestApiId", "ResponseType"
_CHANGING = ("ResponseParameters", "ResponseTemplates", "StatusCode")
_OWN: JsonMap = {"application/json": '{"message":$context.error.messageString}'}
"""The templates of an answer of which none were declared."""


def _id_of(request: Request) -> str:
    return f"{request.properties.get(_API)}:{request.properties.get(_KIND)}"


def _about(physical_id: str) -> dict[str, Json]:
    api, _, kind = physical_id.partition(":")
    return {"restApiId": api, "responseType": kind}


def _shown(client: AccountClient, physical_id: str) -> JsonMap:
    """The answer that a user has set. Raises PermanentError where there is API Gateway's own alone."""
    found: JsonMap = client.read(_SERVICE, "GetGatewayResponse", **_about(physical_id))
    if found.get("defaultResponse"):
        raise PermanentError(f"There is no {_NAME} {physical_id}.", code="ResourceNotFound")
    return found


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = [str(one) for one in (scope.ids(_NAME) if scope.names is None else scope.named(_NAME))]
    found = client.each_there(lambda one: _shown(client, one), asked)
    return [seen(_NAME, one, _declared(one, answer), attributes={"Id": one}) for one, answer in found.items()]


def _declared(physical_id: str, answer: JsonMap) -> dict[str, Json]:
    shown = in_schema(answer, published(_NAME), _CHANGING, {}, {})
    return {_API: _about(physical_id)["restApiId"], _KIND: _about(physical_id)["responseType"], **shown}


def _create(work: Work) -> Outcome:
    one = _id_of(work.request)
    if faults.unless_gone(lambda: _shown(work.client, one)) is not None:
        # The call would replace it.
        raise TakenError(f"The {_NAME} {one} exists already.")
    return _put(work, one, {})


def _modify(work: Work) -> Outcome:
    if not any(work.differs(name) for name in _CHANGING):
        return Done(physical_id=work.id)
    kept = {name: work.seen(name) for name in _CHANGING if not work.wants_none(name)}
    return _put(work, work.id, kept)


def _put(work: Work, one: str, kept: Mapping[str, Json]) -> Done:
    shape = work.client.input_of(_SERVICE, _PUT)
    work.change(_SERVICE, _PUT, **_about(one), **sent(shape, {**kept, **work.given(*_CHANGING)}, {}))
    return Done(physical_id=PhysicalId(one), attributes={"Id": one})


def _delete(work: Work) -> Outcome:
    work.change(_SERVICE, "DeleteGatewayResponse", **_about(work.id))
    return Done(physical_id=work.id)


SOURCE = Source(name=_NAME, read=_read, shows_all=False)
RESPONSE = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        calls=calls(
            f"{_SERVICE}:{_PUT}",
            f"{_SERVICE}:DeleteGatewayResponse",
            changes=dict.fromkeys(_CHANGING, f"{_SERVICE}:{_PUT}+"),
        ),
        compare_as={"ResponseParameters": Comparison.KEYED, "ResponseTemplates": Comparison.KEYED},
        defaults={"ResponseParameters": {}, "ResponseTemplates": _OWN},
        exclusive=[(_API, _KIND)],
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=lambda request, item: item.physical_id == _id_of(request),
    find_name=_id_of,
    known_as=declared(_id_of),
)
TYPES = (RESPONSE,)
