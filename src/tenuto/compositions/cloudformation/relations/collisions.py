"""Declared things of EC2 that exclude each other: subnets of one VPC that share addresses, and a rule that a security
group declares inline and again as a resource.

EC2 refuses the second of two, when half of a network stands already. Both are warnings: the targets of references are
not known here, so only things that are the same by their text, or by their numbers, are told.
"""

import ipaddress
from collections.abc import Iterable, Iterator, Mapping

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.documents.canonical import canonical_json
from tenuto.core.language.expressions import call_of, is_list
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, JsonMap

_SUBNET, _GROUP = "AWS::EC2::Subnet", "AWS::EC2::SecurityGroup"
_RULES = {
    "AWS::EC2::SecurityGroupIngress": "SecurityGroupIngress",
    "AWS::EC2::SecurityGroupEgress": "SecurityGroupEgress",
}
"""The types of rules, with the property of a group that has such rules inline."""
_IDS = ("GroupId", "Id")
_EVERY_PROTOCOL = "-1"
_PORTS = ("FromPort", "ToPort")
_PEERS = (
    *("CidrIp", "CidrIpv6", "SourceSecurityGroupId", "DestinationSecurityGroupId"),
    *("SourcePrefixListId", "DestinationPrefixListId", "SourceSecurityGroupName", "SourceSecurityGroupOwnerId"),
)

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def check_collisions(declarations: Iterable[Declaration], problems: Problems) -> None:
    """Warn of subnets and rules of which EC2 refuses the second."""
    every = tuple(declarations)
    _check_subnets([one for one in every if one.type == _SUBNET], problems)
    _check_rules(every, problems)


def _check_subnets(subnets: Iterable[Declaration], problems: Problems) -> None:
    by_vpc: dict[str, list[tuple[_Network, Declaration]]] = {}
    for one in subnets:
        block = _network(one.properties.get("CidrBlock"))
        if block is not None:
            by_vpc.setdefault(canonical_json({"VpcId": one.properties.get("VpcId")}), []).append((block, one))
    for members in by_vpc.values():
        for (first, before), (second, after) in _overlapping(members):
            detail = (
                f"{after.logical_id} has {second}, and {before.logical_id} of the same VPC has {first}. EC2 refuses "
                "the second of two subnets that share addresses."
            )
            problems.add(codes.SHARED_ADDRESSES, after.position, detail, subject=after.logical_id)


def _network(block: Json) -> _Network | None:
    try:
        return ipaddress.ip_network(block, strict=False) if isinstance(block, str) else None
    except ValueError:
        return None


def _overlapping(
    members: Iterable[tuple[_Network, Declaration]],
) -> Iterator[tuple[tuple[_Network, Declaration], tuple[_Network, Declaration]]]:
    """Each member that shares addresses with one before it, with that one. Of two networks that share some, the one is
    within the other, so the widest so far is all that has to be kept."""
    widest: tuple[_Network, Declaration] | None = None
    for one in sorted(members, key=lambda member: (member[0].version, member[0])):
        if widest is not None and widest[0].version == one[0].version and widest[0].overlaps(one[0]):
            yield widest, one
        else:
            widest = one


def _check_rules(declarations: Iterable[Declaration], problems: Problems) -> None:
    every = tuple(declarations)
    inline = {
        (str(one.logical_id), side): frozenset(_traffic(rule) for rule in _members(one.properties.get(side)))
        for one in every
        if one.type == _GROUP
        for side in _RULES.values()
    }
    for one in every:
        side, group = _RULES.get(one.type, ""), _named(one.properties.get("GroupId"))
        if side and _traffic(one.properties) in inline.get((group, side), ()):
            detail = (
                f"{group} declares the rule {one.logical_id} in its {side} already. EC2 keeps a rule once, and refuses "
                "the second."
            )
            problems.add(codes.RULE_TWICE, one.position, detail, subject=one.logical_id)


def _members(rules: Json) -> Iterator[JsonMap]:
    for rule in rules if is_list(rules) else ():
        if isinstance(rule, Mapping):
            yield rule


def _traffic(rule: JsonMap) -> str:
    """The traffic that a rule lets in or out, as a text."""
    protocol = str(rule.get("IpProtocol", _EVERY_PROTOCOL)).casefold()
    ports = () if protocol == _EVERY_PROTOCOL else _PORTS
    told = {name: rule[name] if name in _PEERS else str(rule[name]) for name in (*ports, *_PEERS) if name in rule}
    return canonical_json({"IpProtocol": protocol, **{name: _named(value) or value for name, value in told.items()}})


def _named(value: Json) -> str:
    """The logical id of the group that a value refers to; empty for any other value."""
    match call_of(value) if isinstance(value, Mapping) else None:
        case ("Ref", str() as name):
            return name
        case ("Fn::GetAtt", [str() as name, str() as attribute]) if attribute in _IDS:
            return name
    return ""
