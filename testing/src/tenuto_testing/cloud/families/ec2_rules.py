"""Security group rules: each a thing with an id; asked for, and shown by its group, as permissions of many peers."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tenuto_testing.cloud.call import Call, needed
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.cidr import network
from tenuto_testing.cloud.families.kinds import RULE, SECURITY_GROUP, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_NAMES = {"6": "tcp", "17": "udp", "1": "icmp", "58": "icmpv6", "all": "-1"}
_WITH_PORTS = ("tcp", "udp")
_WITH_TYPES = ("icmp", "icmpv6")
_DESCRIPTION = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")

RULES = Listing(
    kind=RULE,
    members="SecurityGroupRules",
    ids="SecurityGroupRuleIds",
    filters={"group-id": "GroupId", "security-group-rule-id": "SecurityGroupRuleId"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """The permission of a rule, with exactly one peer."""

    is_egress: bool
    protocol: str
    from_port: int = -1
    to_port: int = -1
    cidr: str = ""
    cidr6: str = ""
    prefix_list: str = ""
    group: str = ""
    owner: str = ""
    description: str = ""

    @property
    def traffic(self) -> "Rule":
        return replace(self, description="")

    def data(self, call: Call, group: Thing) -> Data:
        peer = {"CidrIpv4": self.cidr, "CidrIpv6": self.cidr6, "PrefixListId": self.prefix_list}
        found: Data = {
            "GroupId": group.id,
            "GroupOwnerId": call.account,
            "IsEgress": self.is_egress,
            "IpProtocol": self.protocol,
            "FromPort": self.from_port,
            "ToPort": self.to_port,
            **{name: value for name, value in peer.items() if value},
        }
        if self.group:
            found["ReferencedGroupInfo"] = {"GroupId": self.group, "UserId": self.owner}
        if self.description:
            found["Description"] = self.description
        return found


def rule_of(thing: Thing) -> Rule:
    rule: Rule = thing.hidden["rule"]
    return rule


def rules_of(call: Call, group: Thing) -> list[Thing]:
    return [one for one in call.all(RULE, group.id) if one["GroupId"] == group.id]


def add_rules(call: Call, group: Thing, rules: Sequence[Rule], *, is_asked_for: bool = True) -> list[Thing]:
    """New rules of a group, without a read of its present ones."""
    made = []
    for rule in rules:
        parents = dict.fromkeys([group.id, rule.group] if rule.group else [group.id])
        data = rule.data(call, group)
        thing = call.make(RULE, data, parents=list(parents), hidden={"rule": rule}, is_asked_for=is_asked_for)
        arn = f"arn:aws:ec2:{call.region}:{call.account}:security-group-rule/{thing.id}"
        thing.data["SecurityGroupRuleArn"] = arn
        made.append(thing)
    return made


def drop_rules(call: Call, group: Thing) -> None:
    for rule in rules_of(call, group):
        call.remove(rule)


def show_rules(call: Call, group: Thing) -> None:
    """The permissions that the group shows: one for each protocol and ports, with all their peers."""
    for name, is_egress in (("IpPermissions", False), ("IpPermissionsEgress", True)):
        permissions: dict[tuple[str, int, int], Data] = {}
        for rule in (rule_of(one) for one in rules_of(call, group) if one["IsEgress"] is is_egress):
            key = (rule.protocol, rule.from_port, rule.to_port)
            _add_peer(permissions.setdefault(key, _empty_permission(rule)), rule)
        call.edit(group)[name] = list(permissions.values())


def _empty_permission(rule: Rule) -> Data:
    ports = {} if rule.protocol == "-1" else {"FromPort": rule.from_port, "ToPort": rule.to_port}
    return {
        "IpProtocol": rule.protocol,
        **ports,
        "IpRanges": [],
        "Ipv6Ranges": [],
        "PrefixListIds": [],
        "UserIdGroupPairs": [],
    }


def _add_peer(permission: Data, rule: Rule) -> None:
    described = {"Description": rule.description} if rule.description else {}
    if rule.cidr:
        permission["IpRanges"].append({"CidrIp": rule.cidr, **described})
    elif rule.cidr6:
        permission["Ipv6Ranges"].append({"CidrIpv6": rule.cidr6, **described})
    elif rule.prefix_list:
        permission["PrefixListIds"].append({"PrefixListId": rule.prefix_list, **described})
    else:
        permission["UserIdGroupPairs"].append({"GroupId": rule.group, "UserId": rule.owner, **described})


def wanted_rules(call: Call, group: Thing, *, is_egress: bool) -> list[Rule]:
    """The rules that a request is about. Raises Refusal."""
    permissions = call.want("IpPermissions") or _flat_permission(call)
    if not permissions:
        raise Refusal("MissingParameter", "Either 'ipPermissions' or 'securityGroupRuleIds' should be provided.")
    rules = [rule for one in permissions for rule in _rules(call, group, one, is_egress)]
    if len({rule.traffic for rule in rules}) < len(rules):
        raise Refusal("InvalidParameterValue", "The same permission must not appear multiple times")
    if not rules:
        raise Refusal("MissingParameter", "A permission must have a CIDR block, a prefix list or a security group.")
    return rules


def _flat_permission(call: Call) -> list[Data]:
    """The older form: one permission, given by parameters of the request itself."""
    if not call.want("IpProtocol"):
        return []
    peers = {"IpRanges": [{"CidrIp": call.want("CidrIp")}]} if call.want("CidrIp") else {}
    return [{**call.copied("IpProtocol", "FromPort", "ToPort"), **peers}]


def _rules(call: Call, group: Thing, permission: Data, is_egress: bool) -> Iterator[Rule]:
    protocol, from_port, to_port = _traffic(permission)
    base = Rule(is_egress=is_egress, protocol=protocol, from_port=from_port, to_port=to_port)
    for one in permission.get("IpRanges") or ():
        block = network(needed(one, "CidrIp"), "cidrIp")
        if block.version != 4:
            raise Refusal("InvalidParameterValue", f"CIDR block {block} is malformed")
        yield replace(base, cidr=str(block), description=_description(one))
    for one in permission.get("Ipv6Ranges") or ():
        yield replace(base, cidr6=str(network(needed(one, "CidrIpv6"), "cidrIpv6")), description=_description(one))
    for one in permission.get("PrefixListIds") or ():
        yield replace(base, prefix_list=needed(one, "PrefixListId"), description=_description(one))
    for one in permission.get("UserIdGroupPairs") or ():
        peer = _peer(call, group, one)
        yield replace(base, group=peer.id, owner=call.account, description=_description(one))


def _traffic(permission: Data) -> tuple[str, int, int]:
    protocol = _NAMES.get(str(permission.get("IpProtocol", "")).lower(), str(permission.get("IpProtocol", "")).lower())
    low, high = permission.get("FromPort"), permission.get("ToPort")
    if protocol in _WITH_PORTS:
        if low is None or high is None:
            raise Refusal(
                "InvalidParameterValue",
                "Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange.",
            )
        if not 0 <= low <= high <= 65535:
            raise Refusal("InvalidParameterValue", f"Invalid TCP/UDP port range ({low}:{high})")
        return protocol, low, high
    if protocol in _WITH_TYPES:
        low, high = -1 if low is None else low, -1 if high is None else high
        if not -1 <= low <= 255 or not -1 <= high <= 255:
            raise Refusal("InvalidParameterValue", f"ICMP code and type ({low}:{high}) are out of range.")
        return protocol, low, high
    if protocol != "-1" and not (protocol.isdigit() and int(protocol) <= 255):
        raise Refusal("InvalidParameterValue", f"Invalid value '{protocol}' for IP protocol. Unknown protocol.")
    return protocol, -1, -1


def _description(peer: Data) -> str:
    text = peer.get("Description") or ""
    if not _DESCRIPTION.fullmatch(text):
        raise Refusal(
            "InvalidParameterValue",
            "Invalid rule description. Valid descriptions are strings less than 256 "
            "characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*",
        )
    return text


def _peer(call: Call, group: Thing, pair: Data) -> Thing:
    if pair.get("GroupId"):
        peer = call.get(SECURITY_GROUP, pair["GroupId"])
    else:
        name = pair.get("GroupName")
        found = [one for one in call.all(SECURITY_GROUP, group["VpcId"]) if one["GroupName"] == name]
        if not found:
            raise Refusal("InvalidGroup.NotFound", f"The security group '{name}' does not exist")
        peer = found[0]
    if peer["VpcId"] != group["VpcId"]:
        raise Refusal("InvalidGroup.NotFound", "You have specified two resources that belong to different networks.")
    return peer


def _authorize(call: Call, *, is_egress: bool) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["security-group-rule"])
    group = group_of(call)
    wanted, present = wanted_rules(call, group, is_egress=is_egress), rules_of(call, group)
    known = {rule_of(one).traffic for one in present}
    for rule in wanted:
        if rule.traffic in known:
            raise Refusal("InvalidPermission.Duplicate", f'the specified rule "{_words(rule)}" already exists')
    if len(wanted) + len([one for one in present if one["IsEgress"] is is_egress]) > call.cloud.quotas.rules:
        raise Refusal(
            "RulesPerSecurityGroupLimitExceeded", "The maximum number of rules per security group has been reached."
        )
    made = add_rules(call, group, wanted)
    show_rules(call, group)
    return {"Return": True, "SecurityGroupRules": made}


def _words(rule: Rule) -> str:
    peer = rule.cidr or rule.cidr6 or rule.prefix_list or rule.group
    ports = f", from port: {rule.from_port}, to port: {rule.to_port}" if rule.protocol in _WITH_PORTS else ""
    return f"peer: {peer}, {'ALL' if rule.protocol == '-1' else rule.protocol.upper()}{ports}, ALLOW"


def group_of(call: Call) -> Thing:
    """The group of a request, by id, or by name within the default VPC. Raises Refusal."""
    if call.want("GroupId"):
        return call.get(SECURITY_GROUP, call.want("GroupId"))
    name = call.need("GroupName")
    for vpc in call.all(VPC):
        for group in call.all(SECURITY_GROUP, vpc.id) if vpc["IsDefault"] else ():
            if group["GroupName"] == name:
                return group
    raise Refusal("InvalidGroup.NotFound", f"The security group '{name}' does not exist")


def _revoke(call: Call, *, is_egress: bool) -> Data:
    group, gone = group_of(call), []
    ids = call.want("SecurityGroupRuleIds")
    if ids:
        for rule_id in ids:
            thing = call.get(RULE, rule_id)
            if thing["GroupId"] != group.id or thing["IsEgress"] is not is_egress:
                raise Refusal("InvalidSecurityGroupRuleId.NotFound", f"{rule_id} is no such rule of {group.id}")
            gone.append(thing)
    else:
        gone = [_known(call, group, rule) for rule in wanted_rules(call, group, is_egress=is_egress)]
    for thing in gone:
        call.remove(thing)
    show_rules(call, group)
    return {"Return": True}


def _known(call: Call, group: Thing, rule: Rule) -> Thing:
    """A description need not be given; one that is given must be the right one."""
    for thing in rules_of(call, group):
        present = rule_of(thing)
        if present.traffic == rule.traffic and rule.description in ("", present.description):
            return thing
    raise Refusal("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")


def _update_descriptions(call: Call, *, is_egress: bool) -> Data:
    group = group_of(call)
    changes: list[tuple[Thing, str]] = []
    if call.want("SecurityGroupRuleDescriptions"):
        for one in call.want("SecurityGroupRuleDescriptions"):
            changes.append((call.get(RULE, needed(one, "SecurityGroupRuleId")), _description(one)))
    else:
        for rule in wanted_rules(call, group, is_egress=is_egress):
            changes.append((_known(call, group, rule.traffic), rule.description))
    for thing, description in changes:
        thing.hidden["rule"] = replace(rule_of(thing), description=description)
        call.edit(thing)["Description"] = description or None
    show_rules(call, group)
    return {"Return": True}


HANDLERS: Mapping[str, Any] = {
    "AuthorizeSecurityGroupEgress": lambda call: _authorize(call, is_egress=True),
    "AuthorizeSecurityGroupIngress": lambda call: _authorize(call, is_egress=False),
    "DescribeSecurityGroupRules": describe(RULES),
    "RevokeSecurityGroupEgress": lambda call: _revoke(call, is_egress=True),
    "RevokeSecurityGroupIngress": lambda call: _revoke(call, is_egress=False),
    "UpdateSecurityGroupRuleDescriptionsEgress": lambda call: _update_descriptions(call, is_egress=True),
    "UpdateSecurityGroupRuleDescriptionsIngress": lambda call: _update_descriptions(call, is_egress=False),
}
