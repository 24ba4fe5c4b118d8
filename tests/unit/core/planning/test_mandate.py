"""Which plans turn what is under way, and which objects go on as they are."""

from dataclasses import replace

from planning_world import process

from tenuto.core.planning.mandate import agreed_objects, mandated
from tenuto.model.ids import Instant, LogicalId, ObjectId, PlanId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan, Planning, Step, StepKind
from tenuto.model.resource import ManagedObject
from tenuto_testing.store_samples import HERE, WEB, a_step, an_entry, an_object, entries

PROCESS = process(mandate=3)


def a_plan_of(*steps: Step) -> Plan:
    return Plan(
        plan_id=PlanId("p"), fid=WEB, partition=HERE, command="enforce", observed_at=Instant(1.0), steps=steps, waves=()
    )


def under_way(name: str = "Net", **changes: object) -> ManagedObject:
    waiting = entries(an_entry(PhaseStatus.SLEEPING, wake_at=Instant(9.0)))
    return an_object(f"obj-{name}", logical_id=LogicalId(name), **({"phases": waiting} | changes))


def settled(name: str = "Net") -> ManagedObject:
    return under_way(name, state="Started", target="Started", phases={})


def test_a_plan_that_turns_what_is_under_way_raises_the_mandate() -> None:
    made = a_plan_of(a_step(StepKind.CHANGE))
    assert mandated(PROCESS, made, [under_way()]).mandate == 4


def test_a_plan_that_changes_only_what_is_settled_leaves_the_mandate_as_it_is() -> None:
    made = a_plan_of(a_step(StepKind.CHANGE))
    assert mandated(PROCESS, made, [settled(), under_way("Other")]) is PROCESS


def test_an_object_that_the_plan_agrees_with_gets_the_mandate_of_its_process() -> None:
    found = under_way(mandate=2)
    planning = Planning(plan=a_plan_of(), agreed=frozenset({found.object_id}))
    assert agreed_objects(planning, PROCESS, [found]) == (replace(found, mandate=3),)


def test_an_object_that_the_plan_does_not_speak_of_rests() -> None:
    planning = Planning(plan=a_plan_of(), agreed=frozenset({ObjectId("obj-Other")}))
    assert agreed_objects(planning, PROCESS, [under_way(mandate=2)]) == ()


def test_an_object_that_has_the_mandate_is_not_written_again() -> None:
    found = under_way(mandate=3)
    planning = Planning(plan=a_plan_of(), agreed=frozenset({found.object_id}))
    assert agreed_objects(planning, PROCESS, [found]) == ()
