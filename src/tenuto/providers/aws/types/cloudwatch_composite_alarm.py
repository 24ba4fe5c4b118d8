"""AWS::CloudWatch::CompositeAlarm, whose rule is about the states of other alarms. Its Ref is its name.

It is in another list of the answer than alarms on metrics, and CloudWatch shows either kind only where it is asked for.
"""

from dataclasses import replace

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.cloudwatch_alarm import TAGS, WITHOUT_TAGS
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named

_ACTIONS = ("AlarmActions", "InsufficientDataActions", "OKActions")
_LEFT_OUT = "AlarmDescription ActionsSuppressor ActionsSuppressorExtensionPeriod ActionsSuppressorWaitPeriod"
"""The properties that an alarm loses when the call that replaces it does not name them."""

_BLOCK = block(
    "AWS::CloudWatch::CompositeAlarm",
    "cloudwatch",
    key="AlarmName",
    listed=Listed(
        operation="DescribeAlarms",
        id="AlarmName",
        size=100,
        members="CompositeAlarms",
        by_name="AlarmNames[]",
        fixed={"AlarmTypes": ["CompositeAlarm"]},
    ),
    named=Named("AlarmName", 255),
    # The call replaces an alarm of the same name.
    asks_first=True,
    create="PutCompositeAlarm",
    shown={"ActionConfiguration": lambda alarm: alarm.get("ActionConfiguration") or WITHOUT_TAGS},
    modify={"PutCompositeAlarm": "*"},
    delete=Call("DeleteAlarms", key="AlarmNames[]"),
    attributes={"Arn": "AlarmArn"},
    tags=TAGS,
    defaults={
        **dict.fromkeys(_LEFT_OUT.split()),
        **{name: [] for name in _ACTIONS},
        "ActionConfiguration": WITHOUT_TAGS,
        "ActionsEnabled": True,
    },
    # Every alarm has it, also where the composition declares none.
    unsaid=[unsaid("ActionConfiguration", **{"ActionConfiguration.AlarmTagsPropagation.Enabled": "False"})],
    compare_as={
        **dict.fromkeys(_ACTIONS, Comparison.SET),
        "ActionConfiguration.AlarmTagsPropagation.ExcludedTagKeys": Comparison.SET,
        "ActionConfiguration.AlarmTagsPropagation.IncludedTagKeys": Comparison.SET,
    },
)
_SOURCE = replace(_BLOCK.source, name=f"{_BLOCK.source.name} of composite ones")
COMPOSITE_ALARM: AwsType = replace(_BLOCK, source=_SOURCE, facts=replace(_BLOCK.facts, source=_SOURCE.name))
TYPES = (COMPOSITE_ALARM,)
