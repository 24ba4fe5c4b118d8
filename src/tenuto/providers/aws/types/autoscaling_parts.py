"""Policies, scheduled actions and lifecycle hooks of an Auto Scaling group.

Auto Scaling makes nothing up: a policy and an action have a name that Tenuto makes and no property declares. All things
of a type come with one list.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.types.named import Named

_GROUP = "AutoScalingGroupName"

POLICY = block(
    "AWS::AutoScaling::ScalingPolicy",
    "autoscaling",
    key=f"{_GROUP} PolicyName",
    listed=Listed(operation="DescribePolicies", id=f"{_GROUP} PolicyName", size=100),
    named=Named("PolicyName", 255),
    create="PutScalingPolicy",
    attributes={"Ref": "PolicyARN", "Arn": "PolicyARN"},
    # The call replaces a policy: a property that it is not given goes.
    modify={"PutScalingPolicy": "*"},
    delete="DeletePolicy",
    named_by="",
)
ACTION = block(
    "AWS::AutoScaling::ScheduledAction",
    "autoscaling",
    key=f"{_GROUP} ScheduledActionName",
    listed=Listed(operation="DescribeScheduledActions", id=f"{_GROUP} ScheduledActionName", size=100),
    named=Named("ScheduledActionName", 255),
    create="PutScheduledUpdateGroupAction",
    attributes={"Ref": "ScheduledActionName"},
    modify={"PutScheduledUpdateGroupAction": "*"},
    delete="DeleteScheduledAction",
    named_by="",
)
HOOK = block(
    "AWS::AutoScaling::LifecycleHook",
    "autoscaling",
    key=f"{_GROUP} LifecycleHookName",
    # Hooks are shown by group alone.
    described=Described(
        call=Call("DescribeLifecycleHooks", key=f"{_GROUP} LifecycleHookNames[]"),
        at="LifecycleHooks",
        chosen_by="LifecycleHookName",
        gone_at="LifecycleHooks != `null`",
    ),
    named=Named("LifecycleHookName", 255),
    # The call replaces a hook of the same name.
    asks_first=True,
    create="PutLifecycleHook",
    modify={"PutLifecycleHook": "*"},
    delete="DeleteLifecycleHook",
    attributes={"Ref": "LifecycleHookName"},
)
TYPES = (POLICY, ACTION, HOOK)
