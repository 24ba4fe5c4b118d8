"""One attachment of a managed policy can be declared on two sides, and logins are sent once: whole lives of both."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.ids import JsonMap, LogicalId, Partition, TypeName
from tenuto.model.outcome import Done
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

DOCUMENT = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
}


def example(name: str, kind: str, **properties: Any) -> Example:
    return Example(name=LogicalId(name), type=TypeName(f"AWS::IAM::{kind}"), properties=properties)


@pytest.fixture
def make(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Callable[..., Bench]:
    def bench(*examples: Example) -> Bench:
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=examples, ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return bench


@pytest.mark.parametrize("kind", ["User", "Group"])
def test_a_policy_that_attaches_itself_is_no_drift_of_its_principal(
    kind: str, make: Callable[..., Bench], stranger: Callable[[str], Any]
) -> None:
    iam = stranger("iam")

    def attached() -> set[str]:
        shown = getattr(iam, f"list_attached_{kind.lower()}_policies")(**{f"{kind}Name": "ann"})
        return {one["PolicyName"] for one in shown["AttachedPolicies"]}

    base = stranger("iam").create_policy(PolicyName="base", PolicyDocument=json.dumps(DOCUMENT))["Policy"]["Arn"]
    principal = example("Principal", kind, **{f"{kind}Name": "ann", "ManagedPolicyArns": [base]})
    policy = example(
        "Policy", "ManagedPolicy", ManagedPolicyName="fetch", PolicyDocument=DOCUMENT, **{f"{kind}s": ["ann"]}
    )
    with make(principal, policy) as bench:
        bench.make_all()
        who, what = bench.requests[LogicalId("Principal")], bench.requests[LogicalId("Policy")]
        assert attached() == {"base", "fetch"}
        for request in (who, what):
            assert bench.differing(request, bench.ready(request)) == ()
        # Another user takes the policy off by hand; its next update puts it back.
        getattr(iam, f"detach_{kind.lower()}_policy")(**{f"{kind}Name": "ann", "PolicyArn": what.physical_id})
        item = bench.ready(what)
        assert bench.differing(what, item) == (f"{kind}s",)
        assert isinstance(bench.until_done(bench.provider.modify, replace(what, observed=item.properties)), Done)
        assert attached() == {"base", "fetch"}
        bench.remove(what)
        assert attached() == {"base"}
        bench.remove(who)


def test_a_policy_that_somebody_else_attached_is_not_taken_off_with_its_deletion(
    make: Callable[..., Bench], stranger: Callable[[str], Any], ops: RecordedOps
) -> None:
    iam = stranger("iam")
    iam.create_user(UserName="bob")
    with make(example("Policy", "ManagedPolicy", ManagedPolicyName="fetch", PolicyDocument=DOCUMENT)) as bench:
        bench.make_all()
        what = bench.requests[LogicalId("Policy")]
        iam.attach_user_policy(UserName="bob", PolicyArn=what.physical_id)
        bench.provider.delete(bench.partition, [what])
        assert "DetachUserPolicy" not in [op.operation for op in ops.all]


def test_a_password_is_sent_once_and_what_its_user_does_with_it_is_no_drift(
    make: Callable[..., Bench], stranger: Callable[[str], Any], ops: RecordedOps
) -> None:
    iam = stranger("iam")
    login = {"Password": "Correct-horse-1", "PasswordResetRequired": True}
    with make(example("User", "User", UserName="ann", LoginProfile=login)) as bench:
        bench.make_all()
        made = bench.requests[LogicalId("User")]

        def sent() -> list[str]:
            return [
                op.operation for op in ops.all if "LoginProfile" in op.operation and not op.operation.startswith("Get")
            ]

        def change(properties: JsonMap) -> None:
            request = replace(made, properties=properties, observed=bench.ready(made).properties)
            assert isinstance(bench.until_done(bench.provider.modify, request), Done)

        assert sent() == ["CreateLoginProfile"]
        # At the first sign-in the user chooses a password.
        iam.update_login_profile(UserName="ann", Password="Another-horse-2", PasswordResetRequired=False)
        assert bench.differing(made, bench.ready(made)) == ()
        change({**made.properties, "Tags": [{"Key": "team", "Value": "web"}]})
        assert sent() == ["CreateLoginProfile"]
        change({**made.properties, "LoginProfile": {**login, "Password": "Third-horse-3"}})
        assert sent() == ["CreateLoginProfile", "UpdateLoginProfile"]
        bench.remove(made)
