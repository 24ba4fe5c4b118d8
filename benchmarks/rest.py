"""Things at rest, one type at a time: what it costs to hold so many of one type while nothing differs.

By the strict cloud without quotas, in virtual time: an hour of a process that has converged. The calls that any process
costs are counted with them. Two sizes tell what a thousand cost: what is asked in turns costs the same for fifty as for
two hundred, what is asked for each thing at every sweep four times as much, and a list a call for each page.
"""

import json
from collections import Counter
from typing import Any

from benchmarks.measuring import cost_of
from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import BOUNDLESS, Cloud
from tenuto_testing.cloud.cloud import IMAGES
from tenuto_testing.strict_world import REGION, StrictWorld

_PERIOD_S = 30.0
_HOUR_S = 3600.0
_SETTLED_S = 600.0
"""Until what was made just now is asked about no more often than anything else."""
_TRUST = {"Version": "2012-10-17", "Statement": []}
_LIST_ONLY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}],
}
TYPES: dict[str, dict[str, Any]] = {
    "AWS::EC2::VPC": {"CidrBlock": "10.0.0.0/16", "EnableDnsHostnames": True},
    "AWS::EC2::EIP": {"Domain": "vpc"},
    "AWS::EC2::Volume": {"AvailabilityZone": f"{REGION}a", "Size": 8},
    "AWS::EC2::Instance": {"ImageId": IMAGES[0], "InstanceType": "t3.micro", "DisableApiTermination": True},
    "AWS::IAM::Role": {"AssumeRolePolicyDocument": _TRUST},
    "AWS::IAM::ManagedPolicy": {"PolicyDocument": _LIST_ONLY},
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
    "AWS::KMS::Key": {"Description": "of the shop", "EnableKeyRotation": True},
    "AWS::EC2::CarrierGateway": {"VpcId": "vpc-1"},
}
"""The last one stands for all that go through Cloud Control."""


def rest(size: int, *, rest_s: float = _HOUR_S) -> list[dict[str, Any]]:
    """`size` things of each type, for an hour: each type in a world of its own, then all of them in one process."""
    return [at_rest(size, name, rest_s=rest_s) for name in TYPES] + [at_rest(size, *TYPES, rest_s=rest_s)]


def at_rest(size: int, *types: str, rest_s: float = _HOUR_S) -> dict[str, Any]:
    """`size` things of each of these types. Raises RuntimeError when they do not stand: then nothing is measured."""
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    step = types[0] if len(types) == 1 else f"{len(types)} types in one process"
    resources = {
        f"One{place}x{number}": {"Type": name, "Properties": TYPES[name]}
        for place, name in enumerate(types)
        for number in range(size)
    }
    text = json.dumps({"Resources": resources})
    compiled = compile_text(text, file="rest.json", parameters={}, region=REGION)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="all")
    world.settle()
    world.advance(_SETTLED_S)
    [process] = world.store.processes()
    if process.converged_at is None:
        raise RuntimeError(f"{step}: not converged, so nothing is at rest: {process.last_message}")
    world.aws.log.clear()
    cost = cost_of(lambda: world.advance(rest_s))
    periods = rest_s / _PERIOD_S
    calls = Counter(one.action for one in world.aws.log)
    return {
        "step": step,
        "resources": len(resources),
        "calls a period": sum(calls.values()) / periods,
        "cpu s": cost.cpu_s,
        "cpu ms a period": cost.cpu_s / periods * 1000,
        "most called": ", ".join(name for name, _ in calls.most_common(2)),
    }
