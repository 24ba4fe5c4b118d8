"""Changes, roles and tags of identity pools."""

import json
from collections.abc import Callable
from typing import Any

from moto.cognitoidentity.responses import CognitoIdentityResponse

from tenuto.bootstrap.emulated.added import added

_CLASSIC = "AllowClassicFlow"


def _pool(self: Any, sent: dict[str, Any]) -> Any:
    """The pool that a call is about, by its id or its ARN."""
    pool_id = sent.get("IdentityPoolId") or sent["ResourceArn"].rpartition("/")[2]
    self.backend.describe_identity_pool(pool_id)
    return self.backend.identity_pools[pool_id]


def _shown(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    pool = _pool(self, sent)
    shown: dict[str, Any] = json.loads(pool.to_json())
    there = {name: value for name, value in shown.items() if value is not None}
    return {**there, _CLASSIC: vars(pool).get("classic", False)}


def _kept(call: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    """The call, after which a pool has the settings that moto leaves out."""

    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        answer = json.loads(call(self))
        pool = _pool(self, answer)
        pool.identity_pool_name = sent["IdentityPoolName"]
        vars(pool)["classic"] = sent.get(_CLASSIC, False)
        return _shown(self, answer)

    return act


def _roles(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = vars(_pool(self, sent)).get("roles", {})
    return {"IdentityPoolId": sent["IdentityPoolId"], **found}


def _set_roles(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    roles = {name: sent[name] for name in ("Roles", "RoleMappings") if sent.get(name)}
    vars(_pool(self, sent))["roles"] = roles
    return {}


def _tag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _pool(self, sent).tags.update(sent["Tags"])
    return {}


def _untag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    for key in sent["TagKeys"]:
        _pool(self, sent).tags.pop(key, None)
    return {}


def add() -> None:
    """Add the calls."""
    added(
        CognitoIdentityResponse,
        create_identity_pool=_kept(CognitoIdentityResponse.create_identity_pool),
        update_identity_pool=_kept(CognitoIdentityResponse.update_identity_pool),
        describe_identity_pool=_shown,
        get_identity_pool_roles=_roles,
        set_identity_pool_roles=_set_roles,
        list_tags_for_resource=lambda self, sent: {"Tags": _pool(self, sent).tags},
        tag_resource=_tag,
        untag_resource=_untag,
    )
