"""The rate at which AWS lets each API be called: the published figures, and cautious ones where nothing is published.

EC2 gives every operation a bucket of its own, per account and region; the figures are those of its developer guide
("Request throttling", 2025). IAM, S3 and the others publish none for the calls that we make; they are known to count
reads and changes of a service together, so they share a bucket here, at figures without reports of throttling. Accounts
can have more (Service Quotas). They never have less, except for the part that others use, and that is learned.
"""

from collections.abc import Mapping
from typing import Any

from tenuto.model.ids import Partition
from tenuto.model.rate import Api, ApiCall, Rate

_READ = Rate(burst=100.0, per_second=20.0)
"""EC2's Describe calls with pages or filters; ours always have one or the other where they can."""
_WHOLE_READ = Rate(burst=50.0, per_second=10.0)
"""The largest of them without either: ours that ask for one thing by its id, which allows no pages."""
_CHANGE = Rate(burst=50.0, per_second=5.0)
"""EC2's changing calls, and those that it calls resource-intensive."""
_S3_READ = Rate(burst=500.0, per_second=100.0)
"""S3 counts per bucket and allows thousands; each of our buckets costs a dozen calls in a sweep."""
_OTHER_READ = Rate(burst=200.0, per_second=20.0)
_OTHER_CHANGE = Rate(burst=50.0, per_second=5.0)

_OWN: dict[str, Rate] = {
    "ec2:RunInstances": Rate(burst=5.0, per_second=2.0),
    "ec2:StartInstances": Rate(burst=5.0, per_second=2.0),
    "ec2:TerminateInstances": Rate(burst=100.0, per_second=5.0),
    "ec2:CreateTags": Rate(burst=100.0, per_second=10.0),
    "ec2:DeleteTags": Rate(burst=100.0, per_second=10.0),
    "ec2:AssociateIamInstanceProfile": Rate(burst=100.0, per_second=5.0),
    "ec2:CreateNatGateway": Rate(burst=10.0, per_second=1.0),
    "ec2:DeleteNatGateway": Rate(burst=10.0, per_second=1.0),
    **dict.fromkeys(
        (
            "ec2:AssignPrivateIpAddresses",
            "ec2:CreateLaunchTemplateVersion",
            "ec2:CreateNetworkInterface",
            "ec2:CreateSnapshot",
            "ec2:CreateVolume",
            "ec2:DeleteNetworkInterface",
            "ec2:DeleteVolume",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:UnassignPrivateIpAddresses",
        ),
        Rate(burst=100.0, per_second=5.0),
    ),
    **dict.fromkeys(
        ("ec2:CreateVpcEndpoint", "ec2:DeleteVpcEndpoints", "ec2:ModifyVpcEndpoint"), Rate(burst=4.0, per_second=0.3)
    ),
}
"""Operations that are not as their class."""

_EACH: dict[str, tuple[Rate, str]] = {
    "ec2:TerminateInstances": (Rate(burst=1000.0, per_second=20.0), "InstanceIds"),
}
"""Operations with a second bucket, from which every thing in the list of that name takes a token. RunInstances and its
kin have one, too; we call them for one instance at a time, and their own bucket is empty first.
"""

_LARGE = frozenset(
    {
        "DescribeInstanceStatus",
        "DescribeInstances",
        "DescribeNetworkInterfaces",
        "DescribeSecurityGroups",
        "DescribeSnapshots",
        "DescribeVolumes",
    }
)
"""Reads that have a smaller bucket, of its own, for calls without pages and filters."""

_GLOBAL = frozenset({"iam"})
"""Services with one endpoint for the whole account: all regions take from the same bucket."""
_READING = ("Describe", "Get", "Head", "List", "Search")


def is_reading(operation: str) -> bool:
    """Whether the operation changes nothing, as its name says at AWS."""
    return operation.startswith(_READING)


def rate_of(service: str, operation: str) -> Rate:
    """The rate that AWS allows the whole account."""
    if service == "s3" and is_reading(operation):
        return _S3_READ
    if service != "ec2":
        return _OTHER_READ if is_reading(operation) else _OTHER_CHANGE
    return _OWN.get(f"ec2:{operation}") or (_READ if is_reading(operation) else _CHANGE)


def api_of(partition: Partition, service: str, operation: str) -> Api:
    """The bucket that a call takes from."""
    home = Partition(account=partition.account, region="*") if service in _GLOBAL else partition
    return Api(partition=home, name=api_name(service, operation))


def api_name(service: str, operation: str) -> str:
    """`ec2:CreateVpc`; `iam:changes` where all changes of a service are counted together."""
    if service == "ec2":
        return f"ec2:{operation}"
    return f"{service}:{'reads' if is_reading(operation) else 'changes'}"


def tokens_of(
    partition: Partition, service: str, operation: str, parameters: Mapping[str, Any]
) -> tuple[tuple[Api, Rate, float], ...]:
    """Return which buckets a call takes from: so many tokens of each."""
    if service == "ec2" and operation in _LARGE and not {"MaxResults", "Filters"} & set(parameters):
        return ((Api(partition=partition, name=f"ec2:{operation}/whole"), _WHOLE_READ, 1.0),)
    one = (api_of(partition, service, operation), rate_of(service, operation), 1.0)
    if f"{service}:{operation}" not in _EACH:
        return (one,)
    rate, name = _EACH[f"{service}:{operation}"]
    return one, (Api(partition=partition, name=f"{service}:{operation}/{name}"), rate, float(len(parameters[name])))


def calls_of(text: str) -> tuple[ApiCall, ...]:
    """Calls as a block writes them: `ec2:CreateVpc`, `ec2:TerminateInstances/1000` where one call serves so many,
    `iam:UpdateUser+` where one call serves all properties that change together.
    """
    calls = []
    for word in text.split():
        name, _, serves = word.removesuffix("+").partition("/")
        service, _, operation = name.partition(":")
        rate = rate_of(service, operation)
        each, _ = _EACH.get(name, (None, ""))
        calls.append(
            ApiCall(
                api=api_name(service, operation),
                rate=rate,
                serves=int(serves or 1),
                each=each,
                joint=operation if word.endswith("+") else "",
            )
        )
    return tuple(calls)
