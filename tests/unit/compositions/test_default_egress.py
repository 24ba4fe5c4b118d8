"""A group whose egress rules are resources of their own has no default egress rule."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text

OPEN = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}


def group_of(group_id: Any, parameters: dict[str, str] | None = None, **declared: Any) -> Any:
    """The properties of the group beside an egress rule of this GroupId."""
    template = {
        "Parameters": {"Closed": {"Type": "String", "Default": "yes"}},
        "Conditions": {"IsClosed": {"Fn::Equals": [{"Ref": "Closed"}, "yes"]}},
        "Resources": {
            "Group": {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "front", **declared}},
            "Out": {
                "Type": "AWS::EC2::SecurityGroupEgress",
                "Condition": "IsClosed",
                "Properties": {"GroupId": group_id, **OPEN},
            },
        },
    }
    text = json.dumps(template)
    compiled = compile_text(text, file="x.json", parameters=parameters or {}, region="us-east-1").composition
    return next(one for one in compiled.resources if one.logical_id == "Group").properties


@pytest.mark.parametrize(
    "group_id",
    [
        {"Ref": "Group"},
        {"Fn::GetAtt": ["Group", "GroupId"]},
        {"Fn::GetAtt": ["Group", "Id"]},
        {"Fn::If": ["IsClosed", {"Ref": "Group"}, "sg-1"]},
    ],
)
def test_a_separate_egress_rule_takes_the_place_of_the_default_rule(group_id: Any) -> None:
    assert group_of(group_id, VpcId="vpc-1")["SecurityGroupEgress"] == []


def test_the_default_rule_stays_where_the_separate_rule_is_left_out_by_its_condition() -> None:
    assert "SecurityGroupEgress" not in group_of({"Ref": "Group"}, {"Closed": "no"}, VpcId="vpc-1")


def test_a_rule_of_another_group_changes_nothing() -> None:
    assert "SecurityGroupEgress" not in group_of("sg-1", VpcId="vpc-1")


def test_inline_egress_rules_stay_beside_separate_ones() -> None:
    inline = [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "0.0.0.0/0"}]
    assert group_of({"Ref": "Group"}, VpcId="vpc-1", SecurityGroupEgress=inline)["SecurityGroupEgress"] == inline
