"""A thing that may not be read is unsure, in AWS's words, and hides no other."""

import json
from pathlib import Path

import pytest

from tenuto.errors import NotReadableError, PermanentError
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.aws.provider import AwsProvider
from tenuto.service.views.process_view import is_converged
from tenuto_testing.cloud import BOUNDLESS, Cloud, InProcessSession
from tenuto_testing.cloud.faults import Failure, Fault
from tenuto_testing.cloud.served import SERVED
from tenuto_testing.ops import RecordedOps
from tenuto_testing.strict_world import REGION, StrictWorld

HERE = Partition(account="default", region=REGION)
ALWAYS = 1_000_000
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
ALLOW = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
TABLE = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
BUCKET_READS = (
    "GetBucketTagging",
    "GetBucketOwnershipControls",
    "GetPublicAccessBlock",
    "GetBucketAcl",
    "GetBucketEncryption",
    "GetBucketVersioning",
    "GetObjectLockConfiguration",
    "GetBucketLifecycleConfiguration",
    "GetBucketCors",
    "GetBucketWebsite",
    "GetBucketAccelerateConfiguration",
    "GetBucketLogging",
    "GetBucketNotificationConfiguration",
    "GetBucketReplication",
)
READS = (
    *(("AWS::S3::Bucket", action) for action in BUCKET_READS),
    ("AWS::S3::BucketPolicy", "GetBucketPolicy"),
    ("AWS::SQS::Queue", "GetQueueAttributes"),
    ("AWS::SQS::Queue", "ListQueueTags"),
    ("AWS::SNS::Topic", "GetTopicAttributes"),
    ("AWS::SNS::Topic", "ListTagsForResource"),
    ("AWS::SNS::Topic", "ListSubscriptionsByTopic"),
    ("AWS::SNS::Subscription", "GetSubscriptionAttributes"),
    ("AWS::DynamoDB::Table", "DescribeTable"),
    ("AWS::DynamoDB::Table", "DescribeTimeToLive"),
    ("AWS::DynamoDB::Table", "DescribeContinuousBackups"),
    ("AWS::DynamoDB::Table", "ListTagsOfResource"),
    ("AWS::Logs::LogGroup", "ListTagsForResource"),
    ("AWS::SSM::Parameter", "GetParameters"),
    ("AWS::SSM::Parameter", "ListTagsForResource"),
    ("AWS::IAM::ManagedPolicy", "ListPolicyTags"),
    ("AWS::EC2::VPC", "DescribeVpcAttribute"),
    ("AWS::EC2::Instance", "DescribeInstanceAttribute"),
    ("AWS::EC2::Instance", "ListAssociations"),
    ("AWS::EC2::Volume", "DescribeVolumeAttribute"),
)


def pairs() -> dict[str, JsonMap]:
    """Two things of each type that has reads for each thing."""
    found: dict[str, JsonMap] = {}
    for end in ("One", "Two"):
        found |= {
            f"Bucket{end}": {"Type": "AWS::S3::Bucket"},
            f"BucketPolicy{end}": {
                "Type": "AWS::S3::BucketPolicy",
                "Properties": {
                    "Bucket": {"Ref": f"Bucket{end}"},
                    "PolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Deny",
                                "Principal": "*",
                                "Action": "s3:DeleteObject",
                                "Resource": {"Fn::Sub": f"${{Bucket{end}.Arn}}/*"},
                            }
                        ],
                    },
                },
            },
            f"Queue{end}": {"Type": "AWS::SQS::Queue"},
            f"Topic{end}": {"Type": "AWS::SNS::Topic"},
            f"Subscription{end}": {
                "Type": "AWS::SNS::Subscription",
                "Properties": {
                    "Protocol": "sqs",
                    "TopicArn": {"Ref": f"Topic{end}"},
                    "Endpoint": {"Fn::GetAtt": [f"Queue{end}", "Arn"]},
                },
            },
            f"Table{end}": {"Type": "AWS::DynamoDB::Table", "Properties": TABLE},
            f"LogGroup{end}": {"Type": "AWS::Logs::LogGroup"},
            f"Parameter{end}": {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}},
            f"ManagedPolicy{end}": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": ALLOW}},
            f"Role{end}": {
                "Type": "AWS::IAM::Role",
                "Properties": {
                    "AssumeRolePolicyDocument": TRUST,
                    "ManagedPolicyArns": [{"Ref": f"ManagedPolicy{end}"}],
                },
            },
            f"VPC{end}": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
            f"Instance{end}": {"Type": "AWS::EC2::Instance", "Properties": {"ImageId": "ami-12c6146b"}},
            f"Volume{end}": {
                "Type": "AWS::EC2::Volume",
                "Properties": {"AvailabilityZone": f"{REGION}a", "Size": 1},
            },
        }
    return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> StrictWorld:
    """A settled process with all pairs. Nothing but looks happens in it."""
    path = Path(tmp_path_factory.mktemp("pairs")) / "pairs.json"
    path.write_text(json.dumps({"Resources": pairs()}))
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.run(path, "pairs")
    assert world.settle()
    assert is_converged(world.system.queries.process("pairs").process)
    return world


def tracked_in(world: StrictWorld, source: str) -> dict[TypeName, dict[PhysicalId, Interest]]:
    """Everything of the process that a source shows, with interest in every detail."""
    tracked: dict[TypeName, dict[PhysicalId, Interest]] = {}
    for found in world.store.objects(world.store.processes()[0].fid):
        kind = SERVED[found.type]
        if kind.source.name == source and found.physical_id is not None:
            ids = tracked.setdefault(found.type, {})
            ids[found.physical_id] = Interest(names=kind.facts.costly, since=world.clock.now())
    return tracked


def denied(world: StrictWorld, action: str, about: str) -> None:
    world.aws.faults.stop()
    world.aws.faults.script(Fault(Failure.DENIED, action, count=ALWAYS, about=about))


@pytest.mark.parametrize(("type_name", "action"), READS)
def test_what_may_not_be_read_of_one_thing_makes_that_thing_alone_unsure(
    world: StrictWorld, type_name: str, action: str
) -> None:
    ids = world.ids("pairs")
    word = type_name.rpartition("::")[2]
    one, two = PhysicalId(ids[f"{word}One"]), PhysicalId(ids[f"{word}Two"])
    provider = AwsProvider(session=InProcessSession(world.aws), ops=RecordedOps(), clock=world.clock, workers=1)
    source = SERVED[TypeName(type_name)].source.name
    denied(world, action, one)
    sweeps = provider.sweep(HERE, source, tracked_in(world, source))
    world.aws.faults.stop()
    shown = sweeps[TypeName(type_name)]
    assert action in shown.unsure[one]
    assert "not authorized" in shown.unsure[one]
    assert one in shown.denied
    assert (one in shown.items, two in shown.items) == (False, True)
    unsure = {name: list(sweep.unsure) for name, sweep in sweeps.items() if sweep.unsure}
    # Who may not read the marks of a policy cannot tell whose an attachment to a role is.
    bound = {TypeName("AWS::IAM::Role"): [ids["RoleOne"]]} if word == "ManagedPolicy" else {}
    assert unsure == {TypeName(type_name): [one], **bound}


def test_an_answer_that_cannot_be_understood_makes_the_thing_that_was_asked_for_alone_unsure(
    world: StrictWorld,
) -> None:
    """As of an emulator that does not serve the call. Only who declares what the call shows asks it."""
    ids = world.ids("pairs")
    provider = AwsProvider(session=InProcessSession(world.aws), ops=RecordedOps(), clock=world.clock, workers=1)
    one, two = PhysicalId(ids["QueueOne"]), PhysicalId(ids["QueueTwo"])
    world.aws.faults.stop()
    world.aws.faults.script(Fault(Failure.BROKEN, "ListQueueTags", count=ALWAYS, about=one))
    source = SERVED[TypeName("AWS::SQS::Queue")].source.name
    shown = provider.sweep(HERE, source, tracked_in(world, source))[TypeName("AWS::SQS::Queue")]
    world.aws.faults.stop()
    assert "ListQueueTags" in shown.unsure[one]
    assert "may not support this operation" in shown.unsure[one]
    assert shown.denied == frozenset()
    assert (list(shown.unsure), two in shown.items) == ([one], True)


def test_there_is_a_test_of_every_costly_property() -> None:
    """Whoever adds a type with reads for each thing adds them above. Rules of groups are read by bulk calls."""
    costly = {name for name, kind in SERVED.items() if kind.facts.costly}
    assert costly - {name for name, _ in READS} == {"AWS::EC2::SecurityGroupIngress"}


@pytest.mark.parametrize("action", ["ListBuckets", "GetBucketTagging"])
def test_what_is_not_about_one_thing_fails_the_sweep_as_a_whole(world: StrictWorld, action: str) -> None:
    provider = AwsProvider(session=InProcessSession(world.aws), ops=RecordedOps(), clock=world.clock, workers=1)
    failure = Failure.DENIED if action == "ListBuckets" else Failure.BUSY
    world.aws.faults.stop()
    world.aws.faults.script(Fault(failure, action, count=ALWAYS))
    with pytest.raises(Exception, match=action) as failed:
        provider.sweep(HERE, "s3.ListBuckets", tracked_in(world, "s3.ListBuckets"))
    world.aws.faults.stop()
    assert isinstance(failed.value, PermanentError) == (action == "ListBuckets")


def queue_of(path: Path, **properties: object) -> Path:
    path.write_text(json.dumps({"Resources": {"Jobs": {"Type": "AWS::SQS::Queue", "Properties": properties}}}))
    return path


def test_the_process_that_has_it_is_told_and_others_go_on(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    world.run(queue_of(tmp_path / "locked.json", VisibilityTimeout=30), "locked")
    world.run(queue_of(tmp_path / "free.json", VisibilityTimeout=30), "free")
    assert world.settle()
    locked, free = world.ids("locked")["Jobs"], world.ids("free")["Jobs"]
    denied(world, "GetQueueAttributes", locked)
    sqs = world.stranger().create_client("sqs", REGION)
    sqs.set_queue_attributes(QueueUrl=free, Attributes={"VisibilityTimeout": "99"})
    changes = len(world.changes())
    world.advance(300.0)
    assert world.changes()[changes:] == ["SetQueueAttributes"], "the drift of the other one was not repaired, or more"
    assert sqs.get_queue_attributes(QueueUrl=free, AttributeNames=["All"])["Attributes"]["VisibilityTimeout"] == "30"
    waits = [wait.message for wait in world.system.queries.plan("locked").planning.waits]
    assert any("GetQueueAttributes" in wait and "no change until a sweep can read the state" in wait for wait in waits)
    assert world.system.queries.plan("free").planning.waits == ()
    assert "GetQueueAttributes" in str(world.system.queries.explain("locked"))
    told = [event for event in world.store.events(EventQuery(limit=1000)) if "GetQueueAttributes" in event.reason]
    assert len(told) <= 1, "it was told again and again"
    world.aws.faults.stop()
    sqs.set_queue_attributes(QueueUrl=locked, Attributes={"VisibilityTimeout": "99"})
    world.advance(120.0)
    assert sqs.get_queue_attributes(QueueUrl=locked, AttributeNames=["All"])["Attributes"]["VisibilityTimeout"] == "30"


def test_an_import_of_what_may_not_be_read_says_why_and_troubles_nobody(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    world.run(queue_of(tmp_path / "free.json"), "free")
    assert world.settle()
    sqs = world.stranger().create_client("sqs", REGION)
    url = sqs.create_queue(QueueName="theirs")["QueueUrl"]
    denied(world, "GetQueueAttributes", url)
    said = r"could not be read: sqs GetQueueAttributes: .*not authorized.*[^.]\. Permit the account default"
    with pytest.raises(NotReadableError, match=said):
        world.system.queries.existing([f"AWS::SQS::Queue {url}"], account="default", region=REGION)
    assert world.system.queries.plan("free").planning.waits == ()
