"""Memberships, attachments and hooks that can be declared on either side, or on both, stand on a real Conductor.

A sweep of one side has to know what the other side is. That is forgotten by a Conductor that has just been started, so
one is: whatever is only remembered of the last minutes is no part of the story.
"""

import pytest
from live import Live

TEMPLATE = """
Resources:
  Own: {Type: AWS::IAM::ManagedPolicy, Properties: {PolicyDocument: DOCUMENT}}
  Both:
    Type: AWS::IAM::ManagedPolicy
    Properties:
      ManagedPolicyName: both
      PolicyDocument: DOCUMENT
      Roles: [!Ref Role]
      Users: [!Ref User]
      Groups: [!Ref Group]
  Role:
    Type: AWS::IAM::Role
    Properties:
      RoleName: both-sides
      AssumeRolePolicyDocument:
        Version: "2012-10-17"
        Statement: [{Effect: Allow, Principal: {Service: ec2.amazonaws.com}, Action: "sts:AssumeRole"}]
      ManagedPolicyArns: [!Ref Own]
  User:
    Type: AWS::IAM::User
    Properties:
      Groups: [!Ref Group]
      ManagedPolicyArns: [!Ref Own]
      Policies: [{PolicyName: own, PolicyDocument: DOCUMENT}]
  Other: {Type: AWS::IAM::User, Properties: {Groups: [!Ref Group], ManagedPolicyArns: [!Ref Own]}}
  Group:
    Type: AWS::IAM::Group
    Properties: {ManagedPolicyArns: [!Ref Own], Policies: [{PolicyName: own, PolicyDocument: DOCUMENT}]}
  Beside: {Type: AWS::IAM::Group}
  Placed:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: placed
      PolicyDocument: DOCUMENT
      Roles: [!Ref Role]
      Users: [!Ref User, !Ref Other]
      Groups: [!Ref Group]
  Launch:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: t3.micro}}
  Fleet:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "0"
      AvailabilityZones: [us-east-1a]
      LaunchTemplate: {LaunchTemplateId: !Ref Launch, Version: "1"}
      LifecycleHookSpecificationList:
        - {LifecycleHookName: leaving, LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING"}
  Hook:
    Type: AWS::AutoScaling::LifecycleHook
    Properties:
      AutoScalingGroupName: !Ref Fleet
      LifecycleHookName: coming
      LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING"
""".replace(
    "DOCUMENT",
    '{Version: "2012-10-17", Statement: [{Effect: Allow, Action: "s3:ListAllMyBuckets", Resource: "*"}]}',
)
TWICE = TEMPLATE.replace(
    "ManagedPolicyArns: [!Ref Own]\n",
    'ManagedPolicyArns: [!Ref Own, !Sub "arn:aws:iam::${AWS::AccountId}:policy/both"]\n',
    1,
)
"""The role names the policy that names the role: only an update can say so."""
ADDED = """
  Added:
    Type: AWS::IAM::UserToGroupAddition
    Properties: {GroupName: !Ref Beside, Users: [!Ref User, !Ref Other]}
  Again:
    Type: AWS::IAM::UserToGroupAddition
    Properties: {GroupName: !Ref Group, Users: [!Ref User]}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def test_neither_side_takes_away_what_the_other_declares(live: Live) -> None:
    live.apply("sides", TEMPLATE + ADDED)
    live.apply("sides", TWICE + ADDED)
    live.stop()
    live.start()
    live.two_jobs_later("sides")
    before = live.changes("sides")
    live.two_jobs_later("sides")
    assert live.changes("sides") == before
    assert [one for one in before if one["actor"] == "conductor"] == []

    iam, user = live.aws("iam"), live.id("sides", "User")
    group = live.id("sides", "Group")
    assert len(iam.list_groups_for_user(UserName=user)["Groups"]) == 2

    # An addition takes along what it put there, and nothing that the user itself declares stays away.
    live.apply("sides", TWICE)
    live.two_jobs_later("sides")
    assert [one["GroupName"] for one in iam.list_groups_for_user(UserName=user)["Groups"]] == [group]
    live.tenuto("kill", "sides", "--wait=120", check=True)
    assert iam.list_users()["Users"] == []
    assert iam.list_policies(Scope="Local")["Policies"] == []
