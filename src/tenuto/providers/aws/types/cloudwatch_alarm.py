"""AWS::CloudWatch::Alarm, on metrics, and AWS::CloudWatch::CompositeAlarm, whose rule is about the states of other
alarms. Their Refs are their names.

Both kinds are in one namespace of names, but in two lists of one answer, and CloudWatch shows either kind only where it
is asked for.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_ACTIONS = ("AlarmActions", "InsufficientDataActions", "OKActions")
_WITHOUT_TAGS = {"AlarmTagsPropagation": {"Enabled": False}}
_SLIDING: JsonMap = {"SlidingWindow": {}}
"""The window of an alarm that names none."""


def _window(alarm: JsonMap) -> Json:
    """The window of an alarm; none of one that a query evaluates."""
    return alarm.get("EvaluationWindow") or (None if alarm.get("EvaluationCriteria") else _SLIDING)


def _alarm(
    name: str,
    kind: str,
    *,
    left_out: str,
    defaults: JsonMap,
    shown: Mapping[str, Any],
    unsaid_too: tuple[Any, ...] = (),
    compare_as: Mapping[str, Rule],
) -> AwsType:
    """A kind of alarms. `left_out` are the properties that an alarm loses when the call that replaces it does not name
    them."""
    return block(
        f"AWS::CloudWatch::{name}",
        "cloudwatch",
        key="AlarmName",
        listed=Listed(
            operation="DescribeAlarms",
            id="AlarmName",
            size=100,
            members=f"{kind}s",
            by_name="AlarmNames[]",
            fixed={"AlarmTypes": [kind]},
        ),
        named=Named("AlarmName", 255),
        # The call replaces an alarm of the same name.
        asks_first=True,
        create=f"Put{kind}",
        shown={"ActionConfiguration": lambda alarm: alarm.get("ActionConfiguration") or _WITHOUT_TAGS, **shown},
        modify={f"Put{kind}": "*"},
        delete=Call("DeleteAlarms", key="AlarmNames[]"),
        attributes={"Arn": "AlarmArn"},
        tags=TagCalls(service="cloudwatch", id_name="ResourceARN", named=lambda _, alarm: alarm["AlarmArn"]),
        defaults={
            **dict.fromkeys(left_out.split()),
            **{action: [] for action in _ACTIONS},
            "ActionConfiguration": _WITHOUT_TAGS,
            "ActionsEnabled": True,
            **defaults,
        },
        # Every alarm has these, also where the composition declares none.
        unsaid=[
            unsaid("ActionConfiguration", **{"ActionConfiguration.AlarmTagsPropagation.Enabled": "False"}),
            *unsaid_too,
        ],
        compare_as={
            **dict.fromkeys(_ACTIONS, Comparison.SET),
            "ActionConfiguration.AlarmTagsPropagation.ExcludedTagKeys": Comparison.SET,
            "ActionConfiguration.AlarmTagsPropagation.IncludedTagKeys": Comparison.SET,
            **compare_as,
        },
    )


ALARM = _alarm(
    "Alarm",
    "MetricAlarm",
    left_out=(
        "AlarmDescription DatapointsToAlarm EvaluateLowSampleCountPercentile EvaluationCriteria EvaluationInterval "
        "ExtendedStatistic MetricName Metrics Namespace Period Statistic Threshold ThresholdMetricId Unit "
        "WarmUpConfiguration"
    ),
    defaults={"Dimensions": [], "EvaluationWindow": _SLIDING, "TreatMissingData": "missing"},
    shown={"EvaluationWindow": _window},
    unsaid_too=(unsaid("EvaluationWindow", **{"EvaluationWindow.SlidingWindow": "{}"}),),
    compare_as={
        "Dimensions": Comparison.SET,
        "EvaluationWindow": Comparison.CHOICE,
        "TreatMissingData": Words(absent="missing"),
    },
)
_BLOCK = _alarm(
    "CompositeAlarm",
    "CompositeAlarm",
    left_out="AlarmDescription ActionsSuppressor ActionsSuppressorExtensionPeriod ActionsSuppressorWaitPeriod",
    defaults={},
    shown={},
    compare_as={},
)
_SOURCE = replace(_BLOCK.source, name=f"{_BLOCK.source.name} of composite ones")
COMPOSITE_ALARM: AwsType = replace(_BLOCK, source=_SOURCE, facts=replace(_BLOCK.facts, source=_SOURCE.name))
TYPES = (ALARM, COMPOSITE_ALARM)
