"""Upkeep on a Conductor's engine and in a whole world: rounds, failures, crashes, reloads, and what people are told."""

from toy_provider import TYPES, ToyWorld, toy
from web_world import composed

from tenuto.compositions.documents.document import to_document
from tenuto.conductor.phases.plugins import Found
from tenuto.model.command import ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import LogicalId
from tenuto.model.phase_map import PhaseStatus
from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.phase import PhaseRun
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.composition import Submission
from tenuto.service.views.process_view import resource_message
from tenuto_testing.phase_world import PhaseWorld

IT = LogicalId("It")
KEEP = "Acme.Keep"


class Outside:
    """The calls that upkeep made, and why it fails."""

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.refusal = ""

    def upkeep(self, states: str = "Started", types: str = "Cloud.Node", **how: object) -> PhasePlugin:
        @phase(KEEP, states=states, types=types, every=60, **how)  # type: ignore[arg-type]
        def keep(run: PhaseRun) -> None:
            self.rounds.append(len(run.resources))
            if self.refusal:
                for one in run.resources:
                    run.fail(one, self.refusal)
            else:
                run.complete(run.resources)

        found: PhasePlugin = keep
        return found


def test_upkeep_runs_in_bulk_and_no_more_objects_at_once_than_its_batch() -> None:
    outside = Outside()
    world = PhaseWorld(outside.upkeep(batch=4))
    world.add(*(f"n{number}" for number in range(10)))
    world.advance(59)
    assert outside.rounds == []
    world.advance(1)
    assert outside.rounds == [4, 4, 2]
    world.advance(120)
    assert outside.rounds == [4, 4, 2] * 3


def test_rounds_do_not_pile_up_while_no_conductor_runs() -> None:
    outside = Outside()
    world = PhaseWorld(outside.upkeep())
    world.add("n1")
    world.turn()
    world.clock.advance(3600)
    world = world.restart(outside.upkeep())
    world.advance(59)
    assert outside.rounds == [1]
    assert world.get("n1").is_settled


def test_a_round_in_which_the_conductor_dies_is_repeated_by_the_next() -> None:
    outside = Outside()
    world = PhaseWorld(outside.upkeep())
    world.add("n1")
    world.turn()
    world.clock.advance(60)
    assert list(world.collect()) == [KEEP]
    world = world.restart(outside.upkeep())
    assert world.entry("n1", KEEP).status is PhaseStatus.WAITING
    world.turn()
    assert (outside.rounds, world.entry("n1", KEEP).runs) == ([1], 2)


def test_upkeep_that_is_loaded_later_is_taken_up_by_what_rests_already() -> None:
    outside = Outside()
    world = PhaseWorld()
    world.add("n1", "n2")
    world.add("other", type="Acme::Other")
    world.turn()
    world = world.restart(outside.upkeep())
    world.advance(60)
    assert outside.rounds == [2]
    assert world.get("other").phases == {}


def test_upkeep_whose_plugin_is_gone_holds_nothing_up_and_is_listed() -> None:
    outside = Outside()
    world = PhaseWorld(outside.upkeep())
    world.add("n1")
    world.turn()
    world = world.restart()
    world.advance(600)
    assert world.get("n1").is_settled
    record = world.record(KEEP)
    assert (record.is_loaded, record.counts, record.processes) == (False, {"Sleeping": 1}, ())
    world.head_for("Terminated", "n1")
    world.turn()
    assert world.get("n1").state == "Terminated"


def test_a_failure_is_one_event_and_so_is_its_end() -> None:
    outside = Outside()
    world = PhaseWorld(outside.upkeep())
    world.add("n1")
    outside.refusal = "no route"
    world.advance(180)
    assert (world.entry("n1", KEEP).failures, world.record(KEEP).failing) == (3, 1)
    outside.refusal = ""
    world.advance(60)
    kinds = (EventType.PHASE_FAILED, EventType.UPKEEP_FAILED, EventType.UPKEEP_RECOVERED)
    events = world.store.events(EventQuery(types=kinds))
    assert [(event.type, event.reason) for event in events] == [
        (EventType.UPKEEP_FAILED, "no route"),
        (EventType.UPKEEP_RECOVERED, "no route"),
    ]


class Kept:
    """A toy world with one process of one thing that is kept up."""

    def __init__(self, table: str, state: str) -> None:
        self.outside = Outside()
        self.world = ToyWorld()
        upkeep = self.outside.upkeep(state, TYPES[table])
        self.world.plugins = Found(phases=(*self.world.plugins.phases, upkeep))
        self.world.crash("the upkeep was installed")
        submission = Submission(document=to_document(composed(toy(table))), secrets={})
        self.world.system.commands.run(submission, alias="toys")
        assert self.world.settle()

    @property
    def process_state(self) -> ProcessState:
        return self.world.system.queries.history("toys").process.state

    def explained(self) -> str:
        _, explanation = self.world.system.queries.explain("toys")
        return " ".join(explanation.resources[IT])


def test_a_process_whose_upkeep_fails_goes_on_and_tells_it_until_it_is_in_order() -> None:
    kept = Kept("namespace", "created")
    assert f"Upkeep {KEEP} runs again in" in kept.explained()
    kept.outside.refusal = "no route"
    kept.world.advance(130)
    assert kept.process_state is ProcessState.RUNNING
    assert f"Upkeep {KEEP} failed 2 times in a row: no route. It runs again in" in kept.explained()
    assert f"upkeep {KEEP} fails and is tried again: no route" in "".join(
        map(resource_message, kept.world.store.objects(kept.world.fid("toys")))
    )
    kept.outside.refusal = ""
    rounds = len(kept.outside.rounds)
    kept.world.system.commands.retry("toys", [IT])
    kept.world.advance(1)
    assert len(kept.outside.rounds) == rounds + 1
    assert "failed" not in kept.explained()


def test_a_failure_with_an_edge_leads_to_error_and_suspends_the_process() -> None:
    kept = Kept("network", "created")
    kept.outside.refusal = "the disk is gone"
    kept.world.advance(200)
    (found,) = kept.world.store.objects(kept.world.fid("toys"))
    assert (found.state, found.message) == ("error", f"{KEEP}: the disk is gone")
    assert kept.process_state is ProcessState.SUSPENDED


def test_upkeep_rests_while_its_process_is_suspended() -> None:
    kept = Kept("network", "created")
    kept.world.system.commands.suspend("toys")
    kept.world.settle()
    rounds = len(kept.outside.rounds)
    kept.world.advance(600)
    assert len(kept.outside.rounds) == rounds
    assert f"Upkeep {KEEP} runs again after 'resume'" in kept.explained()
    kept.world.system.commands.resume("toys")
    kept.world.advance(120)
    assert len(kept.outside.rounds) > rounds


def test_drift_is_corrected_beside_upkeep_and_upkeep_goes_on_after_it() -> None:
    kept = Kept("network", "created")
    (name,) = kept.world.toys.things
    kept.world.toys.things[name] = (TYPES["network"], {"Size": 9})
    kept.world.advance(120)
    assert [properties["Size"] for _, properties in kept.world.toys.things.values()] == [1]
    rounds = len(kept.outside.rounds)
    kept.world.advance(130)
    assert len(kept.outside.rounds) >= rounds + 2
