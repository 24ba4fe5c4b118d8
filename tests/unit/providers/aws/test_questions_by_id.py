"""Questions after one thing by its id: each can be sent, and each answer tells whether the thing is there."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.model import ServiceModel, Shape
from botocore.validate import ParamValidator

from tenuto.errors import ProviderError
from tenuto.model.account import DEFAULT_ACCOUNT, Account
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.providers.aws.absence import STANDS, unsure
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto.providers.aws.question import Question
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud.replay import ReplaySession
from tenuto_testing.cloud.sessions import published_models
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.ops import RecordedOps

HERE = Partition(account=DEFAULT_ACCOUNT, region="us-east-1")
IN_SCALING, BUILD = "AWS::AutoScaling::AutoScalingGroup", "AWS::CodeBuild::Project"
ENOUGH = 40
"""A length that each id of AWS may have."""

NOTHING: dict[str, JsonMap] = {
    IN_SCALING: {"AutoScalingGroups": []},
    "AWS::AutoScaling::LaunchConfiguration": {"LaunchConfigurations": []},
    "AWS::Batch::ComputeEnvironment": {"computeEnvironments": []},
    "AWS::Batch::JobQueue": {"jobQueues": []},
    "AWS::CloudTrail::Trail": {"trailList": []},
    BUILD: {"projects": [], "projectsNotFound": ["one"]},
    "AWS::Cognito::IdentityPoolRoleAttachment": {"IdentityPoolId": "us-east-1:one"},
    "AWS::Cognito::UserPoolDomain": {"DomainDescription": {}},
    "AWS::DMS::ReplicationInstance": {"ReplicationInstances": []},
    "AWS::EC2::NatGateway": {"NatGateways": []},
    "AWS::EC2::VPCEndpointServicePermissions": {"AllowedPrincipals": []},
    "AWS::ECS::CapacityProvider": {"capacityProviders": [], "failures": [{"arn": "one", "reason": "MISSING"}]},
    "AWS::SecretsManager::ResourcePolicy": {"ARN": "one", "Name": "one"},
    "AWS::SecretsManager::RotationSchedule": {"ARN": "one", "Name": "one"},
}
"""The answers of services that do not refuse for a thing that is not there."""
DOUBTFUL: list[tuple[str, Any]] = [
    (IN_SCALING, {}),
    (IN_SCALING, {"AutoScalingGroups": [], "NextToken": "more"}),
    (IN_SCALING, {"AutoScalingGroups": [{"AutoScalingGroupName": "another"}]}),
    (BUILD, {}),
    ("AWS::EC2::Subnet", {"Subnets": []}),
    ("AWS::ECS::CapacityProvider", {"capacityProviders": [], "failures": [{"arn": "one", "reason": "OTHER"}]}),
    ("AWS::EC2::VPCEndpointServicePermissions", {}),
    ("AWS::RDS::DBInstance", {"DBInstances": [{"DBInstanceIdentifier": "another"}]}),
    ("AWS::RDS::DBInstance", Refusal("Throttling", "Rate exceeded")),
    ("AWS::SecretsManager::ResourcePolicy", {}),
]
"""Answers that are cut, damaged or about something else."""
HERE_IT_IS: list[tuple[str, JsonMap]] = [
    (IN_SCALING, {"AutoScalingGroups": [{"AutoScalingGroupName": "one"}]}),
    (BUILD, {"projects": [{"name": "one"}]}),
    ("AWS::SecretsManager::ResourcePolicy", {"ARN": "one", "Name": "one", "ResourcePolicy": "{}"}),
]


def questions() -> Iterator[tuple[str, Question]]:
    for name, kind in sorted(CATALOGUE.items()):
        if kind.question is not None:
            yield name, kind.question


def id_for(question: Question) -> str:
    """An id in the form that the call takes: a name, or an ARN with the words of its key."""
    key = question.call.key or question.words
    if "/" not in key:
        return "x" * ENOUGH
    path = "/".join(word if not place % 2 else "one" for place, word in enumerate(key.split("/")))
    return f"arn:aws:service:us-east-1:123456789012:{path}"


def input_of(question: Question) -> Shape:
    model = ServiceModel(published_models().load_service_model(question.service, "service-2"), question.service)
    return model.operation_model(question.call.operation).input_shape


def client_of(type_name: str, answer: Any) -> AccountClient:
    """The client of an account that answers the question of the type with this."""
    question = CATALOGUE[TypeName(type_name)].question
    assert question is not None
    session = ReplaySession({question.call.operation: answer})
    return AccountClient(
        session=AccountSession(session, Account(name=DEFAULT_ACCOUNT, provider="aws"), HERE.region),
        partition=HERE,
        ops=RecordedOps(),
        clock=VirtualClock(),
        ledger=RateLedger(),
        workers=1,
    ).reading()


def doubts(type_name: str, answer: Any) -> dict[str, str]:
    """The doubts of a sweep whose list lacks the thing `one`."""
    name = TypeName(type_name)
    tracked = {name: {PhysicalId("one"): Interest()}}
    found = unsure(client_of(type_name, answer), CATALOGUE, tracked, {name: {}})
    return {str(one): reason for one, reason in found[name].items()}


@pytest.mark.parametrize(("name", "question"), [pytest.param(*one, id=one[0]) for one in questions()])
def test_each_question_is_one_that_the_service_takes(name: str, question: Question) -> None:
    """A question that the SDK refuses to send would leave the thing in doubt at every sweep."""
    report = ParamValidator().validate(question.about(id_for(question)), input_of(question))
    assert not report.has_errors(), f"{name}: {report.generate_report()}"


def test_only_calls_about_one_thing_say_no_place_of_it() -> None:
    """A list or a batch would answer with success where the thing is not there."""
    placeless = {question.call.operation for _, question in questions() if question.place is None}
    assert {word for word in placeless if not word.startswith("Get") or word.endswith("s")} == set()


@pytest.mark.parametrize("type_name", NOTHING)
def test_an_answer_with_nothing_in_the_place_of_the_thing_says_that_it_is_gone(type_name: str) -> None:
    assert doubts(type_name, NOTHING[type_name]) == {}


@pytest.mark.parametrize(("type_name", "answer"), DOUBTFUL)
def test_an_answer_that_is_cut_or_about_another_leaves_a_doubt(type_name: str, answer: Any) -> None:
    assert doubts(type_name, answer)["one"] not in ("", STANDS)


@pytest.mark.parametrize(("type_name", "answer"), HERE_IT_IS)
def test_an_answer_with_the_thing_says_that_it_stands(type_name: str, answer: JsonMap) -> None:
    assert doubts(type_name, answer) == {"one": STANDS}


def test_an_id_that_the_call_cannot_be_asked_about_is_no_proof() -> None:
    question = Question(service="appsync", call=Call("GetGraphqlApi"), words="apis/apiId")
    with pytest.raises(ProviderError, match="takes no id of the form of a1"):
        question.is_answered(client_of("AWS::AppSync::GraphQLApi", {}), "a1")
