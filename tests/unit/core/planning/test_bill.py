"""What a plan costs."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.pacing import rates
from tenuto.core.planning.bill import bill_of, shared
from tenuto.model.delta import Change, Unknown
from tenuto.model.ids import Fid, Instant, Json, ObjectId, Partition, PhysicalId, PlanId, TypeName
from tenuto.model.plan import Operation, Plan, Step, StepKind
from tenuto.model.rate import ApiCall, Calls, MemberCalls, Rate
from tenuto.model.resource import ResourceType
from tenuto.model.verb import Verb
from tenuto.service.commands.plan_view import bill_document
from tenuto.service.views.plan_text import plan_text
from tenuto_testing.store_samples import a_step, an_object

RATE = Rate(burst=10.0, per_second=2.0)
GATE, WALL = TypeName("Gate"), TypeName("Wall")


def call(api: str, serves: int = 1) -> tuple[ApiCall, ...]:
    return (ApiCall(api=api, rate=RATE, serves=serves),)


UPDATE = (ApiCall(api="writes", rate=RATE, joint="update"), ApiCall(api="writes", rate=RATE, joint="publish"))
TYPES = {
    GATE: ResourceType(
        name=GATE,
        provider="p",
        source="s",
        calls=Calls(
            create=call("make"),
            delete=call("drop", serves=100),
            modify=call("change"),
            adopt=call("tag"),
            release=call("untag"),
            changes={"Size": call("resize"), "Owner": UPDATE, "Purpose": UPDATE, "Sign": call("put up")},
            drops={"Sign": call("take down")},
            settings={"Size": 1},
            members={
                "Rules": MemberCalls(
                    put=call("allow"), drop=call("forbid"), clear=call("clear"), key="Name", at_birth=({"Name": "all"},)
                ),
                "Roads": MemberCalls(
                    put=call("open"), drop=call("close"), retell=call("rename"), told="Label", at_birth=({"To": "all"},)
                ),
                "Tags": MemberCalls(put=call("tag"), drop=call("untag"), key="Key", is_bulk=True, comes_with_it=True),
            },
        ),
    ),
    WALL: ResourceType(name=WALL, provider="p", source="s"),
}


def step(number: int, kind: StepKind = StepKind.MAKE, type_name: TypeName = GATE, **properties: object) -> Step:
    name = f"r{number}"
    return a_step(kind, name, object_id=ObjectId(name), type=type_name, properties=properties)


def plan(*steps: Step, changed: Sequence[str | Change] = ()) -> Plan:
    operations = tuple(
        Operation(
            verb=Verb.MODIFY,
            type=one.type,
            logical_id=one.logical_id,
            object_id=one.object_id,
            changes=tuple(one if isinstance(one, Change) else Change(path=one, before=1, after=2) for one in changed),
        )
        for one in steps
    )
    return Plan(
        plan_id=PlanId("plan"),
        fid=Fid("fid"),
        partition=Partition(account="a", region="r"),
        command="run",
        observed_at=Instant(0.0),
        operations=operations,
        steps=steps,
    )


def calls(*steps: Step, changed: Sequence[str | Change] = ()) -> dict[str, int]:
    return {line.api: line.calls for line in bill_of(plan(*steps, changed=changed), TYPES).lines}


def test_a_creation_costs_its_call_and_one_for_each_member_that_has_to_be_set_apart() -> None:
    assert calls(step(1, Rules=[1, 2, 3]), step(2, Rules={"Ref": "later"}), step(3)) == {
        "make": 3,
        "allow": 3,
        "forbid": 1,
    }


def test_what_a_new_one_has_anyway_is_neither_put_nor_dropped() -> None:
    assert calls(step(1, Rules=[{"Name": "ALL"}, {"Name": "mine"}])) == {"make": 1, "allow": 1}
    assert calls(step(1, Rules=[])) == {"make": 1, "forbid": 1}


def test_a_setting_costs_its_call_unless_it_is_declared_as_it_is_born() -> None:
    assert calls(step(1, Size=2), step(2, Size="1"), step(3)) == {"make": 3, "resize": 1}


@pytest.mark.parametrize(
    ("path", "before", "after", "bill"),
    [
        ("Rules", [{"Name": "a"}, {"Name": "b"}], [{"Name": "b"}, {"Name": "c"}], {"allow": 1, "forbid": 1}),
        ("Rules", [{"Name": "a", "Port": 1}], [{"Name": "a", "Port": 2}], {"allow": 1}),
        ("Rules", [{"Name": "a", "Port": 80}], [{"Port": "80", "Name": "a"}], {}),
        ("Rules", None, [{"Name": "a"}, {"Name": "b"}], {"allow": 2}),
        ("Rules", [{"Name": "a"}], Unknown.AFTER_APPLY, {"allow": 1}),
        ("Tags", [{"Key": "a", "Value": "1"}], Unknown.AFTER_APPLY, {"tag": 1}),
        ("Tags.a", "1", Unknown.AFTER_APPLY, {"tag": 1}),
        ("Tags", [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "1"}], [], {"untag": 1}),
        ("Tags", [{"Key": "a", "Value": "1"}], [{"Key": "a", "Value": "2"}, {"Key": "c", "Value": "3"}], {"tag": 1}),
        ("Tags", {"a": "1"}, {"b": "1"}, {"tag": 1, "untag": 1}),
        ("Size.Width", 1, 2, {"resize": 1}),
        ("Roads", [{"To": "a", "Label": "x"}], [{"To": "a", "Label": "y"}], {"rename": 1}),
        ("Roads", [{"To": "a", "Label": "x"}], [{"To": "a"}, {"To": "b"}], {"rename": 1, "open": 1}),
        ("Roads", [{"To": "a"}, {"To": "b"}], [{"To": "b", "Label": "x"}], {"rename": 1, "close": 1}),
        ("Roads", [{"To": "a", "Label": "x"}], [{"To": "b", "Label": "x"}], {"open": 1, "close": 1}),
    ],
)
def test_members_cost_what_comes_and_what_goes(path: str, before: Json, after: Json, bill: dict[str, int]) -> None:
    change = Change(path=path, before=before, after=after)
    assert calls(step(1, StepKind.CHANGE), changed=[change]) == bill


def test_what_is_not_declared_any_more_costs_nothing() -> None:
    left = [
        Change(path=path, before=[1], after=None, has_after=False, stays=True) for path in ("Rules", "Size", "Color")
    ]
    assert calls(step(1, StepKind.CHANGE), changed=left) == {}


def test_what_goes_back_to_its_default_costs_the_call_that_takes_it_away() -> None:
    for path, bill in (("Sign", {"take down": 1}), ("Size", {"resize": 1})):
        gone = Change(path=path, before="a", after=None, has_after=False)
        assert calls(step(1, StepKind.CHANGE), changed=[gone]) == bill


def test_an_api_that_is_called_for_one_and_for_many_has_one_line() -> None:
    both = call("tag") + call("tag", serves=100)
    lines = bill_of(plan(step(1), step(2)), {GATE: replace(TYPES[GATE], calls=Calls(create=both))}).lines
    assert [(line.api, line.calls) for line in lines] == [("tag", 3)]


def test_things_that_take_a_token_each_take_their_time_though_one_call_serves_many() -> None:
    ending = ApiCall(api="end", rate=RATE, serves=10, each=Rate(burst=20.0, per_second=4.0))
    known = {GATE: replace(TYPES[GATE], calls=Calls(delete=(ending,)))}
    (line,) = bill_of(plan(*(step(number, StepKind.REMOVE) for number in range(60))), known).lines
    assert (line.calls, line.least_s) == (6, 10.0)
    halved = shared(known[GATE].calls, lambda rate: rates.share_of(rate, 0.5))
    (line,) = bill_of(
        plan(*(step(number, StepKind.REMOVE) for number in range(60))), {GATE: replace(known[GATE], calls=halved)}
    ).lines
    assert (line.calls, line.least_s) == (6, 25.0)


def test_what_hangs_on_a_resource_is_cleared_before_it_goes() -> None:
    desired = {"Rules": [{"Name": "a"}, {"Name": "b"}], "Tags": [{"Key": "a"}]}
    standing = an_object("r1", desired=desired, physical_id=PhysicalId("gate-1"))
    lines = bill_of(plan(step(1, StepKind.REMOVE)), TYPES, [standing]).lines
    assert {line.api: line.calls for line in lines} == {"clear": 2, "drop": 1}


@pytest.mark.parametrize("kind", [StepKind.REMOVE, StepKind.RELEASE])
def test_what_was_never_made_goes_without_a_call(kind: StepKind) -> None:
    """Such as the new one of an update that failed, once the update is taken back."""
    assert bill_of(plan(step(1, kind)), TYPES, [an_object("r1", physical_id=None)]).lines == ()


def test_a_change_costs_what_its_properties_cost() -> None:
    assert calls(step(1, StepKind.CHANGE), changed=["Tags[0].Value"]) == {"tag": 1}
    assert calls(step(1, StepKind.CHANGE), changed=["Size.Width", "Size.Height", "Color", "Form"]) == {
        "resize": 1,
        "change": 1,
    }


def test_a_call_that_changes_several_properties_is_billed_once_for_each_resource() -> None:
    assert calls(step(1, StepKind.CHANGE), changed=["Owner", "Purpose", "Size"]) == {"writes": 2, "resize": 1}
    assert calls(step(1, StepKind.CHANGE), step(2, StepKind.CHANGE), changed=["Owner", "Purpose"]) == {"writes": 4}


def test_one_call_may_serve_many() -> None:
    assert calls(*(step(number, StepKind.REMOVE) for number in range(101))) == {"drop": 2}


def test_what_is_gone_or_unknown_costs_nothing() -> None:
    stranger = step(4, type_name=TypeName("Stranger"))
    assert calls(step(1, StepKind.FORGET), step(2, type_name=WALL), stranger) == {}
    assert calls(step(1, StepKind.ADOPT), step(2, StepKind.RELEASE)) == {"tag": 1, "untag": 1}


@given(st.lists(st.sampled_from([kind for kind in StepKind if kind is not StepKind.FORGET]), max_size=60))
def test_every_step_is_billed_and_the_plan_takes_as_long_as_its_slowest_api(kinds: list[StepKind]) -> None:
    made = plan(*(step(number, kind) for number, kind in enumerate(kinds)), changed=["Color"])
    bill = bill_of(made, TYPES)
    removals = kinds.count(StepKind.REMOVE)
    assert bill.calls == len(kinds) - removals + min(1, removals)
    assert bill.least_s == max((rates.least_s(line.calls, RATE) for line in bill.lines), default=0.0)
    assert list(bill.lines) == sorted(bill.lines, key=lambda line: (-line.least_s, -line.calls, line.api))


def test_a_share_of_the_rates_makes_the_bill_longer_and_not_higher() -> None:
    made = plan(*(step(number) for number in range(30)))
    half = replace(TYPES[GATE], calls=shared(TYPES[GATE].calls, lambda rate: rates.share_of(rate, 0.5)))
    assert bill_of(made, TYPES).least_s == 10.0
    assert bill_of(made, {GATE: half}).least_s == 25.0
    assert bill_of(made, {GATE: half}).calls == 30


def test_the_text_names_the_apis_that_take_longest() -> None:
    document = {"operations": [], "summary": {}, "bill": bill_document(bill_of(plan(*map(step, range(30))), TYPES))}
    assert plan_text(document).splitlines()[0] == (
        "Calls: 30 to the provider, which take 10 s or more: 30 make (10 s)."
    )
    quick = {"operations": [], "summary": {}, "bill": bill_document(bill_of(plan(step(1)), TYPES))}
    assert plan_text(quick).splitlines()[0] == "Calls: 1 to the provider: 1 make."
    many = [{"api": f"api{number}", "calls": 1, "least_s": 0.0} for number in range(6)]
    crowded = {"operations": [], "summary": {}, "bill": {"calls": 6, "least_s": 0.0, "apis": many}}
    assert plan_text(crowded).splitlines()[0].endswith("1 api3, 2 to 2 other APIs.")


def test_members_that_are_not_known_yet_cost_a_call_or_more_and_the_text_says_so() -> None:
    unknown = Change(path="Rules", before=[{"Name": "a"}], after=Unknown.AFTER_APPLY)
    tagged = Change(path="Tags.a", before="1", after=Unknown.AFTER_APPLY)
    bill = bill_of(
        plan(step(1, StepKind.CHANGE), changed=[unknown, tagged, Change(path="Size", before=1, after=2)]), TYPES
    )
    assert {line.api: (line.calls, line.or_more) for line in bill.lines} == {
        "allow": (1, True),
        "resize": (1, False),
        "tag": (1, False),
    }
    document = bill_document(bill)
    assert (document["calls"], document["or_more"]) == (3, True)
    text = plan_text({"operations": [], "summary": {}, "bill": document})
    assert text.splitlines()[0] == "Calls: 3 or more to the provider: 1 or more allow, 1 resize, 1 tag."


def test_one_change_or_more_are_changes() -> None:
    apis = [{"api": f"{name}:changes", "calls": 1, "or_more": name == "iam", "least_s": 0.0} for name in ("iam", "sqs")]
    text = plan_text(
        {"operations": [], "summary": {}, "bill": {"calls": 2, "or_more": True, "least_s": 0, "apis": apis}}
    )
    assert text.splitlines()[0] == "Calls: 2 or more to the provider: 1 or more changes of iam, 1 change of sqs."


def test_calls_of_other_apis_may_be_more_together() -> None:
    apis = [{"api": f"api{number}", "calls": 1, "or_more": number == 5, "least_s": 0.0} for number in range(6)]
    crowded = {"calls": 6, "or_more": True, "least_s": 0.0, "apis": apis}
    text = plan_text({"operations": [], "summary": {}, "bill": crowded})
    assert text.splitlines()[0].endswith("1 api3, 2 or more to 2 other APIs.")


def test_another_deletion_policy_costs_no_call() -> None:
    assert calls(step(1, StepKind.CHANGE), changed=["DeletionPolicy"]) == {}
    assert calls(step(1, StepKind.CHANGE), changed=["DeletionPolicy", "Size"]) == {"resize": 1}
