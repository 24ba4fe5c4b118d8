"""Requests that lack what the service models do not call required are refused, and nothing falls over."""

from typing import Any

import pytest
from strict_cloud import Stage, code_of

TABLE: dict[str, Any] = {
    "TableName": "things",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.mark.parametrize("peers", ["IpRanges", "Ipv6Ranges", "PrefixListIds"])
def test_a_rule_needs_its_peer(peers: str) -> None:
    stage = Stage()
    half = {"IpProtocol": "-1", peers: [{"Description": "d"}]}
    rule = {"GroupId": stage.group(stage.vpc()), "IpPermissions": [half]}
    assert code_of(lambda: stage.me.ec2.authorize_security_group_ingress(**rule)) == "MissingParameter"


def test_a_description_needs_its_rule() -> None:
    stage = Stage()
    half = {"GroupId": stage.group(stage.vpc()), "SecurityGroupRuleDescriptions": [{"Description": "d"}]}
    refused = code_of(lambda: stage.me.ec2.update_security_group_rule_descriptions_ingress(**half))
    assert refused == "MissingParameter"


def test_credits_need_an_instance_and_a_word() -> None:
    stage = Stage()
    order = {"ImageId": stage.cloud.images[0], "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1}
    instance = stage.me.ec2.run_instances(**order)["Instances"][0]["InstanceId"]
    for half in ({"InstanceId": instance}, {"CpuCredits": "standard"}):
        change = {"InstanceCreditSpecifications": [half]}
        assert code_of(lambda c=change: stage.me.ec2.modify_instance_credit_specification(**c)) == "MissingParameter"


def test_a_table_needs_a_key() -> None:
    assert code_of(lambda: Stage().me.dynamodb.create_table(**TABLE)) == "ValidationException"


def test_moments_in_headers_are_read() -> None:
    s3 = Stage().me.s3
    s3.create_bucket(Bucket="some-things")
    s3.put_object(Bucket="some-things", Key="k", Body=b"", Expires=0)
    s3.delete_object(Bucket="some-things", Key="k", IfMatchLastModifiedTime=0)


@pytest.mark.parametrize("number", ["--5", "\u00b2", "five"])
def test_a_number_must_be_one(number: str) -> None:
    assert code_of(lambda: Stage().me.ec2.describe_vpcs(MaxResults=number)) == "InvalidParameterValue"
