"""AWS::CloudFront: policies of caches, of requests to origins and of headers of responses, and identities for origins.

Their Refs are their ids. Each is one configuration that a change replaces whole, in the version that was read right
before. CloudFront counts its lists (`cloudfront_shapes`); policies of headers are declared with the `Items` of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.types.cloudfront import of_this_version
from tenuto.providers.aws.types.cloudfront_shapes import declared, sent

_SERVICE = "cloudfront"
_IDENTITY = "CloudFrontOriginAccessIdentity"


def _uncounted(value: Json) -> Json:
    """A configuration with its lists as they are, and without their numbers."""
    if isinstance(value, list | tuple):
        return [_uncounted(one) for one in value]
    if not isinstance(value, Mapping):
        return value
    return {name: _uncounted(one) for name, one in value.items() if name != "Quantity"}


@dataclass(frozen=True, kw_only=True)
class _Configuration(Shown):
    """The one property of a thing: its configuration."""

    kind: str
    told: Callable[[Json], Json] = declared
    has_reference: bool = False
    """True when each call names the request that made the thing."""

    @property
    def name(self) -> str:
        return f"{self.kind}Config"

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get(self.name)
        if shown is None:
            return {}
        return {self.name: self.told({name: one for name, one in shown.items() if name != "CallerReference"})}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return self._given(work, f"Create{self.kind}", generated_name(work.request, 64))

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.name):
            now = work.read(service, f"Get{self.kind}", Id=work.id)
            given = self._given(work, f"Update{self.kind}", now[self.kind][self.name].get("CallerReference"))
            with of_this_version():
                work.change(service, f"Update{self.kind}", Id=work.id, IfMatch=now["ETag"], **given)

    def _given(self, work: Work, operation: str, reference: Json) -> dict[str, Json]:
        shape = work.client.input_of(_SERVICE, operation).members[self.name]
        config = sent(shape, work.need(self.name), {})
        return {self.name: {**config, "CallerReference": reference} if self.has_reference else config}

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:Update{self.kind}"}

    def version(self, work: Work) -> JsonMap:
        """The parameter with the version of the thing as it is now."""
        return {"IfMatch": work.read(_SERVICE, f"Get{self.kind}", Id=work.id)["ETag"]}


def _policy(kind: str, plural: str, sets: str, told: Callable[[Json], Json] = declared) -> AwsType:
    """A kind of policy. `sets` are the lists of which the order means nothing."""
    configuration = _Configuration(kind=kind, told=told)
    name, items = configuration.name, f"{kind}List"
    return block(
        f"AWS::CloudFront::{kind}",
        _SERVICE,
        key="Id",
        listed=Listed(
            operation=f"List{plural}",
            id=f"{kind}.Id",
            fixed={"Type": "custom"},
            members=f"{items}.Items",
            next_page=f"Marker {items}.NextMarker",
        ),
        described=Described(call=Call(f"Get{kind}"), at=kind),
        create=f"Create{kind}",
        made=f"{kind}.Id",
        attributes={"Id": "$id"},
        parts=(configuration,),
        delete=f"Delete{kind}",
        parting=configuration.version,
        # A name belongs to one of them.
        exclusive=[(name,)],
        compare_as={f"{name}.{path}": Comparison.SET for path in sets.split()},
    )


_IN_CACHE = "ParametersInCacheKeyAndForwardedToOrigin"
CACHE_POLICY = _policy(
    "CachePolicy",
    "CachePolicies",
    f"{_IN_CACHE}.CookiesConfig.Cookies {_IN_CACHE}.HeadersConfig.Headers {_IN_CACHE}.QueryStringsConfig.QueryStrings",
)
ORIGIN_REQUEST_POLICY = _policy(
    "OriginRequestPolicy",
    "OriginRequestPolicies",
    "CookiesConfig.Cookies HeadersConfig.Headers QueryStringsConfig.QueryStrings",
)
_CORS = "AccessControlAllowHeaders AccessControlAllowMethods AccessControlAllowOrigins AccessControlExposeHeaders"
RESPONSE_HEADERS_POLICY = _policy(
    "ResponseHeadersPolicy",
    "ResponseHeadersPolicies",
    " ".join(
        (
            *(f"CorsConfig.{one}.Items" for one in _CORS.split()),
            "CustomHeadersConfig.Items",
            "RemoveHeadersConfig.Items",
        )
    ),
    _uncounted,
)
_OF_IDENTITY = _Configuration(kind=_IDENTITY, has_reference=True)
IDENTITY = block(
    f"AWS::CloudFront::{_IDENTITY}",
    _SERVICE,
    key="Id",
    listed=Listed(operation="ListCloudFrontOriginAccessIdentities", id="Id"),
    described=Described(call=Call(f"Get{_IDENTITY}"), at=_IDENTITY),
    create=f"Create{_IDENTITY}",
    made=f"{_IDENTITY}.Id",
    attributes={"Id": "$id"},
    parts=(_OF_IDENTITY,),
    delete=f"Delete{_IDENTITY}",
    parting=_OF_IDENTITY.version,
    # A request that is repeated names itself, and is answered with the thing that it made.
    makes_once=True,
)
TYPES = (CACHE_POLICY, ORIGIN_REQUEST_POLICY, RESPONSE_HEADERS_POLICY, IDENTITY)
