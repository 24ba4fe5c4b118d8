"""The protocol of custom resources, one act after the other: what is sent, what is believed, and what is recorded."""

import io
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, Instant, Json, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import Owner
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.custom_resource import kind_of

TOKEN = "arn:aws:sns:eu-west-1:123456789012:service"
NAME = TypeName("Custom::Thing")
KIND = kind_of(NAME)
assert KIND is not None
assert KIND.modify is not None
assert KIND.delete is not None
assert KIND.find is not None
BASE = Request(
    object_id=ObjectId("obj-1"),
    fid=Fid("fid-1"),
    process_name="web",
    logical_id=LogicalId("Thing"),
    type=NAME,
    token="obj-1",
    properties={"ServiceToken": TOKEN, "Size": 1},
    sent_at=Instant(1000.0),
)


class Service:
    """A topic and a bucket with versions; `events` are the requests that were sent."""

    partition = SimpleNamespace(region="eu-west-1")

    def __init__(self) -> None:
        self.clock = self
        self.at = 1000.0
        self.events: list[dict[str, Any]] = []
        self.bodies: dict[str, list[bytes]] = {}

    def now(self) -> float:
        return self.at

    def presigned(self, *_: Any, **parameters: Any) -> str:
        return f"https://answers/{parameters['Key']}"

    def change(self, _service: str, _operation: str, _objects: Any, **parameters: Any) -> Mapping[str, Any]:
        self.events.append(json.loads(parameters["Message"]))
        return {}

    def ask(self, _service: str, operation: str, **parameters: Any) -> Any:
        bodies = self.bodies.get(str(parameters.get("Key") or parameters.get("Prefix")), [])
        if operation == "GetCallerIdentity":
            return {"Account": "123456789012"}
        if operation == "ListObjectVersions":
            key = parameters["Prefix"]
            return {"Versions": [{"Key": key, "VersionId": str(at)} for at in reversed(range(len(bodies)))]}
        if operation == "GetObject" and not bodies:
            raise PermanentError("no such key", code="ResourceNotFound")
        return {"Body": io.BytesIO(bodies[int(parameters.get("VersionId", -1))])} if bodies else {}

    def puts(self, **answer: Any) -> None:
        """Answer the last request that was sent."""
        self.puts_text(json.dumps({"Status": "SUCCESS", **answer}))

    def puts_text(self, text: str) -> None:
        self.bodies.setdefault(f"tenuto/{self.events[-1]['RequestId']}", []).append(text.encode())


class Thing:
    """A custom resource, as the phases keep it from act to act."""

    def __init__(self, request: Request = BASE) -> None:
        self.service = Service()
        self.request = request

    def act(self, name: str, **changes: Any) -> Outcome:
        """One call, whose outcome is kept as the phases keep it."""
        self.change(**changes)
        act = getattr(KIND, name)
        outcome = cast("Outcome", act(self.work))
        kept: dict[str, Json] = {} if isinstance(outcome, Pending) else dict(outcome.attributes)
        self.change(
            attributes={**self.request.attributes, **kept},
            progress=outcome.progress or self.request.progress if isinstance(outcome, Pending) else {},
            physical_id=outcome.physical_id or self.request.physical_id,
        )
        return outcome

    def change(self, **changes: Any) -> None:
        fields = {name: getattr(self.request, name) for name in Request.__dataclass_fields__}
        self.request = Request(**{**fields, **changes})

    @property
    def work(self) -> Work:
        assert KIND is not None
        return Work(client=cast("Any", self.service), request=self.request, type=KIND)

    def answered(self, name: str, /, sent_at: Instant | None = None, **answer: Any) -> Outcome:
        """One act whose request is answered at once."""
        assert isinstance(self.act(name, **({} if sent_at is None else {"sent_at": sent_at})), Pending)
        self.service.puts(**answer)
        return self.act(name)

    def found(self) -> Any:
        assert KIND is not None
        assert KIND.find is not None
        return KIND.find(self.work)


def made(**answer: Any) -> Thing:
    thing = Thing()
    assert isinstance(thing.answered("create", PhysicalResourceId="thing-1", **answer), Done)
    return thing


def test_a_creation_under_way_is_found_only_once_it_is_answered_and_is_ours() -> None:
    thing = Thing()
    thing.act("create")
    thing.service.at += 95
    assert thing.found() is None
    thing.service.puts(PhysicalResourceId="thing-1")
    item = thing.found()
    assert (item.physical_id, item.owner) == (
        "thing-1",
        Owner(fid=Fid("fid-1"), logical_id=LogicalId("Thing"), object_id=ObjectId("obj-1")),
    )


def test_a_creation_whose_note_was_lost_is_found_by_the_same_request() -> None:
    thing = Thing()
    thing.act("create")
    thing.service.puts(PhysicalResourceId="thing-1", Data={"Colour": "red"})
    thing.change(progress={})
    item = thing.found()
    outcome = thing.act("modify", physical_id=item.physical_id, attributes=dict(item.attributes))
    assert isinstance(outcome, Done)
    assert outcome.attributes["Colour"] == "red"
    assert len(thing.service.events) == 1


def test_what_was_never_sent_is_not_looked_for() -> None:
    assert Thing(BASE).found() is None
    thing = Thing()
    thing.change(sent_at=None)
    thing.service.at += 100_000
    assert thing.found() is None


def test_a_creation_whose_time_is_over_is_deleted_by_a_placeholder() -> None:
    thing = Thing()
    thing.change(properties={**BASE.properties, "ServiceTimeout": 10})
    thing.act("create")
    thing.service.at += 11
    item = thing.found()
    assert item.physical_id.startswith("web-Thing-")
    outcome = thing.act("create")
    assert isinstance(outcome, Refused)
    assert outcome.physical_id == item.physical_id
    thing.act("delete", sent_at=Instant(1020.0))
    assert thing.service.events[-1]["RequestType"] == "Delete"
    assert thing.service.events[-1]["PhysicalResourceId"] == item.physical_id


def test_a_late_answer_tells_the_id_to_delete() -> None:
    thing = Thing()
    thing.act("create")
    thing.service.at += 3601
    assert isinstance(thing.act("create"), Refused)
    thing.service.puts(PhysicalResourceId="thing-late")
    thing.act("delete", sent_at=Instant(5000.0))
    assert thing.service.events[-1]["PhysicalResourceId"] == "thing-late"


def test_a_failed_creation_is_ended_before_another_one_is_asked_for() -> None:
    thing = Thing()
    refused = thing.answered("create", Status="FAILED", PhysicalResourceId="half", Reason="no room")
    assert isinstance(refused, Refused)
    assert "no room" in refused.message
    thing.change(sent_at=Instant(2000.0))
    assert isinstance(thing.answered("modify"), Pending)
    assert (thing.service.events[-1]["RequestType"], thing.service.events[-1]["PhysicalResourceId"]) == (
        "Delete",
        "half",
    )
    done = thing.answered("modify", PhysicalResourceId="whole", Data={"Colour": "red"})
    assert isinstance(done, Done)
    assert (done.physical_id, done.attributes["Colour"]) == ("whole", "red")
    assert thing.service.events[-1]["RequestType"] == "Create"
    assert thing.act("modify") == Done(
        physical_id=PhysicalId("whole"),
        attributes={name: done.attributes[name] for name in ("tenuto:sent", "tenuto:told")},
    )


def replaced(*ids: str) -> Thing:
    """A thing that updates have replaced, one after the other."""
    thing = made()
    for size, name in enumerate(ids, start=2):
        thing.change(properties={"ServiceToken": TOKEN, "Size": size}, sent_at=Instant(1000.0 * size))
        done = thing.answered("modify", PhysicalResourceId=name, Data={"Colour": "blue"})
        assert isinstance(done, Done)
        assert (done.physical_id, done.attributes["Colour"]) == (name, "blue")
    return thing


def ends(thing: Thing) -> list[tuple[str, str]]:
    """The things whose deletion was asked for, each with the size that it had."""
    events = [one for one in thing.service.events if one["RequestType"] == "Delete"]
    return [(one["PhysicalResourceId"], one["ResourceProperties"]["Size"]) for one in events]


def test_what_was_replaced_is_deleted_by_another_change_with_the_properties_that_it_had() -> None:
    thing = replaced("thing-2")
    assert ends(thing) == []
    assert isinstance(thing.answered("modify", sent_at=Instant(5000.0)), Done)
    assert (ends(thing), thing.request.physical_id) == ([("thing-1", "1")], "thing-2")
    assert isinstance(thing.act("modify", sent_at=Instant(6000.0)), Done)
    assert len(ends(thing)) == 1


def test_a_refused_end_of_what_was_replaced_says_which_thing_stands_and_is_tried_again() -> None:
    thing = replaced("thing-2")
    refused = thing.answered("modify", sent_at=Instant(5000.0), Status="FAILED", Reason="it is in use")
    assert isinstance(refused, Refused)
    assert refused.message == (
        f"The service {TOKEN} refuses the Delete of thing-1, which Thing has replaced: it is in use"
    )
    assert isinstance(thing.answered("modify", sent_at=Instant(6000.0)), Done)
    assert (ends(thing), thing.request.physical_id) == ([("thing-1", "1")] * 2, "thing-2")


def test_the_end_of_a_thing_is_that_of_all_that_it_has_replaced() -> None:
    thing = replaced("thing-2", "thing-3")
    for _ in range(2):
        assert isinstance(thing.answered("delete", sent_at=Instant(7000.0)), Pending)
    assert isinstance(thing.answered("delete"), Done)
    assert ends(thing) == [("thing-1", "1"), ("thing-2", "2"), ("thing-3", "3")]


def test_a_thing_that_an_update_takes_up_again_is_not_deleted() -> None:
    thing = replaced("thing-2", "thing-1")
    assert isinstance(thing.answered("modify", sent_at=Instant(7000.0)), Done)
    assert isinstance(thing.act("modify", sent_at=Instant(8000.0)), Done)
    assert ends(thing) == [("thing-2", "2")]


def test_the_old_properties_are_texts_as_the_new_ones() -> None:
    thing = made()
    thing.act("modify", properties={"ServiceToken": TOKEN, "Size": 2, "On": True}, sent_at=Instant(2000.0))
    event = thing.service.events[-1]
    assert event["OldResourceProperties"] == {"ServiceToken": TOKEN, "Size": "1"}
    assert event["ResourceProperties"] == {"ServiceToken": TOKEN, "Size": "2", "On": "true"}


def test_a_secret_that_is_declared_as_before_is_told_with_the_old_properties_and_not_kept() -> None:
    thing = Thing()
    secret = {"ServiceToken": TOKEN, "Password": "Zq9/secret", "Size": 1}
    thing.change(properties=secret, secrets=("Zq9/secret",))
    thing.answered("create", PhysicalResourceId="thing-1")
    assert "Zq9/secret" not in json.dumps(dict(thing.request.attributes))
    thing.act("modify", properties={**secret, "Size": 2}, sent_at=Instant(2000.0))
    assert thing.service.events[-1]["OldResourceProperties"]["Password"] == "Zq9/secret"
    assert "Zq9/secret" not in json.dumps(dict(thing.request.progress))


@pytest.mark.parametrize("no_echo", [True, "true"])
def test_data_with_no_echo_are_told_as_secrets(no_echo: Any) -> None:
    thing = Thing()
    done = thing.answered("create", PhysicalResourceId="thing-1", NoEcho=no_echo, Data={"Key": "Zq9", "Deep": {"N": 1}})
    assert isinstance(done, Done)
    assert dict(done.told_once) == {"Key": "Zq9", "Deep.N": "1"}
    assert "Zq9" not in json.dumps(dict(done.attributes))


def test_data_with_no_echo_of_a_replacement_are_not_in_the_note() -> None:
    thing = made()
    thing.change(properties={"ServiceToken": TOKEN, "Size": 2}, sent_at=Instant(2000.0))
    done = thing.answered("modify", PhysicalResourceId="thing-2", NoEcho=True, Data={"Key": "Zq9"})
    assert "Zq9" not in json.dumps(dict(thing.request.attributes))
    assert isinstance(done, Done)
    assert dict(done.told_once) == {"Key": "Zq9"}


def test_the_first_answer_counts() -> None:
    thing = Thing()
    thing.act("create")
    thing.service.puts(PhysicalResourceId="thing-1")
    thing.service.puts(Status="FAILED", Reason="too late")
    assert isinstance(thing.act("create"), Done)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("no json", "no JSON object"),
        (json.dumps({"Status": "SUCCESS", "Data": "x" * 70_000}), "at most 65536 bytes"),
        (json.dumps({"Status": "SUCCESS", "RequestId": "another"}), "RequestId of another request"),
        (json.dumps({"PhysicalResourceId": "thing-1"}), "Status that is not SUCCESS or FAILED"),
    ],
)
def test_an_answer_that_is_none_is_told_at_once_and_leaves_something_to_delete(body: str, told: str) -> None:
    thing = Thing()
    thing.act("create")
    thing.service.puts_text(body)
    refused = thing.act("create")
    assert isinstance(refused, Refused)
    assert told in refused.message
    assert refused.physical_id is not None


def test_an_answer_without_an_attribute_that_is_asked_for_is_a_failure_and_a_retry_asks_again() -> None:
    thing = Thing()
    thing.change(asked=frozenset({"V", "Deep.N"}))
    refused = thing.answered("create", PhysicalResourceId="thing-1", Data={"Deep": {"N": 1}})
    assert isinstance(refused, Refused)
    assert "The answer of Thing has no attribute V" in refused.message
    assert refused.physical_id == "thing-1"
    thing.change(sent_at=Instant(2000.0))
    thing.answered("modify")
    done = thing.answered("modify", PhysicalResourceId="thing-1", Data={"V": 1, "Deep": {"N": 1}})
    assert isinstance(done, Done)
    assert [one["RequestType"] for one in thing.service.events] == ["Create", "Delete", "Create"]


def test_an_update_without_an_attribute_that_is_asked_for_anew_is_asked_again() -> None:
    thing = made()
    thing.change(asked=frozenset({"V"}), properties={"ServiceToken": TOKEN, "Size": 2}, sent_at=Instant(2000.0))
    assert isinstance(thing.answered("modify"), Refused)
    thing.change(sent_at=Instant(3000.0))
    assert isinstance(thing.answered("modify", Data={"V": 1}), Done)
    assert [one["RequestType"] for one in thing.service.events] == ["Create", "Update", "Update"]


def test_a_wait_for_an_answer_says_until_when() -> None:
    thing = Thing()
    thing.act("create", properties={**BASE.properties, "ServiceTimeout": 45})
    thing.service.at += 10
    outcome = thing.act("create")
    assert isinstance(outcome, Pending)
    assert outcome.message == f"Tenuto waits until 1970-01-01T00:17:25.000Z for the answer of {TOKEN}."
