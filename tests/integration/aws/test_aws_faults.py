"""What AWS's refusals, losses and pages become. The endpoint is scripted; time is virtual."""

from dataclasses import replace

import pytest
from scripted_endpoint import answer, refusal
from scripted_world import HERE, MADE, VPC, World, a_request

from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import PhysicalId, TypeName
from tenuto.model.observation import Interest
from tenuto.model.outcome import Done, Pending, Refused
from tenuto.providers.aws.client.answers import faults


def test_a_throttled_creation_is_pending_and_known_to_be_undone(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal("RequestLimitExceeded", status=503)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.code, outcome.request_id, outcome.is_undone) == (
        "RequestLimitExceeded",
        "req-RequestLimitExceeded",
        True,
    )


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ProvisionedThroughputExceededException", 400),
        ("RequestThrottled", 400),
        ("Throttled", 400),
        ("TooManyRequests", 429),
        ("LimitExceededException", 429),
        ("SlowDown", 503),
    ],
)
def test_every_way_to_say_that_a_call_was_one_too_many_is_understood(world: World, code: str, status: int) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal(code, status=status)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.is_undone, outcome.is_held, code in outcome.message) == (True, False, True)
    assert faults.is_throttled(outcome.code)


def test_what_comes_with_a_5xx_is_no_word_about_the_request(world: World) -> None:
    """A deletion that is answered "503, there is no such thing" has deleted nothing."""
    world.endpoint.scripts["DeleteVpc"] = [refusal("InvalidVpcID.NotFound", status=503)]
    outcome = world.delete(a_request(physical_id="vpc-1"))
    assert isinstance(outcome, Pending)
    assert "InvalidVpcID.NotFound" in outcome.message


def test_a_change_is_tried_once_and_reported_with_its_request_id(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal("InternalError", status=500), MADE]
    assert isinstance(world.create(a_request()), Pending)
    assert len(world.endpoint.asked("CreateVpc")) == 1
    assert isinstance(world.create(a_request()), Done)
    assert [(op.operation, op.code, op.request_id, op.object_ids) for op in world.ops.all] == [
        ("CreateVpc", "InternalError", "req-InternalError", ("object-1",)),
        ("CreateVpc", "", "req-good", ("object-1",)),
    ]


def test_a_creation_whose_answer_was_lost_may_have_happened(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [(0, "")]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert not outcome.is_undone


def test_an_answer_that_is_not_aws_is_told_as_such(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [(502, "<html><body>Bad Gateway</body>")]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert "AWS returned an invalid or incomplete response" in outcome.message


@pytest.mark.parametrize("status", [400, 403, 404, 500])
def test_a_refusal_of_which_only_the_status_arrived_is_no_word_of_aws(world: World, status: int) -> None:
    """A proxy that answers 404 does not make everything that stands be made anew."""
    world.endpoint.scripts["DescribeVpcs"] = [(status, "<Response><Errors><Err")]
    with pytest.raises(TransientError, match="AWS returned an invalid or incomplete response"):
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {VPC: {PhysicalId("vpc-1"): Interest()}})


@pytest.mark.parametrize("body", ["", "<html><body>Please log in</body></html>", "<DescribeVpcsResponse/>"])
def test_an_answer_without_a_list_is_not_an_empty_account(world: World, body: str) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [(200, body)]
    with pytest.raises(TransientError, match="AWS returned an invalid or incomplete response"):
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {VPC: {PhysicalId("vpc-1"): Interest()}})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>Please log in</body></html>",
        "<CreateVpcResponse><requestId>1</requestId></CreateVpcResponse>",
        "<CreateVpcResponse><vpc><cidrBlock>10.0.0.0/16</cidrBlock></vpc></CreateVpcResponse>",
        "<CreateSubnetResponse><subnet><subnetId>subnet-1</subnetId></subnet></CreateSubnetResponse>",
        "\ufffd\u0000 not a document",
    ],
)
def test_a_creation_that_gets_no_answer_to_itself_may_have_happened(world: World, body: str) -> None:
    world.endpoint.scripts["CreateVpc"] = [(200, body)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.code, outcome.is_undone) == ("BadAnswer", False)


@pytest.mark.parametrize("body", ["", "<html/>", "[]", '{"TableNames": []}', "\x1f not a document"])
def test_no_list_of_queues_is_read_from_what_is_no_answer_to_it(world: World, body: str) -> None:
    """SQS leaves an empty list out of its answer, so an answer that says nothing must at least be one."""
    world.endpoint.scripts[""] = [(200, body)]
    with pytest.raises(TransientError, match="AWS returned an invalid or incomplete response"):
        world.provider.sweep(HERE, "sqs.ListQueues", {})


def test_an_empty_list_of_queues_is_believed(world: World) -> None:
    world.endpoint.scripts[""] = [(200, "{}")]
    assert world.provider.sweep(HERE, "sqs.ListQueues", {})[TypeName("AWS::SQS::Queue")].items == {}


def test_a_deletion_that_is_answered_with_nothing_needs_a_request_id_to_be_believed(world: World) -> None:
    """Anybody can say nothing, which is how a queue says that it is deleted."""
    world.endpoint.headers.clear()
    world.endpoint.scripts[""] = [(200, "{}")]
    queue = replace(a_request(), type=TypeName("AWS::SQS::Queue"), physical_id=PhysicalId(f"{world.endpoint.url}/1/q"))
    outcome = world.delete(queue)
    assert isinstance(outcome, Pending)
    assert outcome.code == "BadAnswer"
    world.endpoint.headers["x-amzn-requestid"] = "req-1"
    assert isinstance(world.delete(queue), Done)


@pytest.mark.parametrize("code", ["AuthFailure", "ExpiredToken", "RequestExpired", "UnauthorizedOperation"])
def test_who_we_are_and_what_we_may_is_waited_for(world: World, code: str) -> None:
    """A clock is set, credentials are renewed, a permission arrives: none of it is about the composition."""
    world.endpoint.scripts["CreateVpc"] = [refusal(code, status=403), MADE]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.is_held, outcome.is_undone, "permissions" in outcome.hint) == (True, True, True)
    assert isinstance(world.create(a_request()), Done)


def test_a_refusal_in_words_that_no_service_uses_is_waited_for_and_one_of_the_request_is_not(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal("SolarFlare"), refusal("InvalidVpcRange")]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.is_held, outcome.is_undone) == (True, False)
    assert isinstance(world.create(a_request()), Refused)


def test_a_look_up_that_is_not_permitted_decides_nothing(world: World) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [refusal("UnauthorizedOperation", status=403)]
    with pytest.raises(TransientError, match="UnauthorizedOperation"):
        world.provider.find(HERE, [a_request()])


def test_no_way_into_the_account_is_an_outcome_of_each(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = [refusal("ExpiredToken", status=403)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert (outcome.is_undone, outcome.is_held) == (True, False), "it waits without an end"


def test_a_refused_permission_says_who_must_act_and_not_in_kilobytes(world: World) -> None:
    message = f"You may not. Encoded authorization failure message: {'x' * 4000}"
    world.endpoint.scripts["CreateVpc"] = [refusal("UnauthorizedOperation", message, status=403)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Pending)
    assert outcome.message == "ec2 CreateVpc: You may not. (UnauthorizedOperation)"
    assert "permissions" in outcome.hint


def test_a_quota_is_refused_with_a_hint(world: World) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal("VpcLimitExceeded")]
    outcome = world.create(a_request())
    assert isinstance(outcome, Refused)
    assert "quota" in outcome.hint


def test_what_is_not_known_yet_is_waited_for_but_not_for_ever(world: World) -> None:
    world.endpoint.scripts["CreateSubnet"] = [refusal("InvalidVpcID.NotFound")]
    request = a_request("AWS::EC2::Subnet", {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24"})
    assert isinstance(world.create(request), Pending)
    world.clock.advance(30)
    assert isinstance(world.create(request), Pending)
    world.clock.advance(31)
    assert isinstance(world.create(request), Refused)


def test_tags_of_what_is_not_known_yet_are_waited_for_but_not_for_ever(world: World) -> None:
    world.endpoint.scripts["CreateTags"] = [refusal("InvalidVpcID.NotFound")]
    request = replace(a_request(physical_id="vpc-1", properties={"Tags": [{"Key": "a", "Value": "b"}]}), observed={})
    assert isinstance(world.provider.modify(HERE, [request])[0], Pending)
    world.clock.sleep(61.0)
    assert isinstance(world.provider.modify(HERE, [request])[0], Refused)


def test_a_dependency_is_waited_for_in_the_words_of_aws(world: World) -> None:
    world.endpoint.scripts["DeleteVpc"] = [refusal("DependencyViolation", "The vpc has dependencies")]
    outcome = world.delete(a_request(physical_id="vpc-1"))
    assert isinstance(outcome, Pending)
    assert "The vpc has dependencies" in outcome.message


def test_deleting_what_is_gone_is_done(world: World) -> None:
    world.endpoint.scripts["DeleteVpc"] = [refusal("InvalidVpcID.NotFound")]
    assert isinstance(world.delete(a_request(physical_id="vpc-1")), Done)


def test_a_wrong_value_is_refused_before_it_is_sent(world: World) -> None:
    outcome = world.create(a_request(properties={"CidrBlock": ["10.0.0.0/16"]}))
    assert isinstance(outcome, Refused)
    assert "CidrBlock" in outcome.message
    assert not world.endpoint.asked("CreateVpc")


def test_a_property_that_cannot_be_held_is_refused(world: World) -> None:
    outcome = world.create(a_request("AWS::EC2::EIP", {"TransferAddress": "192.0.2.1"}))
    assert isinstance(outcome, Refused)
    assert "TransferAddress" in outcome.message


def test_every_page_of_a_sweep_is_read_and_a_blip_is_overcome(world: World) -> None:
    def page(vpc_id: str, token: str = "") -> tuple[int, str]:
        more = f"<nextToken>{token}</nextToken>" if token else ""
        return answer("DescribeVpcs", f"<vpcSet><item><vpcId>{vpc_id}</vpcId></item></vpcSet>{more}")

    world.endpoint.scripts["DescribeVpcs"] = [
        page("vpc-1", "t1"),
        refusal("ServiceUnavailable", status=503),
        page("vpc-2", "t2"),
        page("vpc-3"),
    ]
    sweeps = world.provider.sweep(HERE, "ec2.DescribeVpcs", {})
    assert list(sweeps[VPC].items) == ["vpc-1", "vpc-2", "vpc-3"]
    asked = world.endpoint.asked("DescribeVpcs")
    assert [form.get("NextToken") for form in asked] == [None, "t1", "t1", "t2"]
    assert {form.get("MaxResults") for form in asked} == {"1000"}


def test_a_page_that_leads_back_to_itself_is_no_end_of_pages(world: World) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [
        answer("DescribeVpcs", f"<vpcSet/><nextToken>{token}</nextToken>") for token in ("t1", "t2", "t1")
    ]
    with pytest.raises(TransientError, match="AWS returned an invalid or incomplete response"):
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {})
    assert len(world.endpoint.asked("DescribeVpcs")) == 3


def test_half_a_picture_is_no_picture(world: World) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [
        answer("DescribeVpcs", "<vpcSet><item><vpcId>vpc-1</vpcId></item></vpcSet><nextToken>t1</nextToken>"),
        refusal("RequestLimitExceeded", status=503),
    ]
    with pytest.raises(TransientError):
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {})


def test_an_endpoint_that_is_down_is_a_passing_fault(world: World) -> None:
    world.provider.context(HERE)
    world.endpoint.close()
    with pytest.raises(TransientError, match="cannot be reached"):
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {})


def test_another_account_than_that_of_the_credentials_is_not_touched(world: World) -> None:
    [outcome] = world.provider.create(replace(HERE, account="999999999999"), [a_request()])
    assert isinstance(outcome, Refused)
    assert "999999999999" in outcome.message
    assert not world.endpoint.asked("CreateVpc")


@pytest.mark.parametrize(("process", "taken"), [("process-1", True), ("process-2", False)])
def test_a_subnet_that_was_pointed_elsewhere_is_taken_back_when_it_is_ours(
    world: World, process: str, taken: bool
) -> None:
    tags = "".join(
        f"<item><key>{key}</key><value>{value}</value></item>"
        for key, value in (("tenuto:object", "o"), ("tenuto:process", process))
    )
    subnet = f"<subnetSet><item><subnetId>subnet-1</subnetId><tagSet>{tags}</tagSet></item></subnetSet>"

    def table(table_id: str, association_id: str) -> tuple[int, str]:
        association = (
            f"<routeTableSet><item><routeTableId>{table_id}</routeTableId><associationSet><item>"
            f"<routeTableAssociationId>{association_id}</routeTableAssociationId><routeTableId>{table_id}</routeTableId>"
            "<subnetId>subnet-1</subnetId></item></associationSet></item></routeTableSet>"
        )
        return answer("DescribeRouteTables", association)

    world.endpoint.scripts |= {
        "AssociateRouteTable": [refusal("Resource.AlreadyAssociated")],
        "DescribeSubnets": [answer("DescribeSubnets", subnet)],
        "DescribeRouteTables": [table("rtb-other", "rtbassoc-1"), table("rtb-1", "rtbassoc-2")],
        "ReplaceRouteTableAssociation": [
            answer("ReplaceRouteTableAssociation", "<newAssociationId>rtbassoc-2</newAssociationId>")
        ],
    }
    outcome = world.create(
        a_request("AWS::EC2::SubnetRouteTableAssociation", {"RouteTableId": "rtb-1", "SubnetId": "subnet-1"})
    )
    if taken:
        assert outcome == Done(physical_id=PhysicalId("rtbassoc-2"), attributes={"Id": "rtbassoc-2"})
    else:
        assert isinstance(outcome, Refused)
        assert outcome.code == "ResourceAlreadyExists"


def test_a_nat_gateway_is_gone_only_when_it_is_seen_to_be(world: World) -> None:
    def state(word: str) -> tuple[int, str]:
        item = f"<item><natGatewayId>nat-1</natGatewayId><state>{word}</state></item>"
        return answer("DescribeNatGateways", f"<natGatewaySet>{item}</natGatewaySet>")

    world.endpoint.scripts |= {
        "DescribeNatGateways": [state("available"), state("deleting"), state("deleting"), state("deleted")],
        "DeleteNatGateway": [answer("DeleteNatGateway", "<natGatewayId>nat-1</natGatewayId>")],
    }
    request = a_request("AWS::EC2::NatGateway", {}, "nat-1")
    assert isinstance(world.delete(request), Pending)
    assert isinstance(world.delete(request), Done)
    assert len(world.endpoint.asked("DeleteNatGateway")) == 1


def test_a_name_that_is_taken_is_refused_as_existing(world: World) -> None:
    world.endpoint.scripts["CreateSecurityGroup"] = [refusal("InvalidGroup.Duplicate")]
    outcome = world.create(a_request("AWS::EC2::SecurityGroup", {"GroupName": "web", "GroupDescription": "web"}))
    assert isinstance(outcome, Refused)
    assert outcome.code == "ResourceAlreadyExists"


def test_a_public_nat_gateway_waits_for_an_internet_gateway(world: World) -> None:
    subnet = "<subnetSet><item><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId></item></subnetSet>"
    world.endpoint.scripts |= {
        "DescribeSubnets": [answer("DescribeSubnets", subnet)],
        "DescribeInternetGateways": [answer("DescribeInternetGateways", "<internetGatewaySet/>")],
    }
    outcome = world.create(a_request("AWS::EC2::NatGateway", {"SubnetId": "subnet-1", "AllocationId": "eipalloc-1"}))
    assert isinstance(outcome, Pending)
    assert "internet gateway" in outcome.message
    assert outcome.is_undone
    assert not world.endpoint.asked("CreateNatGateway")


def test_a_network_is_said_without_host_bits(world: World) -> None:
    world.endpoint.scripts["CreateRoute"] = [answer("CreateRoute", "<return>true</return>")]
    properties = {"RouteTableId": "rtb-1", "DestinationCidrBlock": "192.168.7.9/16", "GatewayId": "igw-1"}
    outcome = world.create(a_request("AWS::EC2::Route", properties))
    assert isinstance(outcome, Done)
    assert outcome.physical_id == "rtb-1|192.168.0.0/16"
    sent = next(form for action, form in world.endpoint.calls if action == "CreateRoute")
    assert sent["DestinationCidrBlock"] == "192.168.0.0/16"


def test_ports_of_a_protocol_without_ports_are_not_shown(world: World) -> None:
    rule = "<item><securityGroupRuleId>sgr-1</securityGroupRuleId><groupId>sg-1</groupId><ipProtocol>50</ipProtocol>"
    rule += "<fromPort>-1</fromPort><toPort>-1</toPort><cidrIpv4>10.0.0.0/8</cidrIpv4></item>"
    world.endpoint.scripts |= {
        "DescribeSecurityGroups": [
            answer(
                "DescribeSecurityGroups", "<securityGroupInfo><item><groupId>sg-1</groupId></item></securityGroupInfo>"
            )
        ],
        "DescribeSecurityGroupRules": [
            answer("DescribeSecurityGroupRules", f"<securityGroupRuleSet>{rule}</securityGroupRuleSet>")
        ],
    }
    seen = world.provider.sweep(HERE, "ec2.DescribeSecurityGroups", {})
    group = seen[TypeName("AWS::EC2::SecurityGroup")].items[PhysicalId("sg-1")]
    assert group.properties["SecurityGroupIngress"] == [{"IpProtocol": "50", "CidrIp": "10.0.0.0/8"}]


def test_protection_from_termination_says_how_to_go_on(world: World) -> None:
    found = "<reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><instanceState><name>running</name>"
    found += "</instanceState></item></instancesSet></item></reservationSet>"
    world.endpoint.scripts |= {
        "DescribeInstances": [answer("DescribeInstances", found)],
        "TerminateInstances": [
            refusal("OperationNotPermitted", "i-1 may not be terminated. Modify its 'disableApiTermination' attribute")
        ],
    }
    outcome = world.delete(a_request("AWS::EC2::Instance", {}, "i-1"))
    assert isinstance(outcome, Refused)
    assert "Turn DisableApiTermination off" in outcome.hint


def test_a_sweep_that_is_denied_says_what_to_check(world: World) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [refusal("UnauthorizedOperation", "You are not authorized")]
    with pytest.raises(PermanentError, match=r"not authorized.*Check the credentials and permissions") as denied:
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {VPC: {}})
    assert (denied.value.code, denied.value.request_id) == ("UnauthorizedOperation", "req-UnauthorizedOperation")


def test_credentials_that_are_none_say_what_to_check(world: World) -> None:
    world.endpoint.scripts["GetCallerIdentity"] = [refusal("InvalidClientTokenId", "The token is invalid", 403)]
    with pytest.raises(PermanentError, match=r"account default: .*Renew the credentials"):
        world.provider.context(HERE)
