"""Network interfaces: instances and NAT gateways have them in a subnet, and they keep subnets and groups from going."""

from collections.abc import Mapping, Sequence
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.cidr import free_address, ipv4
from tenuto_testing.cloud.families.kinds import INTERFACE, SUBNET
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Thing

INTERFACES = Listing(
    kind=INTERFACE,
    members="NetworkInterfaces",
    ids="NetworkInterfaceIds",
    filters={
        "attachment.instance-id": "Attachment.InstanceId",
        "description": "Description",
        "group-id": "Groups.GroupId",
        "interface-type": "InterfaceType",
        "network-interface-id": "NetworkInterfaceId",
        "private-ip-address": "PrivateIpAddress",
        "status": "Status",
        "subnet-id": "SubnetId",
        "vpc-id": "VpcId",
    },
    ids_exclude_pages=True,
)


def make(
    call: Call,
    subnet: Thing,
    groups: Sequence[Thing],
    *,
    holder: str,
    description: str,
    wanted_ip: str | None = None,
    kind: str = "interface",
) -> Thing:
    """An interface of an instance or of a NAT gateway. Raises Refusal when there is no such address, or none left."""
    address = wanted_ip or free_address(subnet["CidrBlock"], _taken(call, subnet))
    if address is None:
        raise Refusal("InsufficientFreeAddressesInSubnet", f"Not enough free addresses in subnet '{subnet.id}'")
    if wanted_ip and not _is_usable(subnet, wanted_ip):
        raise Refusal("InvalidParameterValue", f"Address {wanted_ip} does not fall within the subnet's address range")
    if wanted_ip and wanted_ip in _taken(call, subnet):
        raise Refusal("InvalidIPAddress.InUse", f"Address {wanted_ip} is in use.")
    interface = call.make(
        INTERFACE,
        {
            "AvailabilityZone": subnet["AvailabilityZone"],
            "Description": description,
            "Groups": [{"GroupId": group.id, "GroupName": group["GroupName"]} for group in groups],
            "InterfaceType": kind,
            "MacAddress": f"02:{':'.join(call.cloud.ids.digits('mac', 2) for _ in range(5))}",
            "OwnerId": call.account,
            "PrivateIpAddress": address,
            "PrivateIpAddresses": [{"Primary": True, "PrivateIpAddress": address}],
            "RequesterManaged": kind != "interface",
            "SourceDestCheck": kind == "interface",
            "Status": "in-use",
            "SubnetId": subnet.id,
            "VpcId": subnet["VpcId"],
        },
        parents=[subnet["VpcId"], subnet.id, holder, *(group.id for group in groups)],
        is_asked_for=False,
    )
    call.edit(subnet)["AvailableIpAddressCount"] -= 1
    return interface


def _taken(call: Call, subnet: Thing) -> list[str]:
    return [interface["PrivateIpAddress"] for interface in call.all(INTERFACE, subnet.id)]


def _is_usable(subnet: Thing, address: str) -> bool:
    block = ipv4(subnet["CidrBlock"], "cidrBlock")
    return ipv4(f"{address}/32", "privateIpAddress").subnet_of(block)


def regroup(call: Call, interface: Thing, groups: Sequence[Thing]) -> None:
    """Give it other security groups."""
    old = {one["GroupId"] for one in interface["Groups"]}
    kept = [parent for parent in interface.parents if parent not in old]
    call.edit(interface)["Groups"] = [{"GroupId": group.id, "GroupName": group["GroupName"]} for group in groups]
    call.place.table(INTERFACE).move(interface, (*kept, *(group.id for group in groups)))


def remove(call: Call, interface: Thing) -> None:
    subnet = call.place.table(SUBNET).things.get(interface["SubnetId"])
    if subnet is not None:
        call.edit(subnet)["AvailableIpAddressCount"] += 1
    call.remove(interface)


HANDLERS: Mapping[str, Any] = {"DescribeNetworkInterfaces": describe(INTERFACES)}
