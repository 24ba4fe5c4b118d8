"""Changes of tags in API Gateway: moto changes those of stages, and knows them by another way of writing their ARN."""

import json
from typing import Any
from urllib.parse import unquote

from moto.apigateway import urls
from moto.apigateway.responses import APIGatewayResponse


def _tagged(self: Any) -> Any:
    """The API, stage, plan, key or domain that the ARN in the path of a call names."""
    arn = unquote(self.path.partition("/tags/")[2])
    kind, name, *rest = arn.partition("::/")[2].split("/")
    backend = self.backend
    if rest:
        return backend.get_stage(name, rest[-1])
    getter = {
        "restapis": backend.get_rest_api,
        "usageplans": backend.get_usage_plan,
        "apikeys": backend.get_api_key,
        "domainnames": backend.get_domain_name,
    }[kind]
    return getter(name)


def _get(self: Any) -> str:
    return json.dumps({"tags": _tagged(self).tags or {}})


def _tag(self: Any) -> str:
    one = _tagged(self)
    one.tags = {**(one.tags or {}), **(self._get_param("tags") or {})}
    return "{}"


def _untag(self: Any) -> str:
    one = _tagged(self)
    gone = self.querystring.get("tagKeys") or ()
    one.tags = {key: value for key, value in (one.tags or {}).items() if key not in gone}
    return "{}"


def add() -> None:
    """Add the calls."""
    for name, call in (("get_tags", _get), ("tag_resource", _tag), ("untag_resource", _untag)):
        setattr(APIGatewayResponse, name, call)
    urls.url_paths["{0}/tags/(?P<resource_arn>.+)$"] = APIGatewayResponse.dispatch
