"""What others refer to, and what the provider shows of it by now."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from planning_world import World, built, composition, declare

from tenuto.core.planning.comparing.references import Answers, told
from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition, Output
from tenuto.model.ids import Json, LogicalId, PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.plan import Planning, StepKind
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb, WaitKind

ARN = {"Fn::GetAtt": ["a", "Arn"]}


def asking(of: Json = ARN) -> Composition:
    return composition(declare("a"), replace(declare("b", "T::B", "a"), properties={"Of": of}))


def planned(world: World, wanted: Composition, stored: Mapping[str, Json], shown: Mapping[str, Json]) -> Planning:
    """The plan when `a` has these attributes, and the provider shows those."""
    snapshot = world.snapshot(wanted)
    objects = tuple(
        replace(found, attributes=stored) if found.logical_id == "a" else found for found in snapshot.objects
    )
    seen = {
        key: replace(found, item=replace(found.item, attributes=shown) if found.item else None)
        for key, found in snapshot.observations.items()
    }
    return plan(replace(snapshot, objects=objects, observations=seen), world.ids)


def news(wanted: Composition, stored: Mapping[str, Json], shown: Mapping[str, Json]) -> str:
    [found] = [one for one in built(composition(declare("a"))).live() if one.logical_id == "a"]
    item = ObservedItem(physical_id=PhysicalId("a-1"), properties={}, attributes=shown)
    return Answers(wanted).news(replace(found, attributes=stored), item)


def test_a_resource_is_read_once_more_that_shows_only_by_now_what_another_one_refers_to() -> None:
    """A network that was seen before its first group could be: the group is an attribute of it."""
    world = built(composition(declare("a")))
    hidden = planned(world, asking(), {}, {})
    assert (hidden.plan.operations, [wait.kind for wait in hidden.waits]) == ((), [WaitKind.REFERENCE])
    shown = planned(world, asking(), {}, {"Arn": "arn:a"})
    [read] = shown.plan.operations
    assert (read.verb, read.logical_id, read.reason, read.changes) == (
        Verb.REFRESH,
        "a",
        "Arn is known now: read again, for what refers to it",
        (),
    )
    assert [(step.kind, step.logical_id) for step in shown.plan.steps] == [(StepKind.CHANGE, "a")]
    assert [wait.message for wait in shown.waits] == ["b refers to a.Arn, which has no value yet"]


def test_a_resource_is_read_once_more_when_what_another_one_refers_to_is_another_one_by_now() -> None:
    world = built(composition(declare("a")))
    world.execute(planned(world, asking(), {"Arn": "old"}, {"Arn": "old"}).plan, asking())
    changed = planned(world, asking(), {"Arn": "old"}, {"Arn": "new"})
    assert ("a", "Arn is another one now: read again, for what refers to it") in [
        (one.logical_id, one.reason) for one in changed.plan.operations
    ]


def test_a_property_is_given_by_its_name_where_no_attribute_is_called_so() -> None:
    """CloudFormation gives what was put in: `!GetAtt Bus.Name`."""
    declared = replace(declare("a"), properties={"Name": "shop"})
    wanted = composition(declared, replace(declare("b", "T::B", "a"), properties={"Of": {"Fn::GetAtt": ["a", "Name"]}}))
    world = built(composition(declared))
    planning = planned(world, wanted, {}, {})
    assert planning.waits == ()
    assert [(one.verb, one.logical_id) for one in planning.plan.operations] == [(Verb.CREATE, "b")]


def test_what_nobody_refers_to_may_change_as_it_likes() -> None:
    world = built(composition(declare("a")))
    assert planned(world, composition(declare("a")), {"Arn": "old"}, {"Arn": "new"}).plan.is_empty


@pytest.mark.parametrize(
    ("of", "stored", "shown", "told_of"),
    [
        (ARN, {"Arn": "x"}, {"Arn": "x", "State": "on"}, ""),
        (ARN, {"Arn": "x"}, {}, ""),
        (ARN, {"Arn": ["x", "y"]}, {"Arn": ("y", "x")}, ""),
        (ARN, {"Arn": ["x"]}, {"Arn": ["y"]}, "Arn is another one now"),
        ({"Fn::GetAtt": ["a", "Arn.Part"]}, {"Arn": {"Part": 1}}, {"Arn": {"Part": 2}}, "Arn is another one now"),
        ({"Fn::GetAtt": ["a", "Arn.Part"]}, {}, {"Arn.Part": 2}, "Arn.Part is known now"),
        ({"Ref": "a"}, {"Ref": "x"}, {"Ref": "y"}, "Ref is another one now"),
        ({"Ref": "a"}, {"Ref": "x", "Arn": "x"}, {"Ref": "x", "Arn": "y"}, ""),
    ],
)
def test_an_answer_is_news_when_somebody_asks_for_it(
    of: Json, stored: Mapping[str, Json], shown: Mapping[str, Json], told_of: str
) -> None:
    assert news(asking(of), stored, shown) == told_of
    outputs = replace(composition(declare("a")), outputs=(Output(name="Told", value=of),))
    assert news(outputs, stored, shown) == told_of
    assert news(composition(declare("a")), stored, shown) == ""


def test_what_was_declared_with_a_secret_is_not_stored_when_the_provider_shows_it() -> None:
    desired = {"Value": {"Fn::Join": ["", ["a", {"Ref": "Password"}]]}, "Name": "n"}
    assert told(desired, {"Value": "aopen-sesame", "Name": "n", "Arn": "x"}) == {"Name": "n", "Arn": "x"}


def test_a_secret_that_the_provider_shows_is_no_news() -> None:
    [found] = [one for one in built(composition(declare("a"))).live() if one.logical_id == "a"]
    secret: ManagedObject = replace(found, desired={"Arn": {"Ref": "Password"}})
    item = ObservedItem(physical_id=PhysicalId("a-1"), properties={}, attributes={"Arn": "y"})
    assert Answers(asking()).news(secret, item) == ""


def test_what_depends_on_a_resource_that_waits_waits_too() -> None:
    """`DependsOn` gives no value: a deployment was made before the methods that it depends on, which waited."""
    wanted = composition(
        replace(declare("a"), properties={"Of": {"Fn::ImportValue": "elsewhere"}}),
        replace(declare("b", "T::B"), depends_on=(LogicalId("a"),)),
        replace(declare("c"), depends_on=(LogicalId("b"),)),
        declare("d"),
    )
    found = World().plan(wanted)
    assert [step.logical_id for step in found.plan.steps] == ["d"]
    assert [(wait.kind, wait.message) for wait in found.waits] == [
        (
            WaitKind.REFERENCE,
            "a imports elsewhere, and no process of this account and region gives it a value yet. Run, or adopt, the "
            "process that exports it first",
        ),
        (WaitKind.REFERENCE, "b depends on a, which cannot be made yet"),
        (WaitKind.REFERENCE, "c depends on b, which cannot be made yet"),
    ]


def test_what_stands_is_changed_although_it_depends_on_a_resource_that_waits() -> None:
    world = built(composition(declare("b", "T::B")))
    wanted = composition(
        replace(declare("a"), properties={"Of": {"Fn::ImportValue": "elsewhere"}}),
        replace(declare("b", "T::B"), properties={"Size": 2}, depends_on=(LogicalId("a"),)),
    )
    assert [(step.kind, step.logical_id) for step in world.plan(wanted).plan.steps] == [(StepKind.CHANGE, "b")]
