"""Sources, resolvers and functions of GraphQL APIs, their environment variables, and all that an API shows.

As AppSync has it an update resets a property that it does not name, and a resolver needs the source that it names.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from moto.appsync import urls
from moto.appsync.exceptions import AppSyncExceptions, BadRequestException
from moto.appsync.responses import AppSyncResponse

from tenuto.bootstrap.emulated.added import Action, added

_API = "{0}/v1/apis/(?P<api_id>[^/]+)"
_PATHS = (
    *("datasources", "datasources/(?P<name>[^/]+)", "functions", "functions/(?P<function_id>[^/]+)"),
    *("types/(?P<type_name>[^/]+)/resolvers", "types/(?P<type_name>[^/]+)/resolvers/(?P<field_name>[^/]+)"),
    "environmentVariables",
)
_BORN = {
    "apiType": "GRAPHQL",
    "introspectionConfig": "ENABLED",
    "queryDepthLimit": 0,
    "resolverCountLimit": 0,
    "visibility": "GLOBAL",
    "xrayEnabled": False,
}
_SETTLED = ("apiType", "visibility")
_Kind = tuple[str, str, str, Callable[[dict[str, Any]], str]]
"""A kind of thing: the word of its ARN, its members for its name and its ARN, and the function that gives its key."""
_SOURCE: _Kind = ("datasources", "name", "dataSourceArn", lambda one: str(one["name"]))
_FUNCTION: _Kind = ("functions", "functionId", "functionArn", lambda one: str(one["functionId"]))
_RESOLVER: _Kind = ("resolvers", "fieldName", "resolverArn", lambda one: f"{one['typeName']}/{one['fieldName']}")


class _NotFoundError(AppSyncExceptions):
    code = 404


def _api(self: Any) -> Any:
    return self.appsync_backend.get_graphql_api(self._get_param("apiId"))


def _kept(self: Any, what: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = vars(_api(self)).setdefault(f"tenuto_{what}", {})
    return found


def _named(self: Any, *names: str) -> dict[str, Any]:
    return {name: self._get_param(name) for name in names}


def _shown(self: Any, api: Any) -> dict[str, Any]:
    given = vars(api).setdefault("tenuto_given", {"name": api.name, "authenticationType": api.authentication_type})
    host = f"{api.api_id.replace('-', '')[:26]}.appsync"
    where = f"{self.region}.amazonaws.com"
    dns = {"GRAPHQL": f"{host}-api.{where}", "REALTIME": f"{host}-realtime-api.{where}"}
    uris = {"GRAPHQL": f"https://{dns['GRAPHQL']}/graphql", "REALTIME": f"wss://{dns['REALTIME']}/graphql"}
    own = {"apiId": api.api_id, "arn": api.arn, "dns": dns, "uris": uris}
    return {**_BORN, **given, **own, "tags": self.appsync_backend.list_tags_for_resource(api.arn)}


def _create_api(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    names = ("log_config", "user_pool_config", "open_id_connect_config", "additional_authentication_providers")
    unread = dict.fromkeys((*names, "xray_enabled", "lambda_authorizer_config", "visibility"))
    kind, tags = sent["authenticationType"], sent.pop("tags", {})
    api = self.appsync_backend.create_graphql_api(name=sent["name"], authentication_type=kind, tags=tags, **unread)
    vars(api)["tenuto_given"] = sent
    return {"graphqlApi": _shown(self, api)}


def _update_api(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    api = _api(self)
    before = _shown(self, api)
    vars(api)["tenuto_given"] = {**sent, **{name: before[name] for name in _SETTLED}}
    return {"graphqlApi": _shown(self, api)}


def _delete_api(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    self.appsync_backend.delete_graphql_api(_api(self).api_id)
    return {}


def _variables(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    kept = _kept(self, "variables")
    if "environmentVariables" in sent:
        kept.clear()
        kept.update(sent["environmentVariables"])
    return {"environmentVariables": kept}


def _create(kind: _Kind, member: str) -> Action:
    word, _, arn, known_as = kind

    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        one = {**sent, **(_named(self, "typeName") if word == "resolvers" else {})}
        one |= {"functionId": uuid4().hex[:26]} if word == "functions" else {}
        source = one.get("dataSourceName")
        if source is not None and source not in _kept(self, "datasources"):
            raise _NotFoundError("NotFoundException", f"No data source found named {source}")
        if known_as(one) in _kept(self, word):
            raise BadRequestException(f"There is a {member} {known_as(one)} already.")
        above = f"{_api(self).arn}/types/{one['typeName']}" if word == "resolvers" else _api(self).arn
        own = {arn: f"{above}/{word}/{known_as(one).rpartition('/')[2]}"}
        _kept(self, word)[known_as(one)] = one | own | ({"kind": one.get("kind", "UNIT")} if "typeName" in one else {})
        return {member: _kept(self, word)[known_as(one)]}

    return act


def _one(self: Any, kind: _Kind) -> dict[str, Any]:
    word, name, _, known_as = kind
    asked = known_as(_named(self, name, "typeName"))
    if asked not in _kept(self, word):
        raise _NotFoundError("NotFoundException", f"No such {word.removesuffix('s')}: {asked}")
    return _kept(self, word)[asked]


def _update(kind: _Kind, member: str) -> Action:
    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        one = _one(self, kind)
        own = {name: one[name] for name in (kind[1], kind[2], "typeName", "kind") if name in one}
        one.clear()
        one.update({**own, **sent})
        return {member: one}

    return act


def _delete(kind: _Kind) -> Action:
    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        _kept(self, kind[0]).pop(kind[3](_one(self, kind)))
        return {}

    return act


def _listed(kind: _Kind, members: str) -> Action:
    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        above = self._get_param("typeName") if kind is _RESOLVER else None
        return {members: [one for one in _kept(self, kind[0]).values() if above in (None, one.get("typeName"))]}

    return act


def _keyless(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A call about a key. It refuses one that is not there, where moto breaks."""

    def act(self: Any) -> Any:
        key = self._get_param("id")
        if key is not None and key not in _api(self).api_keys:
            raise _NotFoundError("NotFoundException", f"API key not found: {key}")
        return call(self)

    return act


def add() -> None:
    """Add the calls."""
    for path in _PATHS:
        urls.url_paths[f"{_API}/{path}$"] = AppSyncResponse.dispatch
    for name in ("delete_api_key", "update_api_key"):
        setattr(AppSyncResponse, name, _keyless(getattr(AppSyncResponse, name)))
    added(
        AppSyncResponse,
        create_graphql_api=_create_api,
        update_graphql_api=_update_api,
        delete_graphql_api=_delete_api,
        get_graphql_api=lambda self, sent: {"graphqlApi": _shown(self, _api(self))},
        list_graphql_apis=lambda self, sent: {
            "graphqlApis": [_shown(self, api) for api in self.appsync_backend.list_graphql_apis()]
        },
        get_graphql_api_environment_variables=_variables,
        put_graphql_api_environment_variables=_variables,
        create_data_source=_create(_SOURCE, "dataSource"),
        update_data_source=_update(_SOURCE, "dataSource"),
        delete_data_source=_delete(_SOURCE),
        get_data_source=lambda self, sent: {"dataSource": _one(self, _SOURCE)},
        list_data_sources=_listed(_SOURCE, "dataSources"),
        create_function=_create(_FUNCTION, "functionConfiguration"),
        update_function=_update(_FUNCTION, "functionConfiguration"),
        delete_function=_delete(_FUNCTION),
        get_function=lambda self, sent: {"functionConfiguration": _one(self, _FUNCTION)},
        list_functions=_listed(_FUNCTION, "functions"),
        create_resolver=_create(_RESOLVER, "resolver"),
        update_resolver=_update(_RESOLVER, "resolver"),
        delete_resolver=_delete(_RESOLVER),
        get_resolver=lambda self, sent: {"resolver": _one(self, _RESOLVER)},
        list_resolvers=_listed(_RESOLVER, "resolvers"),
    )
