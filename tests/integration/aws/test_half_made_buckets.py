"""Buckets whose creation was not answered, on endpoints that take no tags in it."""

from datetime import UTC, datetime

import pytest
from scripted_endpoint import refusal
from scripted_world import HERE, World, a_request

from tenuto.errors import TransientError
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Pending, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import Cloud, InProcessSession
from tenuto_testing.ops import RecordedOps

TAGS = "GET /shop?tagging"
LIST = "GET /?prefix=shop&max-buckets=1000"
MINE = (
    200,
    "<Tagging><TagSet><Tag><Key>tenuto:object</Key><Value>object-1</Value></Tag></TagSet></Tagging>",
)


def no(code: str, status: int = 404) -> tuple[int, str]:
    """A refusal of S3."""
    return status, f"<Error><Code>{code}</Code></Error>"


def listed(name: str, world: World, age_s: float = 0.0) -> tuple[int, str]:
    at = datetime.fromtimestamp(world.clock.now() - age_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    bucket = f"<Bucket><Name>{name}</Name><CreationDate>{at}</CreationDate></Bucket>"
    return 200, f"<ListAllMyBucketsResult><Buckets>{bucket}</Buckets></ListAllMyBucketsResult>"


def a_bucket(properties: JsonMap | None = None) -> Request:
    return a_request("AWS::S3::Bucket", {"BucketName": "shop"} if properties is None else properties)


def found(world: World) -> bool:
    return world.provider.find(HERE, [a_bucket()]) != [None]


def test_a_bucket_is_there_when_something_is_said_of_it(world: World) -> None:
    """Anybody can answer a HEAD with yes."""
    world.endpoint.scripts["HEAD /shop"] = [(200, "<html>Welcome</html>")]
    world.endpoint.scripts[TAGS] = [no("NoSuchBucket"), MINE, no("AccessDenied", 403)]
    world.endpoint.scripts[LIST] = [listed("shop-2", world), listed("shop", world)]
    assert [found(world) for _ in range(2)] == [False, True]
    assert not found(world), "it is somebody else's"
    with pytest.raises(TransientError, match="AccessDenied"):
        found(world)


@pytest.mark.parametrize(("age_s", "is_ours"), [(60.0, True), (3600.0, False)])
def test_a_bucket_of_the_declared_name_without_tags_is_ours_when_it_was_made_just_now(
    world: World, age_s: float, is_ours: bool
) -> None:
    world.endpoint.scripts[TAGS] = [no("NoSuchTagSet")]
    world.endpoint.scripts[LIST] = [listed("shop", world, age_s)]
    assert found(world) is is_ours


def test_a_creation_is_undone_when_nothing_was_sent_and_not_when_its_first_half_was_done(world: World) -> None:
    busy = no("SlowDown", 503)
    world.endpoint.scripts |= {TAGS: [(0, "")], "PUT /shop": [(200, "")], "PUT /shop?tagging": [busy]}
    before = world.create(a_bucket())
    world.endpoint.scripts[TAGS] = [no("NoSuchBucket"), no("NoSuchTagSet")]
    between = world.create(a_bucket())
    assert isinstance(before, Pending)
    assert isinstance(between, Pending)
    assert (before.is_undone, between.is_undone, between.code) == (True, False, "SlowDown")


def test_a_sweep_that_is_throttled_in_the_middle_of_an_act_is_given_back(world: World) -> None:
    """The phase engine says what is waited for, and comes again."""
    world.endpoint.scripts["DescribeAddresses"] = [refusal("RequestLimitExceeded", status=503)]
    outcome = world.delete(a_request("AWS::EC2::EIP", {}, "eipalloc-1"))
    assert isinstance(outcome, Pending)
    assert len(world.endpoint.asked("DescribeAddresses")) == 1


def test_on_aws_a_bucket_without_our_mark_is_somebody_elses_however_young() -> None:
    clock = VirtualClock()
    cloud = Cloud(clock)
    InProcessSession(cloud, access_key="stranger").create_client("s3", HERE.region).create_bucket(Bucket="shop")
    provider = AwsProvider(session=InProcessSession(cloud), ops=RecordedOps(), clock=clock, workers=1)
    assert provider.find(HERE, [a_bucket()]) == [None]
