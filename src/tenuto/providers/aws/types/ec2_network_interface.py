"""AWS::EC2::NetworkInterface and AWS::EC2::NetworkInterfaceAttachment, which is seen at its interface.

A call changes one attribute of an interface. Its addresses are assigned and taken back by calls of their own; the
primary one stays for life.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.types.facts import untried

_LIST = "DescribeNetworkInterfaces"
_MODIFY = "ModifyNetworkInterfaceAttribute"
_PRIMARY = "PrivateIpAddresses[?Primary].PrivateIpAddress | [0]"
_SECONDARY = "PrivateIpAddresses[?!Primary].PrivateIpAddress"


@dataclass(frozen=True, kw_only=True)
class _Addresses(Shown):
    """The addresses of one family: declared one by one, as a number of them, or both. `key` is the address in a member
    of the list, `assign` and `take` are the calls."""

    each: str
    count: str
    key: str
    assign: str
    take: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.each, self.count})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown: Sequence[JsonMap] = thing.answer.get(self.each) or ()
        members = [{name: one[name] for name in (self.key, "Primary") if name in one} for one in shown]
        return {self.each: members, self.count: sum(not one.get("Primary") for one in shown)}

    def at_birth(self, work: Work) -> dict[str, Json]:
        given = work.given(self.each)
        return given | ({self.count: int(work.want(self.count))} if work.want(self.count) else {})

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.each):
            wanted, present = self._by_address(work.want(self.each)), self._by_address(work.seen(self.each))
            self._check_primary(work, wanted, present)
            self._assign(work, service, {self.each: [one for one in wanted if one not in present]})
            self._take(work, service, [one for one in present if one not in wanted])
        if work.differs(self.count):
            others = [one for one, is_primary in self._by_address(work.seen(self.each)).items() if not is_primary]
            missing = int(work.want(self.count)) - len(others)
            if missing > 0:
                work.change(service, self.assign, NetworkInterfaceId=work.id, **{self.count: missing})
            # Addresses that are declared by name stay.
            kept = self._by_address(work.want(self.each))
            self._take(work, service, [one for one in others if one not in kept][missing:] if missing < 0 else [])

    def _check_primary(self, work: Work, wanted: Mapping[str, bool], present: Mapping[str, bool]) -> None:
        primary = [one for one, is_primary in wanted.items() if is_primary]
        if any(not present.get(one) for one in primary) and any(present.values()):
            raise PermanentError(
                f"The primary address of {work.id} cannot change. Declare PrivateIpAddress for another one: that makes "
                "a new interface.",
                code="InvalidParameter",
            )

    def _assign(self, work: Work, service: str, given: Mapping[str, list[str]]) -> None:
        if any(given.values()):
            work.change(service, self.assign, NetworkInterfaceId=work.id, **given)

    def _take(self, work: Work, service: str, addresses: list[str]) -> None:
        if addresses:
            work.change(service, self.take, NetworkInterfaceId=work.id, **{self.each: addresses})

    def _by_address(self, members: Json) -> dict[str, bool]:
        return {str(one[self.key]): flag(one.get("Primary")) for one in members or ()}

    def changes(self, service: str) -> Mapping[str, str]:
        return dict.fromkeys((self.each, self.count), f"{service}:{self.assign}+")


@dataclass(frozen=True, kw_only=True)
class _Fate(Shown):
    """Whether an interface goes with its machine: an attribute of the attachment that is set at the interface."""

    properties = frozenset({"DeleteOnTermination"})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {"DeleteOnTermination": flag(thing.answer.get("DeleteOnTermination"))}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs("DeleteOnTermination"):
            goes = {"AttachmentId": work.id, "DeleteOnTermination": flag(work.want("DeleteOnTermination"))}
            work.change(service, _MODIFY, NetworkInterfaceId=work.need("NetworkInterfaceId"), Attachment=goes)

    def changes(self, service: str) -> Mapping[str, str]:
        return {"DeleteOnTermination": f"{service}:{_MODIFY}"}


def _of_machines(interface: JsonMap) -> Json:
    """The attachment of an interface to a machine; others are made by AWS."""
    attachment: JsonMap = interface.get("Attachment") or {}
    return (
        [{**attachment, "NetworkInterfaceId": interface["NetworkInterfaceId"]}] if attachment.get("InstanceId") else []
    )


INTERFACE = block(
    "AWS::EC2::NetworkInterface",
    "ec2",
    key="NetworkInterfaceId",
    listed=Listed(operation=_LIST, id="NetworkInterfaceId", size=1000, by_id="network-interface-id"),
    asked=Call(_LIST, key="NetworkInterfaceIds[]"),
    create="CreateNetworkInterface",
    made="NetworkInterface.NetworkInterfaceId",
    token="ClientToken",
    renamed={"GroupSet": "Groups"},
    sent_as={"SourceDestCheck": flag},
    shown={
        "ConnectionTrackingSpecification": "ConnectionTrackingConfiguration",
        "EnablePrimaryIpv6": "length(Ipv6Addresses[?IsPrimaryIpv6] || `[]`) > `0`",
        "GroupSet": "Groups[].GroupId",
        "Ipv4PrefixCount": "length(Ipv4Prefixes || `[]`)",
        "Ipv6PrefixCount": "length(Ipv6Prefixes || `[]`)",
    },
    attributes={
        "Id": "$id",
        "PrimaryIpv6Address": "Ipv6Addresses[?IsPrimaryIpv6].Ipv6Address | [0]",
        "PrimaryPrivateIpAddress": _PRIMARY,
        "SecondaryPrivateIpAddresses": _SECONDARY,
    },
    modify={
        Call(_MODIFY, renamed={"Description": "Description.Value"}): "Description",
        Call(_MODIFY, renamed={"SourceDestCheck": "SourceDestCheck.Value"}): "SourceDestCheck",
        Call(_MODIFY): "GroupSet",
        Call(_MODIFY, renamed={"ConnectionTrackingSpecification": "ConnectionTrackingSpecification"}): (
            "ConnectionTrackingSpecification"
        ),
        Call(_MODIFY, renamed={"EnablePrimaryIpv6": "EnablePrimaryIpv6"}): "EnablePrimaryIpv6",
    },
    parts=(
        _Addresses(
            each="PrivateIpAddresses",
            count="SecondaryPrivateIpAddressCount",
            key="PrivateIpAddress",
            assign="AssignPrivateIpAddresses",
            take="UnassignPrivateIpAddresses",
        ),
        _Addresses(
            each="Ipv6Addresses",
            count="Ipv6AddressCount",
            key="Ipv6Address",
            assign="AssignIpv6Addresses",
            take="UnassignIpv6Addresses",
        ),
    ),
    delete="DeleteNetworkInterface",
    state=State(at="Status", pending="pending", ends_at_once=True),
    tags="network-interface",
    undeclarable=lambda one: "AWS keeps it" if one.get("RequesterManaged") else "",
    create_only="Ipv4PrefixCount Ipv4Prefixes Ipv6PrefixCount Ipv6Prefixes",
    refused={
        "PublicIpDnsHostnameTypeSpecification": untried("aws ec2 modify-public-ip-dns-name-options"),
    },
    exclusive=[("SubnetId", "PrivateIpAddress"), ("SubnetId", "PrivateIpAddresses.PrivateIpAddress")],
    compare_as={
        "InterfaceType": Comparison.SHOWN,
        "PrivateIpAddresses": Comparison.SET,
        "GroupSet": Comparison.SET,
        "Ipv6Addresses": Comparison.MEMBERS,
    },
)
ATTACHMENT = block(
    "AWS::EC2::NetworkInterfaceAttachment",
    "ec2",
    key="AttachmentId",
    listed=Listed(operation=_LIST, each=_of_machines, id="AttachmentId", size=1000, by_id="attachment.attachment-id"),
    create="AttachNetworkInterface",
    made="AttachmentId",
    sent_as={"DeviceIndex": int},
    parts=(_Fate(),),
    delete=Call("DetachNetworkInterface", fixed={"Force": True}),
    state=State(at="Status", pending="attaching", going="detaching", gone="detached"),
    refused={
        "EnaQueueCount EnaSrdSpecification": untried("aws ec2 modify-network-interface-attribute"),
    },
    exclusive=[("NetworkInterfaceId",), ("InstanceId", "DeviceIndex")],
)
TYPES = together(INTERFACE, ATTACHMENT)
