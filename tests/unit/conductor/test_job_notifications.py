"""Behaviour 80: a job that changes something publishes one event; one that only looked publishes none."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tenuto.compositions.compile import compile_file, compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.conductor.notifier import Notifier
from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.store_administration import CreateSink
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.service.intake.composition import Submission
from tenuto_testing.store_samples import a_sink
from tenuto_testing.world import PERIOD_S, World

FOLDER = Path(__file__).parents[2] / "scenarios" / "compositions"
SECRET = "hunter2-and-more"
WITH_SECRET = """
Parameters:
  Password: {Type: String, NoEcho: true}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Password}}
"""


@dataclass
class Listener:
    told: list[JsonMap] = field(default_factory=list)

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        self.told.append(notification.document)


class Stage:
    """A world, and somebody who is told what happens in it."""

    def __init__(self) -> None:
        self.world = World()
        self.listener = Listener()
        self.world.store.commit([CreateSink(sink=a_sink(processes=(), accounts=(), cursor=0))])

    @property
    def commands(self):  # type: ignore[no-untyped-def]
        return self.world.system.commands

    def told(self) -> list[JsonMap]:
        """What was told since the last time, once everything is settled."""
        assert self.world.settle()
        notifier = Notifier(store=self.world.store, transports={SinkKind.SNS: self.listener}, clock=self.world.clock)
        notifier.step()
        told, self.listener.told = self.listener.told, []
        return told

    def only(self) -> JsonMap:
        [told] = self.told()
        return told["job"]


def submission(name: str) -> Submission:
    compiled = compile_file(FOLDER / name, parameters={}, region="sim-1")
    return Submission(document=to_document(compiled.composition), secrets=compiled.secrets)


@pytest.fixture
def stage() -> Stage:
    return Stage()


def results(job: JsonMap) -> dict[str, tuple[str, str]]:
    return {one["logical_id"]: (one["op"], one["result"]) for one in job["operations"]}


def test_behaviour_80_each_job_that_changes_something_publishes_one_event(stage: Stage) -> None:
    stage.commands.run(submission("web.yaml"), alias="web")
    [told] = stage.told()
    built = told["job"]
    assert told["process"]["alias"] == "web"
    assert (built["kind"], built["command"], built["status"]) == ("build", "run", "SUCCEEDED")
    assert set(results(built).values()) == {("create", "done")}
    assert (built["counts"]["create"], built["results"]) == (8, {"done": 8})
    assert all(one["id"] for one in built["operations"])

    stage.world.cloud.tamper("net-1", "Label", "changed")
    enforced = stage.only()
    assert (enforced["kind"], enforced["command"]) == ("enforce", "enforce")
    assert results(enforced) == {"Net": ("modify", "done")}

    stage.commands.update("web", submission("web_updated.yaml"))
    updated = stage.only()
    assert updated["kind"] == "update"
    assert {result for _, result in results(updated).values()} == {"done"}

    stage.commands.kill("web")
    killed = stage.only()
    assert killed["kind"] == "kill"
    assert {op for op, _ in results(killed).values()} <= {"delete", "release"}


def test_behaviour_80_a_job_that_only_sweeps_publishes_nothing(stage: Stage) -> None:
    stage.commands.run(submission("web.yaml"), alias="web")
    assert len(stage.told()) == 1
    stage.world.advance(20 * PERIOD_S)
    stage.commands.suspend("web")
    stage.world.advance(5 * PERIOD_S)
    stage.commands.resume("web")
    stage.commands.set_property("web", "enforcement", "off")
    stage.world.cloud.tamper("net-1", "Label", "changed")
    stage.world.advance(5 * PERIOD_S)
    assert stage.told() == []


def test_a_job_that_fails_tells_what_was_done_what_failed_and_what_was_not_begun(stage: Stage) -> None:
    stage.world.faults.add(Fault(kind=FaultKind.DENIED, operation="create", subject="Front", times=1, seconds=0))
    stage.commands.run(submission("web.yaml"), alias="web")
    halted = stage.only()
    assert halted["status"] == "HALTED"
    told = results(halted)
    assert told["Net"] == ("create", "done")
    assert told["Front"] == ("create", "failed")
    assert told["Web1"] == ("create", "not begun")
    [failed] = [one for one in halted["operations"] if one["logical_id"] == "Front"]
    assert failed["message"]
    assert halted["results"]["failed"] == 1


def test_a_plan_that_is_held_is_told_although_nothing_was_begun(stage: Stage) -> None:
    stage.commands.run(submission("web.yaml"), alias="web")
    stage.told()
    stage.world.advance(VISIBILITY_S)  # what is new may only be invisible
    for thing in stage.world.cloud.things():
        stage.world.cloud.vanish(thing.physical_id)
    held = stage.only()
    assert held["status"] == "HALTED"
    assert "resume" in held["message"]
    assert {result for _, result in results(held).values()} == {"not begun"}


def test_a_job_that_takes_up_what_another_began_tells_its_end(stage: Stage) -> None:
    stage.commands.run(submission("web.yaml"), alias="web")
    stage.world.advance(1)
    stage.commands.suspend("web")
    first = stage.only()
    assert first["status"] == "SUPERSEDED"
    assert "under way" in first["results"]
    stage.commands.resume("web")
    later = stage.told()
    ended = {name for told in later for name, (_, result) in results(told["job"]).items() if result == "done"}
    done = {name for name, (_, result) in results(first).items() if result == "done"}
    assert done | ended == set(results(first))


def test_no_value_of_a_property_and_so_no_secret_is_told(stage: Stage) -> None:
    compiled = compile_text(WITH_SECRET, file="s.yaml", parameters={"Password": SECRET}, region="sim-1")
    stage.commands.run(Submission(document=to_document(compiled.composition), secrets=compiled.secrets), alias="web")
    [told] = stage.told()
    assert SECRET not in str(told)
    assert TypeName("Simulated::Network") in str(told)
    assert "10.0.0.0" not in str(told)
