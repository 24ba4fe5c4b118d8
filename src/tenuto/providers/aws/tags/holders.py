"""The holders of a thing that EC2 will not delete: "DependencyViolation" says that there is one, and this finds it.

It is asked only after a deletion was refused, and answers as far as it may look: a holder that the Conductor is not
permitted to see is not named, and nothing else is lost by that.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from tenuto.errors import ProviderError, TransientError
from tenuto.kit.first_names import first_of
from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Outcome
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import Paging, ec2
from tenuto.providers.aws.kind import Work

_MOST = 5
"""Holders named in one message; a user who removes those sees the next ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One kind of holder: how to list those of a thing, and the noun for each."""

    noun: str
    paging: Paging
    filter_name: str
    id_name: str
    counts: Callable[[JsonMap], object] = lambda _: True
    filters_as: str = "Filters"
    tell: Callable[[JsonMap], str] = lambda _: ""


def _no_default_group(group: JsonMap) -> bool:
    return group.get("GroupName") != "default"


def _no_main_table(table: JsonMap) -> bool:
    return not any(one.get("Main") for one in table.get("Associations") or ())


def _no_default_acl(acl: JsonMap) -> bool:
    return not acl.get("IsDefault")


def _is_there(gateway: JsonMap) -> bool:
    return gateway.get("State") != "deleted"


_INTERFACES = ec2("DescribeNetworkInterfaces", "NetworkInterfaces")
_GROUPS = ec2("DescribeSecurityGroups", "SecurityGroups")


def _interfaces(filter_name: str, counts: Callable[[JsonMap], object] = lambda _: True) -> _Search:
    return _Search(
        noun="network interface",
        paging=_INTERFACES,
        filter_name=filter_name,
        id_name="NetworkInterfaceId",
        counts=counts,
        tell=_whose,
    )


def _whose(interface: JsonMap) -> str:
    """The description and the instance of an interface: it comes and goes with its owner, and people know the owner."""
    instance = (interface.get("Attachment") or {}).get("InstanceId")
    described = f" '{interface['Description']}'" if interface.get("Description") else ""
    return f"{described} of instance {instance}" if instance else described


_SEARCHES: Mapping[str, tuple[_Search, ...]] = {
    "AWS::EC2::VPC": (
        _interfaces("vpc-id"),
        _Search(noun="subnet", paging=ec2("DescribeSubnets", "Subnets"), filter_name="vpc-id", id_name="SubnetId"),
        _Search(
            noun="internet gateway",
            paging=ec2("DescribeInternetGateways", "InternetGateways"),
            filter_name="attachment.vpc-id",
            id_name="InternetGatewayId",
        ),
        _Search(
            noun="NAT gateway",
            paging=ec2("DescribeNatGateways", "NatGateways"),
            filter_name="vpc-id",
            id_name="NatGatewayId",
            counts=_is_there,
            filters_as="Filter",
        ),
        _Search(
            noun="route table",
            paging=ec2("DescribeRouteTables", "RouteTables", page_size=100),
            filter_name="vpc-id",
            id_name="RouteTableId",
            counts=_no_main_table,
        ),
        _Search(
            noun="security group",
            paging=_GROUPS,
            filter_name="vpc-id",
            id_name="GroupId",
            counts=_no_default_group,
        ),
        _Search(
            noun="network ACL",
            paging=ec2("DescribeNetworkAcls", "NetworkAcls"),
            filter_name="vpc-id",
            id_name="NetworkAclId",
            counts=_no_default_acl,
        ),
        _Search(
            noun="VPC endpoint",
            paging=ec2("DescribeVpcEndpoints", "VpcEndpoints"),
            filter_name="vpc-id",
            id_name="VpcEndpointId",
        ),
    ),
    "AWS::EC2::Subnet": (_interfaces("subnet-id"),),
    "AWS::EC2::SecurityGroup": (
        _interfaces("group-id"),
        _Search(
            noun="a rule of security group", paging=_GROUPS, filter_name="ip-permission.group-id", id_name="GroupId"
        ),
    ),
    "AWS::EC2::VPCGatewayAttachment": (_interfaces("vpc-id", lambda interface: interface.get("Association")),),
}
"""Types that cannot be deleted while something else refers to them, with the searches for these holders."""


def naming_holders(delete: Callable[[Work], Outcome]) -> Callable[[Work], Outcome]:
    """Return the deletion with refusals that name who holds the thing."""

    def act(work: Work) -> Outcome:
        try:
            return delete(work)
        except TransientError as error:
            if not faults.is_held(error):
                raise
            names = list(_holders(work))
            if not names:
                raise
            raise TransientError(
                f"{error}. It is held by {first_of(names, _MOST)}", code=error.code, request_id=error.request_id
            ) from error

    return act


def _holders(work: Work) -> Iterator[str]:
    """Each holder with its kind."""
    thing = _searched_id(work)
    for search in _SEARCHES.get(work.request.type, ()):
        with suppress(ProviderError):
            within = [{"Name": search.filter_name, "Values": [thing]}]
            for found in work.client.pages(search.paging, **{search.filters_as: within}):
                if search.counts(found) and found[search.id_name] != thing:
                    yield f"{search.noun} {found[search.id_name]}{search.tell(found)}"


def _searched_id(work: Work) -> str:
    """The id that the holders refer to: of an attachment of a gateway, its VPC."""
    return str(work.want("VpcId") if work.request.type == "AWS::EC2::VPCGatewayAttachment" else work.id)
