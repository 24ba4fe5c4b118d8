"""Tags that others write stay where their keys are named in the configuration, on a real Conductor: on things whose
tags are changed in bulk, one by one, all at once, and through a block's own calls. Any other tag is drift as before."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from live import Live, emulated

TEMPLATE = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16, Tags: &tags [{Key: stage, Value: one}]}}
  Store: {Type: AWS::S3::Bucket, Properties: {BucketName: tagged-store, Tags: *tags}}
  News: {Type: AWS::SNS::Topic, Properties: {TopicName: news, Tags: *tags}}
  Images: {Type: AWS::ECR::Repository, Properties: {RepositoryName: images, Tags: *tags}}
  Worker:
    Type: AWS::IAM::Role
    Properties:
      RoleName: worker
      Tags: [{Key: stage, Value: one}, {Key: cost-declared, Value: ours}]
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: "sts:AssumeRole"}]
"""
OTHERS = {"map-migrated": "m1", "cost-center": "7", "cost-declared": "theirs"}
STRAY = {"hand": "by hand", "my-cost": "not at the begin"}
Ways = dict[str, tuple[Callable[[dict[str, str]], object], Callable[[], list[dict[str, str]]]]]
"""The calls that write and read the tags of each resource."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated(tmp_path, TENUTO_IGNORED_TAGS="map-migrated\ncost-*") as running:
        yield running


def written(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def tag_all(ways: Ways, tags: dict[str, str]) -> None:
    """Write tags on everything, as a program that tags an account does."""
    for name, (put, _) in ways.items():
        put({**shown(ways, name, is_whole=True), **tags})


def shown(ways: Ways, name: str, *, is_whole: bool = False) -> dict[str, str]:
    """The tags of a thing, without those that say whose it is."""
    _, read = ways[name]
    tags = {one["Key"]: one["Value"] for one in read()}
    return {key: value for key, value in tags.items() if is_whole or not key.startswith("tenuto:")}


def ways_of(live: Live) -> Ways:
    ec2, s3, sns, ecr, iam = (live.aws(service) for service in ("ec2", "s3", "sns", "ecr", "iam"))
    net, news = live.id("tagged", "Net"), live.id("tagged", "News")
    images = ecr.describe_repositories(repositoryNames=["images"])["repositories"][0]["repositoryArn"]
    return {
        "Net": (
            lambda tags: ec2.create_tags(Resources=[net], Tags=written(tags)),
            lambda: ec2.describe_tags(Filters=[{"Name": "resource-id", "Values": [net]}])["Tags"],
        ),
        "Store": (
            lambda tags: s3.put_bucket_tagging(Bucket="tagged-store", Tagging={"TagSet": written(tags)}),
            lambda: s3.get_bucket_tagging(Bucket="tagged-store")["TagSet"],
        ),
        "News": (
            lambda tags: sns.tag_resource(ResourceArn=news, Tags=written(tags)),
            lambda: sns.list_tags_for_resource(ResourceArn=news)["Tags"],
        ),
        "Images": (
            lambda tags: ecr.tag_resource(resourceArn=images, tags=written(tags)),
            lambda: ecr.list_tags_for_resource(resourceArn=images)["tags"],
        ),
        "Worker": (
            lambda tags: iam.tag_role(RoleName="worker", Tags=written(tags)),
            lambda: iam.list_role_tags(RoleName="worker")["Tags"],
        ),
    }


def as_declared(name: str, stage: str) -> dict[str, str]:
    """The tags that a resource is to have: the declared ones, and those of others that are ignored."""
    kept = {"map-migrated": "m1", "cost-center": "7"}
    # A tag that is declared is held, whatever its key.
    return {"stage": stage, **kept, "cost-declared": "ours" if name == "Worker" else "theirs"}


def test_the_tags_of_others_stay_and_go_along_with_an_update(live: Live) -> None:
    live.apply("tagged", TEMPLATE, wait_s=180)
    ways = ways_of(live)
    tag_all(ways, {**OTHERS, **STRAY})
    for name in ways:
        live.until(lambda name=name: shown(ways, name) == as_declared(name, "one"), f"{name} has its tags and theirs")
    before = live.changes("tagged")
    live.two_jobs_later("tagged")
    assert live.changes("tagged") == before

    live.apply("tagged", TEMPLATE.replace("Value: one", "Value: two"), wait_s=180)
    assert {name: shown(ways, name) for name in ways} == {name: as_declared(name, "two") for name in ways}
    live.tenuto("kill", "tagged", "--wait=180", check=True)


def test_a_thing_that_others_have_tagged_is_described_without_their_tags(live: Live) -> None:
    ec2 = live.aws("ec2")
    net = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    ec2.create_tags(Resources=[net], Tags=written({"stage": "one", **OTHERS}))
    text = live.tenuto("import", "AWS::EC2::VPC", net, check=True).out
    assert [key for key in ("stage", *OTHERS) if key in text] == ["stage"]
