"""A member that a service of the provider adds is no difference; one that another user names like it is."""

from typing import Any

import pytest

from tenuto.core.planning.equality.others import of_services, with_services, without_services
from tenuto.model.spelling import ServiceMembers
from tenuto.providers.aws.types.catalogue import FACTS

TAGS = FACTS["AWS::AutoScaling::AutoScalingGroup"].of_services
POLICY = FACTS["AWS::S3::BucketPolicy"].of_services
USER = FACTS["AWS::IAM::User"].of_services
RULES = FACTS["AWS::WAFv2::WebACL"].of_services

OURS = {"Key": "stage", "Value": "one"}
MANAGED = {"Key": "AmazonECSManaged", "Value": "", "PropagateAtLaunch": True}
DELIVERY = {
    "Sid": "AWSLogDeliveryWrite",
    "Effect": "Allow",
    "Principal": {"Service": "delivery.logs.amazonaws.com"},
    "Action": "s3:PutObject",
}
QUARANTINE = "arn:aws-cn:iam::aws:policy/AWSCompromisedKeyQuarantineV3"
SHIELD = {
    "Name": "ShieldMitigationRuleGroup_1_2",
    "Priority": 10_000_000,
    "Statement": {
        "RuleGroupReferenceStatement": {
            "Arn": "arn:aws:wafv2:us-east-1:153427709519:regional/rulegroup/ShieldMitigationRuleGroup_1/2"
        }
    },
}


def held(marks: dict[str, ServiceMembers], shown: dict[str, Any], **declared: Any) -> dict[str, Any]:
    return dict(without_services(shown, marks, [declared]))


def test_what_a_service_adds_is_left_out_and_the_rest_is_held() -> None:
    foreign = {"Key": "owner", "Value": "someone"}
    assert held(TAGS, {"Tags": [OURS, MANAGED, foreign]}) == {"Tags": [OURS, foreign]}
    assert held(TAGS, {"Tags": {"stage": "one", "awsApplication": "arn", "owner": "x"}}) == {
        "Tags": {"stage": "one", "owner": "x"}
    }
    assert held(USER, {"ManagedPolicyArns": [QUARANTINE, "arn:a"]}) == {"ManagedPolicyArns": ["arn:a"]}
    assert held(RULES, {"Rules": [SHIELD]}) == {"Rules": []}
    statement = {"Sid": "mine", "Effect": "Deny"}
    assert held(POLICY, {"PolicyDocument": {"Version": "1", "Statement": [statement, DELIVERY]}}) == {
        "PolicyDocument": {"Version": "1", "Statement": [statement]}
    }


def test_what_is_declared_is_ours_also_in_a_text() -> None:
    assert held(TAGS, {"Tags": [MANAGED]}, Tags=[{"Key": "AmazonECSManaged", "Value": "other"}]) == {"Tags": [MANAGED]}
    document = {"Statement": [DELIVERY]}
    shown = {"PolicyDocument": document}
    assert held(POLICY, shown, PolicyDocument={"Statement": DELIVERY}) == shown
    text = '{"Statement": [{"Sid": "AWSLogDeliveryWrite", "Effect": "Allow", "Principal": {"Service": '
    text += '"delivery.logs.amazonaws.com"}, "Action": "s3:*"}]}'
    assert held(POLICY, shown, PolicyDocument=text) == shown


@pytest.mark.parametrize(
    ("marks", "path", "member"),
    [
        (POLICY, "PolicyDocument.Statement", {**DELIVERY, "Principal": "*"}),
        (POLICY, "PolicyDocument.Statement", {**DELIVERY, "Principal": {"AWS": "*"}}),
        (
            POLICY,
            "PolicyDocument.Statement",
            {**DELIVERY, "Principal": {"AWS": "*", "Service": "delivery.logs.amazonaws.com"}},
        ),
        (RULES, "Rules", {**SHIELD, "Priority": 0}),
        (RULES, "Rules", {**SHIELD, "Statement": {"GeoMatchStatement": {"CountryCodes": ["XX"]}}}),
        (USER, "ManagedPolicyArns", "arn:aws:iam::123456789012:policy/AWSCompromisedKeyQuarantineV2"),
        (USER, "ManagedPolicyArns", "arn:aws:iam::aws:policy/AdministratorAccess"),
        (TAGS, "Tags", {"Key": "AmazonECSManagedBy", "Value": ""}),
    ],
)
def test_a_name_alone_hides_nothing(marks: dict[str, ServiceMembers], path: str, member: Any) -> None:
    top, _, below = path.partition(".")
    shown = {top: {below: [member]} if below else [member]}
    assert of_services(shown, path, marks[path], []) == []


def test_a_list_is_sent_with_what_services_added() -> None:
    assert with_services({"Statement": OURS}, "Statement", [DELIVERY]) == {"Statement": [OURS, DELIVERY]}
    assert with_services('{"Statement": []}', "Statement", [DELIVERY]) == {"Statement": [DELIVERY]}
    assert with_services("text", "Statement", []) == "text"
    assert with_services("no document", "Statement", [DELIVERY]) == "no document"
