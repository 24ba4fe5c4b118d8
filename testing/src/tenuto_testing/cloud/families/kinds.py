"""The kinds of things that EC2 has here, with the codes by which it says that there is no such one."""

from collections.abc import Mapping

from tenuto_testing.cloud.world import Kind


def _kind(name: str, prefix: str, id_name: str, code: str, malformed: str = "", noun: str = "") -> Kind:
    return Kind(name=name, prefix=prefix, id_name=id_name, not_found=code, malformed=malformed, noun=noun)


VPC = _kind("vpc", "vpc", "VpcId", "InvalidVpcID.NotFound", "InvalidVpcId.Malformed")
SUBNET = _kind("subnet", "subnet", "SubnetId", "InvalidSubnetID.NotFound", "InvalidSubnetId.Malformed")
INTERNET_GATEWAY = _kind(
    "internet-gateway",
    "igw",
    "InternetGatewayId",
    "InvalidInternetGatewayID.NotFound",
    "InvalidInternetGatewayId.Malformed",
    "internetGateway ID",
)
ROUTE_TABLE = _kind(
    "route-table",
    "rtb",
    "RouteTableId",
    "InvalidRouteTableID.NotFound",
    "InvalidRouteTableId.Malformed",
    "routeTable ID",
)
SECURITY_GROUP = _kind(
    "security-group", "sg", "GroupId", "InvalidGroup.NotFound", "InvalidGroupId.Malformed", "security group"
)
RULE = _kind(
    "security-group-rule",
    "sgr",
    "SecurityGroupRuleId",
    "InvalidSecurityGroupRuleId.NotFound",
    "InvalidSecurityGroupRuleId.Malformed",
    "security group rule ID",
)
ADDRESS = _kind("elastic-ip", "eipalloc", "AllocationId", "InvalidAllocationID.NotFound", "", "allocation ID")
NAT_GATEWAY = _kind("natgateway", "nat", "NatGatewayId", "NatGatewayNotFound", "NatGatewayMalformed", "NAT gateway")
NETWORK_ACL = _kind(
    "network-acl", "acl", "NetworkAclId", "InvalidNetworkAclID.NotFound", "InvalidNetworkAclId.Malformed"
)
INTERFACE = Kind(
    name="network-interface",
    prefix="eni",
    id_name="NetworkInterfaceId",
    not_found="InvalidNetworkInterfaceID.NotFound",
    malformed="InvalidNetworkInterfaceId.Malformed",
    noun="network interface ID",
    tags_name="TagSet",
)
INSTANCE = _kind("instance", "i", "InstanceId", "InvalidInstanceID.NotFound", "InvalidInstanceID.Malformed")
VOLUME = _kind("volume", "vol", "VolumeId", "InvalidVolume.NotFound", "InvalidVolumeID.Malformed", "volume")
SNAPSHOT = _kind(
    "snapshot", "snap", "SnapshotId", "InvalidSnapshot.NotFound", "InvalidSnapshotID.Malformed", "snapshot"
)
KEY_PAIR = _kind("key-pair", "key", "KeyPairId", "InvalidKeyPair.NotFound", "", "key pair")
PROFILE_ASSOCIATION = _kind(
    "iam-instance-profile-association", "iip-assoc", "AssociationId", "InvalidAssociationID.NotFound", "", "association"
)

TAGGABLE: Mapping[str, Kind] = {
    kind.prefix: kind
    for kind in (
        VPC,
        SUBNET,
        INTERNET_GATEWAY,
        ROUTE_TABLE,
        SECURITY_GROUP,
        RULE,
        ADDRESS,
        NAT_GATEWAY,
        NETWORK_ACL,
        INTERFACE,
        INSTANCE,
        VOLUME,
        SNAPSHOT,
        KEY_PAIR,
    )
}
"""By the prefix of their ids, which is all that CreateTags is given."""
