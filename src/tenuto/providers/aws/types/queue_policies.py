"""AWS::SQS::QueuePolicy and AWS::SNS::TopicPolicy: one document on several queues or topics.

A topic always has a policy. Without one of its own it is the one that SNS gives to each: only its owner may use it.
"""

import json

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.placed import PlacedPolicy, standing
from tenuto.providers.aws.blocks.wire import parsed
from tenuto.providers.aws.client.answers.faults import is_gone
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work

_OF_SNS, _SAID_BY_SNS = "__default_policy_ID", "__default_statement_ID"
"""The ids of the policy that SNS gives to each topic, and of its one statement."""
_ACTIONS = "AddPermission DeleteTopic GetTopicAttributes ListSubscriptionsByTopic Publish RemovePermission Subscribe"


def _of_queue(client: AccountClient, url: str) -> Json:
    answer = client.read("sqs", "GetQueueAttributes", QueueUrl=url, AttributeNames=["Policy", "QueueArn"])
    return parsed(standing(answer, "Policy"))


def _on_queue(work: Work, url: str, text: str) -> None:
    work.change("sqs", "SetQueueAttributes", QueueUrl=url, Attributes={"Policy": text})


def _from_queue(work: Work, url: str) -> None:
    work.let_go("sqs", "SetQueueAttributes", QueueUrl=url, Attributes={"Policy": ""})


def _of_topic(client: AccountClient, arn: str) -> Json:
    found = parsed(standing(client.read("sns", "GetTopicAttributes", TopicArn=arn), "Policy"))
    return None if isinstance(found, dict) and _is_given(found) else found


def _is_given(document: JsonMap) -> bool:
    """Whether a policy is the one that SNS gives. People copy it and add statements: its id alone does not tell.

    The words of the statement are not compared: SNS may choose others, and then each topic would seem to have a policy.
    """
    statements = document.get("Statement")
    said = [one.get("Sid") for one in ([statements] if isinstance(statements, dict) else statements or ())]
    return document.get("Id") == _OF_SNS and said in ([], [_SAID_BY_SNS])


def _on_topic(work: Work, arn: str, text: str) -> None:
    work.change("sns", "SetTopicAttributes", TopicArn=arn, AttributeName="Policy", AttributeValue=text)


def _from_topic(work: Work, arn: str) -> None:
    owner = arn.split(":")[4]
    statement = {
        "Sid": _SAID_BY_SNS,
        "Effect": "Allow",
        "Principal": {"AWS": "*"},
        "Action": [f"SNS:{action}" for action in [*_ACTIONS.split(), "SetTopicAttributes"]],
        "Resource": arn,
        "Condition": {"StringEquals": {"AWS:SourceOwner": owner}},
    }
    document = {"Version": "2008-10-17", "Id": _OF_SNS, "Statement": [statement]}
    try:
        _on_topic(work, arn, json.dumps(document))
    except ProviderError as error:
        if not is_gone(error):
            raise


TYPES = (
    PlacedPolicy(
        name="AWS::SQS::QueuePolicy",
        holders="Queues",
        changes="sqs:SetQueueAttributes",
        read=_of_queue,
        write=_on_queue,
        take=_from_queue,
    ).kind,
    PlacedPolicy(
        name="AWS::SNS::TopicPolicy",
        holders="Topics",
        changes="sns:SetTopicAttributes",
        read=_of_topic,
        write=_on_topic,
        take=_from_topic,
    ).kind,
)
