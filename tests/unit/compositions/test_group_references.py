"""`Ref` of a security group is its name without a VpcId, and its id with one, as the published schema says."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.model.composition import Composition

REGION = "us-east-1"
PARAMETERS: dict[str, Any] = {"Net": {"Type": "String", "Default": ""}}
CONDITIONS: dict[str, Any] = {"HasNet": {"Fn::Not": [{"Fn::Equals": [{"Ref": "Net"}, ""]}]}}
ID = {"Ref": "Group"}
NAME = {"Fn::GetAtt": ["Group", "GroupName"]}


def compiled(resources: dict[str, Any], vpc: Any = None, outputs: Any = None, **parameters: str) -> Composition:
    group: dict[str, Any] = {"GroupDescription": "front"} | ({"VpcId": vpc} if vpc else {})
    template = {
        "Parameters": PARAMETERS,
        "Conditions": CONDITIONS,
        "Resources": {"Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": group}, **resources},
        "Outputs": outputs or {},
    }
    return compile_text(json.dumps(template), file="x.json", parameters=parameters, region=REGION).composition


def properties(resource: dict[str, Any], vpc: Any = None, **parameters: str) -> Any:
    found = compiled({"Other": resource}, vpc, **parameters).resources
    return next(one for one in found if one.logical_id == "Other").properties


def resource(type_name: str, **declared: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{type_name}", "Properties": declared}


RULE = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80}
NAMES = [
    (resource("EC2::Instance", SecurityGroups=[ID]), "SecurityGroups", [NAME]),
    (resource("EC2::SecurityGroupIngress", GroupName=ID, CidrIp="10.0.0.0/8", **RULE), "GroupName", NAME),
    (
        resource(
            "EC2::SecurityGroup", GroupDescription="x", SecurityGroupIngress=[{**RULE, "SourceSecurityGroupName": ID}]
        ),
        "SecurityGroupIngress",
        [{**RULE, "SourceSecurityGroupName": NAME}],
    ),
    (
        resource("SSM::Parameter", Type="String", Value={"Fn::Sub": "group ${Group}"}),
        "Value",
        {"Fn::Join": ["", ["group ", NAME]]},
    ),
    (resource("SSM::Parameter", Type="String", Value={"Fn::GetAtt": ["Group", "Id"]}), "Value", NAME),
]
IDS = [
    (resource("EC2::Instance", SecurityGroupIds=[ID]), "SecurityGroupIds", [ID]),
    (
        resource("EC2::Instance", NetworkInterfaces=[{"DeviceIndex": "0", "GroupSet": [ID]}]),
        "NetworkInterfaces",
        [{"DeviceIndex": "0", "GroupSet": [ID]}],
    ),
    (resource("EC2::SecurityGroupIngress", GroupId=ID, CidrIp="10.0.0.0/8", **RULE), "GroupId", ID),
    (
        resource("SSM::Parameter", Type="String", Value={"Fn::GetAtt": ["Group", "GroupId"]}),
        "Value",
        {"Fn::GetAtt": ["Group", "GroupId"]},
    ),
]


@pytest.mark.parametrize(("declared", "name", "value"), NAMES)
def test_a_group_without_a_vpc_is_referred_to_by_its_name(declared: dict[str, Any], name: str, value: Any) -> None:
    assert properties(declared)[name] == value


@pytest.mark.parametrize(("declared", "name", "value"), IDS)
def test_a_property_that_takes_ids_gets_the_id_also_without_a_vpc(
    declared: dict[str, Any], name: str, value: Any
) -> None:
    assert properties(declared)[name] == value


@pytest.mark.parametrize(("declared", "name", "value"), [NAMES[0], NAMES[3], *IDS])
def test_a_group_with_a_vpc_is_referred_to_by_its_id(declared: dict[str, Any], name: str, value: Any) -> None:
    assert NAME not in _all(properties(declared, "vpc-1")[name])


def test_a_condition_decides_whether_there_is_a_vpc() -> None:
    vpc = {"Fn::If": ["HasNet", {"Ref": "Net"}, {"Ref": "AWS::NoValue"}]}
    declared = resource("EC2::Instance", SecurityGroups=[ID])
    assert properties(declared, vpc)["SecurityGroups"] == [NAME]
    assert properties(declared, vpc, Net="vpc-1")["SecurityGroups"] == [ID]


def test_outputs_and_metadata_hold_the_name() -> None:
    other = {**resource("EC2::EIP"), "Metadata": {"of": ID}}
    outputs = {"Group": {"Value": ID, "Export": {"Name": {"Fn::Sub": "${Group}-of"}}}}
    found = compiled({"Other": other}, outputs=outputs)
    assert [one.metadata for one in found.resources if one.logical_id == "Other"] == [{"of": NAME}]
    assert [(one.value, one.export) for one in found.outputs] == [(NAME, {"Fn::Join": ["", [NAME, "-of"]]})]


def _all(value: Any) -> list[Any]:
    """The value, and everything in it."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(one for member in inner for one in _all(member))]
