"""AWS::KinesisFirehose::DeliveryStream. Its Ref is its name.

A stream has one destination, which is declared, shown and changed under three names. Only one in S3 is read back: the
others have keys and tokens among their members, or are not told by Cloud Control either, so the values that were sent
are noted, and sent again when they are declared anew. A change names the version of the stream that it is about, which
is read right before.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import sent
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.cloud_control_model import is_sent_anew
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE, _KEY, _DESCRIBE = "firehose", "DeliveryStreamName", "DescribeDeliveryStream"
_READ = ("ExtendedS3DestinationConfiguration", "S3DestinationConfiguration")
_KINDS = (
    "AmazonOpenSearchServerless",
    "Amazonopensearchservice",
    "Elasticsearch",
    "HttpEndpoint",
    "Iceberg",
    "Redshift",
    "Snowflake",
    "Splunk",
)
_NOTED = tuple(f"{kind}DestinationConfiguration" for kind in _KINDS)
_ENCRYPTION, _MOST_TAGS = "DeliveryStreamEncryptionConfigurationInput", 50
_TOLD = {"S3DestinationDescription": "S3Configuration", "S3BackupDescription": "S3BackupConfiguration"}
_CHANGED = {"S3Configuration": "S3Update", "S3BackupConfiguration": "S3BackupUpdate"}
_SETTLED = frozenset({"CatalogConfiguration", "SnowflakeVpcConfiguration", "VpcConfiguration"})
"""The members of destinations that only a new stream can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tags(TagCalls):
    """Tags of which a call shows ten, unless it is asked for more."""

    def read(self, client: AccountClient, identifier: Json) -> list[JsonMap]:
        answer = client.read(_SERVICE, self.list_call, **{_KEY: identifier}, Limit=_MOST_TAGS)
        return self._listed(answer.get("Tags"))


@dataclass(frozen=True, kw_only=True)
class _Destination(Shown):
    """The one destination of a stream, under the name of its kind."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({*_READ, *_NOTED})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown: JsonMap = next(iter(thing.answer.get("Destinations") or ()), {})
        told = {name: shown.get(name.replace("Configuration", "Description")) for name in _READ}
        return {name: _renamed(value, _TOLD) for name, value in told.items() if value}

    def at_birth(self, work: Work) -> dict[str, Json]:
        shape = work.client.input_of(_SERVICE, "CreateDeliveryStream")
        return sent(shape, work.given(*_READ, *_NOTED), {})

    def repair(self, work: Work, service: str, words: str) -> None:
        names = [name for name in _READ if work.differs(name)]
        names += [name for name in _NOTED if is_sent_anew(work.request, name)]
        for name in names:
            stream = work.read(_SERVICE, _DESCRIBE, **{_KEY: work.id})["DeliveryStreamDescription"]
            change = {name.replace("Configuration", "Update"): _renamed(work.want(name), _CHANGED, _SETTLED)}
            shape = work.client.input_of(_SERVICE, "UpdateDestination")
            about = {
                _KEY: work.id,
                "CurrentDeliveryStreamVersionId": stream["VersionId"],
                "DestinationId": stream["Destinations"][0]["DestinationId"],
            }
            work.change(_SERVICE, "UpdateDestination", **about, **sent(shape, change, {}))

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys(sorted(self.properties), f"{service}:UpdateDestination")


def _renamed(value: JsonMap, names: Mapping[str, str], without: frozenset[str] = frozenset()) -> JsonMap:
    return {names.get(name, name): one for name, one in value.items() if name not in without}


STREAM = block(
    "AWS::KinesisFirehose::DeliveryStream",
    _SERVICE,
    key=_KEY,
    # The list is one of names, and without a limit it shows ten.
    listed=Listed(
        operation="ListDeliveryStreams", id=lambda name: name, members="DeliveryStreamNames", fixed={"Limit": 10000}
    ),
    described=Described(call=Call(_DESCRIBE), at="DeliveryStreamDescription", anew=True),
    named=Named(_KEY, 64),
    create="CreateDeliveryStream",
    shown={
        _ENCRYPTION: "DeliveryStreamEncryptionConfiguration",
        "DirectPutSourceConfiguration": "Source.DirectPutSourceDescription",
    },
    attributes={"Arn": "DeliveryStreamARN"},
    modify={"StartDeliveryStreamEncryption": _ENCRYPTION},
    parts=(_Destination(),),
    delete="DeleteDeliveryStream",
    state=State(
        at="DeliveryStreamStatus",
        pending="CREATING",
        going="DELETING",
        broken="CREATING_FAILED DELETING_FAILED",
        reason="FailureDescription.Details",
    ),
    tags=_Tags(
        service=_SERVICE,
        list_call="ListTagsForDeliveryStream",
        put_call="TagDeliveryStream",
        remove_call="UntagDeliveryStream",
        id_name=_KEY,
    ),
    shows="S3DestinationConfiguration",
    write_only=" ".join(_NOTED),
    compare_as={f"{_ENCRYPTION}.KeyARN": KMS_KEY},
)
TYPES = (STREAM,)
