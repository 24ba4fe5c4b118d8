"""Network ACLs: their entries, and the one association that every subnet always has."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.cidr import network
from tenuto_testing.cloud.families.kinds import NETWORK_ACL, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_LAST = 32767
_HIGHEST = 32766
_WITH_PORTS = ("6", "17")
_ICMP = ("1", "58")

ACLS = Listing(
    kind=NETWORK_ACL,
    members="NetworkAcls",
    ids="NetworkAclIds",
    filters={
        "association.association-id": "Associations.NetworkAclAssociationId",
        "association.network-acl-id": "Associations.NetworkAclId",
        "association.subnet-id": "Associations.SubnetId",
        "default": "IsDefault",
        "entry.cidr": "Entries.CidrBlock",
        "entry.rule-number": "Entries.RuleNumber",
        "network-acl-id": "NetworkAclId",
        "owner-id": "OwnerId",
        "vpc-id": "VpcId",
    },
)


def make(call: Call, vpc_id: str, *, is_default: bool = False) -> Thing:
    """An ACL that denies everything; the default one allows everything before."""
    entries = [_entry(_LAST, egress, "deny") for egress in (True, False)]
    if is_default:
        entries = [_entry(100, egress, "allow") for egress in (True, False)] + entries
    data = {"Associations": [], "Entries": entries, "IsDefault": is_default, "OwnerId": call.account, "VpcId": vpc_id}
    return call.make(
        NETWORK_ACL, data, parents=[vpc_id], hidden={"is_default": is_default}, is_asked_for=not is_default
    )


def _entry(number: int, egress: bool, action: str) -> Data:
    return {"CidrBlock": "0.0.0.0/0", "Egress": egress, "Protocol": "-1", "RuleAction": action, "RuleNumber": number}


def adopt(call: Call, subnet: Thing) -> None:
    """A new subnet uses the default ACL of its VPC."""
    default = next(acl for acl in call.all(NETWORK_ACL, subnet["VpcId"]) if acl["IsDefault"])
    _associate(call, default, subnet.id)


def let_go(call: Call, subnet: Thing) -> None:
    """The subnet goes, and its association with it."""
    for acl in call.all(NETWORK_ACL, subnet["VpcId"]):
        if any(one["SubnetId"] == subnet.id for one in acl["Associations"]):
            data = call.edit(acl)
            data["Associations"] = [one for one in data["Associations"] if one["SubnetId"] != subnet.id]


def _associate(call: Call, acl: Thing, subnet_id: str) -> str:
    association_id = call.new_id("aclassoc")
    association = {"NetworkAclAssociationId": association_id, "NetworkAclId": acl.id, "SubnetId": subnet_id}
    call.edit(acl)["Associations"].append(association)
    return association_id


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["network-acl"])
    vpc = call.get(VPC, call.want("VpcId"))
    if len(call.all(NETWORK_ACL, vpc.id)) >= call.cloud.quotas.network_acls:
        raise Refusal("NetworkAclLimitExceeded", "The maximum number of network ACLs has been reached.")
    return {"NetworkAcl": make(call, vpc.id)}


def _delete(call: Call) -> Data:
    acl = call.get(NETWORK_ACL, call.want("NetworkAclId"))
    if acl["IsDefault"]:
        raise Refusal("InvalidParameterValue", f"You may not delete the default network ACL '{acl.id}'.")
    if acl["Associations"]:
        raise Refusal("DependencyViolation", f"The networkAcl '{acl.id}' has dependencies and cannot be deleted.")
    call.remove(acl)
    return {}


def _create_entry(call: Call) -> Data:
    acl, entry = call.get(NETWORK_ACL, call.want("NetworkAclId")), _wanted(call)
    if _index(acl, entry) is not None:
        raise Refusal(
            "NetworkAclEntryAlreadyExists",
            f"The network acl entry identified by {entry['RuleNumber']} already exists.",
        )
    if len([one for one in acl["Entries"] if one["Egress"] == entry["Egress"]]) > call.cloud.quotas.acl_entries:
        raise Refusal("NetworkAclEntryLimitExceeded", "The maximum number of network ACL entries has been reached.")
    data = call.edit(acl)
    data["Entries"] = sorted([*data["Entries"], entry], key=lambda one: (not one["Egress"], one["RuleNumber"]))
    return {}


def _replace_entry(call: Call) -> Data:
    acl, entry = call.get(NETWORK_ACL, call.want("NetworkAclId")), _wanted(call)
    index = _known(acl, entry)
    call.edit(acl)["Entries"][index] = entry
    return {}


def _delete_entry(call: Call) -> Data:
    acl = call.get(NETWORK_ACL, call.want("NetworkAclId"))
    index = _known(acl, {"RuleNumber": call.want("RuleNumber"), "Egress": call.want("Egress")})
    del call.edit(acl)["Entries"][index]
    return {}


def _wanted(call: Call) -> Data:
    number, protocol = call.want("RuleNumber"), str(call.want("Protocol"))
    if not 1 <= number <= _HIGHEST:
        raise Refusal("InvalidParameterValue", f"Value ({number}) for parameter ruleNumber is invalid.")
    protocol = {"tcp": "6", "udp": "17", "icmp": "1", "all": "-1"}.get(protocol, protocol)
    if not protocol.lstrip("-").isdigit() or not -1 <= int(protocol) <= 255:
        raise Refusal("InvalidParameterValue", f"Invalid value '{protocol}' for IP protocol. Unknown protocol.")
    given = [name for name in ("CidrBlock", "Ipv6CidrBlock") if call.want(name)]
    if len(given) != 1:
        raise Refusal("MissingParameter", "The request must contain exactly one of cidrBlock and ipv6CidrBlock")
    entry: Data = {given[0]: str(network(call.want(given[0]), given[0]))}
    entry |= {"Egress": call.want("Egress"), "Protocol": protocol}
    if protocol in _WITH_PORTS:
        entry["PortRange"] = call.need("PortRange")
        if not 0 <= entry["PortRange"]["From"] <= entry["PortRange"]["To"] <= 65535:
            raise Refusal("InvalidParameterValue", "The port range is invalid.")
    if protocol in _ICMP:
        entry["IcmpTypeCode"] = call.need("IcmpTypeCode")
    return {**entry, "RuleAction": call.want("RuleAction"), "RuleNumber": number}


def _index(acl: Thing, entry: Data) -> int | None:
    key = (entry["RuleNumber"], entry["Egress"])
    return next((at for at, one in enumerate(acl["Entries"]) if (one["RuleNumber"], one["Egress"]) == key), None)


def _known(acl: Thing, entry: Data) -> int:
    index = _index(acl, entry)
    if index is None or entry["RuleNumber"] == _LAST:
        raise Refusal(
            "InvalidNetworkAclEntry.NotFound",
            f"The network acl entry identified by {entry['RuleNumber']} does not exist.",
        )
    return index


def _replace_association(call: Call) -> Data:
    target, wanted = call.get(NETWORK_ACL, call.want("NetworkAclId")), call.want("AssociationId")
    for acl in call.all(NETWORK_ACL):
        for one in acl["Associations"]:
            if one["NetworkAclAssociationId"] != wanted:
                continue
            if acl["VpcId"] != target["VpcId"]:
                raise Refusal("InvalidParameterValue", f"{target.id} and {one['SubnetId']} are of different VPCs.")
            call.edit(acl)["Associations"].remove(one)
            return {"NewAssociationId": _associate(call, target, one["SubnetId"])}
    raise Refusal("InvalidAssociationID.NotFound", f"The association ID '{wanted}' does not exist")


HANDLERS: Mapping[str, Any] = {
    "CreateNetworkAcl": _create,
    "CreateNetworkAclEntry": _create_entry,
    "DeleteNetworkAcl": _delete,
    "DeleteNetworkAclEntry": _delete_entry,
    "DescribeNetworkAcls": describe(ACLS),
    "ReplaceNetworkAclAssociation": _replace_association,
    "ReplaceNetworkAclEntry": _replace_entry,
}
