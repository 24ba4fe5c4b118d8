"""The texts by which an unapplied import is recognised, in resources at rest and in those on their way."""

import base64

import pytest

from tenuto.core.planning.comparing.holding import Holders, exported_texts
from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition, Output
from tenuto.model.delta import Change
from tenuto.model.ids import Instant, Json, LogicalId, ObjectId, PhysicalId, PlanId, TypeName
from tenuto.model.outcome import Context
from tenuto.model.plan import Operation, Plan, Step, StepKind
from tenuto.model.verb import Verb
from tenuto_testing.store_samples import HERE, WEB, a_process, an_object

NOWHERE = Context(account_id="1")
UNAPPLIED = a_process(converged_at=None, unconverged_at=Instant(1.0), state=ProcessState.RUNNING)
THING = TypeName("T::A")


def a_plan(kind: StepKind, before: Json) -> Plan:
    """A plan that changed the label of the object."""
    about = {"object_id": ObjectId("obj-1"), "logical_id": LogicalId("L"), "type": THING}
    change = Change(path="Label", before=before, after="new")
    return Plan(
        plan_id=PlanId("plan-1"),
        fid=WEB,
        partition=HERE,
        command="update",
        observed_at=Instant(1.0),
        steps=(Step(kind=kind, target="Started", wave=0, **about),),
        operations=(Operation(verb=Verb.MODIFY, changes=(change,), **about),),
    )


@pytest.mark.parametrize(
    ("label", "is_held"),
    [
        ("vpc-1", True),
        ("vpc-12", False),
        ("net-vpc-1", False),
        (base64.b64encode(b"vpc-1").decode(), True),
        ("queue-0001", True),
        ("at queue-0001, for now", True),
        (base64.b64encode(b"#!/bin/sh\ncurl queue-0001").decode(), True),
        ("10.0.0.0/16", False),
    ],
)
def test_a_resource_at_rest_holds_what_it_is_desired_with(label: str, *, is_held: bool) -> None:
    found = an_object(state="Started", desired={"Label": label})
    for process, counts in ((UNAPPLIED, True), (a_process(converged_at=Instant(1.0)), False)):
        holders = Holders(process, [found], lambda _: ())
        assert bool(holders.of({"vpc-1", "queue-0001"})) is (is_held and counts)


@pytest.mark.parametrize(
    ("plans", "is_held"),
    [
        ((a_plan(StepKind.CHANGE, "vpc-1"),), True),
        ((a_plan(StepKind.CHANGE, ["a", {"B": "vpc-1"}]),), True),
        ((a_plan(StepKind.CHANGE, "vpc-1"), a_plan(StepKind.CHANGE, "other")), True),
        ((a_plan(StepKind.CHANGE, "other"),), False),
        ((a_plan(StepKind.RETRY, "other"),), True),
        ((), True),
    ],
)
def test_a_resource_on_its_way_may_have_held_what_the_plans_changed(plans: tuple[Plan, ...], *, is_held: bool) -> None:
    found = an_object(physical_id=PhysicalId("net-1"), desired={"Label": "new"})
    assert bool(Holders(UNAPPLIED, [found], lambda _: plans).of({"vpc-1"})) is is_held
    new = an_object(desired={"Label": "new"})
    assert not Holders(UNAPPLIED, [new], lambda _: plans).of({"vpc-1"}), "it was never made"


@pytest.mark.parametrize(
    ("plans", "label", "is_held"),
    [
        ((a_plan(StepKind.REMOVE, "other"),), "new", False),
        ((), "new", False),
        ((), "vpc-1", True),
        ((a_plan(StepKind.CHANGE, "vpc-1"), a_plan(StepKind.REMOVE, "other")), "new", True),
    ],
)
def test_a_resource_whose_deletion_does_not_end_holds_what_it_had(
    plans: tuple[Plan, ...], label: str, *, is_held: bool
) -> None:
    found = an_object(physical_id=PhysicalId("net-1"), target="Terminated", desired={"Label": label})
    assert not found.is_settled
    assert bool(Holders(UNAPPLIED, [found], lambda _: plans).of({"vpc-1"})) is is_held


def test_an_export_is_recognised_by_every_incarnation_and_not_by_what_was_declared() -> None:
    name = LogicalId("Net")
    objects = [
        an_object(
            str(number),
            logical_id=name,
            incarnation=number,
            state="Started",
            physical_id=PhysicalId(f"vpc-{number}"),
            desired={"CidrBlock": "10.0.0.0/16"},
            attributes={"CidrBlock": "10.0.0.0/16", "Arn": f"arn:{number}"},
        )
        for number in (1, 2)
    ]

    def told(value: Json) -> frozenset[str]:
        output = Output(name="O", value=value, export="e")
        composition = Composition(digest="d", name="n", region="", outputs=(output,))
        return exported_texts(a_process(), composition, objects, NOWHERE)["e"]

    assert told({"Ref": "Net"}) == {"vpc-1", "vpc-2"}
    assert told({"Fn::GetAtt": ["Net", "CidrBlock"]}) == frozenset()
    both = told({"Fn::Join": [" ", [{"Ref": "Net"}, {"Fn::GetAtt": ["Net", "Arn"]}]]})
    assert both == {"vpc-1", "arn:1", "vpc-1 arn:1", "vpc-2", "arn:2", "vpc-2 arn:2"}
    assert told("literal") == frozenset()
