"""Changes, factors and tags of user pools, and the things that hang on them."""

from collections.abc import Callable
from typing import Any

from moto.cognitoidp.exceptions import InvalidParameterException, ResourceNotFoundError
from moto.cognitoidp.responses import CognitoIdpResponse

from tenuto.bootstrap.emulated.added import added

_TAGS, _DOMAIN = "UserPoolTags", ("CustomDomainConfig", "ManagedLoginVersion", "Routing")


def _pool(self: Any, sent: dict[str, Any]) -> Any:
    """The pool that a call is about, by its id or its ARN."""
    return self.backend.describe_user_pool(sent.get("UserPoolId") or sent["ResourceArn"].rpartition("/")[2])


def _update(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    pool = _pool(self, sent)
    kept = ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration", _TAGS)
    settled = {name: pool.extended_config[name] for name in kept if name in pool.extended_config}
    given = {name: value for name, value in sent.items() if name not in ("PoolName", "UserPoolId")}
    pool.update_extended_config({**settled, **given})
    pool.name = sent.get("PoolName") or pool.name
    pool.mfa_config = sent.get("MfaConfiguration", "OFF")
    return {}


def _factors(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """The second factors as they are shown. Those that are configured go when they are off."""
    pool = _pool(self, sent)
    kept: dict[str, Any] = vars(pool).setdefault("tenuto_factors", {})
    return {**kept, "MfaConfiguration": pool.mfa_config}


def _set_factors(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    pool, wanted = _pool(self, sent), sent.get("MfaConfiguration", "OFF")
    factors = {name: value for name, value in sent.items() if name.endswith("MfaConfiguration") and value != wanted}
    enabled = [one for one in factors.values() if one.get("Enabled", True)]
    if (wanted == "OFF") is bool(enabled):
        raise InvalidParameterException("Invalid MFA configuration given")
    before = _factors(self, sent).get("WebAuthnConfiguration", {})
    vars(pool)["tenuto_factors"] = {
        **factors,
        "WebAuthnConfiguration": {**before, **sent.get("WebAuthnConfiguration", {})},
    }
    pool.mfa_config = wanted
    pool.extended_config["MfaConfiguration"] = wanted
    return _factors(self, sent)


def _tag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    config = _pool(self, sent).extended_config
    config[_TAGS] = {**config.get(_TAGS, {}), **sent["Tags"]}
    return {}


def _untag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    config = _pool(self, sent).extended_config
    config[_TAGS] = {key: value for key, value in config.get(_TAGS, {}).items() if key not in sent["TagKeys"]}
    return {}


def _domain_kept(call: Callable[[Any], Any]) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    """The call, which keeps all that is said of a domain."""

    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = call(self).result
        domain = self.backend.user_pool_domains[sent["Domain"]]
        kept = vars(domain).setdefault("tenuto_kept", {"ManagedLoginVersion": 1})
        kept.update({name: sent[name] for name in _DOMAIN if name in sent})
        return answer

    return act


def _domain(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    domain = self.backend.user_pool_domains.get(sent["Domain"])
    if domain is None:
        return {"DomainDescription": {}}
    return {"DomainDescription": {**domain.to_json(), **vars(domain).get("tenuto_kept", {})}}


def _server(self: Any, sent: dict[str, Any]) -> Any:
    found = _pool(self, sent).resource_servers.get(sent["Identifier"])
    if found is None:
        raise ResourceNotFoundError("Resource server does not exist.")
    return found


def _update_server(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    server = _server(self, sent)
    server.name, server.scopes = sent["Name"], sent.get("Scopes")
    return {"ResourceServer": server.to_json()}


def _drop_server(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _server(self, sent)
    del _pool(self, sent).resource_servers[sent["Identifier"]]
    return {}


def _group(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """A group, which moto shows with nothing for a role."""
    shown = self.backend.get_group(sent["UserPoolId"], sent["GroupName"]).to_json()
    dates = {name: shown[name].timestamp() for name in ("CreationDate", "LastModifiedDate")}
    return {"Group": {name: value for name, value in {**shown, **dates}.items() if value is not None}}


def add() -> None:
    """Add the calls."""
    added(
        CognitoIdpResponse,
        update_user_pool=_update,
        get_user_pool_mfa_config=_factors,
        set_user_pool_mfa_config=_set_factors,
        list_tags_for_resource=lambda self, sent: {"Tags": _pool(self, sent).extended_config.get(_TAGS, {})},
        tag_resource=_tag,
        untag_resource=_untag,
        create_user_pool_domain=_domain_kept(CognitoIdpResponse.create_user_pool_domain),
        update_user_pool_domain=_domain_kept(CognitoIdpResponse.update_user_pool_domain),
        describe_user_pool_domain=_domain,
        update_resource_server=_update_server,
        delete_resource_server=_drop_server,
        get_group=_group,
    )
