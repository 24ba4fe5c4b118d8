"""What a declaration ignores is set once, and then left as it is found."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from planning_world import TYPES, World, composition, compositions, declare

from tenuto.core.planning.comparing.ignores import as_found, kept_paths
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import TypeName
from tenuto.model.plan import StepKind
from tenuto.model.verb import Verb

A_TYPE = TYPES[TypeName("T::A")]


def ignoring(declaration: Declaration, *paths: str) -> Declaration:
    return replace(declaration, metadata={"Tenuto": {"ignore": list(paths)}})


def built(*declarations: Declaration) -> tuple[World, Composition]:
    world, wanted = World(), composition(*declarations)
    world.execute(world.plan(wanted).plan, wanted)
    return world, wanted


def tamper(world: World, **properties: object) -> None:
    for thing in world.real.values():
        thing.update(properties)


def test_an_ignored_property_is_set_when_the_resource_is_made() -> None:
    world, _ = built(ignoring(declare("a", Soft="1"), "Soft"))
    [thing] = world.real.values()
    assert thing["Soft"] == "1"


def test_drift_of_an_ignored_property_is_no_difference_and_is_told() -> None:
    world, wanted = built(ignoring(declare("a", Soft="1", Tags=["x"]), "Soft"))
    tamper(world, Soft="stranger")
    planning = world.plan(wanted)
    assert planning.is_converged
    assert planning.plan.unchanged == 1
    [ignored] = planning.ignored
    [change] = ignored.changes
    assert (ignored.logical_id, change.path, change.before, change.after) == ("a", "Soft", "stranger", "1")


def test_drift_beside_an_ignored_property_is_corrected_and_leaves_it_alone() -> None:
    world, wanted = built(ignoring(declare("a", Soft="1", Tags=["x"]), "Soft"))
    tamper(world, Soft="stranger", Tags=["y"])
    [operation] = world.plan(wanted).plan.operations
    [step] = world.plan(wanted).plan.steps
    assert [change.path for change in operation.changes] == ["Tags"]
    assert (step.kind, step.kept) == (StepKind.CHANGE, ("Soft",))


def test_an_update_that_changes_an_ignored_property_sets_it() -> None:
    world, _ = built(ignoring(declare("a", Soft="1"), "Soft"))
    tamper(world, Soft="stranger")
    wanted = composition(ignoring(declare("a", Soft="2"), "Soft"))
    [operation] = world.plan(wanted).plan.operations
    [step] = world.plan(wanted).plan.steps
    assert [(change.path, change.before, change.after) for change in operation.changes] == [("Soft", "stranger", "2")]
    assert step.kept == ()


def test_drift_of_an_ignored_create_only_property_replaces_nothing() -> None:
    world, wanted = built(ignoring(declare("a", Fixed="1"), "Fixed"))
    tamper(world, Fixed="2")
    assert world.plan(wanted).is_converged


def test_a_resource_that_ignores_everything_is_still_made_again_when_it_is_gone() -> None:
    world, wanted = built(ignoring(declare("a", Soft="1", Fixed="1", Tags=["x"]), "*"))
    tamper(world, Soft="stranger", Fixed="stranger", Tags=[])
    assert world.plan(wanted).is_converged
    world.real.clear()
    assert [operation.verb for operation in world.plan(wanted).plan.operations] == [Verb.CREATE]


def test_to_ignore_or_to_stop_ignoring_is_no_change_of_its_own() -> None:
    world, wanted = built(declare("a", Soft="1"))
    assert world.plan(composition(ignoring(declare("a", Soft="1"), "Soft"))).is_converged
    tamper(world, Soft="stranger")
    assert [one.reason for one in world.plan(wanted).plan.operations] == ["drift"]


def test_a_reference_to_what_is_made_anew_is_not_ignored() -> None:
    world, _ = built(declare("a", Fixed="1"), ignoring(declare("b", "T::A", "a"), "*"))
    wanted = composition(declare("a", Fixed="2"), ignoring(declare("b", "T::A", "a"), "*"))
    assert {one.logical_id: one.verb for one in world.plan(wanted).plan.operations} == {
        "a": Verb.REPLACE,
        "b": Verb.MODIFY,
    }


def test_a_nested_path_is_left_and_its_neighbours_are_held() -> None:
    world, wanted = built(ignoring(declare("a", Soft={"Left": 1, "Right": {"Deep": 1}}), "Soft.Right.Deep"))
    tamper(world, Soft={"Left": 2, "Right": {"Deep": 9}})
    [operation] = world.plan(wanted).plan.operations
    assert [change.path for change in operation.changes] == ["Soft.Left"]
    [ignored] = world.plan(wanted).ignored
    assert [change.path for change in ignored.changes] == ["Soft.Right.Deep"]


def test_what_is_found_takes_the_place_of_what_is_declared_at_the_kept_paths_only() -> None:
    declared = {"A": {"B": 1, "C": 2}, "D": 3, "E": 4}
    assert as_found(declared, {"A": {"B": 9}, "D": 8}, ("A.B", "D")) == {"A": {"B": 9, "C": 2}, "D": 8, "E": 4}
    assert as_found(declared, {}, ("A.B", "D")) == {"A": {"C": 2}, "E": 4}
    assert as_found(declared, {"A": {"B": 9}}, ()) == declared


def test_a_secret_is_never_kept() -> None:
    secret = {"Soft": {"Ref": "Password"}}
    assert kept_paths(["Soft"], secret, secret, A_TYPE) == ()


@given(compositions(), st.data())
def test_no_drift_of_a_composition_that_ignores_everything_is_ever_corrected(
    wanted: Composition, data: st.DataObject
) -> None:
    wanted = replace(wanted, resources=tuple(ignoring(one, "*") for one in wanted.resources))
    world = World()
    world.execute(world.plan(wanted).plan, wanted)
    for thing in world.real.values():
        for path in sorted(thing):
            if not path.startswith("Ref") and data.draw(st.booleans()):
                thing[path] = ["stranger"] if path == "Tags" else "stranger"
    assert world.plan(wanted).is_converged
