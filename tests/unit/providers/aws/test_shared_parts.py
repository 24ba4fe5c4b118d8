"""The parts that blocks share: names of things, and settings that a service keeps as texts."""

from typing import cast

import pytest

from tenuto.errors import BugError
from tenuto.model.ids import Fid, Json, JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.outcome import Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.named import Named, fifo_by
from tenuto.providers.aws.types.sqs_queue import NAME, QUEUE
from tenuto.providers.aws.types.text_attributes import TextAttributes

SETTINGS = TextAttributes(NAME, "DelaySeconds FifoQueue FifoThroughputLimit RedrivePolicy")


def a_request(**properties: Json) -> Request:
    return Request(
        object_id=ObjectId("object-1"),
        fid=Fid("process-1"),
        process_name="web",
        logical_id=LogicalId("Jobs"),
        type=TypeName(NAME),
        token="token-1",
        properties=properties,
    )


def work(**properties: Json) -> Work:
    """Work that makes no call."""
    return Work(client=cast("AccountClient", None), request=a_request(**properties), type=QUEUE)


def test_a_declared_name_is_taken_as_it_is_and_a_generated_one_fits_the_service() -> None:
    named = Named("QueueName", 20, ending=fifo_by("FifoQueue"), fit=str.upper)
    assert named(a_request(QueueName="jobs")) == "jobs"
    made = named(a_request(FifoQueue="true"))
    assert (len(made), made.endswith(".FIFO"), made) == (20, True, named(a_request(FifoQueue=True)))
    assert not named(a_request()).endswith(".FIFO")


def test_a_text_is_read_as_the_schema_says() -> None:
    shown: JsonMap = {"DelaySeconds": "5", "FifoQueue": "true", "FifoThroughputLimit": "", "RedrivePolicy": '{"a": 1}'}
    assert SETTINGS.read(shown) == {"DelaySeconds": 5, "FifoQueue": True, "RedrivePolicy": {"a": 1}}


def test_declared_settings_are_given_as_texts_and_some_can_only_be_denied_by_silence() -> None:
    declared = work(DelaySeconds=5, FifoQueue=False, RedrivePolicy={"a": 1})
    assert SETTINGS.given(declared) == {"DelaySeconds": "5", "FifoQueue": "false", "RedrivePolicy": '{"a": 1}'}
    assert "FifoQueue" not in SETTINGS.given(declared, silent=("FifoQueue",))


def test_settings_of_a_type_without_a_schema_are_a_bug() -> None:
    with pytest.raises(BugError, match="there is no schema"):
        TextAttributes("AWS::No::Such", "Delay")
