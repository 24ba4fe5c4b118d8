"""Whatever happens to objects in phases, in whatever order: nothing is lost, nothing is stuck, nothing runs twice."""

from collections import Counter

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tenuto.conductor.phases.flights import ActiveRun
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhaseRun
from tenuto.ports.phase import PhaseResource
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, fail_with, say_nothing

NAMES = ("n1", "n2", "n3")
OPEN = {PhaseStatus.WAITING, PhaseStatus.RUNNING, PhaseStatus.SLEEPING, PhaseStatus.BLOCKED, PhaseStatus.FAILED}


def throw(run: PhaseRun, resource: PhaseResource) -> None:
    raise RuntimeError("boom")


SCRIPTS = {"complete": complete, "nothing": say_nothing, "fail": fail_with("no"), "raise": throw}


class Phases(RuleBasedStateMachine):
    """A few objects, phases with a dependency and with two states, and a world that does what it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.phases = [
            ScriptedPhase("Volume"),
            ScriptedPhase("Create", dependencies="Volume", delay=5),
            ScriptedPhase("Configure", ["Configuration", "Installation"]),
            ScriptedPhase("Delete", "Deallocation", applies=lambda node: node.logical_id != "n3"),
        ]
        self.world = PhaseWorld(*(phase.plugin for phase in self.phases))
        self.in_flight: list[ActiveRun] = []
        self.added: list[str] = []

    @precondition(lambda self: len(self.added) < len(NAMES))
    @rule()
    def add(self) -> None:
        name = NAMES[len(self.added)]
        self.world.add(name)
        self.added.append(name)

    @rule(number=st.integers(0, 3), script=st.sampled_from(sorted(SCRIPTS)))
    def change_script(self, number: int, script: str) -> None:
        self.phases[number].script = SCRIPTS[script]

    @rule()
    def collect(self) -> None:
        self.in_flight += self.world.collect().values()

    @precondition(lambda self: self.in_flight)
    @rule(data=st.data())
    def perform(self, data: st.DataObject) -> None:
        run = self.in_flight.pop(data.draw(st.integers(0, len(self.in_flight) - 1)))
        self.world.perform([run])

    @rule(seconds=st.sampled_from([1.0, 5.0, 20.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.world.clock.advance(seconds)

    @precondition(lambda self: self.added)
    @rule(data=st.data(), goal=st.sampled_from(["Started", "Terminated"]))
    def head_for(self, data: st.DataObject, goal: str) -> None:
        name = data.draw(st.sampled_from(self.added))
        if self.world.get(name).state not in (ResourceState.TERMINATED, ResourceState.RELEASED):
            self.world.head_for(goal, name)

    @precondition(lambda self: self.added)
    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.added))
        if self.world.get(name).target == ResourceState.STARTED:
            self.world.visit_again("Configuration", name)

    @rule()
    def retry(self) -> None:
        self.world.retry(*self.added)

    @rule()
    def die_and_restart(self) -> None:
        self.in_flight = []
        self.world = self.world.restart(*(phase.plugin for phase in self.phases))

    @invariant()
    def only_entries_of_the_present_state_are_open(self) -> None:
        for name in self.added:
            found = self.world.get(name)
            for entry in found.phases.values():
                assert entry.status not in OPEN or entry.state == found.state

    @invariant()
    def what_is_in_flight_is_exactly_what_was_collected(self) -> None:
        collected = Counter((run.phase, one.object_id) for run in self.in_flight for one in run.objects)
        flying = {
            (entry.phase, name)
            for name in self.added
            for entry in self.world.get(name).phases.values()
            if entry.status in (PhaseStatus.RUNNING, PhaseStatus.CANCELING)
        }
        assert set(collected) == flying
        assert not collected or max(collected.values()) == 1

    @invariant()
    def an_object_that_is_not_at_its_target_has_something_to_wait_for(self) -> None:
        for name in self.added:
            found = self.world.get(name)
            if not found.is_settled:
                open_entries = [entry for entry in found.phases.values() if entry.status in OPEN]
                departing = [entry for entry in found.phases.values() if entry.status is PhaseStatus.CANCELING]
                assert open_entries or departing, f"{name} is stuck in {found.state}"

    @invariant()
    def a_blocked_object_waits_for_a_dependency_that_is_open(self) -> None:
        for name in self.added:
            entries = self.world.get(name).phases
            if "Create" in entries and entries["Create"].status is PhaseStatus.BLOCKED:
                assert entries["Volume"].status in OPEN

    def teardown(self) -> None:
        """Once every phase behaves, everybody reaches the target."""
        for phase in self.phases:
            phase.script = complete
        self.world.perform(self.in_flight)
        self.world.retry(*self.added)
        self.world.settle()
        for name in self.added:
            assert self.world.get(name).is_settled


TestPhases = Phases.TestCase
TestPhases.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)
