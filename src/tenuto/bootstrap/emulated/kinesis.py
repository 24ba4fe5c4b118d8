"""The tags that a stream of Kinesis is made with, the words that refuse a name that is taken, the largest size of a
record, and for a stream on demand the throughput that it is ready for and the way in which it spreads records. Tags of
consumers, their ARNs that end in a moment, and the refusal of their names that are taken.
"""

from typing import Any

from moto.kinesis.exceptions import InvalidArgumentError, ResourceInUseError
from moto.kinesis.models import Stream
from moto.kinesis.responses import KinesisResponse

from tenuto.bootstrap.emulated.added import added

_LARGEST, _WARM, _SPREAD = "MaxRecordSizeInKiB", "WarmThroughputMiBps", "RecordDistributionStrategy"
_create_stream = KinesisResponse.create_stream
_summary: Any = Stream.to_json_summary


def _created(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    name, backend = sent["StreamName"], self.kinesis_backend
    if name in backend.streams:
        raise ResourceInUseError(f"Stream {name} under account {backend.account_id} already exists.")
    _create_stream(self)
    if sent.get("Tags"):
        self.kinesis_backend.add_tags_to_stream(stream_arn=None, stream_name=sent["StreamName"], tags=sent["Tags"])
    for name in (_LARGEST, _WARM, _SPREAD):
        if name in sent:
            _set(self, sent, name)
    return {}


def _set(self: Any, sent: dict[str, Any], name: str) -> dict[str, Any]:
    stream = self.kinesis_backend.describe_stream(sent.get("StreamARN"), sent.get("StreamName"))
    if name != _LARGEST and stream.stream_mode.get("StreamMode") != "ON_DEMAND":
        raise InvalidArgumentError(f"{name} is supported for streams on demand alone.")
    setattr(stream, name, sent[name])
    return {}


def _shown(self: Any) -> dict[str, Any]:
    warm = getattr(self, _WARM, None)
    shown = {_LARGEST: getattr(self, _LARGEST, 1024), _SPREAD: getattr(self, _SPREAD, None)}
    if warm is not None:
        shown["WarmThroughput"] = {"TargetMiBps": warm, "CurrentMiBps": warm}
    return {"StreamDescriptionSummary": {**_summary(self)["StreamDescriptionSummary"], **shown}}


_TAGS = "tenuto_tags"


def _registered(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    name, backend = sent["ConsumerName"], self.kinesis_backend
    there = backend.describe_stream(sent["StreamARN"], None).consumers
    if name in [one.consumer_name for one in there]:
        raise ResourceInUseError(f"Consumer {name} under stream {sent['StreamARN']} already exists.")
    one = backend.register_stream_consumer(sent["StreamARN"], name)
    one.consumer_arn += f":{int(one.created.timestamp())}"
    setattr(one, _TAGS, dict(sent.get("Tags") or {}))
    return {"Consumer": {**one.to_json(), "ConsumerCreationTimestamp": one.created.timestamp()}}


def _tags_of(self: Any, sent: dict[str, Any]) -> dict[str, str]:
    one = self.kinesis_backend.describe_stream_consumer(None, None, sent["ResourceARN"])
    tags: dict[str, str] = one.__dict__.setdefault(_TAGS, {})
    return tags


def _list_tags(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    return {"Tags": [{"Key": key, "Value": value} for key, value in sorted(_tags_of(self, sent).items())]}


def _tag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _tags_of(self, sent).update(sent["Tags"])
    return {}


def _untag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    for key in sent["TagKeys"]:
        _tags_of(self, sent).pop(key, None)
    return {}


def add() -> None:
    """Add them."""
    setattr(Stream, "to_json_summary", _shown)  # noqa: B010
    added(
        KinesisResponse,
        create_stream=_created,
        register_stream_consumer=_registered,
        list_tags_for_resource=_list_tags,
        tag_resource=_tag,
        untag_resource=_untag,
        update_max_record_size=lambda self, sent: _set(self, sent, _LARGEST),
        update_stream_record_distribution_strategy=lambda self, sent: _set(self, sent, _SPREAD),
        update_stream_warm_throughput=lambda self, sent: _set(self, sent, _WARM),
    )
