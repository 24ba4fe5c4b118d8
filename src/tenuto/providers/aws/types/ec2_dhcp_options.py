"""AWS::EC2::DHCPOptions, and AWS::EC2::VPCDHCPOptionsAssociation. Options never change; a VPC has one set of them.

An association is code: it is an attribute of its VPC, and to take it away is to give the VPC the default options.
"""

from collections.abc import Mapping

from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_key
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.types.facts import calls, facts

ASSOCIATION = "AWS::EC2::VPCDHCPOptionsAssociation"
_WORDS: Mapping[str, str] = {
    "DomainName": "domain-name",
    "DomainNameServers": "domain-name-servers",
    "Ipv6AddressPreferredLeaseTime": "ipv6-address-preferred-lease-time",
    "NetbiosNameServers": "netbios-name-servers",
    "NetbiosNodeType": "netbios-node-type",
    "NtpServers": "ntp-servers",
}
_LISTS = ("DomainNameServers", "NetbiosNameServers", "NtpServers")
_VPCS = ec2("DescribeVpcs", "Vpcs")


class _Settings(Shown):
    """The options, each by EC2's word for it with a list of values."""

    properties = frozenset(_WORDS)

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = {one["Key"]: [value["Value"] for value in one["Values"]] for one in thing.answer["DhcpConfigurations"]}
        there = {name: shown[word] for name, word in _WORDS.items() if shown.get(word)}
        return {name: values if name in _LISTS else _value(name, values[0]) for name, values in there.items()}

    def at_birth(self, work: Work) -> dict[str, Json]:
        wanted = work.given(*_WORDS)
        options = [
            {"Key": _WORDS[name], "Values": [str(one) for one in (value if isinstance(value, list) else [value])]}
            for name, value in wanted.items()
        ]
        return {"DhcpConfigurations": options}

    def repair(self, work: Work, service: str, words: str) -> None:
        """Leave the options as they are: every other value is another set of options."""


def _value(name: str, text: str) -> Json:
    return text if name == "DomainName" else int(text)


OPTIONS = block(
    "AWS::EC2::DHCPOptions",
    "ec2",
    key="DhcpOptionsId",
    listed=Listed(operation="DescribeDhcpOptions", id="DhcpOptionsId", size=1000, by_id="dhcp-options-id"),
    asked=Call("DescribeDhcpOptions", key="DhcpOptionsIds[]"),
    create="CreateDhcpOptions",
    made="DhcpOptions.DhcpOptionsId",
    parts=(_Settings(),),
    delete="DeleteDhcpOptions",
    tags="dhcp-options",
)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    vpcs = list(client.pages(_VPCS, **narrowed(scope.filters)))
    return [_seen(vpc) for vpc in vpcs if vpc.get("DhcpOptionsId", "default") != "default"]


def _seen(vpc: JsonMap) -> Seen:
    properties = {"VpcId": vpc["VpcId"], "DhcpOptionsId": vpc["DhcpOptionsId"]}
    return seen(ASSOCIATION, _key(properties), properties, attributes={"Ref": vpc["DhcpOptionsId"]})


def _key(properties: JsonMap) -> str:
    """The VPC comes first: a sweep asks for it by its id."""
    return f"{properties.get('VpcId')}|{properties.get('DhcpOptionsId')}"


def _associate(work: Work) -> Outcome:
    work.change("ec2", "AssociateDhcpOptions", VpcId=work.need("VpcId"), DhcpOptionsId=work.need("DhcpOptionsId"))
    attributes = {"Ref": work.need("DhcpOptionsId")}
    return Done(physical_id=PhysicalId(_key(work.request.properties)), attributes=attributes)


def _disassociate(work: Work) -> Outcome:
    """Give the VPC the default options, unless it has others by now."""
    vpc_id, options_id = str(work.id).split("|")
    vpc = only(work.read("ec2", "DescribeVpcs", VpcIds=[vpc_id]), "Vpcs")
    if vpc.get("DhcpOptionsId") == options_id:
        work.change("ec2", "AssociateDhcpOptions", VpcId=vpc_id, DhcpOptionsId="default")
    return Done(physical_id=work.id)


_SOURCE = Source(name="ec2.DescribeVpcs as options", read=_read, by_id={ASSOCIATION: IdFilter(name="vpc-id")})
OPTIONS_OF_VPC = AwsType(
    facts=facts(
        ASSOCIATION,
        _SOURCE,
        calls=calls("ec2:AssociateDhcpOptions", "ec2:AssociateDhcpOptions"),
        attributes="Ref",
        ref_attribute="Ref",
        exclusive=[("VpcId",)],
        is_tagged=False,
        is_mutable=False,
    ),
    source=_SOURCE,
    create=_associate,
    delete=_disassociate,
    is_found=by_key(_key),
    find_filters=(("VpcId", "vpc-id"),),
)
TYPES = (OPTIONS, OPTIONS_OF_VPC)
