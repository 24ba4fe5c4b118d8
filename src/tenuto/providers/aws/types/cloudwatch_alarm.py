"""AWS::CloudWatch::Alarm. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_LEFT_OUT = (
    "AlarmDescription DatapointsToAlarm EvaluateLowSampleCountPercentile ExtendedStatistic MetricName Metrics "
    "Namespace Period Statistic Threshold ThresholdMetricId Unit"
)
"""The properties that an alarm loses when the call that replaces it does not name them."""

ALARM = block(
    "AWS::CloudWatch::Alarm",
    "cloudwatch",
    key="AlarmName",
    listed=Listed(
        operation="DescribeAlarms",
        id="AlarmName",
        size=100,
        members="MetricAlarms",
        by_name="AlarmNames[]",
        fixed={"AlarmTypes": ["MetricAlarm"]},
    ),
    named=Named("AlarmName", 255),
    # The call replaces an alarm of the same name.
    asks_first=True,
    create="PutMetricAlarm",
    modify={"PutMetricAlarm": "*"},
    delete=Call("DeleteAlarms", key="AlarmNames[]"),
    attributes={"Arn": "AlarmArn"},
    tags=TagCalls(
        service="cloudwatch",
        list_call="ListTagsForResource",
        put_call="TagResource",
        remove_call="UntagResource",
        id_name="ResourceARN",
        named=lambda _, alarm: alarm["AlarmArn"],
    ),
    defaults={
        **dict.fromkeys(_LEFT_OUT.split()),
        "ActionsEnabled": True,
        "AlarmActions": [],
        "Dimensions": [],
        "InsufficientDataActions": [],
        "OKActions": [],
        "TreatMissingData": "missing",
    },
    unsupported="ActionConfiguration EvaluationCriteria EvaluationInterval EvaluationWindow WarmUpConfiguration",
    compare_as={
        **dict.fromkeys(("AlarmActions", "Dimensions", "InsufficientDataActions", "OKActions"), Comparison.SET),
        "TreatMissingData": Words(absent="missing"),
    },
)
TYPES = (ALARM,)
