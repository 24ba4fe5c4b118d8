"""A running CloudFormation stack becomes an enforced process; nothing that it made is touched, and the stack goes."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aws_sessions import open_session
from live import REGION, Live
from ruamel.yaml import YAML
from stack_front import StackFront, a_stack_front

from tenuto.bootstrap.tools.emulator import Emulator
from tenuto.cli.terminal.exits import Exit
from tenuto.providers.aws.rates.buckets import api_name

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "from-cloudformation.md"
TEMPLATE = """\
# The network of the shop.
Parameters:
  Cidr: {Type: String, Default: 10.0.0.0/8}
  Stage: {Type: String}
  Password: {Type: String, NoEcho: true, Default: none}
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: !Ref Cidr   # given with the stack
      Tags: [{Key: stage, Value: !Ref Stage}]
  Sub:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.20.1.0/24}
  Igw: {Type: AWS::EC2::InternetGateway}
  Att:
    Type: AWS::EC2::VPCGatewayAttachment
    Properties: {VpcId: !Ref Net, InternetGatewayId: !Ref Igw}
  Table:
    Type: AWS::EC2::RouteTable
    Properties: {VpcId: !Ref Net}
  Out:
    Type: AWS::EC2::Route
    DependsOn: Att
    Properties: {RouteTableId: !Ref Table, DestinationCidrBlock: 0.0.0.0/0, GatewayId: !Ref Igw}
  Asc:
    Type: AWS::EC2::SubnetRouteTableAssociation
    Properties: {SubnetId: !Ref Sub, RouteTableId: !Ref Table}
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: front, VpcId: !Ref Net}
  Rule:
    Type: AWS::EC2::SecurityGroupIngress
    Properties: {GroupId: !GetAtt Group.GroupId, IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8}
  Runner:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: "sts:AssumeRole"}]
  Reads:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      PolicyDocument: {Version: "2012-10-17", Statement: [{Effect: Allow, Action: "s3:GetObject", Resource: "*"}]}
      Roles: [!Ref Runner]
  Writes:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: writes
      PolicyDocument: {Version: "2012-10-17", Statement: [{Effect: Allow, Action: "s3:PutObject", Resource: "*"}]}
      Roles: [!Ref Runner]
  Logs:
    Type: AWS::S3::Bucket
    DeletionPolicy: Delete
    Properties: {BucketName: shop-logs}
Outputs:
  NetId: {Value: !Ref Net, Export: {Name: shop-net}}
"""


@pytest.fixture(scope="module")
def front() -> Iterator[StackFront]:
    with Emulator() as emulator, a_stack_front(emulator.url) as front:
        yield front


@pytest.fixture(scope="module")
def live(front: StackFront, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    installation = Live(tmp_path_factory.mktemp("stacks"), front.url)
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()


def made(live: Live, name: str, template: str = TEMPLATE) -> None:
    parameters = [{"ParameterKey": "Cidr", "ParameterValue": "10.20.0.0/16"}]
    parameters += [{"ParameterKey": "Stage", "ParameterValue": "true"}]
    live.aws("cloudformation").create_stack(StackName=name, TemplateBody=template, Parameters=parameters)
    # The emulator's stacks tell of associations that they have not made.
    found = live.aws("cloudformation").list_stack_resources(StackName=name)["StackResourceSummaries"]
    ids = {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in found if one.get("PhysicalResourceId")}
    live.aws("ec2").associate_route_table(RouteTableId=ids["Table"], SubnetId=ids["Sub"])


def test_a_stack_becomes_a_process_and_its_resources_are_never_touched(live: Live, front: StackFront) -> None:
    made(live, "shop")
    folder = live.folder / "shop"
    front.calls.clear()
    read, run, let_go, enforce = typed(live)
    written = live.tenuto(*read, check=True)
    assert front.changing() == []
    text = (folder / "shop.yaml").read_text()
    assert "# The network of the shop." in text
    assert "!Ref Cidr   # given with the stack" in text
    assert YAML(typ="safe").load((folder / "parameters.yaml").read_text())["Cidr"] == "10.20.0.0/16"
    assert "--only-adopt --enforcement off" in written.out

    planned = live.tenuto("--json", *run[:-1], "--dry-run").document["bill"]
    front.calls.clear()
    live.tenuto(*run, check=True)
    called = Counter(api_name(service, action.split()[0]) for service, action in front.changing())
    assert {line["api"]: line["calls"] for line in planned["apis"]} == called
    status = live.status("shop")
    assert status["composition"]["name"] == "shop"
    assert (status["enforcement"], status["converged"]) == (False, True)
    assert set(status["resources"]) == {
        "Net", "Sub", "Igw", "Att", "Table", "Out", "Asc", "Group", "Rule", "Runner", "Reads", "Writes", "Logs",
    }  # fmt: skip
    ids = {name: one["id"] for name, one in status["resources"].items()}

    gone = live.tenuto(*let_go, check=True)
    assert "All 13 resources stand, and shop holds them." in gone.out
    assert {action for _, action in front.changing()} <= {"CreateTags", "PUT tagging", "TagPolicy", "TagRole"}, (
        front.changing()
    )

    live.tenuto(*enforce, check=True)
    live.aws("ec2").create_tags(Resources=[ids["Net"]], Tags=[{"Key": "stage", "Value": "drifted"}])
    live.until(lambda: _stage(live, ids["Net"]) == "true", "the drift is corrected")
    assert {name: one["id"] for name, one in live.status("shop")["resources"].items()} == ids
    with pytest.raises(Exception, match="does not exist"):
        live.aws("cloudformation").describe_stacks(StackName="shop")


def test_what_the_stack_never_told_is_named_and_nothing_is_adopted(live: Live, front: StackFront) -> None:
    template = (
        "Resources:\n  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.30.0.0/16, EnableDnsHostnames: true}}\n"
    )
    live.aws("cloudformation").create_stack(StackName="drifted", TemplateBody=template)
    folder = live.folder / "drifted"
    live.tenuto("import", "--stack", "drifted", "-o", str(folder), check=True)
    [net] = live.aws("cloudformation").list_stack_resources(StackName="drifted")["StackResourceSummaries"]
    live.aws("ec2").modify_vpc_attribute(VpcId=net["PhysicalResourceId"], EnableDnsHostnames={"Value": False})
    front.calls.clear()
    refused = live.tenuto("run", str(folder / "drifted.yaml"), "-a", "drifted", "--import", "--only-adopt")
    assert refused.code != Exit.DONE
    assert "EnableDnsHostnames false → true" in refused.err
    assert front.changing() == []
    assert live.status("drifted") is None


def test_the_tags_of_a_stack_stay_on_everything_that_it_has_put_them_on(live: Live, front: StackFront) -> None:
    """CloudFormation does what the emulator does for a few types alone: so they are put on by hand here."""
    template = """\
Parameters: {Stage: {Type: String, Default: test}}
Conditions: {Never: !Equals [a, b]}
Resources:
  V: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.45.0.0/16}}
  I: {Type: AWS::EC2::InternetGateway}
  Own:
    Type: AWS::EC2::InternetGateway
    Properties:
      Tags:
        - {Key: cost, Value: !Ref Stage}   # ours
        - !If [Never, {Key: a, Value: b}, !Ref AWS::NoValue]
  Q: {Type: AWS::SQS::Queue}
  P: {Type: AWS::SSM::Parameter, Properties: {Name: /mini, Type: String, Value: a}}
  E: {Type: AWS::EC2::EIP, Properties: {Domain: vpc}}
"""
    tags = [{"Key": "cost", "Value": "x"}, {"Key": "on", "Value": "0123"}]
    live.aws("cloudformation").create_stack(StackName="mini", TemplateBody=template, Tags=tags)
    rows = live.aws("cloudformation").list_stack_resources(StackName="mini")["StackResourceSummaries"]
    ids = {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in rows}
    [address] = live.aws("ec2").describe_addresses(PublicIps=[ids["E"]])["Addresses"]
    live.aws("ec2").create_tags(Resources=[ids["V"], ids["I"], address["AllocationId"]], Tags=tags)
    live.aws("ec2").create_tags(Resources=[ids["Own"]], Tags=[{"Key": "cost", "Value": "test"}, tags[1]])
    live.aws("sqs").tag_queue(QueueUrl=ids["Q"], Tags={one["Key"]: one["Value"] for one in tags})
    live.aws("ssm").add_tags_to_resource(ResourceType="Parameter", ResourceId="/mini", Tags=tags)
    folder = live.folder / "mini"
    live.tenuto("import", "--stack", "mini", "-o", str(folder), check=True)
    told = (
        "puts the tags of the stack on its resources: `cost`, `on`. The template declares them now, where the account"
    )
    assert told in (folder / "report.md").read_text()
    assert re.search(r"- {Key: cost, Value: !Ref Stage} +# ours\n", (folder / "mini.yaml").read_text())
    front.calls.clear()
    live.tenuto(
        "run", str(folder / "mini.yaml"), "-a", "mini", "--import", "--only-adopt", "--enforcement", "off", "--wait",
        check=True,
    )  # fmt: skip
    assert not [one for one in front.changing() if one[1] in ("DeleteTags", "UntagQueue", "RemoveTagsFromResource")]
    [gateway] = live.aws("ec2").describe_internet_gateways(InternetGatewayIds=[ids["I"]])["InternetGateways"]
    assert [one for one in gateway["Tags"] if one["Key"] in ("cost", "on")] == tags


def test_tags_that_a_function_makes_are_told_and_left(live: Live) -> None:
    template = """\
Conditions: {Always: !Equals [a, a]}
Resources:
  I:
    Type: AWS::EC2::InternetGateway
    Properties: {Tags: !If [Always, [{Key: a, Value: b}], []]}
"""
    tags = [{"Key": "cost", "Value": "x"}]
    live.aws("cloudformation").create_stack(StackName="made", TemplateBody=template, Tags=tags)
    [row] = live.aws("cloudformation").list_stack_resources(StackName="made")["StackResourceSummaries"]
    live.aws("ec2").create_tags(Resources=[row["PhysicalResourceId"]], Tags=tags)
    folder = live.folder / "made"
    live.tenuto("import", "--stack", "made", "-o", str(folder), check=True)
    report = (folder / "report.md").read_text()
    assert "* The tags of I are the result of a function" in report
    assert "Declare `cost` there yourself" in report


def test_a_stack_is_not_let_go_before_a_process_holds_it(live: Live, front: StackFront) -> None:
    template = "Resources:\n  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.31.0.0/16}}\n"
    live.aws("cloudformation").create_stack(StackName="loose", TemplateBody=template)
    front.calls.clear()
    refused = live.tenuto("import", "--stack", "loose", "--let-go")
    assert refused.code == Exit.NOT_ALLOWED
    assert "No process of Tenuto holds Net of the stack loose" in refused.err
    assert not [one for one in front.calls if one[1] in ("CreateChangeSet", "DeleteStack")]


def test_a_change_set_that_would_do_more_is_never_executed(live: Live, front: StackFront) -> None:
    adopted(live, "slipped", "10.32.0.0/16")
    front.slipped = "Net"
    front.calls.clear()
    refused = live.tenuto("import", "--stack", "slipped", "--let-go")
    front.slipped = ""
    assert refused.code == Exit.NOT_ALLOWED, refused
    assert "Net: a replacement" in refused.err
    assert ("cloudformation", "DeleteChangeSet") in front.calls
    assert ("cloudformation", "ExecuteChangeSet") not in front.calls


def test_exports_that_others_import_stay_in_a_shell(live: Live, front: StackFront) -> None:
    adopted(live, "base", "10.33.0.0/16", exporting("base-net"))
    front.importers["base-net"] = ["app"]
    refused = live.tenuto("import", "--stack", "base", "--let-go")
    assert refused.code == Exit.NOT_ALLOWED
    assert "base-net (imported by app)" in refused.err
    kept = live.tenuto("import", "--stack", "base", "--let-go", "--keep-exports", check=True)
    assert "is a shell with its exports" in kept.out
    [handle] = live.aws("cloudformation").list_stack_resources(StackName="base")["StackResourceSummaries"]
    assert handle["ResourceType"] == "AWS::CloudFormation::WaitConditionHandle"
    exports = live.aws("cloudformation").list_exports()["Exports"]
    assert [one["Value"] for one in exports if one["Name"] == "base-net"] == [live.id("base", "Net")]


def test_letting_go_may_be_repeated_at_every_end(live: Live, front: StackFront) -> None:
    """With parameters: CloudFormation takes none for a shell, which declares none."""
    adopted(live, "par", "10.34.0.0/16", "Parameters: {Label: {Type: String, Default: a}}\n" + exporting("par-net"))
    front.importers["par-net"] = ["app"]
    kept = live.tenuto("import", "--stack", "par", "--let-go", "--keep-exports", check=True)
    assert "Its 1 resource stands, and par holds it." in " ".join(kept.out.split())
    front.calls.clear()
    again = live.tenuto("import", "--stack", "par", "--let-go", "--keep-exports", check=True)
    assert "is a shell with its exports already; nothing was done" in " ".join(again.out.split())
    assert not {action for _, action in front.calls} & {"CreateChangeSet", "ExecuteChangeSet", "DeleteStack"}
    read = live.tenuto("import", "--stack", "par", "-o", str(live.folder / "shell"))
    assert (read.code, "there is nothing to take over" in read.err) == (Exit.COMPILE, True)
    used = live.tenuto("import", "--stack", "par", "--let-go")
    assert (used.code, "par-net (imported by app)" in used.err) == (Exit.NOT_ALLOWED, True)
    front.importers.clear()
    gone = live.tenuto("import", "--stack", "par", "--let-go", check=True)
    assert "The stack par is gone; no resource was in it." in " ".join(gone.out.split())
    repeated = live.tenuto("import", "--stack", "par", "--let-go")
    assert repeated.code == Exit.NOT_FOUND
    assert "If it was let go, it is gone, and 'tenuto status par' shows" in repeated.err
    assert live.status("par")["resources"]["Net"]["id"]


def test_a_template_that_does_not_compile_is_told_as_a_file_is(live: Live) -> None:
    template = "Resources:\n  Net:\n    Type: AWS::EC2::VPC\n    Properties: {CidrBlock: 10.35.0.0/16, Cidr: x}\n"
    live.aws("cloudformation").create_stack(StackName="bad", TemplateBody=template)
    refused = live.tenuto("import", "--stack", "bad", "-o", str(live.folder / "bad"))
    assert refused.code == Exit.COMPILE
    for told in ("error[T", "--> bad.template:4:", "^^^^", "hint: "):
        assert told in refused.err, refused.err
    document = live.tenuto("--json", "import", "--stack", "bad", "-o", str(live.folder / "bad"))
    assert "error[" not in document.err
    assert document.document["error"]["problem"]["diagnostics"]


def test_a_refused_stack_is_reported_with_what_is_in_the_way_and_no_steps(live: Live) -> None:
    template = (
        "Conditions: {Never: !Equals [a, b]}\nResources:\n"
        "  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.36.0.0/16}}\n"
        "  Off: {Type: AWS::EC2::VPC, Condition: Never, Properties: {CidrBlock: 10.37.0.0/16}}\n"
        "  Old: {Type: AWS::RDS::DBSecurityGroup, Properties: {GroupDescription: old, DBSecurityGroupIngress: []}}\n"
    )
    live.aws("cloudformation").create_stack(StackName="odd", TemplateBody=template)
    folder = live.folder / "odd"
    refused = live.tenuto("import", "--stack", "odd", "-o", str(folder))
    assert refused.code == Exit.COMPILE
    assert "():" not in refused.err
    assert [path.name for path in folder.iterdir()] == ["report.md"]
    report = (folder / "report.md").read_text()
    assert report.startswith("# The stack odd cannot be taken over as it is\n")
    assert "* Old (AWS::RDS::DBSecurityGroup): Tenuto does not manage AWS::RDS::DBSecurityGroup; take it out" in report
    assert re.findall(r"tenuto .*", report) == [f"tenuto import --stack odd -o {folder} --region {REGION}"]


def test_a_resource_that_cannot_be_read_is_told_with_the_answer(live: Live, front: StackFront) -> None:
    template = "Resources:\n  K: {Type: AWS::KMS::Key, Properties: {KeyPolicy: {Statement: []}}}\n"
    live.aws("cloudformation").create_stack(StackName="keys", TemplateBody=template)
    [row] = live.aws("cloudformation").list_stack_resources(StackName="keys")["StackResourceSummaries"]
    front.broken = {"DescribeKey"}
    refused = live.tenuto("import", "--stack", "keys", "-o", str(live.folder / "keys"))
    alone = live.tenuto("import", "AWS::KMS::Key", row["PhysicalResourceId"])
    front.broken = set()
    told = f"{row['PhysicalResourceId']} could not be read: kms DescribeKey: "
    for text in (refused.err, (live.folder / "keys" / "report.md").read_text()):
        assert told in text
        assert "Try again;" in text
    for text in (refused.err, alone.err):
        assert ".." not in text
        assert "ermit the account" not in text


def test_a_stack_that_is_nothing_but_a_change_set_is_refused(live: Live, front: StackFront) -> None:
    template = "Resources:\n  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.38.0.0/16}}\n"
    beside(front).create_change_set(
        StackName="new", ChangeSetName="first", ChangeSetType="CREATE", TemplateBody=template
    )
    refused = live.tenuto("import", "--stack", "new", "-o", str(live.folder / "new"))
    assert refused.code == Exit.COMPILE
    assert "REVIEW_IN_PROGRESS" in refused.err
    assert "Execute the change set, or delete the stack." in " ".join(refused.err.split())


def test_a_stack_that_is_not_there_is_told(live: Live) -> None:
    missing = live.tenuto("import", "--stack", "shpo", "-o", str(live.folder / "none"))
    assert missing.code == Exit.NOT_FOUND
    assert "There is no stack 'shpo'" in missing.err


def typed(live: Live) -> list[list[str]]:
    """The commands of the guide, in its order, with the folder and the region of this test."""
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("tenuto ")]
    folder = str(live.folder / "shop")
    text = "\n".join(lines).replace("-o shop", f"-o {folder}").replace(" shop/", f" {folder}/")
    return [shlex.split(line)[1:] for line in text.replace("eu-west-1", REGION).splitlines()]


def adopted(live: Live, name: str, cidr: str, more: str = "") -> None:
    """A stack of one network, and the process that holds it."""
    template = f"Resources:\n  Net: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: {cidr}}}}}\n{more}"
    live.aws("cloudformation").create_stack(StackName=name, TemplateBody=template)
    folder = live.folder / name
    live.tenuto("import", "--stack", name, "-o", str(folder), check=True)
    live.tenuto(
        "run", str(folder / f"{name}.yaml"), "-a", name, "--import", "--only-adopt", "--enforcement", "off", "--wait",
        check=True,
    )  # fmt: skip


def exporting(name: str) -> str:
    """The output of a stack of one network that exports its id."""
    return f"Outputs:\n  Id: {{Value: !Ref Net, Export: {{Name: {name}}}}}\n"


def beside(front: StackFront) -> Any:
    """A client of CloudFormation that goes past the front, which has no change sets of new stacks."""
    session = open_session()
    session.set_credentials("test", "test")
    return session.create_client("cloudformation", region_name=REGION, endpoint_url=front.endpoint)


def _stage(live: Live, vpc: str) -> str:
    [found] = live.aws("ec2").describe_vpcs(VpcIds=[vpc])["Vpcs"]
    return str({tag["Key"]: tag["Value"] for tag in found["Tags"]}.get("stage"))
