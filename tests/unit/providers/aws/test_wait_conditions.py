"""A wait condition counts the signals of success to its handle, and one of failure refuses it once."""

import io
import json
from types import SimpleNamespace
from typing import Any, cast

from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, TypeName
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.wait_condition import CONDITION, TYPES

KIND = next(one for one in TYPES if one.facts.name == CONDITION)


class Signals:
    """A bucket with versions that holds the signals to one handle."""

    partition = SimpleNamespace(region="eu-west-1")

    def __init__(self) -> None:
        self.clock = self
        self.at = 1000.0
        self.bodies: list[bytes] = []
        self.attributes: dict[str, Any] = {}
        self.progress: dict[str, Any] = {}

    def now(self) -> float:
        return self.at

    def ask(self, _service: str, operation: str, **parameters: Any) -> Any:
        if operation == "GetCallerIdentity":
            return {"Account": "123456789012"}
        if operation == "ListObjectVersions":
            versions = reversed(range(len(self.bodies)))
            return {"Versions": [{"Key": parameters["Prefix"], "VersionId": str(at)} for at in versions]}
        return {"Body": io.BytesIO(self.bodies[int(parameters["VersionId"])])}

    def send(self, name: str, status: str = "SUCCESS") -> None:
        self.bodies.append(json.dumps({"UniqueId": name, "Status": status, "Reason": "full", "Data": "d"}).encode())

    def wait(self) -> Outcome:
        """One try of the condition, whose outcome is kept as the phases keep it."""
        request = Request(
            object_id=ObjectId("obj-1"),
            fid=Fid("fid-1"),
            process_name="web",
            logical_id=LogicalId("Ready"),
            type=TypeName(CONDITION),
            token="obj-1",
            properties={"Handle": "https://answers/tenuto/signals-1?X-Amz-Date=x", "Count": 2, "Timeout": 60},
            attributes=self.attributes,
            progress=self.progress,
            sent_at=Instant(self.at),
        )
        assert KIND.create is not None
        outcome = KIND.create(Work(client=cast("Any", self), request=request, type=KIND))
        self.progress = dict(outcome.progress) if isinstance(outcome, Pending) else {}
        self.attributes |= {} if isinstance(outcome, Pending) else dict(outcome.attributes)
        return outcome


def test_a_wait_says_how_many_signals_have_come_and_until_when() -> None:
    signals = Signals()
    signals.send("one")
    assert isinstance(first := signals.wait(), Pending)
    signals.at += 30
    assert isinstance(second := signals.wait(), Pending)
    told = "1 of 2 signals have come; Tenuto waits for more until 1970-01-01T00:17:40.000Z."
    assert (first.message, second.message) == (told, told)


def test_a_signal_of_failure_refuses_the_condition_once_and_the_next_try_waits_for_others() -> None:
    signals = Signals()
    signals.send("one")
    signals.send("two", "FAILURE")
    assert isinstance(signals.wait(), Refused)
    assert isinstance(signals.wait(), Pending)
    signals.send("two", "FAILURE")
    assert isinstance(signals.wait(), Refused)
    assert isinstance(signals.wait(), Pending)
    signals.send("three")
    done = signals.wait()
    assert isinstance(done, Done)
    assert json.loads(str(done.attributes["Data"])) == {"one": "d", "three": "d"}
