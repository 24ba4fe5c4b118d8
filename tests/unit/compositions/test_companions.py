"""The words for properties that AWS takes only together; the places are in `mistakes`."""

import json

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.ids import JsonMap


def told(type_name: str, properties: JsonMap) -> list[tuple[str, str, str]]:
    """The detail, the hint and the subject of each refusal."""
    text = json.dumps({"Resources": {"One": {"Type": type_name, "Properties": properties}}})
    with pytest.raises(CompileError) as refused:
        compile_text(text, file="web.json", parameters={}, region="us-east-1")
    return [(one.detail, one.hint, one.subject) for one in refused.value.diagnostics]


def test_a_rule_names_what_is_needed_why_and_each_way_out() -> None:
    key = [{"AttributeName": "id", "KeyType": "HASH"}]
    table = {"KeySchema": key, "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}]}
    assert told("AWS::DynamoDB::Table", table) == [
        (
            "AWS::DynamoDB::Table needs ProvisionedThroughput where BillingMode is not declared.",
            "Add ProvisionedThroughput, or declare BillingMode: PAY_PER_REQUEST.",
            "Resources.One.Properties.ProvisionedThroughput",
        )
    ]


def test_a_rule_about_members_of_a_list_names_the_member() -> None:
    rules = [{"IpProtocol": "-1", "CidrIp": "10.0.0.0/8"}, {"IpProtocol": "tcp", "FromPort": 1, "CidrIp": "10.0.0.0/8"}]
    assert told("AWS::EC2::SecurityGroup", {"GroupDescription": "doors", "SecurityGroupIngress": rules}) == [
        (
            "AWS::EC2::SecurityGroup needs ToPort where IpProtocol is tcp.",
            "Add ToPort.",
            "Resources.One.Properties.SecurityGroupIngress.1.ToPort",
        )
    ]


def test_a_property_that_is_too_much_is_to_be_removed() -> None:
    record = {"HostedZoneId": "Z1", "Name": "a.example.com", "Type": "A", "TTL": "60"}
    alias = {"AliasTarget": {"DNSName": "b.example.com", "HostedZoneId": "Z2"}}
    assert told("AWS::Route53::RecordSet", {**record, **alias}) == [
        (
            "AWS::Route53::RecordSet takes no TTL where ResourceRecords is not declared.",
            "Remove TTL.",
            "Resources.One.Properties.TTL",
        )
    ]
