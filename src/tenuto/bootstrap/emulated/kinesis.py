"""The tags that a stream of Kinesis is made with."""

from typing import Any

from moto.kinesis.responses import KinesisResponse

from tenuto.bootstrap.emulated.added import added

_create_stream = KinesisResponse.create_stream


def _created(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _create_stream(self)
    if sent.get("Tags"):
        self.kinesis_backend.add_tags_to_stream(stream_arn=None, stream_name=sent["StreamName"], tags=sent["Tags"])
    return {}


def add() -> None:
    """Add them."""
    added(KinesisResponse, create_stream=_created)
