"""The defaults of the types that are code: a property that an update takes out of a composition gets its own back by
the calls that the bill names, and is seen to have it. The blocks try theirs in `test_blocks`.
"""

from dataclasses import replace
from typing import Any

import pytest
from aws_examples import READING, TRUST
from billing import gives_back
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench, Example

THING = LogicalId("Thing")
NETWORK = Example(name=LogicalId("Net"), type=TypeName("AWS::EC2::VPC"), properties={"CidrBlock": "10.0.0.0/16"})
POLICY = Example(
    name=LogicalId("Fetch"), type=TypeName("AWS::IAM::ManagedPolicy"), properties={"PolicyDocument": READING}
)
ROLE = Example(
    name=LogicalId("Reader"), type=TypeName("AWS::IAM::Role"), properties={"AssumeRolePolicyDocument": TRUST}
)
ZONE = Example(name=LogicalId("Zone"), type=TypeName("AWS::Route53::HostedZone"), properties={"Name": "example.org"})
CHECK = Example(
    name=LogicalId("Check"),
    type=TypeName("AWS::Route53::HealthCheck"),
    properties={"HealthCheckConfig": {"FullyQualifiedDomainName": "www.example.org", "Port": 80, "Type": "TCP"}},
)
TABLE_POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": ["dynamodb:GetItem"], "Resource": "*"}],
}
TAKEN_OUT: dict[str, tuple[tuple[Example, ...], dict[str, Any], dict[str, Any]]] = {
    "AWS::S3::Bucket": (
        (),
        {},
        {
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "alias/aws/s3"}}
                ]
            },
            "CorsConfiguration": {"CorsRules": [{"AllowedMethods": ["GET"], "AllowedOrigins": ["*"]}]},
            "LifecycleConfiguration": {"Rules": [{"Id": "old", "Status": "Enabled", "ExpirationInDays": 3}]},
            "NotificationConfiguration": {"EventBridgeConfiguration": {"EventBridgeEnabled": True}},
            "VersioningConfiguration": {"Status": "Enabled"},
            "WebsiteConfiguration": {"IndexDocument": "index.html"},
            "MetricsConfigurations": [{"Id": "all"}, {"Id": "in", "Prefix": "in/"}],
        },
    ),
    "AWS::IAM::Role": (
        (POLICY,),
        {"AssumeRolePolicyDocument": TRUST},
        {
            "Description": "a role",
            "ManagedPolicyArns": [{"Ref": "Fetch"}],
            "MaxSessionDuration": 7200,
            "PermissionsBoundary": {"Ref": "Fetch"},
            "Policies": [{"PolicyName": "reads", "PolicyDocument": READING}],
        },
    ),
    "AWS::DynamoDB::Table": (
        (),
        {
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        },
        {
            "ContributorInsightsSpecification": {"Enabled": True, "Mode": "THROTTLED_KEYS"},
            "DeletionProtectionEnabled": True,
            "OnDemandThroughput": {"MaxReadRequestUnits": 9, "MaxWriteRequestUnits": "8"},
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "ResourcePolicy": {"PolicyDocument": TABLE_POLICY},
            "StreamSpecification": {"StreamViewType": "KEYS_ONLY"},
            "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
        },
    ),
    "AWS::IAM::ManagedPolicy": (
        (ROLE,),
        {"PolicyDocument": READING},
        {"Roles": [{"Ref": "Reader"}]},
    ),
    "AWS::KMS::Key": ((), {"EnableKeyRotation": True}, {"RotationPeriodInDays": 180}),
    "AWS::Kinesis::Stream": (
        (),
        {"ShardCount": 1},
        {
            "RetentionPeriodHours": 48,
            "StreamEncryption": {"EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"},
        },
    ),
    "AWS::Route53::RecordSet": (
        (ZONE, CHECK),
        {
            "HostedZoneId": {"Ref": "Zone"},
            "Name": "www.example.org",
            "ResourceRecords": ["192.0.2.1"],
            "TTL": "60",
            "Type": "A",
        },
        {"HealthCheckId": {"Ref": "Check"}},
    ),
    "AWS::EC2::Subnet": (
        (NETWORK,),
        {"VpcId": {"Ref": "Net"}, "CidrBlock": "10.0.1.0/24"},
        {"MapPublicIpOnLaunch": True},
    ),
}


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Bench:
    name = request.node.callspec.params["name"]
    needs, properties, _ = TAKEN_OUT[name]
    return bench_of((*needs, Example(name=THING, type=TypeName(name), properties=properties)))


@pytest.mark.parametrize("name", sorted(TAKEN_OUT))
def test_what_is_taken_out_gets_its_default_back(name: str, bench: Bench) -> None:
    more = TAKEN_OUT[name][2]
    with bench:
        bench.make_all()
        request = bench.requests[THING]
        defaults = {path: bench.types[request.type].defaults[path] for path in more}
        declared = replace(request, properties={**request.properties, **bench.resolved(more)})
        bench.requests[THING] = declared
        bench.configure(declared)
        shown = bench.ready(declared)
        assert bench.differing(declared, shown) == ()

        asked = replace(request, properties={**request.properties, **defaults})
        assert bench.differing(asked, shown) == tuple(sorted(more)), "each of them is something else than its default"
        back, bill = gives_back(bench, declared, defaults)
        assert bill
        assert bench.differing(back, bench.ready(back)) == ()

        before = len(bench.case.ops.all)
        assert isinstance(bench.until_done(bench.provider.modify, back), Done)
        assert [op.operation for op in bench.case.ops.all[before:]] == [], "it has its defaults, and was changed"
        bench.requests[THING] = replace(back, properties=request.properties)
