"""Listeners whose certificate depends on a condition."""

from collections.abc import Callable
from typing import Any

import pytest
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Bench, Example

KIND = "AWS::ElasticLoadBalancingV2::"
EVERYTHING: dict[str, tuple[str, dict[str, Any]]] = {
    "Net": ("AWS::EC2::VPC", {"CidrBlock": "10.0.0.0/16"}),
    "One": (
        "AWS::EC2::Subnet",
        {"VpcId": {"Ref": "Net"}, "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "us-east-1a"},
    ),
    "Two": (
        "AWS::EC2::Subnet",
        {"VpcId": {"Ref": "Net"}, "CidrBlock": "10.0.1.0/24", "AvailabilityZone": "us-east-1b"},
    ),
    "Balancer": (f"{KIND}LoadBalancer", {"Scheme": "internal", "Subnets": [{"Ref": "One"}, {"Ref": "Two"}]}),
    "Listener": (
        f"{KIND}Listener",
        {
            "LoadBalancerArn": {"Ref": "Balancer"},
            "Port": 80,
            "Protocol": "HTTP",
            # A condition has taken the certificate out, and its mapping is left.
            "Certificates": [{}],
            "DefaultActions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "200"}}],
        },
    ),
}


@pytest.fixture
def bench(bench_of: BenchOf) -> Bench:
    return bench_of(
        tuple(
            Example(name=LogicalId(name), type=TypeName(kind), properties=properties)
            for name, (kind, properties) in EVERYTHING.items()
        )
    )


def test_a_listener_whose_certificate_a_condition_has_taken_out_has_none(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    with bench:
        bench.make_all()
        made = bench.requests[LogicalId("Listener")]
        assert bench.differing(made, bench.ready(made)) == ()
        [listener] = stranger("elbv2").describe_listeners(ListenerArns=[made.physical_id])["Listeners"]
        assert [one for one in listener.get("Certificates", ()) if one.get("CertificateArn")] == []
