"""AWS::Kinesis::Stream. Its Ref is its name.

Theory of operation. Each setting of a stream has calls of its own, and the stream takes no other while one is carried
out. So one is changed at a time, by the state of the stream just then, until none is left. A setting is changed once in
an act: one that Kinesis does not keep would be changed for ever.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.outcome import Outcome, Pending
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import AwsType, Work, texts
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_NAME = TypeName("AWS::Kinesis::Stream")
_SHARDS, _MODE, _HOURS = "ShardCount", "StreamModeDetails", "RetentionPeriodHours"
_SECRET, _METRICS = "StreamEncryption", "DesiredShardLevelMetrics"
_LARGEST, _WARM, _SPREAD = "MaxRecordSizeInKiB", "WarmThroughputMiBps", "RecordDistributionStrategy"
_BY_KEY = "USER_PARTITION_KEY"
"""The word for records that their producers place: the only way that a stream with provisioned shards has."""
_BY_ARN = ("UpdateStreamMode", "UpdateMaxRecordSize", "UpdateStreamRecordDistributionStrategy")
"""The calls that know the stream by its ARN alone."""
_EVERY_METRIC = frozenset(
    {
        "IncomingBytes",
        "IncomingRecords",
        "IteratorAgeMilliseconds",
        "OutgoingBytes",
        "OutgoingRecords",
        "ReadProvisionedThroughputExceeded",
        "WriteProvisionedThroughputExceeded",
    }
)
"""The metrics that the word ALL stands for."""
_AGAIN_S = 5.0


def listed_tags(answer: JsonMap) -> dict[str, str]:
    """The tags in an answer: Kinesis lists members, and takes a mapping."""
    return {tag["Key"]: tag.get("Value", "") for tag in answer["Tags"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One change of a stream: of which property, and the operation with its parameters; None where there is none."""

    of: str
    call: Callable[[Work], tuple[str, JsonMap] | None]


def _is_on_demand(mode: Json) -> bool:
    return (mode or {}).get("StreamMode") == "ON_DEMAND"


def _shards(work: Work) -> tuple[str, JsonMap] | None:
    if _is_on_demand(work.want(_MODE) or work.seen(_MODE)):
        return None
    return "UpdateShardCount", {"TargetShardCount": int(work.want(_SHARDS)), "ScalingType": "UNIFORM_SCALING"}


def _hours(work: Work) -> tuple[str, JsonMap]:
    verb = "Increase" if int(work.want(_HOURS)) > int(work.seen(_HOURS) or 0) else "Decrease"
    return f"{verb}StreamRetentionPeriod", {_HOURS: int(work.want(_HOURS))}


def _encryption(work: Work) -> tuple[str, JsonMap]:
    if work.wants_none(_SECRET):
        return "StopStreamEncryption", dict(work.seen(_SECRET))
    return "StartStreamEncryption", dict(work.want(_SECRET))


def _metrics(work: Work, operation: str, more: str, less: str) -> tuple[str, JsonMap] | None:
    one, other = (frozenset(texts(value)) for value in (work.want(_METRICS), work.seen(_METRICS)))
    named = {"wanted": one, "seen": other}
    names = sorted(named[more] - named[less])
    return (operation, {"ShardLevelMetrics": names}) if names else None


_CHANGES = (
    _Change(of=_MODE, call=lambda work: ("UpdateStreamMode", {_MODE: work.want(_MODE)})),
    _Change(of=_SHARDS, call=_shards),
    _Change(of=_HOURS, call=_hours),
    _Change(of=_LARGEST, call=lambda work: ("UpdateMaxRecordSize", {_LARGEST: int(work.want(_LARGEST))})),
    _Change(of=_WARM, call=lambda work: ("UpdateStreamWarmThroughput", {_WARM: int(work.want(_WARM))})),
    _Change(of=_SPREAD, call=lambda work: ("UpdateStreamRecordDistributionStrategy", {_SPREAD: work.want(_SPREAD)})),
    _Change(of=_SECRET, call=_encryption),
    # Unwanted metrics go first: the word for all metrics stands for each of them.
    _Change(of=_METRICS, call=lambda work: _metrics(work, "DisableEnhancedMonitoring", "seen", "wanted")),
    _Change(of=_METRICS, call=lambda work: _metrics(work, "EnableEnhancedMonitoring", "wanted", "seen")),
)


@dataclass(frozen=True, kw_only=True)
class _Settings(Shown):
    """The settings as the description shows them; `_modify` changes them."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(one.of for one in _CHANGES)

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer
        metrics = [name for one in shown.get("EnhancedMonitoring") or () for name in one.get("ShardLevelMetrics") or ()]
        found = {
            _MODE: shown.get(_MODE),
            _HOURS: shown.get(_HOURS),
            _METRICS: ["ALL"] if {*metrics} >= _EVERY_METRIC else metrics,
            # Kinesis chooses the shards of a stream on demand.
            _SHARDS: None if _is_on_demand(shown.get(_MODE)) else shown.get("OpenShardCount"),
            _LARGEST: shown.get(_LARGEST),
            _SPREAD: shown.get(_SPREAD),
            _WARM: (shown.get("WarmThroughput") or {}).get("TargetMiBps"),
            _SECRET: {"EncryptionType": "KMS", "KeyId": shown["KeyId"]} if shown.get("KeyId") else None,
        }
        return {name: value for name, value in found.items() if value is not None}

    def at_birth(self, work: Work) -> dict[str, Json]:
        given = work.given(_MODE, _SHARDS)
        more = {name: int(value) for name, value in work.given(_LARGEST, _WARM).items()} | work.given(_SPREAD)
        if _is_on_demand(given.get(_MODE)):
            return {_MODE: given[_MODE], **more}
        return {**given, **more, _SHARDS: int(given.get(_SHARDS, 1))}

    def changes(self, service: str) -> Mapping[str, str]:
        calls = {_MODE: "UpdateStreamMode", _SHARDS: "UpdateShardCount", _HOURS: "IncreaseStreamRetentionPeriod"}
        sizes = {_LARGEST: "UpdateMaxRecordSize", _WARM: "UpdateStreamWarmThroughput"}
        sizes |= {_SPREAD: "UpdateStreamRecordDistributionStrategy"}
        more = {_SECRET: "StartStreamEncryption", _METRICS: "EnableEnhancedMonitoring"}
        return {name: f"{service}:{call}" for name, call in {**calls, **sizes, **more}.items()}

    def drops(self, service: str) -> Mapping[str, str]:
        return {_SECRET: f"{service}:StopStreamEncryption"}


_BLOCK = block(
    _NAME,
    "kinesis",
    goes_in_steps=True,
    key="StreamName",
    listed=Listed(operation="ListStreams", id=str, size=100),
    described=Described(call=Call("DescribeStreamSummary"), at="StreamDescriptionSummary", anew=True),
    named=Named("Name", 128),
    create="CreateStream",
    renamed={"Name": "StreamName"},
    parts=(_Settings(),),
    delete=Call("DeleteStream", fixed={"EnforceConsumerDeletion": True}),
    state=State(at="StreamStatus", pending="CREATING UPDATING", going="DELETING"),
    attributes={"Arn": "StreamARN"},
    tags=TagCalls(
        service="kinesis",
        list_call="ListTagsForStream",
        put_call="AddTagsToStream",
        remove_call="RemoveTagsFromStream",
        id_name="StreamName",
        listed_as=listed_tags,
        is_mapping=True,
    ),
    refused={
        "WarmThroughputObject": "Kinesis shows it: write the wish as WarmThroughputMiBps.",
    },
    # The summary tells the target, which the schema shows in another property.
    shows=_WARM,
    compare_as={f"{_SECRET}.KeyId": KMS_KEY, _METRICS: Comparison.SET, _SPREAD: Words(absent=_BY_KEY)},
    # A warm throughput that is not declared any more stays: an account chooses how a stream goes without one.
    defaults={_HOURS: 24, _LARGEST: 1024, _METRICS: [], _SECRET: None, _SPREAD: _BY_KEY},
    named_attributes="Arn",
    bears_data=True,
)


def _modify(work: Work) -> Outcome:
    """Make the next change that is due, or bring the tags to the desired ones when none is left."""
    item = work.ready_item()
    if item is None:
        return Pending(message="an earlier change of the stream is still being made", delay_s=_AGAIN_S)
    now = replace(work, request=replace(work.request, observed=item.properties))
    made = list(work.request.progress.get("made") or ())
    for number, one in enumerate(_CHANGES):
        change = one.call(now) if number not in made and now.differs(one.of) else None
        if change is not None:
            operation, parameters = change
            is_by_arn = operation in _BY_ARN
            about = {"StreamARN": item.attributes["Arn"]} if is_by_arn else {"StreamName": work.id}
            work.change("kinesis", operation, **about, **parameters)
            return Pending(message=f"{one.of} is being changed", delay_s=_AGAIN_S, progress={"made": [*made, number]})
    rest = _BLOCK.modify
    assert rest is not None
    return rest(now)


STREAM: AwsType = replace(_BLOCK, modify=_modify)
TYPES = (STREAM,)
