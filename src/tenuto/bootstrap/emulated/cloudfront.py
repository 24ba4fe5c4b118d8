"""Policies, identities for origins, and changes of functions of CloudFront: moto has no calls for them.

Of a distribution it forgets which functions and which identity it has, so these are kept, too; and a behaviour may have
a group of origins as its target.
"""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from moto.cloudfront import urls
from moto.cloudfront.exceptions import CloudFrontException, NoSuchFunctionExists
from moto.cloudfront.models import DefaultCacheBehaviour, DistributionConfig, Origin, cloudfront_backends
from moto.cloudfront.responses import CloudFrontResponse
from moto.core.responses import ActionResult, EmptyResult

Answer = Callable[[Any], Any]
_IDENTITY = "CloudFrontOriginAccessIdentity"
_LISTS = {
    "CachePolicy": "CachePolicies",
    "OriginRequestPolicy": "OriginRequestPolicies",
    "ResponseHeadersPolicy": "ResponseHeadersPolicies",
    _IDENTITY: "CloudFrontOriginAccessIdentities",
}
_PATHS = {
    "CachePolicy": "cache-policy",
    "OriginRequestPolicy": "origin-request-policy",
    "ResponseHeadersPolicy": "response-headers-policy",
    _IDENTITY: "origin-access-identity/cloudfront",
}
_ORIGIN, _BEHAVIOUR, _CONFIG = Origin.__init__, DefaultCacheBehaviour.__init__, DistributionConfig.__init__
_DESCRIBE = CloudFrontResponse.describe_function


def _all(self: Any, kind: str) -> dict[str, dict[str, Any]]:
    kept: dict[str, dict[str, dict[str, Any]]] = vars(self.backend).setdefault("tenuto_kept", {})
    return kept.setdefault(kind, {})


def canonical_arns(account: str) -> dict[str, str]:
    """The ARN of each identity of an account, by its canonical id."""
    kept = vars(cloudfront_backends[account]["aws"]).get("tenuto_kept", {}).get(_IDENTITY, {})
    head = "arn:aws:iam::cloudfront:user/CloudFront Origin Access Identity"
    return {one["shown"]["S3CanonicalUserId"]: f"{head} {identity}" for identity, one in kept.items()}


def _one(self: Any, kind: str) -> dict[str, Any]:
    found = _all(self, kind).get(self._get_param("Id"))
    if found is None:
        raise CloudFrontException(f"NoSuch{kind}", "There is none.")
    return found


def _shown(kind: str, one: dict[str, Any]) -> ActionResult:
    return ActionResult({kind: one["shown"], "ETag": one["version"], "Location": "https://cloudfront.amazonaws.com"})


def _calls(kind: str) -> dict[str, Answer]:
    """The calls of one kind of thing, by the words of their operations."""

    def config_of(self: Any) -> dict[str, Any]:
        config = self._get_param(f"{kind}Config")
        name = config.get("Name")
        others = [one for one in _all(self, kind).values() if one["shown"]["Id"] != self._get_param("Id")]
        if name is not None and any(one["shown"][f"{kind}Config"]["Name"] == name for one in others):
            raise CloudFrontException(f"{kind}AlreadyExists", f"There is a {name}.")
        return {f"{kind}Config": config}

    def create(self: Any) -> ActionResult:
        config, identity = config_of(self), uuid4().hex[:13].upper()
        shown = {"Id": identity, "LastModifiedTime": "2026-01-01T00:00:00Z", **config}
        if kind == _IDENTITY:
            shown["S3CanonicalUserId"] = uuid4().hex
        one = _all(self, kind)[identity] = {"shown": shown, "version": uuid4().hex}
        return _shown(kind, one)

    def update(self: Any) -> ActionResult:
        one = _one(self, kind)
        if self._get_param("IfMatch") != one["version"]:
            raise CloudFrontException("InvalidIfMatchVersion", "It has another version.")
        one["shown"] |= config_of(self)
        one["version"] = uuid4().hex
        return _shown(kind, one)

    def delete(self: Any) -> EmptyResult:
        _all(self, kind).pop(_one(self, kind)["shown"]["Id"])
        return EmptyResult()

    def listed(self: Any) -> ActionResult:
        shown = [one["shown"] for one in _all(self, kind).values()]
        if kind == _IDENTITY:
            items = [{**one, "Comment": one[f"{kind}Config"].get("Comment", "")} for one in shown]
        else:
            items = [{"Type": "custom", kind: one} for one in shown]
        envelope = {"Marker": "", "MaxItems": 100, "IsTruncated": False, "Quantity": len(items), "Items": items}
        return ActionResult({f"{kind}List": envelope})

    return {
        f"Create{kind}": create,
        f"Get{kind}": lambda self: _shown(kind, _one(self, kind)),
        f"Update{kind}": update,
        f"Delete{kind}": delete,
        f"List{_LISTS[kind]}": listed,
    }


def _function(self: Any) -> Any:
    """The function that a call is about, in the version that it names, where it names one."""
    found = self.backend.describe_function(name=self._get_param("Name"))
    if self._get_param("IfMatch") not in (None, found.etag):
        raise CloudFrontException("InvalidIfMatchVersion", "It has another version.")
    return found


def _summary(one: Any) -> ActionResult:
    return ActionResult({"FunctionSummary": one.function_summary, "ETag": one.etag})


def _update_function(self: Any) -> ActionResult:
    one = _function(self)
    one.config, one.code = self._get_param("FunctionConfig"), self._get_param("FunctionCode")
    one.etag = uuid4().hex
    return _summary(one)


def _publish_function(self: Any) -> ActionResult:
    one = _function(self)
    one.is_live = True
    return _summary(one)


def _describe_function(self: Any) -> Any:
    if self._get_param("Stage") == "LIVE" and not hasattr(_function(self), "is_live"):
        raise NoSuchFunctionExists(self._get_param("Name"))
    return _DESCRIBE(self)


def _origin(self: Any, origin: dict[str, Any]) -> None:
    _ORIGIN(self, origin)
    if "S3OriginConfig" in origin:
        self.s3_origin_config = origin["S3OriginConfig"]


def _behaviour(self: Any, config: dict[str, Any]) -> None:
    _BEHAVIOUR(self, config)
    for name, member in (
        ("FunctionAssociations", "function_associations"),
        ("LambdaFunctionAssociations", "lambda_function_associations"),
    ):
        items = (config.get(name) or {}).get("Items") or []
        if items:
            setattr(self, member, {"Quantity": len(items), "Items": items})


def _config(self: Any, config: dict[str, Any]) -> None:
    """Moto looks for the target among the origins alone, so a group is known by its first origin there."""
    groups = {one["Id"]: one for one in (config.get("OriginGroups") or {}).get("Items") or ()}
    behaviour = config["DefaultCacheBehavior"]
    target = behaviour["TargetOriginId"]
    if target not in groups:
        _CONFIG(self, config)
        return
    first = groups[target]["Members"]["Items"][0]["OriginId"]
    _CONFIG(self, {**config, "DefaultCacheBehavior": {**behaviour, "TargetOriginId": first}})
    self.DefaultCacheBehavior.target_origin_id = target


def _in_moto(operation: str) -> str:
    """The name of a call in moto: words in small letters."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in operation).lstrip("_")


def add() -> None:
    """Add the calls."""
    calls: dict[str, Answer] = {
        "UpdateFunction": _update_function,
        "PublishFunction": _publish_function,
        "DescribeFunction": _describe_function,
    }
    for kind, path in _PATHS.items():
        calls |= _calls(kind)
        for ending in ("", "/(?P<thing_id>[^/]+)", "/(?P<thing_id>[^/]+)/config"):
            urls.url_paths[f"{{0}}/2020-05-31/{path}{ending}$"] = CloudFrontResponse.dispatch
    urls.url_paths["{0}/2020-05-31/function/(?P<function_name>[^/]+)/publish$"] = CloudFrontResponse.dispatch
    for owner, act in ((Origin, _origin), (DefaultCacheBehaviour, _behaviour), (DistributionConfig, _config)):
        setattr(owner, "__init__", act)  # noqa: B010
    for operation, call in calls.items():
        setattr(CloudFrontResponse, _in_moto(operation), call)
