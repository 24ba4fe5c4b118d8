"""Declared values are fitted to AWS's service models, and AWS's answers to declared shapes."""

from typing import Any

import botocore.session
import pytest

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError
from tenuto.providers.aws.client.shapes import fit
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types import ec2_rules, ec2_security_group, s3_lifecycle, s3_shapes
from tenuto.providers.aws.types.ec2_security_group import SECURITY_GROUP
from tenuto.providers.aws.types.s3_bucket import BUCKET
from tenuto.providers.aws.types.sns_topic import SNS_TOPIC
from tenuto.providers.aws.types.sqs_queue import QUEUE


def fitted(service: str, operation: str, value: dict[str, Any]) -> Any:
    model = botocore.session.get_session().get_service_model(service)
    shape = model.operation_model(operation).input_shape
    assert shape is not None
    return fit(shape, value)


def test_text_becomes_the_number_or_truth_value_that_the_api_wants() -> None:
    assert fitted(
        "ec2",
        "RunInstances",
        {"MinCount": "1", "EbsOptimized": "True", "BlockDeviceMappings": [{"Ebs": {"VolumeSize": "10"}}]},
    ) == {"MinCount": 1, "EbsOptimized": True, "BlockDeviceMappings": [{"Ebs": {"VolumeSize": 10}}]}


def test_a_number_becomes_text_where_the_api_wants_text() -> None:
    value = {"Protocol": -1, "RuleNumber": 100.0, "Egress": "false"}
    assert fitted("ec2", "CreateNetworkAclEntry", value) == {"Protocol": "-1", "RuleNumber": 100, "Egress": False}


@pytest.mark.parametrize("count", ["many", "--5", "²", ""])
def test_what_does_not_fit_is_left_for_the_models_own_check(count: str) -> None:
    assert fitted("ec2", "RunInstances", {"MinCount": count, "Unknown": 1}) == {"MinCount": count, "Unknown": 1}


RULES = [
    (
        {"IpProtocol": "6", "FromPort": "443", "ToPort": 443, "CidrIp": "10.0.0.5/8"},
        {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIpv4": "10.0.0.0/8"},
        True,
    ),
    (
        {"IpProtocol": -1, "FromPort": 0, "ToPort": 65535, "CidrIpv6": "0:0::/0"},
        {"IpProtocol": "-1", "FromPort": -1, "ToPort": -1, "CidrIpv6": "::/0"},
        True,
    ),
    (
        {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "SourceSecurityGroupId": "sg-1"},
        {
            "IpProtocol": "tcp",
            "FromPort": 22,
            "ToPort": 22,
            "ReferencedGroupInfo": {"GroupId": "sg-1", "UserId": "1"},
            "Description": "why",
        },
        True,
    ),
    (
        {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "SourcePrefixListId": "pl-1"},
        {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 23, "PrefixListId": "pl-1"},
        False,
    ),
]


@pytest.mark.parametrize(("declared", "shown", "same"), RULES)
def test_a_declared_rule_is_known_again_in_the_answer(
    declared: dict[str, Any], shown: dict[str, Any], same: bool
) -> None:
    observed = [ec2_rules.declared(shown)]
    rules = SECURITY_GROUP.facts.compare_as
    assert means_same([declared], observed, rules, "SecurityGroupIngress") is same
    assert ec2_rules.is_same_traffic(declared, observed[0]) is same


def test_a_rule_without_a_peer_says_what_it_needs() -> None:
    with pytest.raises(PermanentError, match="CidrIp, CidrIpv6, SourceSecurityGroupId or SourcePrefixListId"):
        ec2_rules.permission({"IpProtocol": "tcp"}, ec2_rules.INGRESS)


ROUND_TRIPS = [
    (
        s3_shapes.encryption_to_api,
        s3_shapes.encryption_declared,
        {
            "ServerSideEncryptionConfiguration": [
                {
                    "ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": "k"},
                    "BucketKeyEnabled": True,
                }
            ]
        },
    ),
    (
        s3_shapes.cors_to_api,
        s3_shapes.cors_declared,
        {"CorsRules": [{"Id": "a", "AllowedMethods": ["GET"], "ExposedHeaders": ["x"], "MaxAge": 3}]},
    ),
    (
        s3_shapes.website_to_api,
        s3_shapes.website_declared,
        {
            "IndexDocument": "index.html",
            "ErrorDocument": "error.html",
            "RoutingRules": [
                {"RedirectRule": {"HostName": "b"}, "RoutingRuleCondition": {"KeyPrefixEquals": "c"}},
            ],
        },
    ),
    (
        s3_shapes.notification_to_api,
        s3_shapes.notification_declared,
        {
            "QueueConfigurations": [
                {
                    "Event": "s3:ObjectCreated:*",
                    "Queue": "arn:q",
                    "Filter": {"S3Key": {"Rules": [{"Name": "prefix", "Value": "a/"}]}},
                }
            ],
            "LambdaConfigurations": [{"Event": "s3:ObjectRemoved:*", "Function": "arn:f"}],
            "EventBridgeConfiguration": {"EventBridgeEnabled": True},
        },
    ),
]


@pytest.mark.parametrize(("to_api", "declared", "value"), ROUND_TRIPS)
def test_a_bucket_configuration_comes_back_as_it_was_declared(
    to_api: Any, declared: Any, value: dict[str, Any]
) -> None:
    assert declared(to_api(value)) == value


LIFECYCLE: dict[str, Any] = {
    "Rules": [
        {"Id": "plain", "Status": "Enabled", "ExpirationInDays": 3},
        {"Id": "one", "Status": "Enabled", "Prefix": "a/", "ExpiredObjectDeleteMarker": True},
        {
            "Id": "many",
            "Status": "Disabled",
            "Prefix": "a/",
            "TagFilters": [{"Key": "k", "Value": "v"}],
            "ObjectSizeGreaterThan": 10,
            "Transitions": [{"StorageClass": "GLACIER", "TransitionInDays": 9}],
            "NoncurrentVersionTransitions": [{"StorageClass": "GLACIER", "TransitionInDays": 8}],
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        },
        {"Id": "tag", "Status": "Enabled", "TagFilters": [{"Key": "k", "Value": "v"}], "ExpirationInDays": 1},
    ]
}


def test_a_lifecycle_comes_back_as_it_was_declared() -> None:
    value = {**LIFECYCLE, "TransitionDefaultMinimumObjectSize": "varies_by_storage_class"}
    wanted = s3_lifecycle.lifecycle_to_api(value)
    assert wanted.pop("TransitionDefaultMinimumObjectSize") == "varies_by_storage_class"
    shown = {**wanted.pop("LifecycleConfiguration"), "TransitionDefaultMinimumObjectSize": "varies_by_storage_class"}
    assert wanted == {}
    assert s3_lifecycle.lifecycle_declared(shown) == value
    assert s3_lifecycle.lifecycle_declared({"TransitionDefaultMinimumObjectSize": "varies_by_storage_class"}) is None


REPLICATION_FILTERS = [
    ({"TagFilter": {"Key": "a", "Value": "b"}}, {"Tag": {"Key": "a", "Value": "b"}}),
    (
        {"And": {"Prefix": "x/", "TagFilters": [{"Key": "a", "Value": "b"}]}},
        {"And": {"Prefix": "x/", "Tags": [{"Key": "a", "Value": "b"}]}},
    ),
    ({"Prefix": "x/"}, {"Prefix": "x/"}),
]


@pytest.mark.parametrize(("declared", "sent"), REPLICATION_FILTERS)
def test_a_replication_rule_is_for_tags_in_the_words_of_each_side(declared: Any, sent: Any) -> None:
    value = {"Role": "arn:r", "Rules": [{"Id": "a", "Status": "Enabled", "Filter": declared}]}
    wanted = s3_shapes.replication_to_api(value)
    assert wanted["Rules"] == [{"ID": "a", "Status": "Enabled", "Filter": sent}]
    assert s3_shapes.replication_declared(wanted) == value


def test_logging_is_one_level_deeper_in_the_api() -> None:
    value = {"DestinationBucketName": "logs", "LogFilePrefix": "a/"}
    wanted = s3_shapes.logging_to_api(value, "own")
    assert wanted == {"LoggingEnabled": {"TargetBucket": "logs", "TargetPrefix": "a/"}}
    assert s3_shapes.logging_declared(wanted["LoggingEnabled"]) == value
    assert s3_shapes.logging_to_api({}, "own") == {}
    assert s3_shapes.logging_to_api({"LogFilePrefix": "a/"}, "own")["LoggingEnabled"]["TargetBucket"] == "own"


def test_old_spellings_of_a_lifecycle_rule_are_taken() -> None:
    rule = {
        "Status": "Enabled",
        "Transition": {"StorageClass": "GLACIER", "TransitionInDays": 9},
        "NoncurrentVersionExpirationInDays": 4,
    }
    wanted = s3_lifecycle.lifecycle_to_api({"Rules": [rule]})["LifecycleConfiguration"]["Rules"][0]
    assert wanted["Transitions"] == [{"StorageClass": "GLACIER", "Days": 9}]
    assert wanted["NoncurrentVersionExpiration"] == {"NoncurrentDays": 4}
    assert wanted["Filter"] == {"Prefix": ""}


@pytest.mark.parametrize(
    ("grants", "name"),
    [
        ([], "Private"),
        ([("http://acs.amazonaws.com/groups/global/AllUsers", "READ")], "PublicRead"),
        ([("http://acs.amazonaws.com/groups/global/AllUsers", "WRITE")], "Custom"),
    ],
)
def test_grants_are_shown_as_the_canned_acl_they_amount_to(grants: list[tuple[str, str]], name: str) -> None:
    owner = {"Grantee": {"ID": "me", "Type": "CanonicalUser"}, "Permission": "FULL_CONTROL"}
    others = [{"Grantee": {"URI": uri, "Type": "Group"}, "Permission": permission} for uri, permission in grants]
    assert s3_shapes.canned_acl({"Owner": {"ID": "me"}, "Grants": [owner, *others]}) == name
    assert s3_shapes.acl_to_api("LogDeliveryWrite") == "log-delivery-write"


@pytest.mark.parametrize("ports", [{}, {"FromPort": -1, "ToPort": -1}])
def test_a_rule_of_all_traffic_has_the_description_that_only_its_group_shows(ports: dict[str, int]) -> None:
    pair = {"GroupId": "sg-2", "Description": "from the front"}
    group = {"IpPermissions": [{"IpProtocol": "-1", **ports, "UserIdGroupPairs": [pair]}]}
    rule = {"GroupId": "sg-1", "IsEgress": False, "IpProtocol": "-1", "FromPort": -1, "ToPort": -1}
    rule |= {"ReferencedGroupInfo": {"GroupId": "sg-2"}}
    assert ec2_security_group._described(rule, {"sg-1": group})["Description"] == "from the front"


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        (BUCKET, {"AccelerateConfiguration": {"AccelerationStatus": "Suspended"}}),
        (BUCKET, {"NotificationConfiguration": {"EventBridgeConfiguration": {"EventBridgeEnabled": False}}}),
        (SNS_TOPIC, {"SignatureVersion": 1}),
        (SNS_TOPIC, {"TracingConfig": "PassThrough"}),
        (QUEUE, {"RedriveAllowPolicy": {"redrivePermission": "allowAll"}}),
    ],
)
def test_a_declared_default_is_no_drift_where_nothing_was_ever_set(kind: AwsType, declared: dict[str, Any]) -> None:
    for name, value in declared.items():
        assert means_same(value, None, kind.facts.compare_as, name)


@pytest.mark.parametrize(
    ("kind", "declared"),
    [
        (BUCKET, {"AccelerateConfiguration": {"AccelerationStatus": "Enabled"}}),
        (SNS_TOPIC, {"SignatureVersion": 2}),
        (QUEUE, {"RedriveAllowPolicy": {"redrivePermission": "denyAll"}}),
        (QUEUE, {"RedriveAllowPolicy": {"redrivePermission": "allowAll", "sourceQueueArns": ["a"]}}),
    ],
)
def test_anything_else_is(kind: AwsType, declared: dict[str, Any]) -> None:
    for name, value in declared.items():
        assert not means_same(value, None, kind.facts.compare_as, name)
