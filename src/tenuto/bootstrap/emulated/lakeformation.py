"""Changes of resources that are registered in Lake Formation, which moto lacks, and the settings that it forgets."""

import json
from typing import Any

from moto.lakeformation import urls
from moto.lakeformation.models import Resource
from moto.lakeformation.responses import LakeFormationResponse

from tenuto.bootstrap.emulated.added import added

_MORE = "tenuto_more"
_KEPT = ("HybridAccessEnabled", "WithFederation", "WithPrivilegedAccess")
_register, _shown = LakeFormationResponse.register_resource, Resource.to_dict


def _kept(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: asked[name] for name in _KEPT if name in asked}


def _registered(self: LakeFormationResponse) -> str:
    asked = json.loads(self.body)
    answer = _register(self)
    one = self.lakeformation_backend.resources[asked["ResourceArn"]]
    if asked.get("UseServiceLinkedRole"):
        path = "aws-service-role/lakeformation.amazonaws.com/AWSServiceRoleForLakeFormationDataAccess"
        one.role_arn = f"arn:aws:iam::{self.current_account}:role/{path}"
    setattr(one, _MORE, _kept(asked))
    return answer


def _update(response: Any, asked: dict[str, Any]) -> dict[str, Any]:
    one = response.lakeformation_backend.describe_resource(asked["ResourceArn"])
    one.role_arn = asked["RoleArn"]
    setattr(one, _MORE, {**getattr(one, _MORE, {}), **_kept(asked)})
    return {}


def _whole(self: Resource) -> dict[str, Any]:
    return {**_shown(self), **dict.fromkeys(_KEPT, False), **getattr(self, _MORE, {})}


def add() -> None:
    """Add the calls."""
    added(LakeFormationResponse, update_resource=_update)
    LakeFormationResponse.register_resource = _registered  # type: ignore[method-assign]
    Resource.to_dict = _whole  # type: ignore[method-assign]
    urls.url_paths["{0}/UpdateResource$"] = LakeFormationResponse.dispatch
