"""AWS::CloudFront: distributions, and controls of access to their origins. Their Refs are their ids.

Theory of operation. Each thing has a version (ETag), and a change and a deletion name the one that they are about: a
change by another user in between is not overwritten, and the next try reads it. A distribution is deleted in steps: it
is switched off, CloudFront takes some minutes to do that everywhere, and only then it goes. Each step follows from the
state that CloudFront shows, so a Conductor that dies in between goes on where it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers import codes
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.client.owner import Tag, birth_tags
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.cloudfront_shapes import declared, sent, without
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "cloudfront"
_CONFIG = "DistributionConfig"
_CONTROL = "OriginAccessControlConfig"
_STALE = ("InvalidIfMatchVersion", "PreconditionFailed")
_ASK_AGAIN_S = 30.0
"""CloudFront takes some minutes to bring a change to all places."""


@contextmanager
def of_this_version() -> Iterator[None]:
    """Make the refusal of an old version one that passes: the next try reads the new one."""
    try:
        yield
    except PermanentError as error:
        if error.code not in _STALE:
            raise
        raise TransientError(str(error), code=codes.CLASH, request_id=error.request_id) from error


class Tags(TagCalls):
    """The tag calls, which put lists into an envelope."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"Tags": {"Items": [dict(tag) for tag in birth_tags(work.request)]}}

    def _put(self, work: Work, tags: Sequence[Tag]) -> None:
        items = {"Items": [dict(tag) for tag in tags]}
        work.change(_SERVICE, "TagResource", Resource=self.identify(work), Tags=items)

    def _remove(self, work: Work, keys: Sequence[str]) -> None:
        work.change(_SERVICE, "UntagResource", Resource=self.identify(work), TagKeys={"Items": list(keys)})


@dataclass(frozen=True, kw_only=True)
class _Configuration(Shown):
    """The configuration of a distribution, in the shape in which it is declared."""

    properties = frozenset({_CONFIG})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get(_CONFIG)
        return {_CONFIG: declared(shown, _CONFIG)} if shown else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_CONFIG):
            now = work.read(service, "GetDistributionConfig", Id=work.id)
            shape = work.client.input_of(service, "UpdateDistribution").members[_CONFIG]
            config = sent(shape, work.need(_CONFIG), without(shape, now[_CONFIG], work.lost(_CONFIG)))
            with of_this_version():
                work.change(service, "UpdateDistribution", Id=work.id, IfMatch=now["ETag"], DistributionConfig=config)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_CONFIG: f"{service}:UpdateDistribution"}


def _sets(*paths: str) -> dict[str, Comparison]:
    return {f"{_CONFIG}.{path}": Comparison.SET for path in paths}


_BEHAVIOUR = (
    "AllowedMethods CachedMethods ForwardedValues.Cookies.WhitelistedNames ForwardedValues.Headers "
    "ForwardedValues.QueryStringCacheKeys FunctionAssociations LambdaFunctionAssociations TrustedKeyGroups "
    "TrustedSigners"
)
_DISTRIBUTION = block(
    "AWS::CloudFront::Distribution",
    _SERVICE,
    key="Id",
    listed=Listed(operation="ListDistributions", id="Id"),
    described=Described(call=Call("GetDistribution"), at="Distribution"),
    create="CreateDistributionWithTags",
    made="Distribution.Id",
    attributes={"Id": "$id"},
    parts=(_Configuration(),),
    delete="DeleteDistribution",
    state=State(at="Status", pending="InProgress"),
    tags=Tags(
        service=_SERVICE,
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="Resource",
        named=lambda _, one: one["ARN"],
        listed_as="Tags.Items",
    ),
    compare_as={
        **_sets("Aliases", "CNAMEs", "CustomErrorResponses", "Origins", "Origins.OriginCustomHeaders"),
        **_sets("Origins.CustomOriginConfig.OriginSSLProtocols", "Restrictions.GeoRestriction.Locations"),
        **_sets(
            *(f"{one}.{path}" for one in ("DefaultCacheBehavior", "CacheBehaviors") for path in _BEHAVIOUR.split())
        ),
        f"{_CONFIG}.HttpVersion": Comparison.FOLDED,
        # CloudFront shows an empty text where there is none; the emulator shows none at all.
        f"{_CONFIG}.Origins.OriginAccessControlId": Comparison.SHOWN,
        # CloudFront shows it of each origin that is a bucket; the emulator never does.
        f"{_CONFIG}.Origins.S3OriginConfig": Comparison.SHOWN,
    },
)


def _create(work: Work) -> Outcome:
    shape = work.client.input_of(_SERVICE, "CreateDistributionWithTags").members["DistributionConfigWithTags"]
    config = {
        **sent(shape.members[_CONFIG], work.need(_CONFIG), {}),
        "CallerReference": generated_name(work.request, 64),
    }
    tags = {"Items": [dict(tag) for tag in birth_tags(work.request)]}
    made = work.change(
        _SERVICE,
        "CreateDistributionWithTags",
        DistributionConfigWithTags={"DistributionConfig": config, "Tags": tags},
    )["Distribution"]
    attributes = {"Id": made["Id"], "DomainName": made["DomainName"]}
    return Done(physical_id=PhysicalId(made["Id"]), attributes=attributes)


def _delete(work: Work) -> Outcome:
    """Take the next step towards the end of the distribution."""
    answer = work.read(_SERVICE, "GetDistribution", Id=work.id)
    shown, version = answer["Distribution"], answer["ETag"]
    if shown[_CONFIG]["Enabled"]:
        config = {**shown[_CONFIG], "Enabled": False}
        with of_this_version():
            work.change(_SERVICE, "UpdateDistribution", Id=work.id, IfMatch=version, DistributionConfig=config)
        return Pending(message=f"{work.id} is being switched off", delay_s=_ASK_AGAIN_S)
    if shown["Status"] == "InProgress":
        return Pending(message=f"CloudFront is switching {work.id} off everywhere", delay_s=_ASK_AGAIN_S)
    with of_this_version():
        work.change(_SERVICE, "DeleteDistribution", Id=work.id, IfMatch=version)
    return Done(physical_id=work.id)


@dataclass(frozen=True, kw_only=True)
class _Control(Shown):
    """The configuration of a control of access."""

    properties = frozenset({_CONTROL})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown: JsonMap | None = thing.answer.get(_CONTROL)
        return {_CONTROL: dict(shown)} if shown else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {_CONTROL: work.need(_CONTROL)}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_CONTROL):
            about = {"Id": work.id, **_version(work)}
            with of_this_version():
                work.change(
                    service, "UpdateOriginAccessControl", **about, OriginAccessControlConfig=work.need(_CONTROL)
                )

    def changes(self, service: str) -> Mapping[str, str]:
        return {_CONTROL: f"{service}:UpdateOriginAccessControl"}


def _version(work: Work) -> dict[str, Json]:
    """The parameter with the version of a control of access as it is now."""
    return {"IfMatch": work.read(_SERVICE, "GetOriginAccessControl", Id=work.id)["ETag"]}


CONTROL = block(
    "AWS::CloudFront::OriginAccessControl",
    _SERVICE,
    key="Id",
    listed=Listed(operation="ListOriginAccessControls", id="Id", members="OriginAccessControlList.Items"),
    described=Described(call=Call("GetOriginAccessControl"), at="OriginAccessControl"),
    create="CreateOriginAccessControl",
    made="OriginAccessControl.Id",
    attributes={"Id": "$id"},
    parts=(_Control(),),
    delete="DeleteOriginAccessControl",
    parting=_version,
    # A name belongs to one of them.
    exclusive=[(_CONTROL,)],
)
DISTRIBUTION = replace(_DISTRIBUTION, create=_create, delete=_delete)
TYPES = (DISTRIBUTION, CONTROL)
