"""A peering connection into another account is accepted there, as the role that the composition names."""

from typing import Any

import botocore.session
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Example

OTHER, REGION = "210987654321", "eu-west-1"
ROLE = f"arn:aws:iam::{OTHER}:role/accepts-peerings"
VPC, PEERING = "AWS::EC2::VPC", "AWS::EC2::VPCPeeringConnection"


def _ec2_of_the_other(session: botocore.session.Session) -> Any:
    sts = session.create_client("sts", region_name=REGION)
    given = sts.assume_role(RoleArn=ROLE, RoleSessionName="owner")["Credentials"]
    return session.create_client(
        "ec2",
        region_name=REGION,
        aws_access_key_id=given["AccessKeyId"],
        aws_secret_access_key=given["SecretAccessKey"],
        aws_session_token=given["SessionToken"],
    )


def _examples(peer: str, **more: str) -> tuple[Example, ...]:
    net = Example(name=LogicalId("Net"), type=TypeName(VPC), properties={"CidrBlock": "10.0.0.0/16"})
    given = {"VpcId": {"Ref": "Net"}, "PeerVpcId": peer, "PeerOwnerId": OTHER, "PeerRegion": REGION, **more}
    return net, Example(name=LogicalId("Way"), type=TypeName(PEERING), properties=given)


def test_a_role_of_the_other_account_accepts(
    bench_of: BenchOf, session: botocore.session.Session, ops: RecordedOps
) -> None:
    theirs = _ec2_of_the_other(session)
    peer = theirs.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    with bench_of(_examples(peer, PeerRoleArn=ROLE, AssumeRoleRegion="us-west-2")) as bench:
        _, way = bench.make_all()
        [shown] = theirs.describe_vpc_peering_connections()["VpcPeeringConnections"]
        assert (shown["VpcPeeringConnectionId"], shown["Status"]["Code"]) == (way.physical_id, "active")
        assert bench.differing(way, bench.ready(way)) == ()
    assert ("AcceptVpcPeeringConnection", REGION) in {(one.operation, one.partition.region) for one in ops.all}


def test_without_a_role_it_waits_for_the_owner_and_is_as_declared(
    bench_of: BenchOf, session: botocore.session.Session
) -> None:
    theirs = _ec2_of_the_other(session)
    peer = theirs.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
    with bench_of(_examples(peer)) as bench:
        _, way = bench.make_all()
        [shown] = theirs.describe_vpc_peering_connections()["VpcPeeringConnections"]
        assert shown["Status"]["Code"] == "pending-acceptance"
        assert bench.differing(way, bench.ready(way)) == ()
