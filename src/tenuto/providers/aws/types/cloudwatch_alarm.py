"""AWS::CloudWatch::Alarm. Its Ref is its name."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_LEFT_OUT = (
    "AlarmDescription DatapointsToAlarm EvaluateLowSampleCountPercentile EvaluationCriteria EvaluationInterval "
    "ExtendedStatistic MetricName Metrics Namespace Period Statistic Threshold ThresholdMetricId Unit "
    "WarmUpConfiguration"
)
"""The properties that an alarm loses when the call that replaces it does not name them."""
WITHOUT_TAGS = {"AlarmTagsPropagation": {"Enabled": False}}
TAGS = TagCalls(service="cloudwatch", id_name="ResourceARN", named=lambda _, alarm: alarm["AlarmArn"])
_SLIDING: JsonMap = {"SlidingWindow": {}}
"""The window of an alarm that names none."""


def _window(alarm: JsonMap) -> Json:
    """The window of an alarm; none of one that a query evaluates."""
    return alarm.get("EvaluationWindow") or (None if alarm.get("EvaluationCriteria") else _SLIDING)


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
    shown={
        "ActionConfiguration": lambda alarm: alarm.get("ActionConfiguration") or WITHOUT_TAGS,
        "EvaluationWindow": _window,
    },
    modify={"PutMetricAlarm": "*"},
    delete=Call("DeleteAlarms", key="AlarmNames[]"),
    attributes={"Arn": "AlarmArn"},
    tags=TAGS,
    defaults={
        **dict.fromkeys(_LEFT_OUT.split()),
        "ActionConfiguration": WITHOUT_TAGS,
        "ActionsEnabled": True,
        "AlarmActions": [],
        "Dimensions": [],
        "EvaluationWindow": _SLIDING,
        "InsufficientDataActions": [],
        "OKActions": [],
        "TreatMissingData": "missing",
    },
    # Every alarm has these, also where the composition declares none.
    unsaid=[
        unsaid("ActionConfiguration", **{"ActionConfiguration.AlarmTagsPropagation.Enabled": "False"}),
        unsaid("EvaluationWindow", **{"EvaluationWindow.SlidingWindow": "{}"}),
    ],
    compare_as={
        **dict.fromkeys(("AlarmActions", "Dimensions", "InsufficientDataActions", "OKActions"), Comparison.SET),
        "ActionConfiguration.AlarmTagsPropagation.ExcludedTagKeys": Comparison.SET,
        "ActionConfiguration.AlarmTagsPropagation.IncludedTagKeys": Comparison.SET,
        "EvaluationWindow": Comparison.CHOICE,
        "TreatMissingData": Words(absent="missing"),
    },
)
TYPES = (ALARM,)
