"""RunInstances: the checks of an order for instances, and the things that it makes."""

import base64
import binascii
from copy import deepcopy
from dataclasses import dataclass

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families import ec2_address, ec2_interface, ec2_keys, ec2_profile_association, ec2_volume
from tenuto_testing.cloud.families.kinds import INSTANCE, SECURITY_GROUP, SUBNET, VPC
from tenuto_testing.cloud.ids import is_well_formed
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_LONGEST_USER_DATA = 16384
_METADATA = {
    "HttpEndpoint": "enabled",
    "HttpProtocolIpv6": "disabled",
    "HttpPutResponseHopLimit": 1,
    "HttpTokens": "optional",
    "InstanceMetadataTags": "disabled",
    "State": "applied",
}
_SHOWN_OF_INTERFACE = (
    "Association",
    "Attachment",
    "Description",
    "Groups",
    "InterfaceType",
    "MacAddress",
    "NetworkInterfaceId",
    "OwnerId",
    "PrivateIpAddress",
    "PrivateIpAddresses",
    "SourceDestCheck",
    "Status",
    "SubnetId",
    "VpcId",
)
_MADE = ("instance", "volume", "network-interface", "spot-instances-request", "elastic-gpu")
_WITHOUT_CPU_OPTIONS = ("m1", "t1", "t2")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    image: str
    subnet: Thing
    groups: tuple[Thing, ...]
    wanted_ip: str | None
    is_public: bool
    profile: Data | None


def run(call: Call) -> list[Thing]:
    """The new instances, pending. Raises Refusal; then nothing was made."""
    order = _order(call)
    low, high = call.want("MinCount"), call.want("MaxCount")
    if not 1 <= low <= high:
        raise Refusal("InvalidParameterValue", f"Value ({low}) for parameter minCount is invalid.")
    reservation = call.new_id("r")
    return [_make(call, order, reservation, index) for index in range(high)]


def _order(call: Call) -> _Order:
    check_specifications(call.want("TagSpecifications") or (), _MADE)
    image = call.need("ImageId")
    if not is_well_formed("ami", image):
        raise Refusal("InvalidAMIID.Malformed", f'Invalid id: "{image}" (expecting "ami-...")')
    if image not in call.cloud.images:
        raise Refusal("InvalidAMIID.NotFound", f"The image id '[{image}]' does not exist")
    if call.want("KeyName"):
        ec2_keys.by_name(call, call.want("KeyName"))
    if call.want("CpuOptions") and str(call.want("InstanceType")).partition(".")[0] in _WITHOUT_CPU_OPTIONS:
        raise Refusal(
            "InvalidParameterCombination", f"The instance type {call.want('InstanceType')} takes no CpuOptions."
        )
    _check_user_data(call)
    interface = _interface(call)
    subnet = _subnet(call, interface)
    return _Order(
        image=image,
        subnet=subnet,
        groups=_groups(call, subnet, interface),
        wanted_ip=call.want("PrivateIpAddress") or interface.get("PrivateIpAddress"),
        is_public=interface.get("AssociatePublicIpAddress", subnet["MapPublicIpOnLaunch"]),
        profile=ec2_profile_association.profile_of(call),
    )


def _interface(call: Call) -> Data:
    """The first interface, where the request has any; then it has neither subnet nor groups of its own."""
    interfaces = call.want("NetworkInterfaces") or ()
    if interfaces and (call.want("SubnetId") or call.want("SecurityGroupIds")):
        raise Refusal(
            "InvalidParameterCombination",
            "Network interfaces and an instance-level subnet ID may not be specified on the same request",
        )
    return next((one for one in interfaces if one.get("DeviceIndex", 0) == 0), {})


def _subnet(call: Call, interface: Data) -> Thing:
    subnet_id = call.want("SubnetId") or interface.get("SubnetId")
    zone = (call.want("Placement") or {}).get("AvailabilityZone")
    if subnet_id:
        subnet = call.get(SUBNET, subnet_id)
        if zone and subnet["AvailabilityZone"] != zone:
            raise Refusal("InvalidParameterValue", f"The subnet {subnet_id} is not in the zone {zone}.")
        return subnet
    for subnet in call.all(SUBNET):
        if subnet["DefaultForAz"] and zone in (None, subnet["AvailabilityZone"]):
            return subnet
    raise Refusal("MissingInput", "No subnets found for the default VPC. Please specify a subnet.")


def _groups(call: Call, subnet: Thing, interface: Data) -> tuple[Thing, ...]:
    ids = call.want("SecurityGroupIds") or interface.get("Groups") or ()
    if call.want("SecurityGroups"):
        return _named_groups(call, subnet)
    groups = tuple(call.get(SECURITY_GROUP, one) for one in ids) or tuple(
        one for one in call.all(SECURITY_GROUP, subnet["VpcId"]) if one.hidden["is_default"]
    )
    check_groups(groups, subnet["VpcId"], subnet.id)
    return groups


def _named_groups(call: Call, subnet: Thing) -> tuple[Thing, ...]:
    """Names are those of the default VPC, and mean nothing in a subnet that the request names."""
    vpc = call.get(VPC, subnet["VpcId"])
    if call.want("SubnetId") or not vpc["IsDefault"]:
        raise Refusal("InvalidParameterCombination", "The parameter groupName cannot be used with the parameter subnet")
    names = {one["GroupName"]: one for one in call.all(SECURITY_GROUP, vpc.id)}
    for name in call.want("SecurityGroups"):
        if name not in names:
            raise Refusal(
                "InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC '{vpc.id}'"
            )
    return tuple(names[name] for name in call.want("SecurityGroups"))


def check_groups(groups: tuple[Thing, ...], vpc_id: str, subnet_id: str) -> None:
    """They must be of the VPC. Raises Refusal."""
    for group in groups:
        if group["VpcId"] != vpc_id:
            raise Refusal(
                "InvalidParameter",
                f"Security group {group.id} and subnet {subnet_id} belong to different networks.",
            )


def _check_user_data(call: Call) -> None:
    try:
        raw = base64.b64decode(call.want("UserData") or "", validate=True)
    except binascii.Error as error:
        raise Refusal("InvalidUserData.Malformed", "Invalid BASE64 encoding of user data") from error
    if len(raw) > _LONGEST_USER_DATA:
        raise Refusal("InvalidParameterValue", f"User data is limited to {_LONGEST_USER_DATA} bytes")


def _make(call: Call, order: _Order, reservation: str, index: int) -> Thing:
    subnet, vpc_id = order.subnet, order.subnet["VpcId"]
    instance_id = call.new_id("i")
    interface = ec2_interface.make(
        call, subnet, order.groups, holder=instance_id, description="", wanted_ip=order.wanted_ip
    )
    call.edit(interface)["Attachment"] = {
        "AttachTime": call.now,
        "AttachmentId": call.new_id("eni-attach"),
        "DeleteOnTermination": True,
        "DeviceIndex": 0,
        "NetworkCardIndex": 0,
        "Status": "attached",
    }
    public_ip = f"54.{interface['PrivateIpAddress'].partition('.')[2]}" if order.is_public else None
    if public_ip:
        call.edit(interface)["Association"] = {"IpOwnerId": "amazon", "PublicIp": public_ip}
    monitoring = "enabled" if (call.want("Monitoring") or {}).get("Enabled") else "disabled"
    placement = {"GroupName": "", "Tenancy": "default", **(call.want("Placement") or {})}
    address = interface["PrivateIpAddress"]
    instance = call.make(
        INSTANCE,
        {
            "AmiLaunchIndex": index,
            "Architecture": "x86_64",
            "BlockDeviceMappings": [],
            "ClientToken": call.token,
            "CpuOptions": call.want("CpuOptions") or {"CoreCount": 1, "ThreadsPerCore": 2},
            "EbsOptimized": bool(call.want("EbsOptimized")),
            "EnclaveOptions": call.want("EnclaveOptions") or {"Enabled": False},
            "HibernationOptions": {"Configured": bool((call.want("HibernationOptions") or {}).get("Configured"))},
            "Hypervisor": "xen",
            "ImageId": order.image,
            "InstanceType": call.want("InstanceType", "m1.small"),
            **call.copied("KernelId", "KeyName", "RamdiskId"),
            "LaunchTime": call.now,
            "MetadataOptions": {**_METADATA, **(call.want("MetadataOptions") or {})},
            "Monitoring": {"State": monitoring},
            "NetworkInterfaces": [_shown(interface)],
            "Placement": {**placement, "AvailabilityZone": subnet["AvailabilityZone"]},
            "PrivateDnsName": f"ip-{address.replace('.', '-')}.ec2.internal",
            "PrivateDnsNameOptions": call.want("PrivateDnsNameOptions")
            or dict(subnet["PrivateDnsNameOptionsOnLaunch"]),
            "PrivateIpAddress": address,
            "ProductCodes": [],
            "PublicDnsName": ec2_address.public_name(public_ip),
            "PublicIpAddress": public_ip,
            "RootDeviceName": "/dev/xvda",
            "RootDeviceType": "ebs",
            "SecurityGroups": [{"GroupId": one.id, "GroupName": one["GroupName"]} for one in order.groups],
            "SourceDestCheck": True,
            "State": {"Code": 0, "Name": "pending"},
            "StateTransitionReason": "",
            "SubnetId": subnet.id,
            "VirtualizationType": "hvm",
            "VpcId": vpc_id,
        },
        id=instance_id,
        parents=[vpc_id, subnet.id, *(group.id for group in order.groups)],
        hidden={
            "CpuCredits": (call.want("CreditSpecification") or {}).get("CpuCredits", "standard"),
            "DisableApiStop": bool(call.want("DisableApiStop")),
            "DisableApiTermination": bool(call.want("DisableApiTermination")),
            "InstanceInitiatedShutdownBehavior": call.want("InstanceInitiatedShutdownBehavior", "stop"),
            "UserData": call.want("UserData"),
            "owner": call.account,
            "reservation": reservation,
        },
    )
    call.edit(interface)["Attachment"].update(InstanceId=instance_id, InstanceOwnerId=call.account)
    ec2_volume.attach_root(call, instance)
    if order.profile is not None:
        ec2_profile_association.associate(call, instance, order.profile)
    return instance


def _shown(interface: Thing) -> Data:
    """The interface as its instance shows it: without whose it is."""
    return deepcopy({name: interface.get(name) for name in _SHOWN_OF_INTERFACE})
