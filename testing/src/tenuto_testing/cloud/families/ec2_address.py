"""Elastic IP addresses, and their associations."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, select
from tenuto_testing.cloud.families.ec2_gateway import has_way_out
from tenuto_testing.cloud.families.kinds import ADDRESS, INSTANCE, INTERFACE, NAT_GATEWAY
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_ASSOCIATION = (
    "AssociationId",
    "InstanceId",
    "NetworkInterfaceId",
    "NetworkInterfaceOwnerId",
    "PrivateIpAddress",
)

ADDRESSES = Listing(
    kind=ADDRESS,
    members="Addresses",
    ids="AllocationIds",
    filters={
        "allocation-id": "AllocationId",
        "association-id": "AssociationId",
        "instance-id": "InstanceId",
        "network-border-group": "NetworkBorderGroup",
        "network-interface-id": "NetworkInterfaceId",
        "network-interface-owner-id": "NetworkInterfaceOwnerId",
        "private-ip-address": "PrivateIpAddress",
        "public-ip": "PublicIp",
    },
    page=0,
)


def _describe(call: Call) -> Data:
    views, _ = select(call, ADDRESSES)
    wanted = call.want("PublicIps")
    for one in wanted or ():
        if all(view.data["PublicIp"] != one for view in views):
            raise Refusal("InvalidAddress.NotFound", f"Address '{one}' not found.")
    return {"Addresses": [view for view in views if not wanted or view.data["PublicIp"] in wanted]}


def _allocate(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["elastic-ip"])
    if call.want("Domain", "vpc") != "vpc":
        raise Refusal("InvalidParameterValue", f"Invalid value '{call.want('Domain')}' for domain.")
    if len(call.all(ADDRESS)) >= call.cloud.quotas.addresses:
        raise Refusal("AddressLimitExceeded", "The maximum number of addresses has been reached.")
    data = {
        "Domain": "vpc",
        "NetworkBorderGroup": call.want("NetworkBorderGroup") or call.region,
        "PublicIp": _public_ip(call),
        "PublicIpv4Pool": call.want("PublicIpv4Pool") or "amazon",
    }
    address = call.make(ADDRESS, data)
    return {name: address[name] for name in ("AllocationId", *data)}


def _public_ip(call: Call) -> str:
    number = int(call.cloud.ids.digits("public-ip", 6), 16)
    return f"52.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def bind(call: Call, address: Thing, interface: Thing, instance_id: str = "") -> str:
    """Associate an address with an interface. The caller has let go of earlier associations of both."""
    association_id = call.new_id("eipassoc")
    call.edit(address).update(
        AssociationId=association_id,
        NetworkInterfaceId=interface.id,
        NetworkInterfaceOwnerId=call.account,
        PrivateIpAddress=interface["PrivateIpAddress"],
        **({"InstanceId": instance_id} if instance_id else {}),
    )
    call.place.table(ADDRESS).move(address, (interface.id,))
    shown = {"AllocationId": address.id, "AssociationId": association_id, "PublicIp": address["PublicIp"]}
    call.edit(interface)["Association"] = {**shown, "IpOwnerId": call.account}
    _show_on_instance(call, instance_id, address["PublicIp"])
    return association_id


def unbind(call: Call, address: Thing) -> None:
    """Let go of the association of an address."""
    interface = call.place.table(INTERFACE).things.get(address.get("NetworkInterfaceId") or "")
    if interface is not None:
        call.edit(interface)["Association"] = None
    _show_on_instance(call, address.get("InstanceId") or "", None)
    data = call.edit(address)
    for name in _ASSOCIATION:
        data.pop(name, None)
    call.place.table(ADDRESS).move(address, ())


def _show_on_instance(call: Call, instance_id: str, public_ip: str | None) -> None:
    instance = call.place.table(INSTANCE).things.get(instance_id)
    if instance is not None:
        data = call.edit(instance)
        data["PublicIpAddress"] = public_ip
        data["PublicDnsName"] = public_name(public_ip)


def public_name(public_ip: str | None) -> str:
    """The name in DNS that goes with an address."""
    return f"ec2-{public_ip.replace('.', '-')}.compute-1.amazonaws.com" if public_ip else ""


def _named(call: Call) -> Thing:
    if call.want("AllocationId"):
        _check_is_one_of(call, "AllocationId", "PublicIp")
        return call.get(ADDRESS, call.want("AllocationId"))
    public_ip = call.need("PublicIp")
    for address in call.all(ADDRESS):
        if address["PublicIp"] == public_ip:
            return call.get(ADDRESS, address.id)
    raise Refusal("InvalidAddress.NotFound", f"Address '{public_ip}' not found.")


def _check_is_one_of(call: Call, name: str, other: str) -> None:
    if call.want(name) and call.want(other):
        raise Refusal("InvalidParameterCombination", f"You may specify {name} or {other}, but not both.")


def _associate(call: Call) -> Data:
    address, interface, instance_id = _named(call), *_target(call)
    if not has_way_out(call, interface["VpcId"]):
        raise Refusal("Gateway.NotAttached", f"Network {interface['VpcId']} is not attached to any internet gateway")
    if address.get("NetworkInterfaceId") == interface.id:
        return {"AssociationId": address["AssociationId"]}
    if address.get("AssociationId") and not call.want("AllowReassociation"):
        raise Refusal(
            "Resource.AlreadyAssociated",
            f"resource {address.id} is already associated with associate-id {address['AssociationId']}",
        )
    if address.get("AssociationId"):
        _check_is_free_to_go(call, address)
        unbind(call, address)
    for other in call.all(ADDRESS, interface.id):
        unbind(call, other)
    return {"AssociationId": bind(call, address, interface, instance_id)}


def _target(call: Call) -> tuple[Thing, str]:
    """The interface, and the instance that has it."""
    _check_is_one_of(call, "NetworkInterfaceId", "InstanceId")
    if call.want("NetworkInterfaceId"):
        interface = call.get(INTERFACE, call.want("NetworkInterfaceId"))
        return interface, (interface.get("Attachment") or {}).get("InstanceId") or ""
    instance = call.get(INSTANCE, call.need("InstanceId"))
    if instance["State"]["Name"] not in ("running", "stopping", "stopped"):
        state = instance["State"]["Name"]
        raise Refusal(
            "InvalidInstanceID", f"The {state} instance '{instance.id}' is not in a valid state for this operation."
        )
    return call.all(INTERFACE, instance.id)[0], instance.id


def _check_is_free_to_go(call: Call, address: Thing) -> None:
    """Raise Refusal for the address of a NAT gateway: no caller can take it away."""
    for gateway in call.all(NAT_GATEWAY):
        if gateway.hidden.get("interface") == address.get("NetworkInterfaceId"):
            raise Refusal("AuthFailure", "You do not have permission to access the specified resource.")


def _disassociate(call: Call) -> Data:
    wanted = call.need("AssociationId")
    for address in call.all(ADDRESS):
        if address.get("AssociationId") == wanted:
            _check_is_free_to_go(call, address)
            unbind(call, address)
            return {}
    raise Refusal("InvalidAssociationID.NotFound", f"The association ID '{wanted}' does not exist")


def _release(call: Call) -> Data:
    address = call.get(ADDRESS, call.need("AllocationId"))
    if address.get("AssociationId"):
        raise Refusal("InvalidIPAddress.InUse", f"Address {address['PublicIp']} is in use.")
    call.remove(address)
    return {}


HANDLERS: Mapping[str, Any] = {
    "AllocateAddress": _allocate,
    "AssociateAddress": _associate,
    "DescribeAddresses": _describe,
    "DisassociateAddress": _disassociate,
    "ReleaseAddress": _release,
}
