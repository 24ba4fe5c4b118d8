"""The tags that a stream of Kinesis is made with, and the words that refuse a name that is taken."""

from typing import Any

from moto.kinesis.exceptions import ResourceInUseError
from moto.kinesis.responses import KinesisResponse

from tenuto.bootstrap.emulated.added import added

_create_stream = KinesisResponse.create_stream


def _created(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    name, backend = sent["StreamName"], self.kinesis_backend
    if name in backend.streams:
        raise ResourceInUseError(f"Stream {name} under account {backend.account_id} already exists.")
    _create_stream(self)
    if sent.get("Tags"):
        self.kinesis_backend.add_tags_to_stream(stream_arn=None, stream_name=sent["StreamName"], tags=sent["Tags"])
    return {}


def add() -> None:
    """Add them."""
    added(KinesisResponse, create_stream=_created)
