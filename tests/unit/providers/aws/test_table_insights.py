"""Contributor insights that DynamoDB could not turn on: the act that ordered them ends with the reason, the next one
orders them again.
"""

from typing import cast

import pytest

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.dynamodb_insights import change, change_of_index, noted
from tenuto.providers.aws.types.dynamodb_table import TABLE

INDEX: JsonMap = {"IndexName": "owners"}
INSIGHTS: JsonMap = {"ContributorInsightsSpecification": {"Enabled": True}}
ENABLE = {"ContributorInsightsAction": "ENABLE"}


class FailedClient:
    """A client of an account in which all insights have failed."""

    def read(self, service: str, operation: str, **about: Json) -> JsonMap:
        assert (service, operation) == ("dynamodb", "DescribeContributorInsights")
        failure = {"ExceptionName": "LimitExceeded", "ExceptionDescription": "too many rules"}
        return {**about, "ContributorInsightsStatus": "FAILED", "FailureException": failure}


def work(progress: JsonMap) -> Work:
    request = Request(
        object_id=ObjectId("o"),
        fid=None,
        process_name="web",
        logical_id=LogicalId("Orders"),
        type=TypeName("AWS::DynamoDB::Table"),
        token="o",
        physical_id=PhysicalId("orders"),
        properties={**INSIGHTS, "GlobalSecondaryIndexes": [{**INDEX, **INSIGHTS}]},
        observed={"GlobalSecondaryIndexes": [{**INDEX, "ContributorInsightsSpecification": {"Enabled": False}}]},
        progress=progress,
    )
    return Work(client=cast(AccountClient, FailedClient()), request=request, type=TABLE)


def test_insights_that_failed_before_are_ordered_again() -> None:
    assert change(work({})) == ENABLE
    assert change_of_index(work({})) == {**INDEX, **ENABLE}


def test_insights_that_fail_end_the_act_that_ordered_them() -> None:
    of_table = noted(work({}), ENABLE)
    assert change_of_index(work(of_table)) == {**INDEX, **ENABLE}, "of the index nothing was ordered yet"
    with pytest.raises(PermanentError, match="insights of orders: too many rules"):
        change(work(of_table))
    with pytest.raises(PermanentError, match="insights of owners: too many rules"):
        change_of_index(work(noted(work(of_table), {**INDEX, **ENABLE})))


def test_other_changes_of_a_table_leave_the_note_as_it_is() -> None:
    assert noted(work({"insights": [""]}), {"TableClass": "STANDARD"}) == {}
