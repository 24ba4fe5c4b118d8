"""Token buckets of the real shape: one per account, region and API action, with the published sizes.

EC2's are those of its developer guide ("Request throttling for the Amazon EC2 API"). The other services do not publish
theirs, or only in part; their sizes here are assumptions on the small side.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tenuto.errors import UserError


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`burst` calls at once, then `per_second`."""

    burst: float
    per_second: float


_READ = Rate(burst=100, per_second=20)
_WHOLE_READ = Rate(burst=50, per_second=10)
_CHANGE = Rate(burst=50, per_second=5)
_TAGGING = Rate(burst=100, per_second=10)
_RESOURCE = Rate(burst=100, per_second=5)
_INSTANCES = Rate(burst=5, per_second=2)
_NAT = Rate(burst=10, per_second=1)
_ENDPOINT = Rate(burst=4, per_second=0.3)
_BIG_READS = frozenset(
    {
        "DescribeInstances",
        "DescribeInstanceStatus",
        "DescribeNetworkInterfaces",
        "DescribeSecurityGroups",
        "DescribeSnapshots",
        "DescribeSpotInstanceRequests",
        "DescribeVolumes",
    }
)
"""These have a second, smaller bucket for calls that ask for everything in one answer."""
_EC2: Mapping[str, Rate] = {
    "CreateTags": _TAGGING,
    "DeleteTags": _TAGGING,
    "RunInstances": _INSTANCES,
    "StartInstances": _INSTANCES,
    "TerminateInstances": _RESOURCE,
    "CreateNatGateway": _NAT,
    "DeleteNatGateway": _NAT,
    "CreateVpcEndpoint": _ENDPOINT,
    "DeleteVpcEndpoints": _ENDPOINT,
    "ModifyVpcEndpoint": _ENDPOINT,
    **dict.fromkeys(
        (
            "AssociateIamInstanceProfile",
            "CreateNetworkInterface",
            "CreateSnapshot",
            "CreateVolume",
            "DeleteNetworkInterface",
            "DeleteVolume",
            "ModifyNetworkInterfaceAttribute",
        ),
        _RESOURCE,
    ),
}
_THINGS: Mapping[str, Rate] = {
    "RunInstances": Rate(burst=1000, per_second=2),
    "StartInstances": Rate(burst=1000, per_second=2),
    "StopInstances": Rate(burst=1000, per_second=20),
    "TerminateInstances": Rate(burst=1000, per_second=20),
}
"""A second bucket, from which each instance of a call takes a token."""
_OTHERS: Mapping[str, tuple[Rate, Rate]] = {
    "cloudcontrol": (Rate(burst=50, per_second=10), Rate(burst=20, per_second=5)),
    "dynamodb": (Rate(burst=100, per_second=20), Rate(burst=50, per_second=5)),
    "iam": (Rate(burst=100, per_second=20), Rate(burst=50, per_second=5)),
    "logs": (Rate(burst=25, per_second=10), Rate(burst=25, per_second=10)),
    "s3": (Rate(burst=5500, per_second=5500), Rate(burst=3500, per_second=3500)),
    "sns": (Rate(burst=30, per_second=30), Rate(burst=30, per_second=30)),
    "sqs": (Rate(burst=100, per_second=50), Rate(burst=50, per_second=10)),
    "ssm": (Rate(burst=40, per_second=40), Rate(burst=10, per_second=3)),
    "sts": (Rate(burst=600, per_second=600), Rate(burst=600, per_second=600)),
}
"""Reads and changes of the services beside EC2. S3's are per prefix of a bucket; here they are per action."""
_READING = ("Describe", "Get", "List", "Head", "Search")


class Buckets:
    """All buckets of one cloud. `times` scales every size and rate."""

    def __init__(self, times: float = 1.0) -> None:
        if times <= 0:
            raise UserError(f"Buckets cannot be {times} times their size. Give a number above 0.")
        self._times = times
        self._levels: dict[tuple[str, ...], tuple[float, float]] = {}
        self.throttled: dict[str, int] = {}
        """How many calls of each action were refused."""

    def take(
        self, owner: tuple[str, str], service: str, action: str, parameters: Mapping[str, Any], now: float
    ) -> bool:
        """Whether the call may be made; takes its tokens if so."""
        rate = rate_of(service, action, parameters)
        takes = [(rate, 1.0, "whole" if rate is _WHOLE_READ else "")]
        if service == "ec2" and action in _THINGS:
            things = parameters.get("InstanceIds") or range(int(parameters.get("MaxCount") or 1))
            takes.append((_THINGS[action], float(len(things)), "things"))
        levels = [((*owner, service, action, which), rate, count) for rate, count, which in takes]
        if all(self._level(key, rate, now) >= count for key, rate, count in levels):
            for key, rate, count in levels:
                self._levels[key] = (self._level(key, rate, now) - count, now)
            return True
        self.throttled[action] = self.throttled.get(action, 0) + 1
        return False

    def _level(self, key: tuple[str, ...], rate: Rate, now: float) -> float:
        burst = max(1.0, rate.burst * self._times)
        level, since = self._levels.get(key, (burst, now))
        return min(burst, level + (now - since) * rate.per_second * self._times)


def rate_of(service: str, action: str, parameters: Mapping[str, Any]) -> Rate:
    """The bucket of one action."""
    is_read = action.startswith(_READING)
    if service != "ec2":
        reads, changes = _OTHERS[service]
        return reads if is_read else changes
    if is_read:
        is_whole = not parameters.get("MaxResults") and not parameters.get("Filters")
        return _WHOLE_READ if action in _BIG_READS and is_whole else _READ
    return _EC2.get(action, _CHANGE)
