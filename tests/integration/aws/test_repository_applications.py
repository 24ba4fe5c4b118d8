"""Applications of the Serverless Application Repository: a stack that CloudFormation makes, changes and deletes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from block_examples import BenchOf
from scripted_endpoint import answer
from scripted_world import HERE, World, a_request

from tenuto.model.ids import Json, LogicalId
from tenuto.model.observation import Condition, Interest
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.serverless_application import APPLICATION
from tenuto_testing.provider_conformance import Example

THING = LogicalId("Rotator")
LOCATION: Mapping[str, Json] = {"ApplicationId": "arn:aws:serverlessrepo:us-east-1:1:applications/turner"}
PROPERTIES: Mapping[str, Json] = {
    "Location": {**LOCATION, "SemanticVersion": "1.1.0"},
    "Parameters": {"functionName": "turner", "excludeCharacters": "/@"},
    "Tags": {"team": "web"},
}
ORDER = ""
"""The order is no form, so that it has no action: the endpoint knows it by that."""
STACK_ID = "arn:aws:cloudformation:us-east-1:123456789012:stack/serverlessrepo-web-Thing-1/2"
CHANGE_ID = "arn:aws:cloudformation:us-east-1:123456789012:changeSet/one/3"
ORDERED = (201, json.dumps({"changeSetId": CHANGE_ID, "stackId": STACK_ID}))


def change_set(status: str, execution: str, reason: str = "") -> tuple[int, str]:
    inner = (
        f"<Status>{status}</Status><ExecutionStatus>{execution}</ExecutionStatus><StatusReason>{reason}</StatusReason>"
    )
    return answer("DescribeChangeSet", f"<DescribeChangeSetResult>{inner}</DescribeChangeSetResult>")


def stack(status: str, name: str = "serverlessrepo-web-Thing-1") -> tuple[int, str]:
    member = (
        f"<StackId>{STACK_ID}</StackId><StackName>{name}</StackName>"
        f"<StackStatus>{status}</StackStatus><CreationTime>2026-01-01T00:00:00Z</CreationTime>"
    )
    return answer(
        "DescribeStacks", f"<DescribeStacksResult><Stacks><member>{member}</member></Stacks></DescribeStacksResult>"
    )


def events(*told: tuple[str, str, str]) -> tuple[int, str]:
    """Events, the newest first: of which resource, its status, and the reason."""
    members = "".join(
        f"<member><LogicalResourceId>{name}</LogicalResourceId><ResourceStatus>{status}</ResourceStatus>"
        f"<ResourceStatusReason>{reason}</ResourceStatusReason><EventId>1</EventId></member>"
        for name, status, reason in told
    )
    inner = f"<DescribeStackEventsResult><StackEvents>{members}</StackEvents></DescribeStackEventsResult>"
    return answer("DescribeStackEvents", inner)


def refusal(code: str, message: str = "because") -> tuple[int, str]:
    """A bad answer of CloudFormation."""
    return 400, f"<ErrorResponse><Error><Code>{code}</Code><Message>{message}</Message></Error></ErrorResponse>"


NO_STACK = refusal("ValidationError", "Stack with id serverlessrepo-web does not exist")
EXECUTED = answer("ExecuteChangeSet", "<ExecuteChangeSetResult/>")
DELETED = answer("DeleteStack", "")


@pytest.fixture
def scripts(world: World) -> dict[str, list[tuple[int, str]]]:
    world.endpoint.scripts |= {
        ORDER: [ORDERED],
        "DescribeChangeSet": [
            change_set("CREATE_COMPLETE", "AVAILABLE"),
            change_set("CREATE_COMPLETE", "EXECUTE_IN_PROGRESS"),
            change_set("CREATE_COMPLETE", "EXECUTE_FAILED"),
        ],
        "ExecuteChangeSet": [EXECUTED],
        "DeleteStack": [DELETED],
        "DescribeStackEvents": [events()],
    }
    return world.endpoint.scripts


def asked(call: Callable[[Request], Outcome], request: Request) -> Outcome:
    """The outcome of an act that is asked for until it has ended, as a Conductor asks."""
    for _ in range(20):
        outcome = call(request)
        if not isinstance(outcome, Pending):
            return outcome
        request = replace(request, progress=outcome.progress or request.progress)
    raise AssertionError(f"it has not ended: {outcome}")


def an_application(physical_id: str | None = None) -> Request:
    return a_request(str(APPLICATION), {"Location": LOCATION}, physical_id)


def test_an_application_is_made_seen_changed_and_deleted(bench_of: BenchOf, stranger: Callable[[str], Any]) -> None:
    formation = stranger("cloudformation")
    with bench_of((Example(name=THING, type=APPLICATION, properties=PROPERTIES),)) as bench:
        (made,) = bench.make_all()
        assert made.attributes["Outputs.RotationLambdaARN"].endswith(":function:turner")
        (about,) = formation.describe_stacks(StackName=made.physical_id)["Stacks"]
        assert (about["StackName"].startswith("serverlessrepo-bench"), about["StackStatus"]) == (
            True,
            "CREATE_COMPLETE",
        )
        assert {tag["Key"] for tag in about["Tags"]} == {"team"}, "a mark would be written on all that is in the stack"

        changed = {**made.properties, "Parameters": {"functionName": "turner", "excludeCharacters": "#"}, "Tags": {}}
        bench.requests[THING] = made = bench.configure(replace(made, properties=changed))
        (about,) = formation.describe_stacks(StackName=made.physical_id)["Stacks"]
        parameters = {one["ParameterKey"]: one["ParameterValue"] for one in about["Parameters"]}
        assert (about["StackStatus"], about["Tags"]) == ("UPDATE_COMPLETE", [])
        assert parameters == changed["Parameters"]
        orders = len(formation.list_change_sets(StackName=made.physical_id)["Summaries"])
        bench.configure(made)
        assert len(formation.list_change_sets(StackName=made.physical_id)["Summaries"]) == orders, "nothing differs"
        bench.remove(made)
        (about,) = formation.describe_stacks(StackName=made.physical_id)["Stacks"]
        assert about["StackStatus"] == "DELETE_COMPLETE"
        assert not bench.sweep(APPLICATION, [made])


def test_a_stack_that_fails_is_recorded_with_the_first_reason(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    scripts["DescribeStacks"] = [
        NO_STACK,
        stack("REVIEW_IN_PROGRESS"),
        stack("CREATE_IN_PROGRESS"),
        stack("ROLLBACK_COMPLETE"),
    ]
    scripts["DescribeStackEvents"] = [
        events(
            ("Topic", "CREATE_FAILED", "Resource creation cancelled"),
            ("Role", "CREATE_FAILED", "You may not create roles"),
            ("serverlessrepo-web", "CREATE_IN_PROGRESS", "User Initiated"),
            ("Old", "CREATE_FAILED", "long ago"),
        )
    ]
    outcome = asked(world.create, an_application())
    assert isinstance(outcome, Refused)
    assert outcome.physical_id == STACK_ID
    assert outcome.message.endswith("is ROLLBACK_COMPLETE: Role: You may not create roles")
    assert len(world.endpoint.asked("ExecuteChangeSet")) == 1


def test_what_a_failed_creation_left_is_deleted_before_the_next_try(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    """A stack whose creation was rolled back takes no change, and the next try has the same name."""
    scripts["DescribeStacks"] = [
        stack("ROLLBACK_COMPLETE"),
        stack("DELETE_IN_PROGRESS"),
        NO_STACK,
        stack("REVIEW_IN_PROGRESS"),
        stack("CREATE_COMPLETE"),
    ]
    scripts["DescribeChangeSet"] = [
        change_set("CREATE_COMPLETE", "AVAILABLE"),
        change_set("CREATE_COMPLETE", "EXECUTE_COMPLETE"),
    ]
    assert isinstance(asked(world.create, an_application()), Done)
    assert [one["StackName"] for one in world.endpoint.asked("DeleteStack")] == [STACK_ID]
    assert len(world.endpoint.asked(ORDER)) == 1


def test_a_refused_change_set_is_told_and_its_stack_recorded(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    scripts["DescribeStacks"] = [stack("REVIEW_IN_PROGRESS")]
    scripts["DescribeChangeSet"] = [
        change_set("CREATE_IN_PROGRESS", "UNAVAILABLE"),
        change_set("FAILED", "UNAVAILABLE", "Parameters: [functionName] must have values"),
    ]
    outcome = asked(world.create, an_application())
    assert isinstance(outcome, Refused)
    assert (outcome.physical_id, "[functionName] must have values" in outcome.message) == (STACK_ID, True)
    assert not world.endpoint.asked("ExecuteChangeSet")


def test_an_order_that_came_to_nothing_is_repeated(world: World, scripts: dict[str, list[tuple[int, str]]]) -> None:
    """Others may delete a stack that waits, or carry out a change set of their own, by which ours is obsolete."""
    standing = stack("REVIEW_IN_PROGRESS")
    scripts["DescribeStacks"] = [NO_STACK, NO_STACK, NO_STACK, standing, standing, standing, stack("CREATE_COMPLETE")]
    scripts["DescribeChangeSet"] = [
        change_set("CREATE_COMPLETE", "OBSOLETE"),
        refusal("ChangeSetNotFound"),
        change_set("CREATE_COMPLETE", "AVAILABLE"),
        change_set("CREATE_COMPLETE", "EXECUTE_COMPLETE"),
    ]
    outcome = asked(world.create, an_application())
    assert isinstance(outcome, Done)
    assert (len(world.endpoint.asked(ORDER)), len(world.endpoint.asked("ExecuteChangeSet"))) == (4, 1)


def test_a_change_that_changes_nothing_is_done(world: World, scripts: dict[str, list[tuple[int, str]]]) -> None:
    scripts["DescribeStacks"] = [stack("UPDATE_COMPLETE")]
    scripts["DescribeChangeSet"] = [
        change_set("FAILED", "UNAVAILABLE", "The submitted information didn't contain changes.")
    ]
    request = replace(an_application(STACK_ID), properties={"Location": LOCATION, "Tags": {"team": "web"}})
    outcome = asked(lambda one: world.provider.modify(HERE, [one])[0], request)
    assert isinstance(outcome, Done)
    assert not world.endpoint.asked("ExecuteChangeSet")


def test_a_change_that_was_rolled_back_is_told_and_the_stack_still_works(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    scripts["DescribeStacks"] = [stack("CREATE_COMPLETE")] * 3 + [stack("UPDATE_ROLLBACK_COMPLETE")]
    request = replace(an_application(STACK_ID), properties={"Location": LOCATION, "Tags": {"team": "web"}})
    outcome = asked(lambda one: world.provider.modify(HERE, [one])[0], request)
    assert isinstance(outcome, Refused)
    items = world.provider.sweep(HERE, str(APPLICATION), {APPLICATION: {STACK_ID: Interest()}})[APPLICATION].items
    assert [item.condition for item in items.values()] == [Condition.READY]


def test_a_stack_that_the_repository_has_not_made_is_not_changed(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    """The repository puts its own word before the name: an order would make a second stack beside an adopted one."""
    scripts["DescribeStacks"] = [stack("CREATE_COMPLETE", "shop-Thing-1ABC")]
    same = replace(an_application(STACK_ID), observed={"Tags": {}, "NotificationARNs": []})
    assert isinstance(asked(lambda one: world.provider.modify(HERE, [one])[0], same), Done)
    request = replace(same, properties={"Location": LOCATION, "Tags": {"team": "web"}})
    outcome = asked(lambda one: world.provider.modify(HERE, [one])[0], request)
    assert isinstance(outcome, Refused)
    assert "shop-Thing-1ABC was not made by the repository" in outcome.message
    assert not world.endpoint.asked(ORDER)


def test_what_a_lost_order_left_is_deleted_while_nothing_is_in_it(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    """The change set of such a stack is not known: a stack that waits for it would wait for ever."""
    scripts["DescribeStacks"] = [stack("REVIEW_IN_PROGRESS"), stack("CREATE_IN_PROGRESS"), NO_STACK]
    found = [world.provider.find(HERE, [an_application()])[0] for _ in range(3)]
    assert [one and one.physical_id for one in found] == [None, STACK_ID, None]
    assert [one["StackName"] for one in world.endpoint.asked("DeleteStack")] == [STACK_ID]


def test_a_stack_that_is_being_changed_is_deleted_afterwards_and_a_failure_is_told(
    world: World, scripts: dict[str, list[tuple[int, str]]]
) -> None:
    scripts["DescribeStacks"] = [
        stack("UPDATE_IN_PROGRESS"),
        stack("UPDATE_COMPLETE"),
        stack("DELETE_IN_PROGRESS"),
        stack("DELETE_FAILED"),
    ]
    scripts["DescribeStackEvents"] = [
        events(("Bucket", "DELETE_FAILED", "The bucket is not empty"), ("s", "DELETE_IN_PROGRESS", "User Initiated"))
    ]
    outcome = asked(world.delete, an_application(STACK_ID))
    assert isinstance(outcome, Refused)
    assert outcome.message.endswith("is DELETE_FAILED: Bucket: The bucket is not empty")
    assert len(world.endpoint.asked("DeleteStack")) == 1
    scripts["DescribeStacks"] = [stack("DELETE_FAILED"), stack("DELETE_COMPLETE")]
    assert isinstance(asked(world.delete, an_application(STACK_ID)), Done), "a retry asks once more"
