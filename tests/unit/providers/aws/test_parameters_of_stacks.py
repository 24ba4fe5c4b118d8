"""The parameters of a stack of CloudFormation: told, hidden, and looked up in the parameter store."""

from typing import Any, cast

from tenuto.model.ids import Partition
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.stacks import AwsStacks

PARAMETERS = [
    {"ParameterKey": "Size", "ParameterValue": "2"},
    {"ParameterKey": "Password", "ParameterValue": "****"},
    {"ParameterKey": "Stage", "ParameterValue": "/stage", "ResolvedValue": "test"},
]
STACK = {"StackId": "arn:1", "StackName": "shop", "StackStatus": "CREATE_COMPLETE", "Parameters": PARAMETERS}
ANSWERS = {"DescribeStacks": {"Stacks": [STACK]}, "GetTemplate": {"TemplateBody": "{}"}}


class Client:
    def read(self, service: str, operation: str, **asked: Any) -> Any:
        return ANSWERS.get(operation, {})


def test_the_values_that_a_stack_looked_up_are_told_by_key() -> None:
    book = AwsStacks(lambda _: cast(AccountClient, Client()))
    found = book.stack(Partition(account="default", region="eu-west-1"), "shop")
    assert found is not None
    assert found.parameters == {"Size": "2", "Stage": "/stage"}
    assert found.hidden == {"Password"}
    assert found.looked_up == {"/stage": "test"}
