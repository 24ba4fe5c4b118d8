"""The worked trace of the phase contract, on a virtual clock, against the text beside this file."""

from pathlib import Path

from tenuto.conductor.phases.flights import ActiveRun
from tenuto.conductor.phases.listeners import StateEvent
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.plugins import listener
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase, complete, fail_with, say_nothing

GOLDEN = Path(__file__).with_name("phase_trace.txt")
NAMES = ("n1", "n2", "n3")
PHASES = ("CreateInstance", "CreateVolume", "Tag")


class Trace:
    """Three nodes, three phases of Allocation and one of Deallocation, and what is written down of them."""

    def __init__(self) -> None:
        self.volume = ScriptedPhase("CreateVolume", script=say_nothing)
        self.instance = ScriptedPhase("CreateInstance", dependencies="CreateVolume")
        self.reached: list[list[str]] = []
        plugins = [self.volume, self.instance, ScriptedPhase("Tag"), ScriptedPhase("Delete", "Deallocation")]
        self.world = PhaseWorld(
            *(phase.plugin for phase in plugins),
            listener("watch", states="Initialization", types="Cloud.Node")(self._listen),
        )
        self.lines: list[str] = []

    def note(self, text: str) -> None:
        """What happened, and how everything stands now."""
        self.lines.append(f"t{self.world.seconds:<3g} {text}")
        for name in NAMES:
            if self.world.store.object(name) is not None:
                self.lines.append(f"     {name}  {self._state(name)}")
        activities = (f"{name} {self.world.record(name).activity}" for name in PHASES)
        self.lines.append(f"     {', '.join(activities)}")

    def collect(self) -> tuple[dict[str, ActiveRun], str]:
        runs = self.world.collect()
        text = ", ".join(f"{name} [{' '.join(one.logical_id for one in run.objects)}]" for name, run in runs.items())
        return runs, text

    def _state(self, name: str) -> str:
        found = self.world.get(name)
        entries = " ".join(f"{phase}={self._entry(entry)}" for phase, entry in sorted(found.phases.items()))
        return f"{found.state}  {entries}{'  PhaseFailed' if found.is_phase_failed else ''}"

    def _entry(self, entry: PhaseEntry) -> str:
        if entry.status is PhaseStatus.SLEEPING and entry.wake_at is not None:
            return f"{entry.status}(t{entry.wake_at - self.world.clock.now() + self.world.seconds:g})"
        return f"{entry.status}({entry.message})" if entry.message else str(entry.status)

    def _listen(self, event: StateEvent) -> None:
        self.reached.append([found.logical_id for found in event.resources])


def trace() -> str:
    told = Trace()
    world = told.world
    world.add("n1", "n2")
    told.note("n1 and n2 enter Allocation")
    runs, text = told.collect()
    world.perform([runs["Tag"]])
    told.note(f"started {text}; Tag has returned")
    world.clock.advance(1)
    world.perform([runs["CreateVolume"]])
    told.note("CreateVolume has returned without a verdict")
    world.clock.advance(9)
    world.add("n3")
    runs, text = told.collect()
    world.perform(runs.values())
    told.note(f"n3 has entered; started {text}; both have returned")
    world.clock.advance(6)
    told.volume.scripts = {"n1": complete, "n2": fail_with("quota")}
    runs, text = told.collect()
    world.perform(runs.values())
    runs, then = told.collect()
    told.note(f"started {text}; it has returned: n1 completed, n2 failed; started {then}")
    world.clock.advance(2)
    world.perform(runs.values())
    told.note("CreateInstance has returned")
    told.lines.append(f"     listeners: Initialization {_brackets(told.reached)}")
    world.clock.advance(2)
    told.volume.scripts = {"n2": complete}
    world.retry(*NAMES)
    runs, text = told.collect()
    told.note(f"everything was retried; started {text}")
    world.clock.advance(2)
    world.head_for("Terminated", "n3")
    told.note("n3 was terminated")
    world.clock.advance(1)
    world.head_for("Terminated", "n2")
    told.note("n2 was terminated")
    world.clock.advance(1)
    world.perform(runs.values())
    told.note("CreateVolume has returned: n2 completed")
    runs, text = told.collect()
    world.perform(runs.values())
    told.note(f"{text} has returned")
    return "\n".join(told.lines) + "\n"


def _brackets(groups: list[list[str]]) -> str:
    return " ".join(f"[{' '.join(names)}]" for names in groups)


def test_the_worked_trace_happens_as_it_is_written() -> None:
    assert trace() == GOLDEN.read_text(encoding="utf-8")
