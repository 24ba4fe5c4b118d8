"""Whole templates through a real Conductor and the real command line: run, held, changed back, suspended and killed."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.bootstrap.tools.emulator import Emulator

TEMPLATES = Path(__file__).parents[1] / "templates"
NETWORK = TEMPLATES / "vpc_with_managed_nat_and_private_subnet.yaml"
PUBLIC = (NETWORK, TEMPLATES / "rain_modules_vpc.yml")
EMULATED = TEMPLATES / "emulated" / "rotated_secret.yaml"
OWN = (
    "kinds_of_parameters.json",
    "loops.yaml",
    "open_egress.yaml",
    "orders.yaml",
    "private_egress.yaml",
    "roles.yaml",
    "security_mesh.yaml",
    "two_tier_acl.json",
    "written_by_the_cdk.json",
)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """One installation for all tests here: each leaves the account as it found it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
        with Emulator() as emulator:
            installation = Live(tmp_path_factory.mktemp("templates"), emulator.url)
            try:
                installation.start()
                yield installation
            finally:
                installation.stop()


@pytest.fixture
def unchanged(live: Live) -> Iterator[dict[str, int]]:
    before = live.account()
    yield before
    assert live.account() == before


def ids(live: Live, name: str) -> dict[str, str]:
    return {logical: found["id"] for logical, found in live.status(name)["resources"].items()}


def plan(live: Live, name: str) -> list[Any]:
    """What the next job would do."""
    found: list[Any] = live.tenuto("--json", "plan", name, check=True).document["operations"]
    return found


def is_as_declared(live: Live, name: str) -> bool:
    """Whether a fresh sweep finds nothing to do and nothing to wait for."""
    document = live.tenuto("--json", "plan", name, check=True).document
    return bool(document["summary"]["unchanged"] == len(live.status(name)["resources"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "template", [*PUBLIC, EMULATED, *(TEMPLATES / "own" / name for name in OWN)], ids=lambda path: path.stem
)
def test_a_template_runs_to_converged_plans_nothing_and_leaves_nothing(
    live: Live, unchanged: dict[str, int], template: Path
) -> None:
    name = template.stem.replace("_", "-")
    live.tenuto("run", str(template), "-a", name, "--wait=60", check=True)
    assert live.status(name)["converged"]
    assert plan(live, name) == []
    live.tenuto("kill", name, "--wait=60", check=True)
    assert live.status(name) is None


@pytest.mark.slow
def test_what_others_change_comes_back_and_nothing_else_is_touched(live: Live, unchanged: dict[str, int]) -> None:
    template = TEMPLATES / "own" / "bastion.yaml"
    live.tenuto("run", str(template), "-a", "held", "--wait=60", check=True)
    ec2 = live.aws("ec2")
    before = ids(live, "held")
    anybody = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
    drifts: tuple[tuple[Callable[[], object], set[str]], ...] = (
        (lambda: ec2.disassociate_route_table(AssociationId=before["Association"]), {"Association"}),
        (
            lambda: ec2.modify_subnet_attribute(SubnetId=before["Public"], MapPublicIpOnLaunch={"Value": False}),
            set(),
        ),
        (lambda: ec2.authorize_security_group_ingress(GroupId=before["Group"], IpPermissions=[anybody]), set()),
        (lambda: ec2.create_tags(Resources=[before["Vpc"]], Tags=[{"Key": "Name", "Value": "x"}]), set()),
        (lambda: ec2.terminate_instances(InstanceIds=[before["Host"]]), {"Host"}),
    )
    remade: set[str] = set()
    for drift, lost in drifts:
        drift()
        live.until(lambda: is_as_declared(live, "held"), "the drift is repaired")
        remade |= lost
        after = ids(live, "held")
        assert {name for name in after if after[name] != before[name]} == remade
    group = ec2.describe_security_groups(GroupIds=[before["Group"]])["SecurityGroups"][0]
    assert "0.0.0.0/0" not in [
        one["CidrIp"] for rule in group["IpPermissions"] for one in rule["IpRanges"] if rule["IpProtocol"] == "tcp"
    ]
    live.tenuto("kill", "held", "--wait=60", check=True)


@pytest.mark.slow
def test_suspension_leaves_drift_alone_and_resumption_repairs_it(live: Live, unchanged: dict[str, int]) -> None:
    live.tenuto("run", str(NETWORK), "-a", "resting", "--wait=60", check=True)
    live.tenuto("suspend", "resting", check=True)
    before = ids(live, "resting")
    association = next(name for name, found in before.items() if found.startswith("rtbassoc-"))
    live.aws("ec2").disassociate_route_table(AssociationId=before[association])
    live.until(
        lambda: [one["logical_id"] for one in plan(live, "resting")] == [association], "the plan shows the drift"
    )
    assert live.status("resting")["state"] == "Suspended"
    assert ids(live, "resting") == before
    live.tenuto("resume", "resting", "--wait=60", check=True)
    assert plan(live, "resting") == []
    assert ids(live, "resting")[association] != before[association]
    live.tenuto("kill", "resting", "--wait=60", check=True)


@pytest.mark.slow
def test_a_kill_that_was_suspended_is_undone_by_resume_and_can_be_given_again(
    live: Live, unchanged: dict[str, int]
) -> None:
    live.tenuto("run", str(NETWORK), "-a", "doomed", "--wait=60", check=True)
    built = live.account()
    ec2 = live.aws("ec2")
    vpc_id = next(found for found in ids(live, "doomed").values() if found.startswith("vpc-"))
    # A subnet of somebody else holds up the deletion of the VPC, so that the kill is caught halfway on any machine.
    strange = ec2.create_subnet(VpcId=vpc_id, CidrBlock="10.0.200.0/24")["Subnet"]["SubnetId"]
    live.tenuto("kill", "doomed", check=True)
    live.until(lambda: live.account()["subnets"] == unchanged["subnets"] + 1, "the kill is halfway")
    live.tenuto("suspend", "doomed", check=True)
    assert live.status("doomed")["state"] == "Suspended"
    ec2.delete_subnet(SubnetId=strange)
    live.tenuto("resume", "doomed", "--wait=60", check=True)
    assert live.account() == built
    assert plan(live, "doomed") == []
    live.tenuto("kill", "doomed", "--wait=60", check=True)


@pytest.mark.slow
def test_a_rule_about_a_looked_up_value_stops_run_and_update_with_its_words(
    live: Live, unchanged: dict[str, int], tmp_path: Path
) -> None:
    file = tmp_path / "blessed.yaml"
    file.write_text(
        "Parameters: {Size: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /size}}\n"
        "Rules:\n  Small:\n    Assertions:\n"
        "      - {Assert: {Fn::Contains: [['60', '90'], !Ref Size]}, AssertDescription: Only short timeouts}\n"
        "Resources: {Queue: {Type: AWS::SQS::Queue, Properties: {VisibilityTimeout: !Ref Size}}}\n",
        encoding="utf-8",
    )
    ssm = live.aws("ssm")
    ssm.put_parameter(Name="/size", Value="600", Type="String")
    for command in (("run",), ("run", "--dry-run"), ("apply",)):
        refused = live.tenuto(*command, str(file), "-a", "blessed")
        assert refused.code != 0
        assert "blessed.yaml:5: Small: Only short timeouts." in refused.err
    assert live.status("blessed") is None
    ssm.put_parameter(Name="/size", Value="60", Type="String", Overwrite=True)
    live.tenuto("run", str(file), "-a", "blessed", "--wait=60", check=True)
    ssm.put_parameter(Name="/size", Value="900", Type="String", Overwrite=True)
    refused = live.tenuto("update", "blessed", str(file))
    assert "Small: Only short timeouts." in refused.err
    live.tenuto("kill", "blessed", "--wait=60", check=True)
    ssm.delete_parameter(Name="/size")


@pytest.mark.slow
def test_the_document_of_loops_holds_the_arns_of_the_queues(live: Live, unchanged: dict[str, int]) -> None:
    live.tenuto("run", str(TEMPLATES / "own" / "loops.yaml"), "-a", "loops", "--wait=60", check=True)
    assert set(ids(live, "loops")) == {
        *("Queueweb", "Queuedata", "Topicwebblue", "Topicwebgreen", "Topicdatabatch", "Directory")
    }
    name = ids(live, "loops")["Directory"]
    found = json.loads(live.aws("ssm").get_parameter(Name=name)["Parameter"]["Value"])
    assert found["teams"] == 2
    assert found["web"].startswith("arn:aws:sqs:")
    live.tenuto("kill", "loops", "--wait=60", check=True)


CONDITIONAL = """
Parameters:
  Subnets: {Type: 'AWS::SSM::Parameter::Value<List<String>>', Default: /subnets}
  Stage: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /stage}
Conditions:
  IsProduction: !Equals [!Ref Stage, production]
  HasSecond: !Equals [!Select [1, !Ref Subnets], b]
Resources:
  Queue: {Type: AWS::SQS::Queue, Properties: {Tags: [{Key: second, Value: !Select [1, !Ref Subnets]}]}}
  Extra: {Type: AWS::SQS::Queue, Condition: IsProduction}
  Second: {Type: AWS::SQS::Queue, Condition: HasSecond}
Outputs:
  Stage: {Value: !Ref Stage}
"""


@pytest.mark.slow
def test_a_condition_on_a_looked_up_value_is_decided_by_what_the_account_holds(
    live: Live, unchanged: dict[str, int], tmp_path: Path
) -> None:
    file = tmp_path / "conditional.yaml"
    file.write_text(CONDITIONAL, encoding="utf-8")
    ssm = live.aws("ssm")
    refused = live.tenuto("run", str(file), "-a", "conditional")
    assert refused.code != 0
    assert "The provider has no value for /stage, /subnets in default/" in refused.err
    ssm.put_parameter(Name="/subnets", Value="a,b", Type="StringList")
    ssm.put_parameter(Name="/stage", Value="test", Type="String")
    offline = live.tenuto("compile", str(file))
    assert "T403" in offline.err
    assert "--looked-up" in offline.err
    compiled = live.tenuto("compile", str(file), "--looked-up", "/stage=test", "--looked-up", "/subnets=a,b", "--json")
    assert set(compiled.document["resources"]) == {"Queue", "Second"}

    live.tenuto("run", str(file), "-a", "conditional", "--wait=60", check=True)
    assert set(ids(live, "conditional")) == {"Queue", "Second"}
    assert plan(live, "conditional") == []
    ssm.put_parameter(Name="/stage", Value="production", Type="String", Overwrite=True)
    assert plan(live, "conditional") == []  # as in CloudFormation, the value counts that the run has found
    live.tenuto("update", "conditional", str(file), "--wait=60", check=True)
    assert set(ids(live, "conditional")) == {"Queue", "Second", "Extra"}
    assert plan(live, "conditional") == []
    live.tenuto("kill", "conditional", "--wait=60", check=True)
    for name in ("/stage", "/subnets"):
        ssm.delete_parameter(Name=name)
