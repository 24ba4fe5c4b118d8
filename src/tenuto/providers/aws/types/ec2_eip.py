"""AWS::EC2::EIP and AWS::EC2::EIPAssociation."""

from tenuto.model.ids import JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, by_owner, by_properties
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts, unsaid

ADDRESS = "AWS::EC2::EIP"
ASSOCIATION = "AWS::EC2::EIPAssociation"
_ADDRESSES = ec2("DescribeAddresses", "Addresses", page_size=0)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    found: list[Seen] = []
    for address in client.pages(_ADDRESSES, **narrowed(scope.filters)):
        if address.get("AllocationId"):
            found.append(_seen_address(address))
        if address.get("AssociationId"):
            found.append(_seen_association(address))
    return found


def _seen_address(address: JsonMap) -> Seen:
    allocation_id, public_ip = address["AllocationId"], address.get("PublicIp")
    return seen(
        ADDRESS,
        allocation_id,
        {
            "Domain": address.get("Domain"),
            "InstanceId": address.get("InstanceId") or None,
            "NetworkBorderGroup": address.get("NetworkBorderGroup"),
            "PublicIpv4Pool": address.get("PublicIpv4Pool"),
        },
        attributes={"AllocationId": allocation_id, "PublicIp": public_ip, "Ref": public_ip},
        tags=address.get("Tags") or (),
    )


def _seen_association(address: JsonMap) -> Seen:
    return seen(
        ASSOCIATION,
        address["AssociationId"],
        {
            "AllocationId": address.get("AllocationId"),
            "EIP": address.get("PublicIp"),
            "InstanceId": address.get("InstanceId") or None,
            "NetworkInterfaceId": address.get("NetworkInterfaceId") or None,
            "PrivateIpAddress": address.get("PrivateIpAddress") or None,
        },
        attributes={"Id": address["AssociationId"]},
    )


def _create(work: Work) -> Outcome:
    made = work.change(
        "ec2",
        "AllocateAddress",
        Domain=work.want("Domain") or "vpc",
        **work.given("Address", "IpamPoolId", "NetworkBorderGroup", "PublicIpv4Pool"),
        **work.birth(),
    )
    allocation_id, public_ip = made["AllocationId"], made.get("PublicIp")
    return Done(
        physical_id=allocation_id,
        attributes={"AllocationId": allocation_id, "PublicIp": public_ip, "Ref": public_ip},
    )


def _modify(work: Work) -> Outcome:
    if work.differs("InstanceId"):
        work.change(
            "ec2",
            "AssociateAddress",
            AllocationId=work.id,
            InstanceId=work.want("InstanceId"),
            AllowReassociation=True,
        )
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    for address in work.read("ec2", "DescribeAddresses", AllocationIds=[work.id])["Addresses"]:
        # An instance is told to let go. A NAT gateway cannot be: AWS answers InvalidIPAddress.InUse until it is gone.
        if address.get("AssociationId") and address.get("InstanceId"):
            work.let_go("ec2", "DisassociateAddress", AssociationId=address["AssociationId"])
    work.change("ec2", "ReleaseAddress", AllocationId=work.id)
    return Done(physical_id=work.id)


def _associate(work: Work) -> Outcome:
    """An address of this very process that was moved elsewhere is taken back; another's is not touched."""
    public_ip = {"PublicIp": work.want("EIP")} if work.want("EIP") else {}
    made = work.change(
        "ec2",
        "AssociateAddress",
        **work.given("AllocationId", "InstanceId", "NetworkInterfaceId", "PrivateIpAddress"),
        **public_ip,
        AllowReassociation=_is_our_address(work),
    )
    return Done(physical_id=made["AssociationId"], attributes={"Id": made["AssociationId"]})


def _is_our_address(work: Work) -> bool:
    filters = [
        {"Name": theirs, "Values": [work.want(ours)]}
        for ours, theirs in (("AllocationId", "allocation-id"), ("EIP", "public-ip"))
        if work.want(ours)
    ]
    for address in work.client.pages(_ADDRESSES, **narrowed(filters)):
        owner = read_tags(address.get("Tags")).owner
        return owner is not None and owner.fid == work.request.fid
    return False


def _disassociate(work: Work) -> Outcome:
    work.change("ec2", "DisassociateAddress", AssociationId=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="ec2.DescribeAddresses", read=_read)

EIP = AwsType(
    facts=facts(
        ADDRESS,
        SOURCE,
        refused={
            "TransferAddress": "It accepts the address of another account once, and a repetition cannot tell "
            "that it did. Accept it with `aws ec2 accept-address-transfer`, and bring it in with `tenuto import`.",
        },
        calls=calls("ec2:AllocateAddress", "ec2:ReleaseAddress", is_tagged=True),
        create_only="Domain PublicIpv4Pool",
        unsaid=[unsaid("PublicIpv4Pool", PublicIpv4Pool="amazon")],
        ref_attribute="PublicIp",
        bears_data=True,
    ),
    source=SOURCE,
    question=by_ids("DescribeAddresses", "AllocationIds", "Addresses"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    is_answered_by_id=True,
    tagged_as="elastic-ip",
)

EIP_ASSOCIATION = AwsType(
    facts=facts(
        ASSOCIATION,
        SOURCE,
        calls=calls("ec2:AssociateAddress", "ec2:DisassociateAddress"),
        synonyms=[("AllocationId", "EIP"), ("InstanceId", "NetworkInterfaceId")],
        unsaid=[unsaid("PrivateIpAddress")],
        exclusive=[("AllocationId",), ("EIP",)],
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_associate,
    delete=_disassociate,
    is_found=by_properties("AllocationId", "EIP", "InstanceId", "NetworkInterfaceId", "PrivateIpAddress"),
    is_answered_by_id=True,
    find_filters=(("AllocationId", "allocation-id"), ("EIP", "public-ip")),
)
TYPES = (EIP, EIP_ASSOCIATION)
