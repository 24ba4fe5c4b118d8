"""Answers of success that tell an error: what was asked for was not done."""

import pytest
from scripted_endpoint import answer
from scripted_world import World, a_request

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome, Pending, Refused
from tenuto.providers.aws.client.answers.response_checks import refused_in

LOG = "AWS::EC2::FlowLog"
WANTED = {
    "ResourceId": "vpc-1",
    "ResourceType": "VPC",
    "TrafficType": "ALL",
    "LogDestinationType": "s3",
    "LogDestination": "arn:aws:s3:::logs",
}


def failed(operation: str, code: str) -> tuple[int, str]:
    error = f"<error><code>{code}</code><message>Access Denied for LogDestination</message></error>"
    return answer(operation, f"<unsuccessful><item>{error}<resourceId>vpc-1</resourceId></item></unsuccessful>")


def test_a_log_that_was_not_made_is_refused_with_what_aws_says(world: World) -> None:
    """It was noted under the id None, which no sweep would ever show."""
    world.endpoint.scripts["CreateFlowLogs"] = [failed("CreateFlowLogs", "InvalidParameterValue")]
    outcome = world.create(a_request(LOG, WANTED))
    assert isinstance(outcome, Refused)
    assert (outcome.code, "Access Denied for LogDestination" in outcome.message) == ("InvalidParameterValue", True)


def test_an_answer_without_an_id_makes_nothing_known(world: World) -> None:
    world.endpoint.scripts["CreateFlowLogs"] = [answer("CreateFlowLogs", "<flowLogIdSet/>")]
    world.endpoint.scripts["DescribeFlowLogs"] = [answer("DescribeFlowLogs", "<flowLogSet/>")] * 3
    assert not isinstance(world.create(a_request(LOG, WANTED)), Done)


@pytest.mark.parametrize(
    ("code", "expected"),
    [("InternalError", Pending), ("InvalidFlowLogId.NotFound", Done), ("InvalidParameterValue", Refused)],
)
def test_a_log_that_was_not_deleted_does_not_count_as_gone(world: World, code: str, expected: type[Outcome]) -> None:
    world.endpoint.scripts["DeleteFlowLogs"] = [failed("DeleteFlowLogs", code)] * 3
    assert isinstance(world.delete(a_request(LOG, WANTED, "fl-1")), expected)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ({"Unsuccessful": [{"Error": {"Code": "A", "Message": "no"}}]}, {"Code": "A", "Message": "no"}),
        (
            {"UnsuccessfulInstanceCreditSpecifications": [{"InstanceId": "i-1", "Error": {"Code": "A"}}]},
            {"Code": "A", "Message": ""},
        ),
        (
            {"FailedEntryCount": 1, "FailedEntries": [{"TargetId": "t", "ErrorCode": "A", "ErrorMessage": "no"}]},
            {"Code": "A", "Message": "no"},
        ),
        ({"Unsuccessful": [{"ResourceId": "vpc-1"}]}, {"Code": "RequestFailed", "Message": ""}),
        ({"FailedEntryCount": 0, "FailedEntries": [], "Unsuccessful": []}, None),
    ],
)
def test_every_form_of_such_an_error_is_read(told: JsonMap, expected: JsonMap | None) -> None:
    assert refused_in(told) == expected
