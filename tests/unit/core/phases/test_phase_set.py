"""Which phases are loaded, and to what they apply (P0 27, 28, 41, 42)."""

from dataclasses import replace

import pytest

from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.walking import Walk, enter
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import Instant, LogicalId, ObjectId, Partition, PhaseName, TypeName
from tenuto.model.phase_map import Heading, PhaseDefinition
from tenuto.model.resource import ManagedObject

T0 = Instant(1000.0)


def definition(name: str, *states: str, depends_on: tuple[str, ...] = (), types: str = "Cloud.Node") -> PhaseDefinition:
    return PhaseDefinition(
        name=PhaseName(name),
        states=states or ("Allocation",),
        types=(TypeName(types),),
        dependencies=tuple(PhaseName(other) for other in depends_on),
    )


def node(**how: object) -> ManagedObject:
    born = ManagedObject(
        object_id=ObjectId("n1"),
        lifecycle="resource",
        type=TypeName("Cloud.Node"),
        provider=None,
        partition=Partition(account="a", region="r"),
        fid=None,
        logical_id=LogicalId("n1"),
        state=ResourceState.ALLOCATION,
        target=ResourceState.STARTED,
        created_at=T0,
        moved_at=T0,
        touched_at=T0,
    )
    return replace(born, **how)  # type: ignore[arg-type]


def names(phases: PhaseSet, owner: ManagedObject, state: str = "Allocation") -> list[str]:
    return [found.definition.name for found in phases.applicable(owner, state, Heading.READY)]


def build(*definitions: PhaseDefinition) -> tuple[PhaseSet, list[str]]:
    phases, errors = PhaseSet.build(definitions, CATALOGUE)
    return phases, [str(error) for error in errors]


def constrained(applies: object) -> PhaseSet:
    return build(replace(definition("P"), applies=applies))[0]  # type: ignore[arg-type]


def test_p0_27_a_constraint_that_is_false_or_undefined_means_that_the_phase_does_not_apply() -> None:
    assert names(constrained(lambda _: False), node()) == []
    assert names(constrained(lambda _: None), node()) == []


def test_a_constraint_reads_the_resource_as_a_phase_does_and_its_fields_too() -> None:
    plain, public = node(), node(attributes={"FixedPublicIp": "192.0.2.1"}, desired={"Image": "debian"})
    for applies in (
        lambda one: one.is_defined("FixedPublicIp"),
        lambda one: one.isDefined("FixedPublicIp"),
        lambda one: one.get_as_string("FixedPublicIp"),
        lambda one: one.get_as_string("Image") == "debian" and one["Image"] == "debian",
        lambda one: one.desired.get("Image") and one.type == "Cloud.Node" and one.name == one["Name"],
    ):
        assert names(constrained(applies), plain) == []
        assert names(constrained(applies), public) == ["P"]


def test_a_constraint_is_asked_once_of_an_object_that_enters_a_state() -> None:
    asked: list[str] = []
    phases = constrained(lambda one: not asked.append(one.logical_id))
    walk = Walk(phases=phases, lifecycle=CATALOGUE["resource"], now=T0, actor="plan-1")
    [entry] = enter(node(), "Allocation", walk).object.phases.values()
    assert entry.code == ""
    assert asked == ["n1"]


def test_a_phase_whose_constraint_raises_applies_so_that_the_error_can_be_told() -> None:
    assert names(constrained(lambda one: one["FixedPublicIp"]), node()) == ["P"]


def test_a_constraint_that_cannot_be_called_is_refused() -> None:
    phases, errors = build(replace(definition("P"), applies="yes"))  # type: ignore[arg-type]
    assert list(phases.definitions) == []
    assert "its applies is 'yes'; give a function of the resource" in errors[0]


def test_p0_28_a_phase_for_a_provider_applies_to_objects_of_that_provider_only() -> None:
    phases, _ = build(replace(definition("P"), provider="acme"), definition("Any"))
    assert names(phases, node(provider="acme")) == ["Any", "P"]
    assert names(phases, node(provider="other")) == ["Any"]
    assert names(phases, node(provider=None)) == ["Any"]


def test_a_star_is_for_every_declared_resource_and_for_no_other_object() -> None:
    phases, _ = build(definition("P", types="*"))
    assert names(phases, node(type="AWS::EC2::VPC")) == ["P"]
    assert names(phases, node(type="Cloud.Node", lifecycle="cloud_node")) == ["P"]
    assert names(phases, node(type="AWS::EC2::VPC", lifecycle="instance")) == []


def test_a_star_is_for_every_table_that_says_that_a_provider_does_its_work() -> None:
    phases, _ = build(definition("P", types="*"))
    assert phases.provided == {name for name, table in CATALOGUE.items() if table.work}


def test_applicable_phases_come_in_the_order_of_their_names_however_they_were_found() -> None:
    assert names(build(definition("B"), definition("A"))[0], node()) == ["A", "B"]


def test_p0_41_the_second_of_two_phases_with_one_name_is_refused() -> None:
    first = definition("P")
    phases, errors = build(first, definition("P", "Configuration"))
    assert phases.definitions[PhaseName("P")] is first
    assert errors == ["phase P was refused: a phase of this name is loaded already, and names must be unique"]


def test_p0_41_a_dependency_that_is_not_loaded_refuses_the_phase_and_no_other() -> None:
    phases, errors = build(definition("P", depends_on=("Ghost",)), definition("Q"))
    assert list(phases.definitions) == ["Q"]
    assert errors == ["phase P was refused: it depends on Ghost, and no phase of that name is loaded"]


def test_p0_41_a_dependency_in_another_state_is_refused() -> None:
    phases, errors = build(definition("X"), definition("Y", "Allocation", "Configuration", depends_on=("X",)))
    assert list(phases.definitions) == ["X"]
    assert errors == [
        "phase Y was refused: it depends on X, which does not run in Configuration; "
        "a dependency must be a phase of the same state"
    ]


def test_p0_41_every_phase_of_a_circle_is_refused_and_names_the_circle() -> None:
    phases, errors = build(
        definition("A", depends_on=("B",)),
        definition("B", depends_on=("A",)),
        definition("Self", depends_on=("Self",)),
        definition("Free"),
    )
    assert list(phases.definitions) == ["Free"]
    assert errors == [
        "phase A was refused: its dependencies go round in a circle: A -> B -> A",
        "phase B was refused: its dependencies go round in a circle: B -> A -> B",
        "phase Self was refused: its dependencies go round in a circle: Self -> Self",
    ]


def test_p0_41_a_phase_that_loses_its_dependency_by_a_refusal_is_refused_too() -> None:
    phases, errors = build(definition("X", "Nowhere"), definition("Y", depends_on=("X",)))
    assert not phases.definitions
    assert len(errors) == 2
    assert "there is no state Nowhere" in errors[0]
    assert "phase Y was refused: it depends on X" in errors[1]


@pytest.mark.parametrize("target", ["Started", "Terminated", "Released", "Deallocated"])
def test_a_phase_on_a_target_would_never_run_and_is_refused(target: str) -> None:
    phases, errors = build(definition("P", target))
    assert not phases.definitions
    assert errors == [
        f"phase P was refused: {target} is a target: an object that reached it is done, so the phase would never run"
    ]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (replace(definition(""), name=PhaseName("")), "has no name"),
        (replace(definition("P"), states=()), "names no state"),
        (replace(definition("P"), types=()), "names no resource type"),
        (replace(definition("P"), batch=0), "its batch is 0"),
        (replace(definition("P"), delay_s=-1), "its delay is -1 s"),
        (replace(definition("P"), timeout_s=0), "its timeout is 0 s"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused_with_the_reason(bad: PhaseDefinition, reason: str) -> None:
    phases, errors = build(bad)
    assert not phases.definitions
    assert reason in errors[0]
