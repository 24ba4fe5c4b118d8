"""Cloud Control: resources of every published type, by requests that are carried out over time.

A request is accepted with a token, and is `IN_PROGRESS` until the pace of the cloud has passed; its end is an event. A
refusal of a handler (a model that does not fit its schema, a name that is taken) is the failure of the request, and not
of the call.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import jsonpatch

from tenuto.compositions.checks.schema import TypeSchema
from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.resource_models import (
    completed,
    identifier_of,
    refusal_of,
    schema_of,
    settled_at_creation,
    shown,
    tags_of,
)
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

_PAGE = 100
_OPEN = ("IN_PROGRESS",)


@dataclass(slots=True, kw_only=True)
class Stumble:
    """The failure of the next requests of an operation (`CREATE`), for types of a pattern, with this code.

    A creation that `leaves` its thing fails when it was made already. `says` are the words of the handler.
    """

    operation: str
    code: str
    types: str = "*"
    count: int = 1
    leaves: bool = False
    says: str = "The handler gave up."


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """A service that shows a property of its type otherwise than it was set: `shown` makes one value of the other. None
    is not shown."""

    type: str
    property: str
    shown: Callable[[Any], Any]


class _RequestError(Exception):
    """The failure of a request: a code of its own, and why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def _schema(call: Call) -> TypeSchema:
    name = call.want("TypeName")
    schema = schema_of(name)
    if schema is None:
        raise Refusal("TypeNotFoundException", f"Type '{name}' was not found.")
    return schema


def _kind(schema: TypeSchema) -> Kind:
    return Kind(name=str(schema.name), prefix="", id_name="Identifier", not_found="ResourceNotFoundException")


def _thing(call: Call, schema: TypeSchema) -> Thing:
    """The thing of the call, whether it can be seen or not. Raises Refusal."""
    identifier = call.want("Identifier")
    thing = call.place.table(_kind(schema)).things.get(identifier)
    if thing is None:
        raise _unknown(schema, identifier)
    return thing


def _unknown(schema: TypeSchema, identifier: str) -> Refusal:
    return Refusal(
        "ResourceNotFoundException", f"Resource of type '{schema.name}' with identifier '{identifier}' was not found."
    )


def _create(call: Call) -> Data:
    schema = _schema(call)
    model = _document(call.want("DesiredState"), "DesiredState", dict)

    def act(later: Call) -> str:
        if why := refusal_of(schema, model):
            raise _RequestError("InvalidRequest", why)
        made_up = later.new_id("cc")
        word = str(schema.name).rpartition("::")[2].lower()
        service = str(schema.name).split("::")[1].lower()
        name = f"{word}-{made_up.rpartition('-')[2]}"
        arn = f"arn:aws:{service}:{later.region}:{later.account}:{word}/{name}"
        whole = completed(schema, model, name=name, arn=arn)
        identifier = identifier_of(schema, whole)
        if identifier in later.place.table(_kind(schema)).things:
            raise _RequestError(
                "AlreadyExists", f"Resource of type '{schema.name}' with identifier '{identifier}' exists."
            )
        data = {"Model": whole, "Tags": tags_of(schema, whole)}
        # `make` puts the tags of a request beside the data, which Cloud Control does not have.
        later.make(_kind(schema), data, id=identifier, is_asked_for=False).data["Tags"] = data["Tags"]
        return identifier

    return _accepted(call, schema, "CREATE", "", act)


def _update(call: Call) -> Data:
    schema, patch = _schema(call), _document(call.want("PatchDocument"), "PatchDocument", list)
    identifier = _thing(call, schema).id
    if "update" not in schema.document["handlers"]:
        raise Refusal("UnsupportedActionException", f"Resource type {schema.name} does not support UPDATE action")

    def act(later: Call) -> str:
        thing = later.place.table(_kind(schema)).things.get(identifier)
        if thing is None:
            raise _RequestError("NotFound", f"{identifier} was not found.")
        try:
            model = jsonpatch.apply_patch(thing.data["Model"], patch)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            raise _RequestError("InvalidRequest", f"The patch cannot be applied: {error}") from error
        if path := settled_at_creation(schema, thing.data["Model"], model):
            raise _RequestError("NotUpdatable", f"Invalid patch update: createOnlyProperties [/properties/{path}]")
        if why := refusal_of(schema, model, is_new=False):
            raise _RequestError("InvalidRequest", why)
        later.edit(thing).update(Model=model, Tags=tags_of(schema, model))
        return identifier

    return _accepted(call, schema, "UPDATE", identifier, act)


def _delete(call: Call) -> Data:
    schema, identifier = _schema(call), call.want("Identifier")

    def act(later: Call) -> str:
        thing = later.place.table(_kind(schema)).things.get(identifier)
        if thing is None:
            raise _RequestError("NotFound", f"{identifier} was not found.")
        later.remove(thing)
        return str(identifier)

    return _accepted(call, schema, "DELETE", identifier, act)


def _accepted(call: Call, schema: TypeSchema, operation: str, identifier: str, act: Callable[[Call], str]) -> Data:
    """The first event of a request, which is carried out later. Raises Refusal when another one is under way."""
    requests = call.place.requests
    busy = (one for one in requests.values() if one["OperationStatus"] in _OPEN and one["TypeName"] == schema.name)
    if identifier and any(one.get("Identifier") == identifier for one in busy):
        raise Refusal(
            "ConcurrentOperationException", f"Another operation is in progress for the resource {identifier}."
        )
    token = call.cloud.ids.new("request", f"{call.account}/{call.region}")
    event: Data = {
        "TypeName": str(schema.name),
        "RequestToken": token,
        "Operation": operation,
        "OperationStatus": "IN_PROGRESS",
        "EventTime": call.now,
    }
    if identifier:
        event["Identifier"] = identifier
    requests[token] = event
    call.later(call.cloud.pace.handler_s, lambda later: _carry_out(later, token, act))
    return {"ProgressEvent": dict(event)}


def _carry_out(call: Call, token: str, act: Callable[[Call], str]) -> None:
    event = call.place.requests[token]
    stumble = next((one for one in call.cloud.stumbles if _fits(one, event)), None)
    end: Data = {"OperationStatus": "SUCCESS"}
    try:
        if stumble is not None:
            stumble.count -= 1
            if stumble.leaves:
                end["Identifier"] = act(call)
            raise _RequestError(stumble.code, stumble.says)
        end["Identifier"] = act(call)
    except _RequestError as failure:
        end |= {"OperationStatus": "FAILED", "ErrorCode": failure.code, "StatusMessage": str(failure)}
    call.place.requests[token] = {**event, **end, "EventTime": call.now}


def _fits(stumble: Stumble, event: Data) -> bool:
    is_meant = stumble.operation == event["Operation"] and fnmatchcase(event["TypeName"], stumble.types)
    return stumble.count > 0 and is_meant


def _status(call: Call) -> Data:
    event = call.place.requests.get(call.want("RequestToken"))
    if event is None:
        raise Refusal("RequestTokenNotFoundException", f"Request with token {call.want('RequestToken')} was not found")
    return {"ProgressEvent": dict(event)}


def _requests(call: Call) -> Data:
    wanted = call.want("ResourceRequestStatusFilter") or {}
    operations, states = wanted.get("Operations"), wanted.get("OperationStatuses")
    found = {
        token: event
        for token, event in call.place.requests.items()
        if (not operations or event["Operation"] in operations) and (not states or event["OperationStatus"] in states)
    }
    tokens, token = cut(call, sorted(found), str, call.want("MaxResults", _PAGE))
    answer: Data = {"ResourceRequestStatusSummaries": [found[one] for one in tokens]}
    return {**answer, "NextToken": token} if token else answer


def _get(call: Call) -> Data:
    schema, identifier = _schema(call), call.want("Identifier")
    view = call.place.sight(_kind(schema), identifier, call.horizon())
    if view is None:
        raise _unknown(schema, identifier)
    return {"TypeName": str(schema.name), "ResourceDescription": _description(call, schema, identifier, view.data)}


def _list(call: Call) -> Data:
    schema = _schema(call)
    handler = schema.document["handlers"].get("list")
    if handler is None:
        raise Refusal("UnsupportedActionException", f"Resource type {schema.name} does not support LIST action")
    given = _document(call.want("ResourceModel") or "{}", "ResourceModel", dict)
    needed = (handler.get("handlerSchema") or {}).get("required") or ()
    if missing := [name for name in needed if name not in given]:
        raise Refusal("InvalidRequestException", f"Missing or invalid ResourceModel property: {missing[0]}")
    views = {view.thing.id: view.data for view in call.seen(_kind(schema))}
    names, token = cut(call, sorted(views), str, call.want("MaxResults", _PAGE))
    answer: Data = {
        "TypeName": str(schema.name),
        "ResourceDescriptions": [_description(call, schema, name, views[name]) for name in names],
    }
    return {**answer, "NextToken": token} if token else answer


def _description(call: Call, schema: TypeSchema, identifier: str, data: Data) -> Data:
    model = shown(schema, data["Model"])
    for manner in call.cloud.manners:
        if manner.type == schema.name:
            model[manner.property] = manner.shown(model.get(manner.property))
    told = {name: value for name, value in model.items() if value is not None}
    return {"Identifier": identifier, "Properties": json.dumps(told)}


def _document(text: str, name: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Refusal("InvalidRequestException", f"{name} is not valid JSON.") from error
    if not isinstance(found, kind):
        raise Refusal("InvalidRequestException", f"{name} is not of the expected form.")
    return found


HANDLERS: Mapping[str, Any] = {
    "CreateResource": _create,
    "DeleteResource": _delete,
    "GetResource": _get,
    "GetResourceRequestStatus": _status,
    "ListResourceRequests": _requests,
    "ListResources": _list,
    "UpdateResource": _update,
}
