"""The rule that allows all outgoing traffic: whose it is, and that no traffic is cut when it changes hands."""

from pathlib import Path
from typing import Any

import pytest
from strict_life import gone, is_one_of_each, patient, settled

from tenuto_testing.mortality import Blow
from tenuto_testing.strict_world import StrictWorld

GROUP = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {GroupDescription: front, VpcId: !Ref Net}}
"""
OPEN = """
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties: {GroupId: !GetAtt Group.GroupId, IpProtocol: "-1", CidrIp: 0.0.0.0/0, Description: all of it}
"""
NARROW = """
  Out:
    Type: AWS::EC2::SecurityGroupEgress
    Properties: {GroupId: !GetAtt Group.GroupId, IpProtocol: tcp, FromPort: 443, ToPort: 443, CidrIp: 10.0.0.0/8}
"""
ALL, WEB = "-1 0.0.0.0/0", "tcp 10.0.0.0/8"
TRAFFIC = ("AuthorizeSecurityGroupEgress", "RevokeSecurityGroupEgress")


class Life:
    """A process of the templates above, and what the group allows at AWS."""

    def __init__(self, folder: Path) -> None:
        self.world = StrictWorld(patient)
        self._file = folder / "web.yaml"
        self.before = self.world.standing()

    def run(self, text: str) -> None:
        self._file.write_text(GROUP + text, encoding="utf-8")
        self.world.run(self._file, "web")
        self._rest()

    def update(self, text: str) -> list[str]:
        """The calls about egress rules that an update makes."""
        self._file.write_text(GROUP + text, encoding="utf-8")
        self.world.aws.log.clear()
        self.world.update(self._file, "web")
        self._rest()
        return [action for action in self.world.changes() if action in TRAFFIC]

    def _rest(self) -> None:
        settled(self.world)
        is_one_of_each(self.world)

    def rules(self) -> dict[str, bool]:
        """The traffic that the group lets out, and whether its rule has an owner."""
        ec2: Any = self.world.stranger().create_client("ec2", "us-east-1")
        group = self.world.ids("web")["Group"]
        shown = ec2.describe_security_group_rules(Filters=[{"Name": "group-id", "Values": [group]}])
        return {
            f"{one['IpProtocol']} {one['CidrIpv4']}": bool(one.get("Tags"))
            for one in shown["SecurityGroupRules"]
            if one["IsEgress"]
        }

    def is_left_alone(self) -> bool:
        """Whether nothing is corrected in the minutes after."""
        self.world.aws.log.clear()
        self.world.advance(180)
        return self.world.changes() == []


@pytest.fixture
def life(tmp_path: Path) -> Life:
    return Life(tmp_path)


@pytest.mark.parametrize(("text", "rules"), [("", {ALL: False}), (OPEN, {ALL: True}), (NARROW, {WEB: True})])
def test_a_new_group_lets_out_what_is_declared_and_nothing_else(life: Life, text: str, rules: dict[str, bool]) -> None:
    life.run(text)
    assert life.rules() == rules
    assert life.is_left_alone()
    gone(life.world, life.before)


def test_a_separate_rule_takes_the_default_rule_over_and_gives_it_back_without_a_call_that_cuts_traffic(
    life: Life,
) -> None:
    life.run("")
    refused_once = life.update(OPEN)
    assert refused_once == [], "the one rule got an owner, and stayed"
    assert life.rules() == {ALL: True}
    assert life.is_left_alone()
    assert life.update("") == []
    assert life.rules() == {ALL: False}
    assert life.is_left_alone()
    gone(life.world, life.before)


def test_a_narrow_rule_stands_before_the_default_rule_goes_and_goes_after_it_is_back(life: Life) -> None:
    life.run("")
    assert life.update(NARROW) == ["AuthorizeSecurityGroupEgress", "RevokeSecurityGroupEgress"]
    assert life.rules() == {WEB: True}
    assert life.update("") == ["AuthorizeSecurityGroupEgress", "RevokeSecurityGroupEgress"]
    assert life.rules() == {ALL: False}
    gone(life.world, life.before)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(("before", "after"), [("", OPEN), (OPEN, ""), ("", NARROW), (NARROW, ""), (OPEN, NARROW)])
def test_a_conductor_that_dies_after_a_call_of_the_handover_goes_on_with_it(
    life: Life, before: str, after: str, count: int
) -> None:
    life.run(before)
    life.world.fate.arm(Blow(operation="aws", is_after=True, count=count))
    life.update(after)
    life.world.fate.disarm()
    assert life.rules() == {OPEN: {ALL: True}, NARROW: {WEB: True}, "": {ALL: False}}[after]
    assert life.is_left_alone()
    gone(life.world, life.before)


def test_a_default_rule_that_comes_back_beside_a_narrow_one_is_removed(life: Life) -> None:
    life.run(NARROW)
    ec2: Any = life.world.stranger().create_client("ec2", "us-east-1")
    everything = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    ec2.authorize_security_group_egress(GroupId=life.world.ids("web")["Group"], IpPermissions=everything)
    life.world.advance(120)
    assert life.rules() == {WEB: True}
