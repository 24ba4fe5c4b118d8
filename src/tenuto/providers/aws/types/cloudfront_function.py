"""AWS::CloudFront::Function. Its Ref is its ARN; the calls know it by its name, which is its physical id.

A function has two stages. A change is one of the stage of development, and `AutoPublish` brings it to the live one
right afterwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Plain, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.cloudfront import Tags, of_this_version
from tenuto.providers.aws.types.cloudfront_shapes import declared, sent
from tenuto.providers.aws.types.named import Named

_SERVICE = "cloudfront"
_CODE, _CONFIG, _PUBLISHES = "FunctionCode", "FunctionConfig", "AutoPublish"
_SHOWN = Call("DescribeFunction", fixed={"Stage": "DEVELOPMENT"})


def _version(work: Work) -> JsonMap:
    answer = work.read(_SERVICE, _SHOWN.operation, **_SHOWN.about("Name", str(work.id)))
    return {"IfMatch": answer["ETag"]}


def _given(work: Work, operation: str) -> dict[str, Json]:
    shape = work.client.input_of(_SERVICE, operation).members[_CONFIG]
    return {_CONFIG: sent(shape, work.need(_CONFIG), {}), _CODE: str(work.need(_CODE)).encode()}


def _is_live(work: Work) -> bool:
    live = faults.unless_gone(lambda: work.read(_SERVICE, _SHOWN.operation, Name=work.id, Stage="LIVE"))
    return live is not None


class _Settings(Shown):
    """The configuration, which the description shows."""

    properties = frozenset({_CONFIG})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get(_CONFIG)
        return {_CONFIG: declared(shown)} if shown else {}


@dataclass(frozen=True, kw_only=True)
class _Code(Plain):
    """The code, with the one call that changes code and configuration."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_CODE, _PUBLISHES})

    def read(self, thing: Thing) -> dict[str, Json]:
        code = thing.client.read(_SERVICE, "GetFunction", Name=thing.id, Stage="DEVELOPMENT")[_CODE]
        content = code.read() if hasattr(code, "read") else code
        return {_CODE: content.decode(errors="replace") if isinstance(content, bytes) else str(content)}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return _given(work, "CreateFunction")

    def repair(self, work: Work, service: str, words: str) -> None:
        is_changed = work.differs(_CODE) or work.differs(_CONFIG)
        if is_changed:
            with of_this_version():
                work.change(service, "UpdateFunction", Name=work.id, **_version(work), **_given(work, "UpdateFunction"))
        if not flag(work.want(_PUBLISHES)):
            return
        if is_changed or is_sent_anew(work.request, _PUBLISHES) or not _is_live(work):
            with of_this_version():
                work.change(service, "PublishFunction", Name=work.id, **_version(work))

    def changes(self, service: str) -> Mapping[str, str]:
        update, publish = f"{service}:UpdateFunction+", f"{service}:PublishFunction+"
        return {_CODE: f"{update} {publish}", _CONFIG: f"{update} {publish}", _PUBLISHES: publish}


FUNCTION = block(
    "AWS::CloudFront::Function",
    _SERVICE,
    key="Name",
    listed=Listed(
        operation="ListFunctions",
        id="Name",
        fixed={"Stage": "DEVELOPMENT"},
        members="FunctionList.Items",
        next_page="Marker FunctionList.NextMarker",
    ),
    described=Described(call=_SHOWN, at="FunctionSummary"),
    named=Named("Name", 64),
    create="CreateFunction",
    attributes={
        "FunctionARN": "FunctionMetadata.FunctionARN",
        "FunctionMetadata.FunctionARN": "FunctionMetadata.FunctionARN",
        "Ref": "FunctionMetadata.FunctionARN",
        "Stage": "FunctionMetadata.Stage",
    },
    parts=(_Settings(), _Code()),
    delete="DeleteFunction",
    parting=_version,
    tags=Tags(
        service=_SERVICE,
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="Resource",
        named=lambda _, one: one["FunctionMetadata"]["FunctionARN"],
        listed_as="Tags.Items",
    ),
    refused={
        "FunctionMetadata": "Its one member is the ARN of the function, which AWS gives: ask for it with Fn::GetAtt.",
    },
)
TYPES = (FUNCTION,)
