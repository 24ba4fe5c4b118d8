"""The parameters of a stack of CloudFormation: told, hidden, and looked up in the parameter store; and its tags."""

from typing import Any, cast

from tenuto.model.ids import Partition
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.stacks import AwsStacks

PARAMETERS = [
    {"ParameterKey": "Size", "ParameterValue": "2"},
    {"ParameterKey": "Password", "ParameterValue": "****"},
    {"ParameterKey": "Stage", "ParameterValue": "/stage", "ResolvedValue": "test"},
]
OUTER = {
    "StackId": "arn:outer",
    "StackStatus": "CREATE_COMPLETE",
    "Tags": [{"Key": "cost", "Value": "outer"}, {"Key": "team", "Value": "shop"}],
}
STACK = {
    "StackId": "arn:1",
    "StackName": "shop",
    "StackStatus": "CREATE_COMPLETE",
    "Parameters": PARAMETERS,
    "Tags": [{"Key": "cost", "Value": "x"}],
    "ParentId": "arn:outer",
}
STACKS = {"shop": STACK, "arn:outer": OUTER}
ANSWERS = {"GetTemplate": {"TemplateBody": "{}"}}


class Client:
    def read(self, service: str, operation: str, **asked: Any) -> Any:
        if operation == "DescribeStacks":
            return {"Stacks": [STACKS[asked["StackName"]]]}
        return ANSWERS.get(operation, {})


def test_the_values_that_a_stack_looked_up_are_told_by_key() -> None:
    book = AwsStacks(lambda _: cast(AccountClient, Client()))
    found = book.stack(Partition(account="default", region="eu-west-1"), "shop")
    assert found is not None
    assert found.parameters == {"Size": "2", "Stage": "/stage"}
    assert found.hidden == {"Password"}
    assert found.looked_up == {"/stage": "test"}


def test_a_nested_stack_has_the_tags_of_the_stack_around_it_too() -> None:
    book = AwsStacks(lambda _: cast(AccountClient, Client()))
    found = book.stack(Partition(account="default", region="eu-west-1"), "shop")
    assert found is not None
    assert found.tags == {"cost": "x", "team": "shop"}
