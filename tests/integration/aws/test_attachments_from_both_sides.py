"""Attachments of a managed policy, inline policies and hooks of a scaling group can be declared on two sides. Each side
holds its own, and none takes the other's away."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from aws_examples import READING, TRUST
from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_bench import Bench
from tenuto_testing.provider_conformance import Example

NAMED, NAMING, POLICY = LogicalId("Named"), LogicalId("Naming"), LogicalId("Reading")


def example(name: LogicalId, type_name: str, **properties: Json) -> Example:
    return Example(name=name, type=TypeName(type_name), properties=properties)


@pytest.fixture
def bench(bench_of: BenchOf) -> Bench:
    return bench_of(
        (
            example(NAMED, "AWS::IAM::Role", AssumeRolePolicyDocument=TRUST),
            example(POLICY, "AWS::IAM::ManagedPolicy", PolicyDocument=READING, Roles=[{"Ref": NAMED}]),
            example(NAMING, "AWS::IAM::Role", AssumeRolePolicyDocument=TRUST, ManagedPolicyArns=[{"Ref": POLICY}]),
        )
    )


def holders(iam: Any, arn: str) -> set[str]:
    shown = iam.list_entities_for_policy(PolicyArn=arn)["PolicyRoles"]
    return {one["RoleName"] for one in shown}


def test_each_side_holds_its_own_attachment(bench: Bench, stranger: Callable[[str], Any]) -> None:
    iam = stranger("iam")
    with bench:
        bench.make_all()
        for request in bench.requests.values():
            assert bench.differing(request, bench.ready(request)) == (), request.logical_id
        policy = bench.requests[POLICY]
        named, naming = (str(bench.requests[one].physical_id) for one in (NAMED, NAMING))
        assert holders(iam, str(policy.physical_id)) == {named, naming}

        # The policy names no role any more: only its own attachment goes.
        asked = replace(policy, properties={**policy.properties, "Roles": []}, observed=bench.ready(policy).properties)
        assert isinstance(bench.until_done(bench.provider.modify, asked), Done)
        assert holders(iam, str(policy.physical_id)) == {naming}
        for request in (asked, bench.requests[NAMING]):
            assert bench.differing(request, bench.ready(request)) == (), request.logical_id


def test_an_attachment_by_hand_is_seen(bench: Bench, stranger: Callable[[str], Any]) -> None:
    iam = stranger("iam")
    with bench:
        bench.make_all()
        iam.create_role(RoleName="of-another", AssumeRolePolicyDocument="{}")
        arn = str(bench.requests[POLICY].physical_id)
        iam.attach_role_policy(RoleName="of-another", PolicyArn=arn)
        assert bench.differing(bench.requests[POLICY], bench.ready(bench.requests[POLICY])) == ("Roles",)
        iam.detach_role_policy(RoleName="of-another", PolicyArn=arn)
        iam.delete_role(RoleName="of-another")


@pytest.mark.parametrize("kind", ["User", "Group"])
def test_inline_policies_of_a_principal_and_of_a_policy_stand_together(kind: str, bench_of: BenchOf) -> None:
    principal = example(NAMED, f"AWS::IAM::{kind}", Policies=[{"PolicyName": "own", "PolicyDocument": READING}])
    policy = example(
        POLICY, "AWS::IAM::Policy", PolicyName="placed", PolicyDocument=READING, **{f"{kind}s": [{"Ref": NAMED}]}
    )
    with bench_of((principal, policy)) as bench:
        bench.make_all()
        for request in bench.requests.values():
            shown = bench.ready(request)
            assert bench.differing(request, shown) == (), request.logical_id
        [own] = bench.ready(bench.requests[NAMED]).properties["Policies"]
        assert own["PolicyName"] == "own"


def test_hooks_of_a_group_and_hooks_beside_it_stand_together(bench_of: BenchOf) -> None:
    leaving = {"LifecycleHookName": "leaving", "LifecycleTransition": "autoscaling:EC2_INSTANCE_TERMINATING"}
    launch = example(LogicalId("Launch"), "AWS::EC2::LaunchTemplate", LaunchTemplateData={"InstanceType": "t3.micro"})
    group = example(
        NAMED,
        "AWS::AutoScaling::AutoScalingGroup",
        MinSize="0",
        MaxSize="0",
        AvailabilityZones=["us-east-1a"],
        LaunchTemplate={"LaunchTemplateId": {"Ref": "Launch"}, "Version": "1"},
        LifecycleHookSpecificationList=[leaving],
    )
    hook = example(
        LogicalId("Hook"),
        "AWS::AutoScaling::LifecycleHook",
        AutoScalingGroupName={"Ref": NAMED},
        LifecycleHookName="coming",
        LifecycleTransition="autoscaling:EC2_INSTANCE_LAUNCHING",
    )
    with bench_of((launch, group, hook)) as bench:
        bench.make_all()
        for request in bench.requests.values():
            assert bench.differing(request, bench.ready(request)) == (), request.logical_id
