"""What makes the cloud hard: throttling, lag, pages, tokens and faults, each exactly as it was ordered."""

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import BOUNDLESS, Buckets, Failure, Fault, Lag


def test_a_bucket_holds_its_burst_and_fills_at_its_rate() -> None:
    stage = Stage(buckets=Buckets(), quotas=BOUNDLESS)
    for _ in range(50):
        stage.vpc()
    assert code_of(stage.vpc) == "RequestLimitExceeded"
    stage.clock.advance(1.0)
    for _ in range(5):
        stage.vpc()
    assert code_of(stage.vpc) == "RequestLimitExceeded"
    stage.address()
    assert len(stage.me.ec2.describe_vpcs()["Vpcs"]) == 56
    assert stage.cloud.buckets is not None
    assert stage.cloud.buckets.throttled == {"CreateVpc": 2}


def test_other_accounts_and_regions_have_buckets_of_their_own() -> None:
    stage = Stage(buckets=Buckets(times=0.02), accounts={"other": "111111111111"})
    stage.vpc()
    assert code_of(stage.vpc) == "RequestLimitExceeded"
    for somebody in (Somebody(stage.cloud, "eu-west-1"), Somebody(stage.cloud, access_key="other")):
        somebody.ec2.create_vpc(CidrBlock="10.0.0.0/16")
    assert Somebody(stage.cloud, access_key="other").sts.get_caller_identity()["Account"] == "111111111111"


def test_a_whole_list_of_a_big_kind_has_a_smaller_bucket_than_pages_of_it_and_its_own() -> None:
    stage = Stage(buckets=Buckets(times=0.02))
    stage.me.ec2.describe_security_groups()
    assert code_of(stage.me.ec2.describe_security_groups) == "RequestLimitExceeded"
    for _ in range(2):
        stage.me.ec2.describe_security_groups(MaxResults=1000)


def test_pages_are_of_the_size_that_was_asked_for_and_show_everything_once_whatever_goes_meanwhile() -> None:
    stage = Stage(quotas=BOUNDLESS)
    vpc = stage.vpc()
    subnets = [stage.subnet(vpc, f"10.0.{number}.0/24") for number in range(12)]
    within = [{"Name": "vpc-id", "Values": [vpc]}]
    first = stage.me.ec2.describe_subnets(Filters=within, MaxResults=5)
    stage.me.ec2.delete_subnet(SubnetId=subnets[0])
    second = stage.me.ec2.describe_subnets(Filters=within, MaxResults=5, NextToken=first["NextToken"])
    third = stage.me.ec2.describe_subnets(Filters=within, MaxResults=5, NextToken=second["NextToken"])
    found = [one["SubnetId"] for page in (first, second, third) for one in page["Subnets"]]
    assert ([len(page["Subnets"]) for page in (first, second, third)], found) == ([5, 5, 2], subnets)
    assert "NextToken" not in third


def test_a_page_token_goes_on_with_what_it_was_given_for_and_with_nothing_else() -> None:
    stage = Stage(quotas=BOUNDLESS, accounts={"other": "111111111111"})
    me, vpc = stage.me, stage.vpc()
    for number in range(6):
        stage.subnet(vpc, f"10.0.{number}.0/24")
    of_subnets = me.ec2.describe_subnets(MaxResults=5)["NextToken"]
    elsewhere, stranger = Somebody(stage.cloud, "eu-west-1"), Somebody(stage.cloud, access_key="other")
    within = [{"Name": "vpc-id", "Values": [vpc]}]
    refused = [
        code_of(lambda: me.ec2.describe_vpcs(MaxResults=5, NextToken=of_subnets)),
        code_of(lambda: me.ec2.describe_subnets(Filters=within, MaxResults=5, NextToken=of_subnets)),
        code_of(lambda: elsewhere.ec2.describe_subnets(MaxResults=5, NextToken=of_subnets)),
        code_of(lambda: stranger.ec2.describe_subnets(MaxResults=5, NextToken=of_subnets)),
        code_of(lambda: me.ec2.describe_subnets(MaxResults=5, NextToken="Imh1aCI=")),
        code_of(lambda: me.ssm.describe_parameters(NextToken=of_subnets)),
    ]
    assert refused == ["InvalidNextToken"] * 6
    assert code_of(lambda: me.iam.list_roles(Marker=of_subnets)) == "ValidationError"
    assert code_of(lambda: me.logs.describe_log_groups(nextToken=of_subnets)) == "InvalidParameterException"
    assert code_of(lambda: me.s3.list_buckets(ContinuationToken=of_subnets)) == "InvalidArgument"
    assert me.ec2.describe_subnets(MaxResults=1000, NextToken=of_subnets)["Subnets"]
    stage.clock.advance(25 * 3600.0)
    assert code_of(lambda: me.ec2.describe_subnets(MaxResults=5, NextToken=of_subnets)) == "InvalidNextToken"


def test_pages_of_tags_and_interfaces_have_the_limits_that_ec2_documents() -> None:
    ec2 = Stage().me.ec2
    assert code_of(lambda: ec2.describe_tags(MaxResults=4)) == "InvalidParameterValue"
    assert code_of(lambda: ec2.describe_instances(MaxResults=0)) == "InvalidParameterValue"
    by_id = {"NetworkInterfaceIds": ["eni-00000000000000001"], "MaxResults": 5}
    assert code_of(lambda: ec2.describe_network_interfaces(**by_id)) == "InvalidParameterCombination"


def test_the_same_token_gets_the_same_thing_and_with_other_parameters_a_refusal() -> None:
    stage = Stage()
    ec2, vpc = stage.me.ec2, stage.vpc()
    made = [ec2.create_route_table(VpcId=vpc, ClientToken="once")["RouteTable"]["RouteTableId"] for _ in range(2)]
    assert made[0] == made[1]
    other = stage.vpc()
    assert code_of(lambda: ec2.create_route_table(VpcId=other, ClientToken="once")) == "IdempotentParameterMismatch"


def test_what_is_new_is_known_nowhere_until_its_time_has_come() -> None:
    stage = Stage(lag=Lag(new_s=3.0))
    ec2, vpc = stage.me.ec2, stage.vpc()
    assert len(ec2.describe_vpcs()["Vpcs"]) == 1
    assert code_of(lambda: ec2.describe_vpcs(VpcIds=[vpc])) == "InvalidVpcID.NotFound"
    assert code_of(lambda: stage.subnet(vpc)) == "InvalidVpcID.NotFound"
    stage.clock.advance(3.0)
    assert len(ec2.describe_vpcs()["Vpcs"]) == 2
    stage.subnet(vpc)


def test_changes_and_deletions_are_seen_late() -> None:
    stage = Stage(lag=Lag(changed_s=3.0))
    ec2, vpc = stage.me.ec2, stage.vpc()
    stage.clock.advance(10.0)
    ec2.create_tags(Resources=[vpc], Tags=[{"Key": "a", "Value": "1"}])
    assert ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Tags"] == []
    stage.clock.advance(3.0)
    assert ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["Tags"] == [{"Key": "a", "Value": "1"}]
    ec2.delete_vpc(VpcId=vpc)
    assert len(ec2.describe_vpcs()["Vpcs"]) == 2
    assert code_of(lambda: ec2.delete_vpc(VpcId=vpc)) == "InvalidVpcID.NotFound"
    stage.clock.advance(3.0)
    assert len(ec2.describe_vpcs()["Vpcs"]) == 1


def test_a_flickering_view_shows_a_thing_now_and_not_a_moment_later() -> None:
    stage = Stage(lag=Lag(new_s=4.0, is_flickering=True), seed=3)
    stage.vpc()
    stage.clock.advance(2.0)
    seen = {len(stage.me.ec2.describe_vpcs()["Vpcs"]) for _ in range(30)}
    assert seen == {1, 2}


@pytest.mark.parametrize(
    ("failure", "is_done"),
    [
        (Failure.LOST, True),
        (Failure.CUT, True),
        (Failure.DONE_BUT_BUSY, True),
        (Failure.REFUSED, False),
        (Failure.BUSY, False),
        (Failure.THROTTLED, False),
        (Failure.BROKEN, False),
        (Failure.DENIED, False),
    ],
)
def test_a_fault_strikes_the_call_it_was_meant_for_before_or_after_it_is_done(failure: Failure, is_done: bool) -> None:
    stage = Stage()
    stage.cloud.faults.script(Fault(failure, "CreateV*", skip=1))
    stage.vpc()
    with pytest.raises((ClientError, ConnectionClosedError)):
        stage.vpc()
    assert len(stage.me.ec2.describe_vpcs()["Vpcs"]) == (3 if is_done else 2)
    stage.vpc()


def test_a_request_that_arrives_twice_makes_two_things_unless_it_has_a_token() -> None:
    stage = Stage()
    stage.cloud.faults.script(Fault(Failure.TWICE, "CreateVpc"))
    stage.cloud.faults.script(Fault(Failure.TWICE, "CreateNatGateway"))
    vpc = stage.vpc()
    made = [one["VpcId"] for one in stage.me.ec2.describe_vpcs()["Vpcs"] if not one["IsDefault"]]
    assert (len(made), made[0]) == (2, vpc)
    subnet = stage.subnet(vpc)
    stage.me.ec2.create_nat_gateway(SubnetId=subnet, ConnectivityType="private", ClientToken="once")
    assert len(stage.me.ec2.describe_nat_gateways()["NatGateways"]) == 1
    assert stage.cloud.faults.happened[Failure.TWICE, "CreateNatGateway"] == 1


def test_a_slow_answer_takes_its_time() -> None:
    stage = Stage()
    stage.cloud.faults.script(Fault(Failure.SLOW, "CreateVpc", seconds=7.0))
    before = stage.clock.now()
    stage.vpc()
    assert stage.clock.now() - before == 7.0


def test_chance_is_the_same_for_the_same_seed() -> None:
    def story(seed: int) -> list[str]:
        stage = Stage(quotas=BOUNDLESS, seed=seed)
        stage.cloud.faults.by_chance(0.5, Failure.BUSY, actions="Create*", seed=seed)
        for _ in range(20):
            try:
                stage.vpc()
            except ClientError:
                continue
        return [f"{asked.action} {asked.outcome}" for asked in stage.cloud.log] + sorted(
            vpc["VpcId"] for vpc in stage.me.ec2.describe_vpcs()["Vpcs"]
        )

    assert story(1) == story(1)
    assert story(1) != story(2)


def test_what_the_cloud_does_not_serve_is_said_to_be_not_there() -> None:
    assert code_of(Stage().me.ec2.describe_customer_gateways) == "InvalidAction"
