"""The numbered behaviours that depend on the provider, with a real Conductor, command line and emulated AWS.

All of them are tried in the simulated world too (tests/behaviours). Each test has a process, and networks, of its own.
"""

import time
from collections.abc import Callable, Iterator
from ipaddress import ip_network
from typing import Any

import pytest
from live import PERIOD_S, Live, begun_at, emulated

NET = "  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16, Tags: [{Key: team, Value: a}]}}"
SUB = "  Sub: {Type: AWS::EC2::Subnet, Properties: {VpcId: !Ref Net, CidrBlock: 10.0.1.0/24}}"
GRP = (
    "  Grp: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: g, VpcId: !Ref Net, "
    "SecurityGroupIngress: [{IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 0.0.0.0/0}]}}"
)
SSH = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}
HTTPS = SSH | {"FromPort": 443, "ToPort": 443}
FLEET = (
    "  Lt: {Type: AWS::EC2::LaunchTemplate, Properties: {LaunchTemplateData: {ImageId: ami-12c6146b}}}",
    "  Asg: {Type: AWS::AutoScaling::AutoScalingGroup, Properties: {AutoScalingGroupName: fleet, MinSize: '0', "
    "MaxSize: '1', AvailabilityZones: [us-east-1a], LaunchTemplate: {LaunchTemplateId: !Ref Lt, Version: '1'}}}",
    "  Build: {Type: AWS::CodeBuild::Project, Properties: {Name: site-build, Artifacts: {Type: NO_ARTIFACTS}, "
    "Environment: {Type: LINUX_CONTAINER, Image: 'aws/codebuild/standard:7.0', ComputeType: BUILD_GENERAL1_SMALL}, "
    "ServiceRole: 'arn:aws:iam::123456789012:role/service-role/build', Source: {Type: NO_SOURCE, BuildSpec: 'version: "
    "0.2'}}}",
)


class Somebody:
    """One process on AWS, and somebody who changes things behind its back."""

    def __init__(self, live: Live, alias: str) -> None:
        self.live = live
        self.alias = alias
        self.ec2 = live.aws("ec2")

    def template(self, *lines: str) -> str:
        path = self.live.folder / f"{self.alias}.yaml"
        path.write_text("\n".join(("Resources:", *lines, "")))
        return str(path)

    def runs(self, *lines: str, more: tuple[str, ...] = ()) -> None:
        self.live.tenuto("run", self.template(*lines), "-a", self.alias, "--wait=160", *more, check=True)

    def does(self, *words: str) -> str:
        return self.live.tenuto(*words, check=True).out

    def id(self, name: str) -> str:
        found = self.live.id(self.alias, name)
        assert found is not None
        return found

    def converges(self) -> None:
        """A job that began from now on finds nothing left to do.

        The next job may still have a sweep that began a moment before; the one after it has none.
        """
        first = begun_at(self.live.until_converged(self.alias, time.time()))
        self.live.until_converged(self.alias, first + PERIOD_S / 2)

    def is_gone(self) -> bool:
        return self.live.status(self.alias) is None

    def vpcs(self) -> set[str]:
        return {vpc["VpcId"] for vpc in self.ec2.describe_vpcs()["Vpcs"]}

    def subnets(self) -> set[str]:
        return {subnet["SubnetId"] for subnet in self.ec2.describe_subnets()["Subnets"]}

    def vpc(self) -> Any:
        return self.ec2.describe_vpcs(VpcIds=[self.id("Net")])["Vpcs"][0]

    def ports(self, group: str) -> set[int]:
        found = self.ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"][0]
        return {rule["FromPort"] for rule in found["IpPermissions"]}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with emulated(tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.fixture
def somebody(live: Live, request: pytest.FixtureRequest) -> Iterator[Somebody]:
    number = request.node.name.split("_")[2]
    found = Somebody(live, f"number-{number}")
    yield found
    live.asked("suspend", found.alias)  # From here on the Conductor works for the tests that come.


def test_behaviour_3_a_changed_tag_is_reverted_in_place(somebody: Somebody) -> None:
    somebody.runs(NET)
    net = somebody.id("Net")
    somebody.ec2.create_tags(Resources=[net], Tags=[{"Key": "team", "Value": "b"}])
    somebody.converges()
    assert (somebody.id("Net"), {"Key": "team", "Value": "a"} in somebody.vpc()["Tags"]) == (net, True)


def test_behaviour_4_a_rule_too_many_goes_and_a_rule_too_few_comes_back(somebody: Somebody) -> None:
    somebody.runs(NET, GRP)
    group = somebody.id("Grp")
    somebody.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[SSH])
    somebody.ec2.revoke_security_group_ingress(GroupId=group, IpPermissions=[HTTPS])
    somebody.converges()
    assert (somebody.id("Grp"), somebody.ports(group)) == (group, {443})


def test_behaviour_5_what_was_deleted_by_hand_is_made_again(somebody: Somebody) -> None:
    somebody.runs(NET, SUB)
    old = somebody.id("Sub")
    somebody.ec2.delete_subnet(SubnetId=old)
    somebody.live.until_made_again(somebody.alias, "Sub", old)
    somebody.converges()


def test_behaviour_5b_what_a_service_answers_with_nothing_for_is_made_again(somebody: Somebody) -> None:
    """Asked for a deleted group or project by its name, the service does not refuse: it shows an empty list."""
    somebody.runs(*FLEET)
    scaling, builds = somebody.live.aws("autoscaling"), somebody.live.aws("codebuild")
    scaling.delete_auto_scaling_group(AutoScalingGroupName="fleet", ForceDelete=True)
    builds.delete_project(name="site-build")
    somebody.live.until(
        lambda: (
            scaling.describe_auto_scaling_groups(AutoScalingGroupNames=["fleet"])["AutoScalingGroups"]
            and builds.batch_get_projects(names=["site-build"])["projects"]
        ),
        "the group and the project are made again",
    )
    somebody.converges()


def test_behaviour_6_what_nobody_declared_never_changes(somebody: Somebody) -> None:
    stranger = somebody.ec2.create_vpc(CidrBlock="10.99.0.0/16")["Vpc"]["VpcId"]
    before = somebody.ec2.describe_vpcs(VpcIds=[stranger])["Vpcs"]
    somebody.runs(NET, SUB)
    somebody.does("kill", somebody.alias, "--wait=160")
    assert somebody.ec2.describe_vpcs(VpcIds=[stranger])["Vpcs"] == before


def test_behaviour_8_a_resumed_process_reverts_what_drifted_meanwhile(somebody: Somebody) -> None:
    somebody.runs(NET, GRP)
    somebody.does("suspend", somebody.alias)
    somebody.ec2.authorize_security_group_ingress(GroupId=somebody.id("Grp"), IpPermissions=[SSH])
    somebody.does("resume", somebody.alias, "--wait=160")
    assert somebody.ports(somebody.id("Grp")) == {443}


def test_behaviour_9_a_kill_deletes_all_and_the_process_is_gone(somebody: Somebody) -> None:
    somebody.runs(NET, SUB, GRP)
    net = somebody.id("Net")
    somebody.does("kill", somebody.alias, "--wait=160")
    assert (net in somebody.vpcs(), somebody.is_gone()) == (False, True)


@pytest.mark.parametrize("command", ["resume", "kill"])
def test_behaviour_11_12_a_suspended_kill_is_cancelled_or_goes_on(somebody: Somebody, command: str) -> None:
    somebody.alias += f"-{command}"
    somebody.runs(NET, SUB, GRP)
    net, sub = somebody.id("Net"), somebody.id("Sub")
    strange = somebody.ec2.create_subnet(VpcId=net, CidrBlock="10.0.200.0/24")["Subnet"]["SubnetId"]
    somebody.does("kill", somebody.alias)
    somebody.live.until(lambda: sub not in somebody.subnets(), "half is gone")
    somebody.does("suspend", somebody.alias)
    somebody.ec2.delete_subnet(SubnetId=strange)
    somebody.does(command, somebody.alias, "--wait=160")
    if command == "kill":
        assert (net in somebody.vpcs(), somebody.is_gone()) == (False, True)
    else:
        somebody.converges()
        assert somebody.live.status(somebody.alias)["resources"].keys() == {"Net", "Sub", "Grp"}


def test_behaviour_15_66_a_refusal_of_aws_suspends_and_its_words_are_told(somebody: Somebody) -> None:
    wrong = SUB.replace("10.0.1.0/24", "192.168.1.0/24")
    ended = somebody.live.tenuto("run", somebody.template(NET, wrong), "-a", somebody.alias, "--wait=160")
    status = somebody.live.status(somebody.alias)
    assert (ended.code, status["state"]) == (1, "Suspended")
    assert "InvalidSubnet.Range" in status["last_message"]
    assert "Sub" in status["last_message"]


def test_behaviour_28_a_bucket_name_that_is_taken_is_not_adopted(somebody: Somebody) -> None:
    somebody.live.aws("s3").create_bucket(Bucket="theirs-28")
    template = somebody.template("  Bkt: {Type: AWS::S3::Bucket, Properties: {BucketName: theirs-28}}")
    somebody.live.tenuto("run", template, "-a", somebody.alias, "--wait=160")
    status = somebody.live.status(somebody.alias)
    assert status["state"] == "Suspended"
    assert "theirs-28" in status["last_message"]
    assert somebody.live.aws("s3").list_buckets()["Buckets"]


@pytest.mark.parametrize(
    ("change", "keeps_id"),
    [(("Value: a", "Value: z"), True), (("10.0.0.0/16", "10.0.0.0/17"), False)],
    ids=["33 in place", "34 replaced"],
)
def test_behaviour_33_34_an_update_changes_in_place_or_replaces(
    somebody: Somebody, change: tuple[str, str], keeps_id: bool
) -> None:
    somebody.alias += "-place" if keeps_id else "-new"
    somebody.runs(NET, SUB)
    old = somebody.id("Net")
    somebody.does("update", somebody.alias, somebody.template(NET.replace(*change), SUB), "--wait=160")
    assert (somebody.id("Net") == old, old in somebody.vpcs()) == (keeps_id, keeps_id)
    subnet = somebody.ec2.describe_subnets(SubnetIds=[somebody.id("Sub")])["Subnets"][0]
    assert subnet["VpcId"] == somebody.id("Net")


def test_behaviour_35_what_is_not_declared_any_more_goes_and_what_is_new_comes(somebody: Somebody) -> None:
    somebody.runs(NET, SUB)
    old = somebody.id("Sub")
    somebody.does("update", somebody.alias, somebody.template(NET, GRP), "--wait=160")
    assert somebody.live.status(somebody.alias)["resources"].keys() == {"Net", "Grp"}
    assert old not in somebody.subnets()


def test_behaviour_53_56_what_was_released_stays_and_can_be_adopted_again(somebody: Somebody) -> None:
    somebody.runs(NET, SUB)
    net, sub = somebody.id("Net"), somebody.id("Sub")
    somebody.does("release", somebody.alias, "--wait=160")
    assert (net in somebody.vpcs(), somebody.is_gone()) == (True, True)
    known = somebody.live.folder / "existing.yaml"
    somebody.does("import", "AWS::EC2::VPC", net, "AWS::EC2::Subnet", sub, "-o", str(known))
    plan = somebody.live.tenuto("--json", "run", str(known), "--import", "--dry-run", check=True).document
    assert [one["op"] for one in plan["operations"]] == ["adopt", "adopt"]
    somebody.does("run", str(known), "-a", somebody.alias, "--import", "--wait=160")
    assert {found["id"] for found in somebody.live.status(somebody.alias)["resources"].values()} == {net, sub}


@pytest.mark.parametrize(
    ("identify", "words"),
    [(lambda other: "vpc-0404", "vpc-0404"), (lambda other: other, "holder")],
    ids=["57 not there", "58 held by another"],
)
def test_behaviour_57_58_what_cannot_be_adopted_is_refused_and_nothing_is_made(
    somebody: Somebody, identify: Callable[[str], str], words: str
) -> None:
    holder = Somebody(somebody.live, f"holder-{len(words)}")
    holder.runs(NET)
    before = somebody.vpcs()
    net = NET.replace(
        "Properties:", f"Metadata: {{Tenuto: {{ResourceIdentifier: {identify(holder.id('Net'))}}}}}, Properties:"
    )
    refused = somebody.live.tenuto("run", somebody.template(net, SUB), "-a", somebody.alias, "--import")
    assert refused.code != 0
    assert words in refused.err
    assert (somebody.vpcs(), somebody.is_gone()) == (before, True)


def test_behaviour_60_what_is_only_referred_to_is_never_changed_or_deleted(somebody: Somebody) -> None:
    stranger = somebody.ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    before = somebody.ec2.describe_vpcs(VpcIds=[stranger])["Vpcs"]
    somebody.runs(SUB.replace("!Ref Net", stranger))
    somebody.does("kill", somebody.alias, "--wait=160")
    assert somebody.ec2.describe_vpcs(VpcIds=[stranger])["Vpcs"] == before


def test_addresses_of_ipv6_that_come_after_their_network_are_waited_for(somebody: Somebody) -> None:
    """As CloudFormation reads them when the subnet is made; the network was read before it had any."""
    block = "  Six: {Type: AWS::EC2::VPCCidrBlock, Properties: {AmazonProvidedIpv6CidrBlock: true, VpcId: !Ref Net}}"
    six = "!Select [0, !Cidr [!Select [0, !GetAtt Net.Ipv6CidrBlocks], 4, 64]]"
    about = f"VpcId: !Ref Net, CidrBlock: 10.0.1.0/24, Ipv6CidrBlock: {six}"
    somebody.runs(NET, block, f"  Sub: {{Type: AWS::EC2::Subnet, DependsOn: Six, Properties: {{{about}}}}}")
    [shown] = somebody.ec2.describe_subnets(SubnetIds=[somebody.id("Sub")])["Subnets"]
    [of_net] = somebody.vpc()["Ipv6CidrBlockAssociationSet"]
    [of_sub] = shown["Ipv6CidrBlockAssociationSet"]
    written, of_the_net = ip_network(of_sub["Ipv6CidrBlock"]), ip_network(of_net["Ipv6CidrBlock"])
    assert written == next(of_the_net.subnets(new_prefix=64)), "the emulator writes leading zeros into what it draws"
    somebody.converges()
