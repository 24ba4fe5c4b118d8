"""Parameters and log groups of the strict cloud, and how it speaks of what it does not serve."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import Lag

ARN = "arn:aws:logs:us-east-1:123456789012:log-group:front"
Refused = Callable[[Somebody], object]


def put(me: Somebody, name: str = "/front/n", **more: Any) -> Any:
    return me.ssm.put_parameter(**{"Name": name, "Value": "1", "Type": "String", **more})


def group(me: Somebody, **more: Any) -> None:
    me.logs.create_log_group(logGroupName="front", **more)


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("ValidationException", lambda me: put(me, "awsome")),
        ("AccessDeniedException", lambda me: put(me, "/aws/service")),
        ("ValidationException", lambda me: put(me, "front/n")),
        ("ValidationException", lambda me: put(me, "a b")),
        ("HierarchyLevelLimitExceededException", lambda me: put(me, "/a" * 16)),
        ("ValidationException", lambda me: put(me, Value="")),
        ("ValidationException", lambda me: put(me, Value="x" * 4097)),
        ("ValidationException", lambda me: me.ssm.put_parameter(Name="n", Value="1")),
        ("ValidationException", lambda me: put(me, Type="Number")),
        ("ParameterPatternMismatchException", lambda me: put(me, AllowedPattern="^[a-z]+$")),
        ("InvalidAllowedPatternException", lambda me: put(me, AllowedPattern="(")),
        ("TooManyTagsError", lambda me: put(me, Tags=[{"Key": f"k{n}", "Value": "v"} for n in range(51)])),
        ("ValidationException", lambda me: put(me, Tags=[{"Key": "aws:x", "Value": "v"}])),
        ("ParameterAlreadyExists", lambda me: (put(me), put(me))),
        ("ValidationException", lambda me: (put(me), put(me, Overwrite=True, Tags=[{"Key": "k", "Value": "v"}]))),
        ("HierarchyTypeMismatchException", lambda me: (put(me), put(me, Overwrite=True, Type="SecureString"))),
        ("ValidationException", lambda me: (put(me, Tier="Advanced"), put(me, Overwrite=True, Tier="Standard"))),
        ("ValidationException", lambda me: me.ssm.get_parameters(Names=[f"n{n}" for n in range(11)])),
        ("ValidationException", lambda me: me.ssm.describe_parameters(MaxResults=51)),
        ("InvalidResourceId", lambda me: me.ssm.list_tags_for_resource(ResourceType="Parameter", ResourceId="n")),
        ("InvalidParameterException", lambda me: me.logs.create_log_group(logGroupName="aws/front")),
        ("InvalidParameterException", lambda me: me.logs.create_log_group(logGroupName="a b")),
        ("InvalidParameterException", lambda me: group(me, kmsKeyId="my-key")),
        ("InvalidParameterException", lambda me: group(me, tags={"aws:x": "y"})),
        ("ResourceAlreadyExistsException", lambda me: (group(me), group(me))),
        ("ResourceNotFoundException", lambda me: me.logs.delete_log_group(logGroupName="nobody")),
        (
            "InvalidParameterException",
            lambda me: (group(me), me.logs.put_retention_policy(logGroupName="front", retentionInDays=8)),
        ),
        (
            "ValidationException",
            lambda me: (group(me, deletionProtectionEnabled=True), me.logs.delete_log_group(logGroupName="front")),
        ),
        (
            "InvalidParameterException",
            lambda me: (group(me), me.logs.list_tags_for_resource(resourceArn=f"{ARN}:*")),
        ),
        ("InvalidParameterException", lambda me: me.logs.describe_log_groups(limit=51)),
        ("InvalidParameterException", lambda me: me.logs.create_log_group()),
    ],
)
def test_what_parameters_and_log_groups_do_not_take_is_refused_in_their_words(code: str, call: Refused) -> None:
    assert code_of(lambda: call(Stage().me)) == code


def test_a_parameter_is_read_at_once_and_listed_late() -> None:
    stage = Stage(lag=Lag(new_s=3.0))
    put(stage.me)
    assert stage.me.ssm.get_parameter(Name="/front/n")["Parameter"]["Value"] == "1"
    assert stage.me.ssm.describe_parameters()["Parameters"] == []
    stage.clock.advance(3.0)
    assert [one["Name"] for one in stage.me.ssm.describe_parameters()["Parameters"]] == ["/front/n"]


def test_parameters_and_log_groups_come_in_pages_of_fifty() -> None:
    me = Stage().me
    for number in range(51):
        put(me, f"n{number:02}")
        me.logs.create_log_group(logGroupName=f"g{number:02}")
    first, groups = me.ssm.describe_parameters(), me.logs.describe_log_groups()
    second = me.ssm.describe_parameters(NextToken=first["NextToken"])
    others = me.logs.describe_log_groups(nextToken=groups["nextToken"])
    assert [len(page["Parameters"]) for page in (first, second)] == [50, 1]
    assert [len(page["logGroups"]) for page in (groups, others)] == [50, 1]
    assert "NextToken" not in second
    assert "nextToken" not in others


def test_a_bucket_has_many_configurations_each_with_an_id() -> None:
    s3 = Stage().me.s3
    s3.create_bucket(Bucket="front-many")
    for name in ("two", "one"):
        s3.put_bucket_metrics_configuration(Bucket="front-many", Id=name, MetricsConfiguration={"Id": name})
    listed = s3.list_bucket_metrics_configurations(Bucket="front-many")
    assert [one["Id"] for one in listed["MetricsConfigurationList"]] == ["one", "two"]
    about = {"Bucket": "front-many", "Id": "two"}
    assert s3.get_bucket_metrics_configuration(**about)["MetricsConfiguration"] == {"Id": "two"}
    s3.delete_bucket_metrics_configuration(**about)
    assert code_of(lambda: s3.get_bucket_metrics_configuration(**about)) == "NoSuchConfiguration"
    assert code_of(lambda: s3.delete_bucket_metrics_configuration(**about)) == "NoSuchConfiguration"


@pytest.mark.parametrize(
    ("code", "named", "call"),
    [
        ("InvalidAction", "DescribeCustomerGateways", lambda me: me.ec2.describe_customer_gateways()),
        ("InvalidAction", "ListUsers", lambda me: me.iam.list_users()),
        ("NotImplemented", "GET", lambda me: me.s3.get_bucket_request_payment(Bucket="b-b")),
        ("UnknownOperationException", "PurgeQueue", lambda me: me.sqs.purge_queue(QueueUrl="u")),
        ("UnknownOperationException", "kinesis", lambda me: me.kinesis.list_streams()),
        ("InvalidAction", "rds", lambda me: me.rds.describe_db_instances()),
        ("NotImplemented", "lambda", lambda me: getattr(me, "lambda").list_functions()),
        ("NotImplemented", "route53", lambda me: me.route53.list_hosted_zones()),
    ],
)
def test_what_is_not_served_is_refused_in_the_words_of_its_protocol_and_named(
    code: str, named: str, call: Refused
) -> None:
    with pytest.raises(ClientError) as refused:
        call(Stage().me)
    assert refused.value.response["Error"]["Code"] == code
    assert named in str(refused.value)
