"""AWS::EC2::NetworkAcl, its entries, and which subnet uses which ACL.

A subnet always has exactly one ACL. To associate is therefore to replace the association that is there, and to delete
an association is to give the subnet the default ACL of its VPC, which it had before.
"""

from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers.faults import not_of_aws
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.comparisons import PROTOCOL
from tenuto.providers.aws.kind import (
    AwsType,
    IdFilter,
    Scope,
    Seen,
    Source,
    Work,
    by_key,
    by_owner,
    by_properties,
    flag,
)
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts

ACL = "AWS::EC2::NetworkAcl"
ENTRY = "AWS::EC2::NetworkAclEntry"
ASSOCIATION = "AWS::EC2::SubnetNetworkAclAssociation"
_ACLS = ec2("DescribeNetworkAcls", "NetworkAcls")
_LAST_RULE = 32767
"""The number under which EC2 shows the final "deny all", which is no entry of any user."""
_ALL_PROTOCOLS = "-1"
_DEFAULT = "it is the default network ACL of its VPC, and comes and goes with that"


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    found: list[Seen] = []
    for acl in client.pages(_ACLS, **narrowed(scope.filters)):
        acl_id = acl["NetworkAclId"]
        properties = {"VpcId": acl.get("VpcId")}
        found.append(
            seen(
                ACL,
                acl_id,
                properties,
                attributes={"Id": acl_id},
                tags=acl.get("Tags") or (),
                undeclarable=_DEFAULT if acl.get("IsDefault") else "",
            )
        )
        found += [_seen_entry(acl_id, one) for one in acl.get("Entries") or () if one["RuleNumber"] < _LAST_RULE]
        found += [_seen_association(one) for one in acl.get("Associations") or ()]
    return found


def _seen_entry(acl_id: str, entry: JsonMap) -> Seen:
    protocol = str(entry.get("Protocol"))
    icmp = entry.get("IcmpTypeCode")
    properties = {
        "NetworkAclId": acl_id,
        "RuleNumber": entry["RuleNumber"],
        "Egress": bool(entry.get("Egress")),
        "Protocol": int(protocol) if protocol.lstrip("-").isdigit() else protocol,
        "RuleAction": entry.get("RuleAction"),
        "CidrBlock": entry.get("CidrBlock"),
        "Ipv6CidrBlock": entry.get("Ipv6CidrBlock"),
        # Ports mean nothing to a rule for all protocols, and EC2 drops them.
        "PortRange": entry.get("PortRange") if protocol != _ALL_PROTOCOLS else None,
        "Icmp": {"Code": icmp.get("Code"), "Type": icmp.get("Type")} if icmp else None,
    }
    entry_id = _entry_id(properties)
    return seen(ENTRY, entry_id, properties, attributes={"Id": entry_id})


def _entry_id(properties: JsonMap) -> str:
    side = "egress" if flag(properties.get("Egress")) else "ingress"
    return f"{properties.get('NetworkAclId')}|{properties.get('RuleNumber')}|{side}"


def _seen_association(association: JsonMap) -> Seen:
    association_id = association["NetworkAclAssociationId"]
    return seen(
        ASSOCIATION,
        association_id,
        {"NetworkAclId": association["NetworkAclId"], "SubnetId": association["SubnetId"]},
        attributes={"AssociationId": association_id},
    )


def _create(work: Work) -> Outcome:
    acl_id = work.change("ec2", "CreateNetworkAcl", VpcId=work.need("VpcId"), **work.birth())["NetworkAcl"][
        "NetworkAclId"
    ]
    return Done(physical_id=acl_id, attributes={"Id": acl_id})


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteNetworkAcl", NetworkAclId=work.id)
    return Done(physical_id=work.id)


def _entry_parameters(work: Work) -> dict[str, Json]:
    protocol = str(work.need("Protocol"))
    parameters = {
        "NetworkAclId": work.need("NetworkAclId"),
        "RuleNumber": work.need("RuleNumber"),
        "Egress": flag(work.want("Egress")),
        "Protocol": protocol,
        "RuleAction": str(work.need("RuleAction")).lower(),
        **work.given("CidrBlock", "Ipv6CidrBlock"),
    }
    ports, icmp = work.want("PortRange"), work.want("Icmp")
    if ports and protocol != _ALL_PROTOCOLS:
        parameters["PortRange"] = ports
    if icmp:
        parameters["IcmpTypeCode"] = icmp
    return parameters


def _create_entry(work: Work) -> Outcome:
    work.change("ec2", "CreateNetworkAclEntry", **_entry_parameters(work))
    entry_id = PhysicalId(_entry_id(work.request.properties))
    return Done(physical_id=entry_id, attributes={"Id": entry_id})


def _modify_entry(work: Work) -> Outcome:
    if any(
        work.differs(name) for name in ("Protocol", "RuleAction", "CidrBlock", "Ipv6CidrBlock", "PortRange", "Icmp")
    ):
        work.change("ec2", "ReplaceNetworkAclEntry", **_entry_parameters(work))
    return Done(physical_id=work.id)


def _delete_entry(work: Work) -> Outcome:
    acl_id, rule_number, side = work.id.split("|")
    work.change(
        "ec2", "DeleteNetworkAclEntry", NetworkAclId=acl_id, RuleNumber=int(rule_number), Egress=side == "egress"
    )
    return Done(physical_id=work.id)


def _association_of(work: Work, subnet_id: str) -> tuple[JsonMap, JsonMap]:
    """The one association that every subnet has, and the ACL it is with."""
    within = [{"Name": "association.subnet-id", "Values": [subnet_id]}]
    for acl in work.client.pages(_ACLS, Filters=within):
        for association in acl.get("Associations") or ():
            if association["SubnetId"] == subnet_id:
                return association, acl
    work.read("ec2", "DescribeSubnets", SubnetIds=[subnet_id])
    raise not_of_aws(f"ec2 DescribeNetworkAcls of {subnet_id}")


def _associate(work: Work) -> Outcome:
    subnet_id, acl_id = work.need("SubnetId"), work.need("NetworkAclId")
    present = _association_of(work, subnet_id)
    association_id = present[0]["NetworkAclAssociationId"]
    if present[1]["NetworkAclId"] != acl_id:
        association_id = work.change(
            "ec2", "ReplaceNetworkAclAssociation", AssociationId=association_id, NetworkAclId=acl_id
        )["NewAssociationId"]
    return Done(physical_id=association_id, attributes={"AssociationId": association_id})


def _disassociate(work: Work) -> Outcome:
    present = _association_of(work, str(work.need("SubnetId")))
    if present[0]["NetworkAclAssociationId"] != work.id or present[1].get("IsDefault"):
        return Done(physical_id=work.id)
    within = [{"Name": "vpc-id", "Values": [present[1]["VpcId"]]}, {"Name": "default", "Values": ["true"]}]
    default = next(work.client.pages(_ACLS, Filters=within), None)
    if default is None:
        raise not_of_aws(f"ec2 DescribeNetworkAcls of {present[1]['VpcId']}")
    work.change("ec2", "ReplaceNetworkAclAssociation", AssociationId=work.id, NetworkAclId=default["NetworkAclId"])
    return Done(physical_id=work.id)


SOURCE = Source(
    name="ec2.DescribeNetworkAcls",
    read=_read,
    by_id={
        ACL: IdFilter(name="network-acl-id"),
        ENTRY: IdFilter(name="network-acl-id"),
        ASSOCIATION: IdFilter(name="association.association-id"),
    },
)

NETWORK_ACL = AwsType(
    facts=facts(
        ACL,
        SOURCE,
        calls=calls("ec2:CreateNetworkAcl", "ec2:DeleteNetworkAcl", is_tagged=True),
    ),
    source=SOURCE,
    question=by_ids("DescribeNetworkAcls", "NetworkAclIds", "NetworkAcls"),
    create=_create,
    delete=_delete,
    is_found=by_owner,
    tagged_as="network-acl",
)

NETWORK_ACL_ENTRY = AwsType(
    facts=facts(
        ENTRY,
        SOURCE,
        calls=calls("ec2:CreateNetworkAclEntry", "ec2:DeleteNetworkAclEntry", "ec2:ReplaceNetworkAclEntry"),
        compare_as={
            "CidrBlock": Comparison.CIDR,
            "Icmp": Comparison.SHOWN,
            "Ipv6CidrBlock": Comparison.CIDR,
            "PortRange": Comparison.SHOWN,
            "Protocol": PROTOCOL,
            "RuleAction": Comparison.FOLDED,
        },
        defaults={"Egress": False},
        # A number counts for one direction.
        exclusive=[("NetworkAclId", "RuleNumber", "Egress?")],
        is_tagged=False,
    ),
    source=SOURCE,
    create=_create_entry,
    modify=_modify_entry,
    delete=_delete_entry,
    is_found=by_key(_entry_id),
)

NETWORK_ACL_ASSOCIATION = AwsType(
    facts=facts(
        ASSOCIATION,
        SOURCE,
        calls=calls("ec2:ReplaceNetworkAclAssociation", "ec2:ReplaceNetworkAclAssociation"),
        exclusive=[("SubnetId",)],
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_associate,
    delete=_disassociate,
    is_found=by_properties("NetworkAclId", "SubnetId"),
    is_answered_by_id=True,
    find_filters=(("SubnetId", "association.subnet-id"),),
)
TYPES = (NETWORK_ACL, NETWORK_ACL_ASSOCIATION, NETWORK_ACL_ENTRY)
