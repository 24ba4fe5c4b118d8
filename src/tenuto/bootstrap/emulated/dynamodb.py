"""Streams of Kinesis that are told of the changes of a table of DynamoDB. They are told nothing here."""

from typing import Any

from moto.core.responses import ActionResult
from moto.dynamodb.responses import DynamoHandler

_PRECISION = "ApproximateCreationDateTimePrecision"


def _known(self: Any) -> dict[str, dict[str, Any]]:
    """The destinations of a table, by stream."""
    table = self.dynamodb_backend.get_table(self.params["TableName"])
    found: dict[str, dict[str, Any]] = vars(table).setdefault("tenuto_destinations", {})
    return found


def _changed(status: str, settings: str) -> Any:
    def answer(self: Any) -> ActionResult:
        arn, known = self.params["StreamArn"], _known(self)
        given = self.params.get(settings) or {}
        kept = {_PRECISION: "MILLISECOND", **known.get(arn, {}), **given}
        known[arn] = {**kept, "StreamArn": arn, "DestinationStatus": status}
        return ActionResult({"TableName": self.params["TableName"], "StreamArn": arn, "DestinationStatus": status})

    return answer


def _described(self: Any) -> ActionResult:
    return ActionResult(
        {"TableName": self.params["TableName"], "KinesisDataStreamDestinations": [*_known(self).values()]}
    )


def add() -> None:
    """Add the calls."""
    enabling, updating = "EnableKinesisStreamingConfiguration", "UpdateKinesisStreamingConfiguration"
    for name, call in (
        ("enable_kinesis_streaming_destination", _changed("ACTIVE", enabling)),
        ("disable_kinesis_streaming_destination", _changed("DISABLED", enabling)),
        ("update_kinesis_streaming_destination", _changed("ACTIVE", updating)),
        ("describe_kinesis_streaming_destination", _described),
    ):
        setattr(DynamoHandler, name, call)
