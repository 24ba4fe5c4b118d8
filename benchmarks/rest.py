"""Things at rest, one type at a time: what it costs to hold so many of one type while nothing differs.

By the strict cloud without quotas, in virtual time: an hour of a process that has converged. The calls that any process
costs are counted with them.
"""

import json
from collections import Counter
from typing import Any

from benchmarks.measuring import cost_of
from tenuto.compositions.compile import compile_text
from tenuto.compositions.document import to_document
from tenuto.service.intake import Submission
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

_PERIOD_S = 30.0
_HOUR_S = 3600.0
_TRUST = {"Version": "2012-10-17", "Statement": []}
_TYPES: dict[str, dict[str, Any]] = {
    "AWS::EC2::VPC": {"CidrBlock": "10.0.0.0/16", "EnableDnsHostnames": True},
    "AWS::EC2::EIP": {"Domain": "vpc"},
    "AWS::EC2::Volume": {"AvailabilityZone": f"{REGION}a", "Size": 8},
    "AWS::IAM::Role": {"AssumeRolePolicyDocument": _TRUST},
    "AWS::Logs::LogGroup": {"RetentionInDays": 7},
    "AWS::SQS::Queue": {"VisibilityTimeout": 60},
    "AWS::SNS::Topic": {"DisplayName": "news"},
    "AWS::SSM::Parameter": {"Type": "String", "Value": "1"},
    "AWS::S3::Bucket": {"VersioningConfiguration": {"Status": "Enabled"}},
    "AWS::DynamoDB::Table": {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    },
    "AWS::ApiGatewayV2::Api": {"Name": "front", "ProtocolType": "HTTP"},
}


def rest(size: int, *, rest_s: float = _HOUR_S) -> list[dict[str, Any]]:
    """`size` things of each type, for an hour."""
    return [_at_rest(size, rest_s, name, properties) for name, properties in _TYPES.items()]


def _at_rest(size: int, rest_s: float, type_name: str, properties: dict[str, Any]) -> dict[str, Any]:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    resources = {f"One{number}": {"Type": type_name, "Properties": properties} for number in range(size)}
    text = json.dumps({"Resources": resources})
    compiled = compile_text(text, file="rest.json", parameters={}, region=REGION)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="all")
    world.settle()
    world.advance(600.0)
    world.aws.log.clear()
    cost = cost_of(lambda: world.advance(rest_s))
    periods = rest_s / _PERIOD_S
    calls = Counter(one.action for one in world.aws.log)
    return {
        "step": type_name,
        "resources": size,
        "calls a period": sum(calls.values()) / periods,
        "for 1,000": sum(calls.values()) / periods * 1000 / size,
        "cpu s": cost.cpu_s,
        "cpu ms a period": cost.cpu_s / periods * 1000,
        "most called": ", ".join(name for name, _ in calls.most_common(2)),
    }
