"""The role by which API Gateway writes logs: one setting of an account that many compositions declare."""

from dataclasses import replace

import pytest
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Bench, Example

ACCOUNT = TypeName("AWS::ApiGateway::Account")
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": {"Service": "apigateway.amazonaws.com"}, "Action": "sts:AssumeRole"}
    ],
}


def role(name: str) -> Example:
    properties = {"RoleName": name, "AssumeRolePolicyDocument": TRUST}
    return Example(name=LogicalId(name), type=TypeName("AWS::IAM::Role"), properties=properties)


def account(name: str, of: str) -> Example:
    return Example(name=LogicalId(name), type=ACCOUNT, properties={"CloudWatchRoleArn": {"Fn::GetAtt": [of, "Arn"]}})


def drifted(bench: Bench, name: str) -> tuple[str, ...]:
    request = bench.requests[LogicalId(name)]
    return bench.differing(request, bench.ready(request))


@pytest.fixture
def bench(bench_of: BenchOf) -> Bench:
    return bench_of((role("mine"), role("theirs"), account("Mine", "mine"), account("Theirs", "theirs")))


def test_each_is_as_declared_while_the_role_of_another_serves(bench: Bench) -> None:
    with bench:
        bench.make_all()
        assert (drifted(bench, "Mine"), drifted(bench, "Theirs")) == ((), ())


def test_another_role_that_is_declared_is_put(bench: Bench) -> None:
    with bench:
        mine, theirs, *_ = bench.make_all()
        request = bench.requests[LogicalId("Mine")]
        moved = replace(request, properties={"CloudWatchRoleArn": theirs.attributes["Arn"]})
        assert bench.differing(moved, bench.ready(request)) == ("CloudWatchRoleArn",)
        outcome = bench.until_done(bench.provider.modify, replace(moved, observed=bench.ready(request).properties))
        assert getattr(outcome, "physical_id", None) == theirs.attributes["Arn"]
        assert mine.attributes["Arn"] != theirs.attributes["Arn"]


def test_a_role_that_is_gone_serves_nobody(bench: Bench) -> None:
    with bench:
        bench.make_all()
        bench.remove(bench.requests[LogicalId("theirs")])
        assert drifted(bench, "Mine") == ("CloudWatchRoleArn",)
        bench.configure(bench.requests[LogicalId("Mine")])
        assert drifted(bench, "Mine") == ()


def test_a_lost_creation_is_found_where_a_role_serves(bench: Bench) -> None:
    with bench:
        bench.make_all()
        lost = replace(bench.requests[LogicalId("Mine")], physical_id=None, observed=None, attributes={})
        (found,) = bench.provider.find(bench.partition, [lost])
        assert found is not None
        assert found.physical_id == lost.properties["CloudWatchRoleArn"]
        bench.remove(bench.requests[LogicalId("theirs")])
        assert bench.provider.find(bench.partition, [lost]) == [None]
