"""The marks of managed policies on the strict cloud: read where something may have changed, and not at every sweep."""

import json
from pathlib import Path
from typing import Any

import pytest

from tenuto.service.views.process_view import is_converged
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.strict_world import StrictWorld

TRUST = {"Version": "2012-10-17", "Statement": []}
ALLOW = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}]}
BASE = "arn:aws:iam::aws:policy/ReadOnlyAccess"
READ = "ListPolicyTags"


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))


def template(path: Path, *roles: str) -> Path:
    """Two roles with a policy of AWS each, and two policies: one attaches itself to some of the roles."""
    role = {"AssumeRolePolicyDocument": TRUST, "ManagedPolicyArns": [BASE]}
    attached: dict[str, Any] = {"PolicyDocument": ALLOW, "Roles": [{"Ref": name} for name in roles]}
    resources = {
        "First": {"Type": "AWS::IAM::Role", "Properties": role},
        "Second": {"Type": "AWS::IAM::Role", "Properties": role},
        "Attached": {"Type": "AWS::IAM::ManagedPolicy", "Properties": attached},
        "Loose": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": ALLOW}},
    }
    path.write_text(json.dumps({"Resources": resources}))
    return path


def test_marks_are_not_read_while_nothing_changes_and_no_role_takes_an_attachment_for_its_own(
    world: StrictWorld, tmp_path: Path
) -> None:
    world.run(template(tmp_path / "one.json", "First"), "roles")
    assert world.settle()
    world.advance(600.0)
    world.aws.log.clear()
    world.advance(600.0)
    assert [call.action for call in world.aws.log if call.action == READ] == []
    world.update(template(tmp_path / "two.json", "First", "Second"), "roles")
    assert world.settle()
    attached = [call.action for call in world.aws.log if call.action == READ]
    assert attached
    known = len(world.changes())
    world.advance(600.0)
    assert world.changes()[known:] == [], "a role took off what the policy had attached, or the policy came again"
    assert is_converged(world.system.queries.process("roles").process)


def test_an_attachment_by_hand_is_taken_off_all_the_same(world: StrictWorld, tmp_path: Path) -> None:
    world.run(template(tmp_path / "one.json", "First"), "roles")
    assert world.settle()
    world.advance(600.0)
    ids = world.ids("roles")
    iam = world.stranger().create_client("iam", "us-east-1")
    iam.attach_role_policy(RoleName=ids["Second"], PolicyArn=ids["Attached"])
    world.advance(600.0)
    shown = iam.list_attached_role_policies(RoleName=ids["Second"])["AttachedPolicies"]
    assert [one["PolicyArn"] for one in shown] == [BASE]
