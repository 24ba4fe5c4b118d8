"""State listeners: what they are told, and that they hold up nobody (P1 57, 58)."""

from threading import Event
from typing import Any

from structlog.testing import capture_logs

from tenuto.conductor.phases.listeners import InlineListeners, StateEvent, ThreadedListeners, events_of
from tenuto.plugins import ListenerPlugin, listener, phase
from tenuto.ports.store_changes import CreateObject, StoreChange
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase

PATIENCE_S = 60.0
"""Only for the case that the test fails."""


class Ear:
    """A listener that remembers."""

    def __init__(self, name: str, *states: str, types: str = "Cloud.Node") -> None:
        self.heard: list[tuple[str, str, str | None, list[str]]] = []
        self.plugin: ListenerPlugin = listener(name, states=states, types=types)(self.listen)

    def listen(self, event: StateEvent) -> None:
        names = [found.logical_id for found in event.get_resources()]
        self.heard.append((event.get_type(), event.get_state(), event.get_cluster_name(), names))


def test_one_event_holds_all_objects_of_a_type_state_and_process() -> None:
    ear = Ear("ear", "Started")
    world = PhaseWorld(ScriptedPhase("Create", types=["Cloud.Node", "Other"]).plugin, ear.plugin)
    world.add("a1", "a2", process="A")
    world.add("b1", process="B")
    world.add("o1", process="A", type="Other")
    world.settle()
    assert ear.heard == [("Cloud.Node", "Started", "A", ["a1", "a2"]), ("Cloud.Node", "Started", "B", ["b1"])]


def test_a_state_that_was_only_passed_through_is_announced_although_the_object_has_moved_on() -> None:
    ear = Ear("ear", "Initialization")
    world = PhaseWorld(ear.plugin)
    world.add("n1")
    assert [state for _, state, _, _ in ear.heard] == ["Initialization"]
    assert world.get("n1").state == "Started"


def test_the_birth_of_objects_is_announced_too() -> None:
    ear = Ear("ear", "Validation")
    PhaseWorld(ear.plugin).add("n1", "n2")
    assert ear.heard == [("Cloud.Node", "Validation", "world", ["n1", "n2"])]


def test_the_resources_of_an_event_are_in_the_order_of_their_names() -> None:
    ear = Ear("ear", "Validation")
    PhaseWorld(ear.plugin).add("n3", "n1", "n2")
    assert [names for *_, names in ear.heard] == [["n1", "n2", "n3"]]


def test_a_listener_that_raises_harms_neither_the_object_nor_other_listeners() -> None:
    def explode(event: StateEvent) -> None:
        raise RuntimeError("no")

    ear = Ear("later", "Started")
    world = PhaseWorld(listener("bad", states="Started", types="*")(explode), ear.plugin)
    world.add("n1")
    assert world.get("n1").state == "Started"
    assert len(ear.heard) == 1


def births(*names: str) -> list[list[StoreChange]]:
    """Commits that other tests would make: one object each."""
    world = PhaseWorld()
    world.add(*names)
    return [[CreateObject(object=world.get(name), actor="test")] for name in names]


def test_in_production_a_listener_that_hangs_delays_no_other_and_loses_its_oldest_events() -> None:
    is_hanging, may_go_on = Event(), Event()
    heard: list[str] = []

    def hang(event: StateEvent) -> None:
        is_hanging.set()
        assert may_go_on.wait(PATIENCE_S)
        heard.append(event.resources[0].logical_id)

    quick, is_told = Ear("quick", "Started"), Event()
    tell = listener("tell", states="Started", types="*")(lambda event: is_told.set())
    hanging = listener("hanging", states="Started", types="*")(hang)
    listeners = ThreadedListeners([hanging, quick.plugin, tell], capacity=2)
    first, *others = births("n1", "n2", "n3", "n4", "n5")
    listeners.publish(first)
    assert is_hanging.wait(PATIENCE_S)
    assert is_told.wait(PATIENCE_S)
    for changes in others:
        listeners.publish(changes)
    may_go_on.set()
    listeners.stop(PATIENCE_S)
    assert heard == ["n1", "n4", "n5"]
    assert quick.heard


def test_stopping_delivers_what_is_queued() -> None:
    ear = Ear("ear", "Started")
    listeners = ThreadedListeners([ear.plugin])
    for changes in births("n1", "n2", "n3"):
        listeners.publish(changes)
    listeners.stop(PATIENCE_S)
    assert [names for _, _, _, names in ear.heard] == [["n1"], ["n2"], ["n3"]]


def test_a_listener_of_another_type_or_state_is_not_called() -> None:
    other_type, other_state = Ear("type", "Started", types="Other"), Ear("state", "Terminated")
    listeners = InlineListeners([other_type.plugin, other_state.plugin])
    for changes in births("n1"):
        listeners.publish(changes)
    assert other_type.heard == other_state.heard == []


def test_a_listener_reads_resources_as_a_phase_does_and_by_the_names_of_the_specification() -> None:
    heard: list[object] = []

    class Ear:
        def onStateTransition(self, event: Any) -> None:
            (node,) = event.getResources()
            heard.append((event.getType(), event.getState(), event.getClusterName()))
            heard.append((node.getAsString("Name"), node["MachineType"], node.isDefined("InstanceId"), node.logical_id))

    ear = listener("ear", states="Started", types="Cloud.Node")(Ear)
    world = PhaseWorld(ear)
    world.add("n1", desired={"MachineType": "small"}, process="web")
    world.settle()
    assert heard == [("Cloud.Node", "Started", "web"), ("n1", "small", False, "n1")]


def test_an_event_names_the_process_as_people_do() -> None:
    world = PhaseWorld()
    world.add("n1")
    (event,) = events_of([CreateObject(object=world.get("n1"), actor="me")], lambda fid: f"alias of {fid}")
    assert event.process == "alias of world"


def test_a_phase_is_called_by_the_names_of_the_specification() -> None:
    def handle(handler: Any) -> None:
        for node in handler.getResources():
            handler.getResourcePhaseData(node).setString("OperationId", "abc")
            node.setString("InstanceId", "i-1")
            handler.setCompleted(node)

    world = PhaseWorld(phase("Acme.Create", states="Allocation", types="Cloud.Node")(handle))
    world.add("n1")
    world.settle()
    assert world.get("n1").attributes == {"InstanceId": "i-1"}
    assert world.entry("n1", "Acme.Create").data == {"OperationId": "abc"}


def test_a_listener_that_tries_to_end_the_conductor_is_logged_and_called_again() -> None:
    heard: list[str] = []

    def leave(event: StateEvent) -> None:
        heard.append(event.resources[0].logical_id)
        raise SystemExit(4)

    with capture_logs() as logs:
        listeners = ThreadedListeners([listener("bad", states="Started", types="*")(leave)])
        for changes in births("n1", "n2"):
            listeners.publish(changes)
        listeners.stop(PATIENCE_S)
    assert heard == ["n1", "n2"]
    assert [(log["event"], log["listener"]) for log in logs] == [("listener.failed", "bad")] * 2
