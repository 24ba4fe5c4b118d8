"""Applications of AppRegistry by name or id, their changes, tags and ARNs in the form of AWS, and groups of attributes:
moto makes and lists applications alone.
"""

import json
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.servicecatalogappregistry import urls
from moto.servicecatalogappregistry.models import Application
from moto.servicecatalogappregistry.responses import AppRegistryResponse

_GROUPS = "tenuto_groups"


def _gone(name: str) -> JsonRESTError:
    return JsonRESTError("ResourceNotFoundException", f"There is no {name}.")


def _clash(name: str) -> JsonRESTError:
    return JsonRESTError("ConflictException", f"There is a {name} already.")


def _application(self: Any) -> Application:
    name = unquote(self._get_param("application"))
    for one in self.servicecatalogappregistry_backend.applications.values():
        if name in (one.id, one.name, one.arn):
            found: Application = one
            return found
    raise _gone(name)


def _shown(self: Any, one: Application) -> dict[str, Any]:
    shown: dict[str, Any] = one.to_json()
    tags = self.servicecatalogappregistry_backend._list_tags_for_resource(one.arn)
    return {name: value for name, value in {**shown, "tags": tags}.items() if not name.endswith("Time")}


_make: Any = AppRegistryResponse.create_application
_init: Any = Application.__init__


def _born(self: Any, name: str, description: str, region: str, account_id: str) -> None:
    """A new application, with an ARN and a tag as AWS gives them."""
    _init(self, name, description, region=region, account_id=account_id)
    self.arn = f"arn:aws:servicecatalog:{region}:{account_id}:/applications/{self.id}"
    self.applicationTag = {"awsApplication": f"arn:aws:resource-groups:{region}:{account_id}:group/{name}/{self.id}"}


def _create(self: Any) -> str:
    sent = json.loads(self.body)
    if any(one.name == sent["name"] for one in self.servicecatalogappregistry_backend.applications.values()):
        raise _clash(sent["name"])
    made = json.loads(_make(self))["application"]
    return json.dumps({"application": {name: value for name, value in made.items() if not name.endswith("Time")}})


def _list(self: Any) -> str:
    every = self.servicecatalogappregistry_backend.applications.values()
    return json.dumps({"applications": [_shown(self, one) for one in every]})


def _update(self: Any) -> str:
    one = _application(self)
    one.description = json.loads(self.body).get("description", one.description)
    return json.dumps({"application": _shown(self, one)})


def _delete(self: Any) -> str:
    one = _application(self)
    self.servicecatalogappregistry_backend.applications.pop(one.arn)
    return json.dumps({"application": _shown(self, one)})


def _groups(self: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = vars(self.servicecatalogappregistry_backend).setdefault(_GROUPS, {})
    return found


def _group(self: Any) -> dict[str, Any]:
    name = unquote(self._get_param("attributeGroup"))
    for one in _groups(self).values():
        if name in (one["id"], one["name"], one["arn"]):
            return one
    raise _gone(name)


def _create_group(self: Any) -> str:
    sent, backend, own = json.loads(self.body), self.servicecatalogappregistry_backend, uuid4().hex[:26]
    if any(one["name"] == sent["name"] for one in _groups(self).values()):
        raise _clash(sent["name"])
    arn = f"arn:aws:servicecatalog:{backend.region_name}:{backend.account_id}:/attribute-groups/{own}"
    backend._tag_resource(arn, sent.pop("tags", None) or {})
    sent.pop("clientToken", None)
    _groups(self)[own] = {**sent, "id": own, "arn": arn}
    return json.dumps({"attributeGroup": _groups(self)[own]})


def _update_group(self: Any) -> str:
    one = _group(self)
    one.update(json.loads(self.body))
    return json.dumps({"attributeGroup": one})


def _arn(self: Any) -> str:
    return unquote(self.path.partition("/tags/")[2])


def _tags(self: Any) -> str:
    return json.dumps({"tags": self.servicecatalogappregistry_backend._list_tags_for_resource(_arn(self))})


def _tag(self: Any) -> str:
    self.servicecatalogappregistry_backend._tag_resource(_arn(self), json.loads(self.body)["tags"])
    return "{}"


def _untag(self: Any) -> str:
    self.servicecatalogappregistry_backend._untag_resource(_arn(self), self.querystring.get("tagKeys"))
    return "{}"


def add() -> None:
    """Add them."""
    calls: Any = AppRegistryResponse
    setattr(Application, "__init__", _born)  # noqa: B010
    calls.create_application, calls.list_applications = _create, _list
    calls.get_application = lambda self: json.dumps(_shown(self, _application(self)))
    calls.update_application, calls.delete_application = _update, _delete
    calls.create_attribute_group, calls.update_attribute_group = _create_group, _update_group
    calls.get_attribute_group = lambda self: json.dumps(_group(self))
    calls.list_attribute_groups = lambda self: json.dumps({"attributeGroups": list(_groups(self).values())})
    calls.delete_attribute_group = lambda self: json.dumps({"attributeGroup": _groups(self).pop(_group(self)["id"])})
    calls.list_tags_for_resource, calls.tag_resource, calls.untag_resource = _tags, _tag, _untag
    for path in (
        "applications/(?P<application>[^/]+)",
        "attribute-groups",
        "attribute-groups/(?P<attribute_group>[^/]+)",
        "tags/(?P<resource_arn>.+)",
    ):
        urls.url_paths[f"{{0}}/{path}$"] = AppRegistryResponse.dispatch
