"""A plan in words."""

from dataclasses import replace

import pytest
from planning_world import composition, declare

from tenuto.model.delta import Change
from tenuto.model.ids import JsonMap, LogicalId, ObjectId, TypeName
from tenuto.model.plan import Operation, Planning
from tenuto.model.resource import ResourceType
from tenuto.model.verb import Verb
from tenuto.service.commands.plan_view import PlanView, facts_of, plan_document
from tenuto.service.views.plan_text import MOST_ALIKE, operations_text, plan_text
from tenuto_testing.store_samples import a_plan, a_process


def test_calls_that_count_together_are_told_in_words() -> None:
    apis = [
        {"api": "ec2:CreateVpc", "calls": 2, "least_s": 0.1},
        {"api": "sqs:changes", "calls": 3, "least_s": 4.0},
        {"api": "ssm:changes", "calls": 1, "least_s": 0.1},
    ]
    document = {"operations": [], "summary": {"create": 6}, "bill": {"calls": 6, "least_s": 4.0, "apis": apis}}
    told = "2 ec2:CreateVpc, 3 changes of sqs (4 s), 1 change of ssm."
    assert f"Calls: 6 to the provider, which take 4 s or more: {told}" in plan_text(document)


def test_a_property_that_is_no_longer_declared_is_told_to_stay() -> None:
    change = {"path": "Delay", "before": 5, "after": None, "forces_replacement": False, "stays": True}
    operation = {
        "op": "modify",
        "logical_id": "Jobs",
        "type": "AWS::SQS::Queue",
        "id": "jobs",
        "reason": "update",
        "changes": [change],
    }
    text = operations_text([operation])
    assert "Delay: 5 stays: it is no longer declared, and held no longer" in text
    assert "(none)" not in text


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        (("Role",), "Job stays, but Role, which it needs, is deleted. Without it, Job may not work"),
        (("Role", "Net"), "Job stays, but Role, Net, which it needs, are deleted. Without them, Job may not work"),
        ((), ""),
    ],
)
def test_what_a_plan_keeps_is_told_to_lose_what_it_needs(gone: tuple[str, ...], told: str) -> None:
    """A function that is retained without its role stands, and does nothing."""
    verbs = {"Job": Verb.RELEASE, "Other": Verb.DELETE, **dict.fromkeys(gone, Verb.DELETE)}
    needs = {"Job": (LogicalId("Role"), LogicalId("Net")), "Other": (LogicalId("Role"),)}
    operations = tuple(
        Operation(
            verb=verb,
            type=TypeName("Gate"),
            logical_id=LogicalId(name),
            object_id=ObjectId(name),
            depends_on=needs.get(name, ()),
        )
        for name, verb in verbs.items()
    )
    planning = Planning(plan=replace(a_plan(), operations=operations))
    text = plan_text(plan_document(PlanView(planning=planning, process=a_process(), composition=None)))
    assert [line.removeprefix("! ") for line in text.split("\n") if line.startswith("!")] == (
        [f"{told}: 'DeletionPolicy: Retain' keeps {'it' if len(gone) == 1 else 'them'}, too."] if told else []
    )


def test_what_refers_to_a_service_that_answers_anew_is_told_beside_the_plan() -> None:
    """No plan can show a change that follows from an answer which the change before it brings."""
    declared = composition(declare("Record"), declare("Stored", "T::B", "Record"), declare("Other"))
    operation = Operation(
        verb=Verb.MODIFY,
        type=TypeName("T::A"),
        logical_id=LogicalId("Record"),
        object_id=ObjectId("record"),
        changes=(Change(path="Size", before=1, after=2),),
    )
    planning = Planning(plan=replace(a_plan(), operations=(operation,)))
    view = PlanView(planning=planning, process=a_process(), composition=declared)
    told = "Stored refers to Record, which answers anew when it is changed."
    assert told not in plan_text(plan_document(view))
    facts = ResourceType(name=TypeName("T::A"), provider="p", source="s", tells_all=True, bears_data=True)
    told_of = facts_of(planning.plan, {TypeName("T::A"): facts})
    assert told in plan_text(plan_document(replace(view, facts=told_of)))
    gone = Planning(plan=replace(a_plan(), operations=(replace(operation, verb=Verb.DELETE),)))
    assert plan_document(replace(view, planning=gone, facts=told_of))["loses_data"] == ["Record"]


def test_many_that_are_alike_are_one_line_and_what_loses_data_stays_apart() -> None:
    def operation(verb: str, type_name: str, name: str) -> JsonMap:
        return {"op": verb, "logical_id": name, "type": type_name, "id": None, "reason": "new", "changes": []}

    groups = [operation("create", "Group", f"G{number}") for number in range(MOST_ALIKE + 1)]
    buckets = [operation("delete", "Bucket", f"B{number}") for number in range(MOST_ALIKE + 2)]
    few = [operation("modify", "Net", f"N{number}") for number in range(MOST_ALIKE)]
    document = {
        "operations": [few[0], *groups, *buckets, *few[1:]],
        "loses_data": ["B3"],
        "summary": {"create": len(groups), "delete": len(buckets), "modify": len(few)},
    }
    lines = plan_text(document, is_folded=True).splitlines()
    assert lines[:4] == [
        "~ modify N0 (Net): new",
        "+ create 21 of Group: G0, G1, G2 and 18 more; --full shows each",
        "- delete 21 of Bucket: B0, B1, B2 and 18 more; --full shows each",
        "- delete B3 (Bucket): new",
    ]
    assert [line for line in lines if line.startswith("~")] == [
        f"~ modify N{number} (Net): new" for number in range(20)
    ]
    assert lines[-1] == "Plan: 22 delete, 21 create, 20 modify, 0 unchanged."
    whole = plan_text(document).splitlines()
    assert len(whole) == len(document["operations"]) + 1
