"""Answers that the real AWS once gave, read as if they came now: nothing is dropped, and every description compiles.

The recordings are not part of the project. TENUTO_RECORDINGS names a folder with `answers/SERVICE/OPERATION-NN.json`,
each `{"status_code": …, "data": …}` as botocore parsed it; without it these tests are skipped.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.existing import Thing, template_of
from tenuto.core.language import resolve
from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Partition, PhysicalId, TypeName
from tenuto.model.observation import Condition, Interest, ObservedItem
from tenuto.providers.aws.kind import AwsType, Scope
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto.providers.aws.types.s3_parts import PARTS, Part
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import Cloud
from tenuto_testing.cloud.replay import ReplaySession, revived
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="us-east-1")
FOLDER = Path(os.environ.get("TENUTO_RECORDINGS") or "no recordings")
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="TENUTO_RECORDINGS names no folder of recorded answers")

LISTS = {
    "ec2/DescribeAddresses": ("AWS::EC2::EIP", "Addresses"),
    "ec2/DescribeInstances": ("AWS::EC2::Instance", "Reservations"),
    "ec2/DescribeInternetGateways": ("AWS::EC2::InternetGateway", "InternetGateways"),
    "ec2/DescribeKeyPairs": ("AWS::EC2::KeyPair", "KeyPairs"),
    "ec2/DescribeNatGateways": ("AWS::EC2::NatGateway", "NatGateways"),
    "ec2/DescribeRouteTables": ("AWS::EC2::RouteTable", "RouteTables"),
    "ec2/DescribeSecurityGroups": ("AWS::EC2::SecurityGroup", "SecurityGroups"),
    "ec2/DescribeSubnets": ("AWS::EC2::Subnet", "Subnets"),
    "ec2/DescribeVolumes": ("AWS::EC2::Volume", "Volumes"),
    "ec2/DescribeVpcs": ("AWS::EC2::VPC", "Vpcs"),
    "logs/DescribeLogGroups": ("AWS::Logs::LogGroup", "logGroups"),
}
"""Lists that show their things whole: the type, and where the answer holds them."""
SETTINGS_OF_TOPICS = {"ListSubscriptionsByTopic": {"Subscriptions": []}, "GetDataProtectionPolicy": {}}
SETTINGS_OF_TABLES = {
    "DescribeKinesisStreamingDestination": {"KinesisDataStreamDestinations": []},
    "DescribeTimeToLive": {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}},
    "DescribeContinuousBackups": {"ContinuousBackupsDescription": {"ContinuousBackupsStatus": "ENABLED"}},
    "ListTagsOfResource": {"Tags": []},
    "DescribeContributorInsights": {"ContributorInsightsStatus": "DISABLED"},
    "GetResourcePolicy": Refusal("PolicyNotFoundException", "There is none."),
}
NOTHING_IN_IAM = {
    "ListRoles": {"Roles": []},
    "GetAccountAuthorizationDetails": {"RoleDetailList": [], "Policies": []},
    "ListInstanceProfiles": {"InstanceProfiles": []},
    "ListPolicyTags": {"Tags": []},
}
WITHOUT_STATEMENTS = {"ListRoles-08", "ListRoles-16"}
"""Recordings of roles whose policies their authors cut down by hand."""
CUT_BY_HAND = {
    "ec2/DescribeInstances-10": "an instance without a state",
    "ec2/DescribeSubnets-03": "a subnet with more addresses than a VPC may have",
    "ec2/DescribeSubnets-08": "a subnet with fewer addresses than EC2 keeps for itself",
}
"""Recordings that their authors changed so that AWS would never answer them."""


def recorded(prefix: str) -> list[Any]:
    """The recordings of an operation that are no refusals."""
    return [
        pytest.param(path, id=path.stem)
        for path in sorted(FOLDER.glob(f"answers/{prefix}-*.json"))
        if f"{path.parent.name}/{path.stem}" not in CUT_BY_HAND
        and json.loads(path.read_text(encoding="utf-8"))["status_code"] == 200
    ]


def answer(path: Path) -> Any:
    """The recorded answer, as the last page."""
    data = revived(json.loads(path.read_text(encoding="utf-8"))["data"])
    return {name: value for name, value in data.items() if name.casefold() != "nexttoken"}


def provider_of(answers: Mapping[str, Any]) -> AwsProvider:
    """A provider to which some operations answer what is recorded of them; for the others nothing is there."""
    clock = VirtualClock()
    session = ReplaySession(answers, others=Cloud(clock))
    return AwsProvider(session=session, ops=RecordedOps(), clock=clock, workers=1)


def read(kind: AwsType, answers: Mapping[str, Any], tracked: Mapping[str, AwsType] | None = None) -> list[ObservedItem]:
    """The things that the reader of a type reads from the answers; the tracked ones with every costly property."""
    ids: dict[TypeName, dict[PhysicalId, Interest]] = {}
    for name, one in (tracked or {}).items():
        ids.setdefault(one.facts.name, {})[PhysicalId(name)] = Interest(names=one.facts.costly)
    client = provider_of(answers)._client(HERE).reading()
    return [item for name, item in kind.source.read(client, Scope(tracked=ids)) if name == kind.facts.name]


def tracked(type_name: str, name: str, answers: Mapping[str, Any]) -> ObservedItem:
    """The one thing of this id, with every property that no list shows."""
    kind = CATALOGUE[TypeName(type_name)]
    [item] = [one for one in read(kind, answers, {name: kind}) if one.physical_id == name]
    return item


def check_described(type_name: str, items: list[ObservedItem]) -> None:
    """Each thing that can be declared has a description that compiles and declares what was seen."""
    facts = CATALOGUE[TypeName(type_name)].facts
    for item in items:
        if item.is_ending or item.condition is Condition.BROKEN or item.undeclarable:
            continue
        document = template_of([Thing(facts=facts, item=item)], region=HERE.region)
        text = json.dumps(document, default=str)
        [declared] = compile_text(text, file="seen.json", parameters={}, region=HERE.region).composition.resources
        for name, value in declared.properties.items():
            if resolve.is_resolved(value):
                assert means_same(value, item.properties.get(name), facts.compare_as, name), (item.physical_id, name)


def lists(work: Callable[..., None]) -> Callable[..., None]:
    """The test for each recording of a list."""
    cases = [
        pytest.param(*names, param.values[0], id=param.id)
        for prefix, names in LISTS.items()
        for param in recorded(prefix)
    ]
    return pytest.mark.parametrize(("type_name", "member", "path"), cases)(work)


@lists
def test_a_list_is_read_whole_and_described(type_name: str, member: str, path: Path) -> None:
    found = answer(path)
    things = [one for each in found[member] for one in each["Instances"]] if member == "Reservations" else found[member]
    action = path.stem.rpartition("-")[0]
    items = read(CATALOGUE[TypeName(type_name)], {action: found})
    assert len(items) == len(things)
    check_described(type_name, items)


@pytest.mark.parametrize("path", recorded("sns/GetTopicAttributes"))
def test_a_topic_is_read_and_described(path: Path) -> None:
    found = answer(path)
    arn = found["Attributes"]["TopicArn"]
    topics = {"Topics": [{"TopicArn": arn}]}
    answers = {"ListTopics": topics, "GetTopicAttributes": found, "ListTagsForResource": {}, **SETTINGS_OF_TOPICS}
    check_described("AWS::SNS::Topic", [tracked("AWS::SNS::Topic", arn, answers)])


@pytest.mark.parametrize("path", recorded("sqs/GetQueueAttributes"))
def test_a_queue_is_read_and_described(path: Path) -> None:
    found = answer(path)
    if "QueueArn" not in found.get("Attributes", {}):
        pytest.skip("some of its attributes were asked for, and Tenuto asks for all")
    region, account, name = found["Attributes"]["QueueArn"].split(":")[3:]
    url = f"https://sqs.{region}.amazonaws.com/{account}/{name}"
    answers = {"ListQueues": {"QueueUrls": [url]}, "GetQueueAttributes": found, "ListQueueTags": {}}
    check_described("AWS::SQS::Queue", [tracked("AWS::SQS::Queue", url, answers)])


@pytest.mark.parametrize("path", recorded("dynamodb/DescribeTable"))
def test_a_table_is_read_and_described(path: Path) -> None:
    found = answer(path)
    name = found["Table"]["TableName"]
    answers = {"ListTables": {"TableNames": [name]}, "DescribeTable": found, **SETTINGS_OF_TABLES}
    check_described("AWS::DynamoDB::Table", [tracked("AWS::DynamoDB::Table", name, answers)])


@pytest.mark.parametrize("operation", ["DescribeTimeToLive", "DescribeContinuousBackups", "ListTagsOfResource"])
def test_each_setting_of_a_table_is_read(operation: str) -> None:
    table = {"TableName": "seen", "TableArn": "arn:aws:dynamodb:us-east-1:123456789012:table/seen"}
    others = {"ListTables": {"TableNames": ["seen"]}, "DescribeTable": {"Table": table}, **SETTINGS_OF_TABLES}
    for param in recorded(f"dynamodb/{operation}"):
        tracked("AWS::DynamoDB::Table", "seen", {**others, operation: answer(param.values[0])})


@pytest.mark.parametrize("path", [*recorded("iam/GetRole"), *recorded("iam/ListRoles")])
def test_roles_are_read_and_described(path: Path) -> None:
    found = answer(path)
    roles = found["Roles"] if "Roles" in found else [found["Role"]]
    shown = [{name: one[name] for name in one.keys() - {"Description", "MaxSessionDuration"}} for one in roles]
    answers = {
        "ListRoles": {"Roles": roles},
        "GetAccountAuthorizationDetails": {"RoleDetailList": shown, "Policies": []},
    }
    items = read(CATALOGUE[TypeName("AWS::IAM::Role")], {**NOTHING_IN_IAM, **answers})
    assert len(items) == len(roles)
    if path.stem not in WITHOUT_STATEMENTS:
        check_described("AWS::IAM::Role", items)


@pytest.mark.parametrize("path", recorded("iam/ListInstanceProfiles"))
def test_instance_profiles_are_read_and_described(path: Path) -> None:
    found = answer(path)
    items = read(CATALOGUE[TypeName("AWS::IAM::InstanceProfile")], {**NOTHING_IN_IAM, "ListInstanceProfiles": found})
    assert len(items) == len(found["InstanceProfiles"])
    check_described("AWS::IAM::InstanceProfile", [one for one in items if one.properties["Roles"]])


@pytest.mark.parametrize("path", recorded("iam/GetPolicy"))
def test_managed_policies_are_read(path: Path) -> None:
    policy = answer(path)["Policy"]
    answers = {"GetAccountAuthorizationDetails": {"RoleDetailList": [], "Policies": [policy]}}
    assert len(read(CATALOGUE[TypeName("AWS::IAM::ManagedPolicy")], {**NOTHING_IN_IAM, **answers})) == 1


@pytest.mark.parametrize("path", recorded("ssm/DescribeParameters"))
def test_parameters_are_read_and_described(path: Path) -> None:
    found = answer(path)
    kind = CATALOGUE[TypeName("AWS::SSM::Parameter")]
    values = [{**one, "Value": "seen"} for one in found["Parameters"]]
    answers = {"DescribeParameters": found, "GetParameters": {"Parameters": values}, "ListTagsForResource": {}}
    items = read(kind, answers, {one["Name"]: kind for one in values})
    assert len(items) == len(found["Parameters"])
    check_described("AWS::SSM::Parameter", items)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.property)
def test_a_configuration_of_a_bucket_is_read_and_described(part: Part) -> None:
    for param in recorded(f"s3/{part.put.replace('Put', 'Get', 1)}"):
        path = param.values[0]
        provider = provider_of({path.stem.rpartition("-")[0]: answer(path)})
        shown = part.read(provider._client(HERE), "seen")
        if shown is not None and shown != "Custom":
            properties = {"BucketName": "seen", "VersioningConfiguration": {"Status": "Enabled"}, part.property: shown}
            check_described("AWS::S3::Bucket", [ObservedItem(physical_id=PhysicalId("seen"), properties=properties)])


@pytest.mark.parametrize("path", recorded("states/DescribeStateMachine"))
def test_a_state_machine_is_read_and_described(path: Path) -> None:
    found = answer(path)
    arn = found["stateMachineArn"]
    listed = {"stateMachines": [{"stateMachineArn": arn, "name": found["name"]}]}
    answers = {"ListStateMachines": listed, "DescribeStateMachine": found, "ListTagsForResource": {"tags": []}}
    check_described("AWS::StepFunctions::StateMachine", [tracked("AWS::StepFunctions::StateMachine", arn, answers)])


@pytest.mark.parametrize("path", recorded("codepipeline/GetPipeline"))
def test_a_pipeline_is_read_and_described(path: Path) -> None:
    found = {"metadata": {"pipelineArn": "arn:aws:codepipeline:us-east-1:123456789012:seen"}, **answer(path)}
    name = found["pipeline"]["name"]
    answers = {
        "ListPipelines": {"pipelines": [{"name": name}]},
        "GetPipeline": found,
        "GetPipelineState": {"pipelineName": name, "stageStates": []},
        "ListTagsForResource": {"tags": []},
    }
    item = tracked("AWS::CodePipeline::Pipeline", name, answers)
    assert "****" not in str(item.properties)
    check_described("AWS::CodePipeline::Pipeline", [item])


@pytest.mark.parametrize("path", recorded("application-autoscaling/DescribeScalableTargets"))
def test_a_scalable_target_is_read_and_described(path: Path) -> None:
    for one in answer(path)["ScalableTargets"]:
        # Targets had no ARN when these were recorded.
        shown = {"ScalableTargetARN": "arn:aws:application-autoscaling:us-east-1:123456789012:scalable-target/1", **one}
        answers = {
            "DescribeScalableTargets": {"ScalableTargets": [shown]},
            "DescribeScheduledActions": {"ScheduledActions": []},
            "ListTagsForResource": {"Tags": {}},
        }
        name = f"{one['ResourceId']}|{one['ScalableDimension']}|{one['ServiceNamespace']}"
        item = tracked("AWS::ApplicationAutoScaling::ScalableTarget", name, answers)
        check_described("AWS::ApplicationAutoScaling::ScalableTarget", [item])
