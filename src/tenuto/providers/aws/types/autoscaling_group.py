"""AWS::AutoScaling::AutoScalingGroup. Its Ref is its name. It is deleted with its machines, which takes minutes."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.autoscaling_attached import HOOKS, MESSAGE, MESSAGES, Hooks, Messages
from tenuto.providers.aws.types.autoscaling_tags import TAGS
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named

_NAME = "AWS::AutoScaling::AutoScalingGroup"
_METRICS = "MetricsCollection"


@dataclass(frozen=True, kw_only=True)
class _Metrics(Shown):
    """The metrics that are collected: all of them where none is named."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({_METRICS})

    def read(self, thing: Thing) -> dict[str, Json]:
        found: dict[str, list[str]] = {}
        for one in thing.answer.get("EnabledMetrics") or ():
            found.setdefault(str(one["Granularity"]), []).append(str(one["Metric"]))
        return {_METRICS: [{"Granularity": word, "Metrics": sorted(names)} for word, names in sorted(found.items())]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(_METRICS):
            return
        if work.seen(_METRICS):
            work.change(service, "DisableMetricsCollection", AutoScalingGroupName=work.id)
        for one in work.want(_METRICS):
            work.change(service, "EnableMetricsCollection", AutoScalingGroupName=work.id, **one)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_METRICS: f"{service}:EnableMetricsCollection"}


def _attached(name: str, put: str, drop: str) -> Members:
    return Members(name=name, shown_at=name, put=Call(put), drop=Call(drop), member=name, is_bulk=True)


GROUP = block(
    _NAME,
    "autoscaling",
    key="AutoScalingGroupName",
    listed=Listed(
        operation="DescribeAutoScalingGroups", id="AutoScalingGroupName", size=100, by_name="AutoScalingGroupNames[]"
    ),
    asked=Call("DescribeAutoScalingGroups", key="AutoScalingGroupNames[]"),
    named=Named("AutoScalingGroupName", 255),
    create="CreateAutoScalingGroup",
    renamed={"Cooldown": "DefaultCooldown"},
    # The subnets are one text, with commas.
    sent_as={"VPCZoneIdentifier": ",".join},
    shown={
        "VPCZoneIdentifier": lambda group: [one for one in str(group.get("VPCZoneIdentifier") or "").split(",") if one]
    },
    attributes={"AutoScalingGroupARN": "AutoScalingGroupARN"},
    # The size goes alone: other bounds move it where it is not named, and are refused where it lies outside of them.
    modify={"UpdateAutoScalingGroup": "*", "SetDesiredCapacity": "DesiredCapacity"},
    parts=(
        _Metrics(),
        Messages(),
        Hooks(),
        _attached("LoadBalancerNames", "AttachLoadBalancers", "DetachLoadBalancers"),
        _attached("TargetGroupARNs", "AttachLoadBalancerTargetGroups", "DetachLoadBalancerTargetGroups"),
        _attached("TrafficSources", "AttachTrafficSources", "DetachTrafficSources"),
    ),
    delete=Call("DeleteAutoScalingGroup", fixed={"ForceDelete": True}),
    state=State(at="Status && 'Deleting'", going="Deleting"),
    tags=TAGS,
    # A source of traffic is shown as a balancer or as a target group, too.
    synonyms=[(MESSAGES, MESSAGE), ("LoadBalancerNames", "TrafficSources"), ("TargetGroupARNs", "TrafficSources")],
    unsaid=[unsaid(MESSAGE)],
    defaults={
        "CapacityRebalance": False,
        "Cooldown": "300",
        "HealthCheckGracePeriod": 0,
        "HealthCheckType": "EC2",
        "MetricsCollection": [],
        "NewInstancesProtectedFromScaleIn": False,
        MESSAGES: [],
        "TerminationPolicies": ["Default"],
    },
    compare_as={
        "AvailabilityZones": Comparison.SET,
        HOOKS: Comparison.SET,
        "LoadBalancerNames": Comparison.SET,
        "MetricsCollection": Comparison.SET,
        MESSAGES: Comparison.SET,
        f"{MESSAGES}.NotificationTypes": Comparison.SET,
        f"{MESSAGE}.NotificationTypes": Comparison.SET,
        "TargetGroupARNs": Comparison.SET,
        "TrafficSources": Comparison.SET,
        "VPCZoneIdentifier": Comparison.SET,
    },
)
TYPES = (GROUP,)
