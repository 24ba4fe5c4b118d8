"""Lists that lack what is there: what is said in words is believed, what is left out is not."""

from dataclasses import replace

import pytest
from scripted_endpoint import answer, refusal
from scripted_world import HERE, VPC, World, a_request

from tenuto.model.ids import JsonMap, PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.model.outcome import Done, Pending
from tenuto.providers.aws.client.answers.response_checks import mistaken
from tenuto_testing.cloud.served import SERVED

ACL = TypeName("AWS::EC2::NetworkAcl")
NO_ACLS = answer("DescribeNetworkAcls", "<networkAclSet/>")
ONE_ACL = answer(
    "DescribeNetworkAcls", "<networkAclSet><item><networkAclId>acl-1</networkAclId></item></networkAclSet>"
)


@pytest.mark.parametrize(
    ("said", "is_unsure"),
    [
        (ONE_ACL, True),
        (NO_ACLS, True),
        ((502, "<html>Bad gateway</html>"), True),
        (refusal("InvalidNetworkAclID.NotFound"), False),
        (refusal("UnauthorizedOperation", status=403), False),
    ],
)
def test_what_a_list_lacks_is_missing_when_aws_says_so(world: World, said: tuple[int, str], is_unsure: bool) -> None:
    """Even a list that is empty for an hour makes nothing be made anew."""
    world.endpoint.scripts["DescribeNetworkAcls"] = [NO_ACLS, said]
    tracked = {ACL: {PhysicalId("acl-1"): Interest()}}
    sweep = world.provider.sweep(HERE, "ec2.DescribeNetworkAcls", tracked)[ACL]
    assert (sweep.items, list(sweep.unsure)) == ({}, ["acl-1"] if is_unsure else [])
    assert world.endpoint.asked("DescribeNetworkAcls")[1]["NetworkAclId.1"] == "acl-1"


def test_a_list_that_shows_all_that_is_tracked_costs_no_more_calls(world: World) -> None:
    world.endpoint.scripts["DescribeNetworkAcls"] = [ONE_ACL]
    sweep = world.provider.sweep(HERE, "ec2.DescribeNetworkAcls", {ACL: {PhysicalId("acl-1"): Interest()}})[ACL]
    assert (set(sweep.items), sweep.unsure) == ({"acl-1"}, {})
    assert len(world.endpoint.asked("DescribeNetworkAcls")) == 1


def test_things_that_could_be_made_twice_are_asked_for_by_their_ids() -> None:
    """A rule has one place, a sweep asks for each queue by its name anyway, and log groups are only ever listed."""
    unasked = {name for name, kind in SERVED.items() if kind.question is None and (kind.tagged_as or kind.marks)}
    assert unasked == {
        "AWS::EC2::SecurityGroupEgress",
        "AWS::EC2::SecurityGroupIngress",
        "AWS::Logs::LogGroup",
        "AWS::SQS::Queue",
    }


def test_an_instance_that_a_list_does_not_show_is_not_taken_for_terminated(world: World) -> None:
    nothing = answer("DescribeInstances", "<reservationSet/>")
    world.endpoint.scripts |= {
        "DescribeInstances": [nothing],
        "TerminateInstances": [answer("TerminateInstances", "<instancesSet/>")],
    }
    request = a_request("AWS::EC2::Instance", {}, "i-1")
    assert isinstance(world.delete(request), Pending)
    assert len(world.endpoint.asked("TerminateInstances")) == 1, "it may run"
    world.endpoint.scripts["DescribeInstances"] = [nothing, refusal("InvalidInstanceID.NotFound")] * 2
    assert world.delete(request) == Done(physical_id=PhysicalId("i-1"), was_absent=True)


def test_a_nat_gateway_that_a_list_does_not_show_is_told_to_go(world: World) -> None:
    world.endpoint.scripts |= {
        "DescribeNatGateways": [answer("DescribeNatGateways", "<natGatewaySet/>")],
        "DeleteNatGateway": [
            answer("DeleteNatGateway", "<natGatewayId>nat-1</natGatewayId>"),
            refusal("NatGatewayNotFound"),
        ],
    }
    request = a_request("AWS::EC2::NatGateway", {}, "nat-1")
    assert isinstance(world.delete(request), Pending)
    assert world.delete(request) == Done(physical_id=PhysicalId("nat-1"), was_absent=True)


ASSOCIATION = {"SubnetId": "subnet-1", "NetworkAclId": "acl-1"}
SUBNET = answer("DescribeSubnets", "<subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet>")
OURS = answer(
    "DescribeNetworkAcls",
    "<networkAclSet><item><networkAclId>acl-1</networkAclId><vpcId>vpc-1</vpcId><default>false</default>"
    "<associationSet><item><networkAclAssociationId>aclassoc-1</networkAclAssociationId>"
    "<networkAclId>acl-1</networkAclId><subnetId>subnet-1</subnetId></item></associationSet></item></networkAclSet>",
)


@pytest.mark.parametrize("shown", [[NO_ACLS], [OURS, NO_ACLS]])
def test_a_subnet_is_not_let_go_of_when_its_network_acl_is_not_shown(
    world: World, shown: list[tuple[int, str]]
) -> None:
    world.endpoint.scripts |= {"DescribeNetworkAcls": shown, "DescribeSubnets": [SUBNET]}
    request = a_request("AWS::EC2::SubnetNetworkAclAssociation", ASSOCIATION, "aclassoc-1")
    outcome = world.delete(request)
    assert isinstance(outcome, Pending)
    assert outcome.code == "BadAnswer"


def test_the_association_of_a_subnet_that_is_gone_is_gone(world: World) -> None:
    world.endpoint.scripts |= {
        "DescribeNetworkAcls": [NO_ACLS],
        "DescribeSubnets": [refusal("InvalidSubnetID.NotFound")],
    }
    request = a_request("AWS::EC2::SubnetNetworkAclAssociation", ASSOCIATION, "aclassoc-1")
    assert world.delete(request) == Done(physical_id=PhysicalId("aclassoc-1"), was_absent=True)


def marked(vpc_id: str, object_id: str) -> tuple[int, str]:
    tag = f"<item><key>tenuto:object</key><value>{object_id}</value></item>"
    return answer("CreateVpc", f"<vpc><vpcId>{vpc_id}</vpcId><tagSet>{tag}</tagSet></vpc>")


def test_the_answer_to_somebody_elses_creation_may_mean_that_something_was_made(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [marked("vpc-2", "object-2"), marked("vpc-1", "object-1")]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.code, outcome.is_undone) == ("BadAnswer", False)
    outcome = world.create(a_request())
    assert isinstance(outcome, Done)
    assert outcome.physical_id == "vpc-1"


@pytest.mark.parametrize(
    ("operation", "sent", "ours", "other"),
    [
        ("CreateQueue", {"QueueName": "q"}, {"QueueUrl": "http://h/1/q"}, {"QueueUrl": "http://h/1/big-q"}),
        ("CreateTopic", {"Name": "t"}, {"TopicArn": "arn:aws:sns:r:1:t"}, {"TopicArn": "arn:aws:sns:r:1:tt"}),
        ("CreateRole", {"RoleName": "r"}, {"Role": {"RoleName": "r"}}, {"Role": {"RoleName": "rr"}}),
        (
            "Subscribe",
            {"TopicArn": "arn:t"},
            {"SubscriptionArn": "pending confirmation"},
            {"SubscriptionArn": "arn:tt:1"},
        ),
        ("Subscribe", {"TopicArn": "arn:t"}, {"SubscriptionArn": "arn:t:1"}, {"SubscriptionArn": "arn:u:1"}),
        ("GetQueueUrl", {"QueueName": "q"}, {"QueueUrl": "http://h/1/q"}, {"QueueUrl": "http://h/1/p"}),
        (
            "GetQueueAttributes",
            {"QueueUrl": "http://h/1/q"},
            {"Attributes": {"QueueArn": "arn:aws:sqs:r:1:q"}},
            {"Attributes": {"QueueArn": "arn:aws:sqs:r:1:p"}},
        ),
        ("DescribeSubnets", {"SubnetIds": ["s-2"]}, {"Subnets": [{"SubnetId": "s-2"}]}, {"Subnets": []}),
        ("DescribeVpcs", {"VpcIds": ["v-1"]}, {"Vpcs": [{"VpcId": "v-1"}]}, {"Vpcs": [{"VpcId": "v-2"}]}),
    ],
)
def test_what_an_answer_repeats_of_its_request_is_held_against_it(
    operation: str, sent: JsonMap, ours: JsonMap, other: JsonMap
) -> None:
    assert mistaken(operation, sent, ours) is None
    assert mistaken(operation, sent, other) is not None


@pytest.mark.parametrize(
    ("operation", "sent", "answer"),
    [
        ("GetRole", {"RoleName": "r"}, {"Role": {}}),
        ("GetTopicAttributes", {"TopicArn": "t"}, {}),
        ("DescribeNatGateways", {"NatGatewayIds": ["n-1"]}, {"NatGateways": []}),
        ("DescribeSnapshots", {"OwnerIds": ["self"]}, {"Snapshots": []}),
        ("RunInstances", {"SecurityGroupIds": ["sg-1"]}, {"Instances": []}),
    ],
)
def test_an_answer_that_repeats_nothing_is_nobody_elses(operation: str, sent: JsonMap, answer: JsonMap) -> None:
    assert mistaken(operation, sent, answer) is None


def test_defaults_of_another_vpc_are_nobodys(world: World) -> None:
    """An answer to the question about another VPC."""
    acl = "<item><networkAclId>acl-2</networkAclId><vpcId>vpc-2</vpcId></item>"
    switch = "<enableDnsSupport><value>true</value></enableDnsSupport>"
    switches = f"{switch}<enableDnsHostnames><value>true</value></enableDnsHostnames>"
    world.endpoint.scripts |= {
        "DescribeVpcs": [answer("DescribeVpcs", "<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet>")],
        "DescribeVpcAttribute": [answer("DescribeVpcAttribute", switches)],
        "DescribeNetworkAcls": [answer("DescribeNetworkAcls", f"<networkAclSet>{acl}</networkAclSet>")],
        "DescribeSecurityGroups": [answer("DescribeSecurityGroups", "<securityGroupInfo/>")],
    }
    sweep = world.provider.sweep(HERE, "ec2.DescribeVpcs", {VPC: {PhysicalId("vpc-1"): Interest()}})[VPC]
    assert "DefaultNetworkAcl" not in sweep.items[PhysicalId("vpc-1")].attributes


def test_a_rule_that_is_seen_without_its_peer_is_half_an_answer_and_not_taken_away(world: World) -> None:
    seen = {"SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}]}
    request = a_request("AWS::EC2::SecurityGroup", {"GroupDescription": "g", "SecurityGroupIngress": []}, "sg-1")
    outcome = world.provider.modify(HERE, [replace(request, observed=seen)])[0]
    assert isinstance(outcome, Pending)
    assert outcome.code == "BadAnswer"


def an_address(allocation_id: str) -> tuple[int, str]:
    """The answer to a question for addresses: one that carries our mark."""
    mark = "<tagSet><item><key>tenuto:object</key><value>object-1</value></item></tagSet>"
    return answer(
        "DescribeAddresses",
        f"<addressesSet><item><allocationId>{allocation_id}</allocationId>{mark}</item></addressesSet>",
    )


@pytest.mark.parametrize("shown", [an_address("eipalloc-1"), (502, "")])
def test_an_id_that_may_be_the_answer_to_another_creation_is_not_believed(world: World, shown: tuple[int, str]) -> None:
    """An allocation repeats nothing of its request; recorded, another's address would be released with us."""
    world.endpoint.scripts |= {
        "AllocateAddress": [answer("AllocateAddress", "<allocationId>eipalloc-other</allocationId>")],
        "DescribeAddresses": [shown],
    }
    outcome = world.create(a_request("AWS::EC2::EIP", {}))
    assert isinstance(outcome, Pending)
    assert (outcome.physical_id, outcome.is_undone) == (None, False)
    world.endpoint.scripts["DescribeAddresses"] = [an_address("eipalloc-1")]
    [found] = world.provider.find(HERE, [a_request("AWS::EC2::EIP", {})])
    assert found is not None
    assert found.physical_id == "eipalloc-1"


@pytest.mark.parametrize("shown", [an_address("eipalloc-1"), answer("DescribeAddresses", "<addressesSet/>")])
def test_ids_that_nothing_speaks_against_are_believed_after_one_sweep_for_all(
    world: World, shown: tuple[int, str]
) -> None:
    """What is new may not show yet."""
    world.endpoint.scripts |= {
        "AllocateAddress": [answer("AllocateAddress", "<allocationId>eipalloc-1</allocationId>")],
        "DescribeAddresses": [shown],
    }
    request = a_request("AWS::EC2::EIP", {})
    outcomes = world.provider.create(HERE, [request, request])
    assert [isinstance(one, Done) for one in outcomes] == [True, True]
    assert len(world.endpoint.asked("DescribeAddresses")) == 1


def test_whatever_is_answered_with_a_mere_id_is_looked_up() -> None:
    assert {name for name, kind in SERVED.items() if kind.is_answered_by_id} == {
        "AWS::EC2::EIP",
        "AWS::EC2::EIPAssociation",
        "AWS::EC2::SubnetNetworkAclAssociation",
        "AWS::EC2::SubnetRouteTableAssociation",
    }
