"""The configuration of a distribution in its two shapes: as a composition declares it, and as CloudFront takes it.

Theory of operation. CloudFront counts its lists: each is a structure of `Quantity` and `Items`, which a composition
does not know. Which structure is such a list follows from the SDK's model, so new members of later years go through. A
change takes the whole configuration, so the declared values are laid over the present ones: a value that is not
declared stays.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from botocore.model import Shape

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import flag

_CALLED = {"OriginCustomHeaders": "CustomHeaders", "IPV6Enabled": "IsIPV6Enabled", "CNAMEs": "Aliases"}
"""Declared names that CloudFront calls otherwise; it spells others in another case alone."""
_DECLARED = {"CustomHeaders": "OriginCustomHeaders", "IsIPV6Enabled": "IPV6Enabled"}
_SPELLED = {
    "acmcertificatearn": "AcmCertificateArn",
    "iamcertificateid": "IamCertificateId",
    "sslsupportmethod": "SslSupportMethod",
    "originsslprotocols": "OriginSSLProtocols",
}
_KEYS = ("Id", "PathPattern", "ErrorCode")
"""The members by which one member of a list is told from the others."""
_REQUIRED: Mapping[str, JsonMap] = {
    "Cookies": {"Forward": "none"},
    "CustomOriginConfig": {"HTTPPort": 80, "HTTPSPort": 443},
    "DistributionConfig": {"Comment": ""},
    "ForwardedValues": {"Cookies": {"Forward": "none"}},
    "Logging": {"IncludeCookies": False, "Prefix": ""},
    "S3OriginConfig": {"OriginAccessIdentity": ""},
}
"""The values that CloudFront asks for, and that a composition may leave out."""
_INSTEAD = (
    ("CachePolicyId", ("ForwardedValues", "MinTTL", "DefaultTTL", "MaxTTL")),
    ("ForwardedValues", ("CachePolicyId",)),
    ("CustomOriginConfig", ("S3OriginConfig", "VpcOriginConfig")),
    ("S3OriginConfig", ("CustomOriginConfig", "VpcOriginConfig")),
    ("VpcOriginConfig", ("CustomOriginConfig", "S3OriginConfig")),
)
"""Members with those that they take the place of."""
_EMPTY: JsonMap = {
    "AllowedMethods": {
        "Quantity": 2,
        "Items": ["GET", "HEAD"],
        "CachedMethods": {"Quantity": 2, "Items": ["GET", "HEAD"]},
    },
    "DefaultRootObject": "",
    "FieldLevelEncryptionId": "",
    "GeoRestriction": {"Quantity": 0, "RestrictionType": "none"},
    "HttpVersion": "http2",
    "Logging": {"Bucket": "", "Enabled": False, "IncludeCookies": False, "Prefix": ""},
    "PriceClass": "PriceClass_All",
    "Restrictions": {"GeoRestriction": {"Quantity": 0, "RestrictionType": "none"}},
    "ViewerCertificate": {"CloudFrontDefaultCertificate": True},
    "WebACLId": "",
}
"""The documented defaults of members of which nothing is declared, where these are no empty lists."""


def sent(shape: Shape, declared: JsonMap, present: JsonMap) -> dict[str, Json]:
    """The configuration for a call: the declared values over the present ones, in the shape of CloudFront."""
    found: dict[str, Json] = _over(present, _sent(shape, declared, "DistributionConfig"))
    return found


def _sent(shape: Shape, value: Json, path: str) -> Json:
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, value, path)
    if kind == "list":
        return [_sent(shape.member, one, path) for one in value]
    if kind in ("integer", "long"):
        return int(value)
    if kind in ("double", "float"):
        return float(value)
    return flag(value) if kind == "boolean" else text_of(value)


def _structure(shape: Shape, value: Json, path: str) -> dict[str, Json]:
    members: Mapping[str, Shape] = shape.members
    is_counted = {"Quantity", "Items"} <= members.keys()
    if is_counted and not isinstance(value, Mapping):
        items = _sent(members["Items"], list(value), path)
        is_switch = {"Enabled": bool(items)} if "Enabled" in members else {}
        return {"Quantity": len(items), "Items": items, **is_switch}
    given = {**_REQUIRED.get(path, {}), **{name: one for name, one in value.items() if one is not None}}
    if path == "Logging":
        given.setdefault("Enabled", bool(given.get("Bucket")))
    if path == "GeoRestriction":
        given["Items"] = given.pop("Locations", [])
    if "ForwardedValues" in given:
        given.setdefault("MinTTL", 0)
    found: dict[str, Json] = {}
    spelled = {name.casefold(): name for name in members}
    for name, one in given.items():
        member = _CALLED.get(name) or spelled.get(name.casefold(), name)
        if name == "CachedMethods" and "AllowedMethods" in members:
            continue
        # An unknown member goes along: the SDK refuses it by its name, before anything is sent.
        found[member] = _sent(members[member], one, member) if member in members else one
    if "AllowedMethods" in members and given.get("CachedMethods"):
        allowed = found.setdefault("AllowedMethods", {"Quantity": 2, "Items": ["GET", "HEAD"]})
        inner = members["AllowedMethods"].members["CachedMethods"]
        allowed["CachedMethods"] = _sent(inner, given["CachedMethods"], "CachedMethods")
    return {**found, "Quantity": len(found["Items"])} if is_counted and "Items" in found else found


def without(shape: Shape, present: JsonMap, paths: Iterable[str]) -> JsonMap:
    """The configuration with nothing at these paths: a change must name many members that a creation may leave out."""
    for path in paths:
        present = _emptied(shape, present, path.split(".")[1:])
    return present


def _emptied(shape: Shape, present: Any, names: Sequence[str]) -> Any:
    if not isinstance(present, Mapping) or not names or not hasattr(shape, "members"):
        return present
    spelled = {name.casefold(): name for name in shape.members}
    name = _CALLED.get(names[0]) or spelled.get(names[0].casefold(), names[0])
    if name not in shape.members:
        return present
    inner = shape.members[name]
    if names[1:]:
        return {**present, name: _emptied(inner, present.get(name), names[1:])}
    others = {key: value for key, value in present.items() if key != name}
    empty = _EMPTY[name] if name in _EMPTY else _nothing_of(inner)
    return others if empty is None else {**others, name: empty}


def _nothing_of(shape: Shape) -> Json:
    """The value by which a structure with a list, or a switch, says nothing; None for one that is simply left out."""
    if shape.type_name == "boolean":
        return False
    if shape.type_name == "structure" and "Quantity" in shape.members:
        return {"Quantity": 0, **({"Enabled": False} if "Enabled" in shape.members else {})}
    return None


def _over(present: Any, wanted: Any) -> Any:
    """The wanted values laid over the present ones. Members of lists are paired by their key, and unwanted ones go."""
    if not isinstance(wanted, Mapping) or not isinstance(present, Mapping):
        return wanted
    if "Items" in wanted:
        before = {_key(one): one for one in present.get("Items") or ()}
        items = [_over(before.get(_key(one)), one) if _key(one) else one for one in wanted["Items"]]
        others = {name: one for name, one in wanted.items() if name != "Items"}
        kept = {"CachedMethods": present["CachedMethods"]} if "CachedMethods" in present else {}
        return {**kept, **others, "Items": items}
    if "CertificateSource" in present or "CloudFrontDefaultCertificate" in present:
        # Each kind of certificate excludes the others.
        return wanted
    replaced = {name for chosen, others in _INSTEAD if chosen in wanted for name in others} - wanted.keys()
    rest = {name: one for name, one in present.items() if name not in replaced}
    return {**rest, **{name: _over(rest.get(name), one) for name, one in wanted.items()}}


def _key(member: Any) -> str:
    if not isinstance(member, Mapping):
        return ""
    return next((str(member[name]) for name in _KEYS if name in member), "")


def declared(value: Json, name: str = "") -> Json:
    """A configuration as it would be declared, from the one that CloudFront shows."""
    if isinstance(value, list | tuple):
        return [declared(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    if name == "GeoRestriction":
        return {"RestrictionType": value.get("RestrictionType"), "Locations": list(value.get("Items") or ())}
    if "Quantity" in value and name not in ("OriginGroups", "Members", "StatusCodes"):
        return declared(list(value.get("Items") or ()))
    found: dict[str, Json] = {}
    for member, one in value.items():
        called = _DECLARED.get(member) or _SPELLED.get(member.casefold()) or str(member)
        found[called] = declared(one, member)
        if member == "AllowedMethods" and isinstance(one, Mapping) and "CachedMethods" in one:
            found["CachedMethods"] = declared(one["CachedMethods"])
    return found
