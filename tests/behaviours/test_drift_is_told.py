"""A drift that no command asked for is told once: the events, the numbers and the notifications agree."""

import pytest
from web_world import WebWorld, composed, declare

from tenuto.conductor.notifier import Notifier
from tenuto.kit.metrics import Sample
from tenuto.model.command import ProcessState
from tenuto.model.event import Event
from tenuto.model.ids import JsonMap
from tenuto.model.notification import Notification, Sink, SinkKind
from tenuto.ports.store_administration import CreateSink
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto_testing.store_samples import a_sink


class Told:
    """A receiver of notifications."""

    def __init__(self) -> None:
        self.documents: list[JsonMap] = []

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        return ""

    def deliver(self, sink: Sink, notification: Notification) -> None:
        self.documents.append(notification.document)


@pytest.fixture
def world() -> WebWorld:
    world = WebWorld()
    world.run()
    world.settled()
    return world


def found(world: WebWorld) -> list[Event]:
    return list(world.system.queries.events("web", types=["drift.found"]))


def subjects(world: WebWorld) -> list[str]:
    return [event.subject for event in found(world)]


def number(world: WebWorld, name: str) -> float:
    samples: list[Sample] = [one for one in world.system.metrics.samples() if one.metric.name == name]
    return samples[0].value


def periods(world: WebWorld, count: int) -> None:
    for _ in range(count):
        world.next_job()


def test_drift_is_told_once_and_corrected(world: WebWorld) -> None:
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    periods(world, 5)
    [event] = found(world)
    assert (event.subject, event.actor, event.object_id) == ("Net", "conductor", world.live()["Net"].object_id)
    assert event.data == {
        "kind": "changed",
        "type": "Simulated::Network",
        "id": world.physical("Net"),
        "paths": ["Label"],
        "corrected": True,
    }
    assert event.reason == (
        f"The provider shows Label of {world.physical('Net')} otherwise than declared, and no command asked for that. "
        "Tenuto corrects it."
    )
    assert "theirs" not in repr(event)
    assert (number(world, "tenuto_drift_found_total"), number(world, "tenuto_drift_repaired_total")) == (1, 1)


def test_drift_that_returns_after_its_repair_is_told_again(world: WebWorld) -> None:
    for _ in range(3):
        world.cloud.tamper(world.physical("Net"), "Label", "theirs")
        world.settled()
    assert subjects(world) == ["Net", "Net", "Net"]
    assert number(world, "tenuto_drift_repaired_total") == 3


def test_a_vanished_resource_is_told_once_while_it_is_made_again(world: WebWorld) -> None:
    gone = world.physical("Server")
    world.cloud.vanish(gone)
    periods(world, 5)
    [event] = found(world)
    assert (event.subject, event.data["kind"], event.data["id"]) == ("Server", "vanished", gone)
    assert f"{gone} is gone from the provider" in event.reason


def test_with_enforcement_off_drift_is_told_once_and_again_when_it_changes_or_returns(world: WebWorld) -> None:
    net = world.physical("Net")
    world.system.commands.set_property("web", "enforcement", "off")
    world.cloud.tamper(net, "Label", "theirs")
    periods(world, 5)
    [event] = found(world)
    assert event.data["corrected"] is False
    assert "'tenuto property web enforcement --set on' corrects it" in event.reason
    world.cloud.tamper(net, "Label", "third")
    periods(world, 5)
    assert len(found(world)) == 2
    world.cloud.tamper(net, "Label", "one")
    periods(world, 3)
    assert len(found(world)) == 2
    world.cloud.tamper(net, "Label", "third")
    periods(world, 3)
    assert len(found(world)) == 3
    assert number(world, "tenuto_drift_found_total") == 3
    world.system.commands.set_property("web", "enforcement", "on")
    world.settled()
    assert len(found(world)) == 3


def test_a_conductor_that_starts_does_not_tell_again_of_a_drift_that_stands(world: WebWorld) -> None:
    world.system.commands.set_property("web", "enforcement", "off")
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    periods(world, 2)
    world.crash()
    periods(world, 3)
    assert subjects(world) == ["Net"]


def test_drift_of_a_plan_that_is_held_is_told_once_and_not_again_when_it_is_approved(world: WebWorld) -> None:
    for name in ("Left", "Right"):
        world.cloud.tamper(world.physical(name), "CidrBlock", "10.0.9.0/24")
    periods(world, 3)
    assert world.process().state is ProcessState.SUSPENDED
    assert subjects(world) == ["Left", "Right"]
    assert all("'tenuto resume web' approves it" in event.reason for event in found(world))
    world.resume()
    world.settled()
    assert subjects(world) == ["Left", "Right"]
    assert (number(world, "tenuto_drift_found_total"), number(world, "tenuto_drift_repaired_total")) == (2, 2)


def test_the_drift_by_which_a_resource_is_held_is_told_and_no_other_after_it(world: WebWorld) -> None:
    for _ in range(6):
        world.cloud.tamper(world.physical("Net"), "Label", "theirs")
        world.settled()
    periods(world, 5)
    assert [event.data["corrected"] for event in found(world)] == [True] * 5 + [False]
    assert "'tenuto explain web Net' tells why" in found(world)[-1].reason
    assert len(world.system.queries.events("web", types=["resource.held"])) == 1


def test_a_correction_that_the_provider_ignores_is_one_drift(world: WebWorld) -> None:
    fault = Fault(kind=FaultKind.IGNORED, operation="modify", subject="Net", times=50)
    world.faults.add(fault)
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    periods(world, 10)
    assert subjects(world) == ["Net"]
    assert number(world, "tenuto_drift_repaired_total") == 0


def test_an_update_is_no_drift_and_drift_beside_it_is_told(world: WebWorld) -> None:
    wanted = composed(
        declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="two"),
        declare("Store", "Bucket", Name="a-name"),
    )
    world.update(wanted)
    world.settled()
    assert subjects(world) == []
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    world.update(composed(*wanted.resources, declare("More", "Bucket", Name="more")))
    world.settled()
    assert subjects(world) == ["Net"]


def test_drift_that_a_saved_plan_corrects_is_told(world: WebWorld) -> None:
    world.suspend()
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    world.advance(60)
    file = world.system.commands.dry_runs.resume("web", actor="ann").file
    assert file is not None
    assert subjects(world) == []
    world.system.commands.execute("web", file, actor="bob")
    world.settled()
    assert subjects(world) == ["Net"]
    assert (number(world, "tenuto_drift_found_total"), number(world, "tenuto_drift_repaired_total")) == (1, 1)


def test_what_is_told_of_a_process_that_is_killed_is_over(world: WebWorld) -> None:
    world.system.commands.set_property("web", "enforcement", "off")
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    periods(world, 2)
    fid = world.process().fid
    assert [drift.logical_id for drift in world.store.drifts(fid)] == ["Net"]
    world.kill()
    assert world.settle()
    assert world.store.drifts(fid) == ()
    assert number(world, "tenuto_drift_repaired_total") == 0


def test_whoever_asks_for_it_is_notified_of_each_drift(world: WebWorld) -> None:
    told = Told()
    sink = a_sink(types=("drift.found",), processes=(), accounts=(), cursor=world.store.last_event())
    world.store.commit([CreateSink(sink=sink)])
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    periods(world, 4)
    Notifier(store=world.store, transports={SinkKind.SNS: told}, clock=world.clock).step()
    [document] = told.documents
    assert (document["type"], document["subject"], document["actor"]) == ("drift.found", "Net", "conductor")
    assert document["data"]["paths"] == ["Label"]
