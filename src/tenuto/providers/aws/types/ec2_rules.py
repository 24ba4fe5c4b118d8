"""Security group rules: between the declared shape and EC2's, and AWS::EC2::SecurityGroupIngress and …Egress.

One declared rule is one rule of EC2 with an id of its own (`sgr-…`), which is also the physical id of a rule that is a
resource. EC2 shows -1 or no ports for rules of all protocols, even if ports were declared: they are not shown, and
compared only where shown.

A separate rule may allow the same as the default egress rule of its group, and EC2 keeps one rule for the same traffic.
Then that one rule changes hands, so that no traffic is cut: the separate rule marks it as its own when it is made, and
the group takes the marks off when it is to have its default rule again. Only rules within one process change hands.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.owner import OBJECT, PROCESS, RESOURCE, owner_tags, read_tags
from tenuto.providers.aws.comparisons import PROTOCOL
from tenuto.providers.aws.kind import AwsType, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.tags.marking import EC2_MARKS
from tenuto.providers.aws.types.facts import calls, facts

ALLOW_ALL = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}
"""The egress rule that AWS gives every new group; it stays until an egress rule is declared for the group."""
RULES = ec2("DescribeSecurityGroupRules", "SecurityGroupRules")
INGRESS_NAME = "AWS::EC2::SecurityGroupIngress"
EGRESS_NAME = "AWS::EC2::SecurityGroupEgress"

COMPARE_AS: dict[str, Rule] = {
    "IpProtocol": PROTOCOL,
    "CidrIp": Comparison.CIDR,
    "CidrIpv6": Comparison.CIDR,
    "FromPort": Comparison.SHOWN,
    "ToPort": Comparison.SHOWN,
    "SourceSecurityGroupName": Comparison.SHOWN,
}
"""A source group that is declared by name is shown by its id; its name costs a call, and is read for single rules."""
_PEERS = (
    "CidrIp",
    "CidrIpv6",
    "SourceSecurityGroupId",
    "DestinationSecurityGroupId",
    "SourcePrefixListId",
    "DestinationPrefixListId",
)
_SYNONYMS = (("GroupId", "GroupName"), ("SourceSecurityGroupId", "SourceSecurityGroupName"))
"""An ingress rule names its group, and the group that it lets in, by id or by name."""
_WITH_PORTS = ("tcp", "udp", "icmp", "icmpv6", "6", "17", "1", "58")
"""The protocols with ports. To every other one ports mean nothing, and the ports that EC2 shows say nothing."""
_TRAFFIC = ("IpProtocol", "FromPort", "ToPort", *_PEERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The words that differ between ingress and egress."""

    name: str
    word: str
    group: str
    prefix_list: str

    @property
    def peers(self) -> tuple[str, ...]:
        """The properties of which a rule has one: the peer that it lets in or out."""
        return "CidrIp", "CidrIpv6", self.prefix_list, self.group


INGRESS = Side(name=INGRESS_NAME, word="Ingress", group="SourceSecurityGroupId", prefix_list="SourcePrefixListId")
EGRESS = Side(
    name=EGRESS_NAME, word="Egress", group="DestinationSecurityGroupId", prefix_list="DestinationPrefixListId"
)


def declared(rule: JsonMap) -> dict[str, Json]:
    """A rule of EC2 as it would be declared."""
    side = EGRESS if rule.get("IsEgress") else INGRESS
    peer = rule.get("ReferencedGroupInfo") or {}
    protocol = str(rule.get("IpProtocol"))
    has_ports = protocol in _WITH_PORTS
    shown = {
        "IpProtocol": protocol,
        "FromPort": rule.get("FromPort") if has_ports else None,
        "ToPort": rule.get("ToPort") if has_ports else None,
        "CidrIp": rule.get("CidrIpv4"),
        "CidrIpv6": rule.get("CidrIpv6"),
        side.prefix_list: rule.get("PrefixListId"),
        side.group: peer.get("GroupId"),
        "SourceSecurityGroupOwnerId": peer.get("UserId") if side is INGRESS else None,
        "Description": rule.get("Description") or None,
    }
    return {name: value for name, value in shown.items() if value is not None}


def has_peer(rule: JsonMap, side: Side) -> bool:
    """Whether it says whom it is about. Every rule of EC2 does, so one that was seen without is a part of an answer."""
    return any(rule.get(name) for name in side.peers)


def permission(rule: JsonMap, side: Side) -> dict[str, Json]:
    """A declared rule as EC2 takes it."""
    peer: dict[str, Json] = {"Description": str(rule["Description"])} if rule.get("Description") else {}
    wanted: dict[str, Json] = {"IpProtocol": str(rule.get("IpProtocol", "-1"))}
    for name in ("FromPort", "ToPort"):
        if rule.get(name) is not None:
            wanted[name] = rule[name]
    if rule.get("CidrIp"):
        wanted["IpRanges"] = [{"CidrIp": rule["CidrIp"], **peer}]
    elif rule.get("CidrIpv6"):
        wanted["Ipv6Ranges"] = [{"CidrIpv6": rule["CidrIpv6"], **peer}]
    elif rule.get(side.prefix_list):
        wanted["PrefixListIds"] = [{"PrefixListId": rule[side.prefix_list], **peer}]
    elif rule.get(side.group) or rule.get("SourceSecurityGroupName"):
        names = {side.group: "GroupId", "SourceSecurityGroupName": "GroupName", "SourceSecurityGroupOwnerId": "UserId"}
        pair = {theirs: rule[ours] for ours, theirs in names.items() if rule.get(ours)}
        if "GroupId" in pair:
            pair.pop("GroupName", None)
        wanted["UserIdGroupPairs"] = [{**pair, **peer}]
    else:
        raise PermanentError(
            f"A rule names no peer. Give it one of CidrIp, CidrIpv6, {side.group} or {side.prefix_list}.",
            code="InvalidProperty",
        )
    return wanted


def is_same_traffic(one: JsonMap, other: JsonMap) -> bool:
    """Whether two rules differ in nothing but their description."""
    return all(
        means_same(one.get(name), other.get(name), COMPARE_AS, name)
        if one.get(name) is not None
        else name in ("FromPort", "ToPort") or other.get(name) is None
        for name in _TRAFFIC
    )


def authorize(work: Work, side: Side, group_id: str, rule: JsonMap) -> None:
    """Add an inline rule. One that the group has already counts, even as a separate rule that is to go."""
    try:
        work.change(
            "ec2", f"AuthorizeSecurityGroup{side.word}", GroupId=group_id, IpPermissions=[permission(rule, side)]
        )
    except ProviderError as error:
        if not faults.is_taken(error):
            raise
        if side is EGRESS and is_same_traffic(ALLOW_ALL, rule):
            _take_back(work, group_id, rule)


def revoke(work: Work, side: Side, group_id: str, rule: JsonMap) -> None:
    """Remove an inline rule, described as it was seen. A rule that is gone already is as good."""
    wanted = permission(rule, side)
    try:
        work.change("ec2", f"RevokeSecurityGroup{side.word}", GroupId=group_id, IpPermissions=[wanted])
    except ProviderError as error:
        if error.code != "InvalidPermission.NotFound":
            raise


def describe(work: Work, side: Side, group: JsonMap, rule: JsonMap) -> None:
    """Change the description of a rule in place. `group` is its group as the call takes it: by GroupId or GroupName."""
    work.change(
        "ec2", f"UpdateSecurityGroupRuleDescriptions{side.word}", **group, IpPermissions=[permission(rule, side)]
    )


def default_rules(work: Work, group_id: str) -> Iterator[JsonMap]:
    """The rule of a group that allows all outgoing traffic, as EC2 shows it; none when there is none."""
    for rule in work.client.pages(RULES, Filters=[{"Name": "group-id", "Values": [group_id]}]):
        if rule["GroupId"] == group_id and rule.get("IsEgress") and is_same_traffic(ALLOW_ALL, declared(rule)):
            yield rule


def is_taken_over(work: Work, group_id: str, rule: JsonMap) -> bool:
    """Whether this rule of the group, seen as an inline one, is a separate rule by now: the one with the same traffic
    as the default rule may have changed hands since."""
    return is_same_traffic(ALLOW_ALL, rule) and any(
        read_tags(one.get("Tags")).owner is not None for one in default_rules(work, group_id)
    )


def _take_back(work: Work, group_id: str, rule: JsonMap) -> None:
    """Make the separate rule that allows all outgoing traffic the group's own: without marks, described as declared."""
    for one in default_rules(work, group_id):
        owner = read_tags(one.get("Tags")).owner
        if owner is None or owner.fid != work.request.fid:
            continue
        if declared(one).get("Description") != rule.get("Description"):
            describe(work, EGRESS, {"GroupId": group_id}, rule)
        marks = [dict(tag) for tag in one["Tags"] if tag["Key"] in (PROCESS, RESOURCE, OBJECT)]
        work.change("ec2", "DeleteTags", Resources=[one["SecurityGroupRuleId"]], Tags=marks)


def _take_over(work: Work) -> Outcome | None:
    """Make the default rule of a group of the same process the separate rule of a request. None when it is not that."""
    if not is_same_traffic(ALLOW_ALL, work.request.properties):
        return None
    group_id = str(work.need("GroupId"))
    group = only(work.read("ec2", "DescribeSecurityGroups", GroupIds=[group_id]), "SecurityGroups")
    owner = read_tags(group.get("Tags")).owner
    if owner is None or owner.fid != work.request.fid:
        return None
    for one in default_rules(work, group_id):
        if read_tags(one.get("Tags")).owner is not None:
            continue
        rule_id = one["SecurityGroupRuleId"]
        work.change("ec2", "CreateTags", Resources=[rule_id], Tags=[dict(tag) for tag in owner_tags(work.request)])
        if declared(one).get("Description") != work.want("Description"):
            describe(work, EGRESS, {"GroupId": group_id}, work.request.properties)
        return Done(physical_id=rule_id, attributes={"Id": rule_id})
    return None


def named_groups(rule: JsonMap) -> dict[str, str]:
    """The ids of the groups that a rule may name by their names, by the property for the name."""
    peer = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
    found = {"GroupName": rule["GroupId"], "SourceSecurityGroupName": peer}
    return {} if rule.get("IsEgress") else {name: group_id for name, group_id in found.items() if group_id}


def seen_rule(rule: JsonMap, names: JsonMap) -> Seen:
    """A rule of EC2 as a resource of its own, with those of its groups' names that were asked for."""
    side = EGRESS if rule.get("IsEgress") else INGRESS
    return seen(
        side.name,
        rule["SecurityGroupRuleId"],
        {"GroupId": rule["GroupId"], **declared(rule), **names},
        attributes={"Id": rule["SecurityGroupRuleId"]},
        owner=read_tags(rule.get("Tags")).owner,
    )


def _is_taken_back(rule: JsonMap) -> bool:
    """Whether it is the default rule of its group again: the group has taken the marks of its owner off."""
    is_default = bool(rule.get("IsEgress")) and is_same_traffic(ALLOW_ALL, declared(rule))
    return is_default and read_tags(rule.get("Tags")).owner is None


def rule_type(side: Side, source: Source) -> AwsType:
    """The block of SecurityGroupIngress or SecurityGroupEgress. Of the two, ingress takes groups by name as well."""
    names = tuple(name for _, name in _SYNONYMS) if side is INGRESS else ()

    def create(work: Work) -> Outcome:
        group = work.given("GroupId") or work.given("GroupName")
        try:
            made = work.change(
                "ec2",
                f"AuthorizeSecurityGroup{side.word}",
                **group,
                IpPermissions=[permission(work.request.properties, side)],
                TagSpecifications=[{"ResourceType": "security-group-rule", "Tags": owner_tags(work.request)}],
            )
        except ProviderError as error:
            taken_over = _take_over(work) if side is EGRESS and faults.is_taken(error) else None
            if taken_over is None:
                raise
            return taken_over
        rule_id = made["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return Done(physical_id=rule_id, attributes={"Id": rule_id})

    def modify(work: Work) -> Outcome:
        if work.differs("Description"):
            describe(work, side, work.given("GroupId") or work.given("GroupName"), work.request.properties)
        return Done(physical_id=work.id)

    def delete(work: Work) -> Outcome:
        rule = work.read("ec2", "DescribeSecurityGroupRules", SecurityGroupRuleIds=[work.id])["SecurityGroupRules"]
        for one in rule:
            if _is_taken_back(one):
                continue
            work.change(
                "ec2", f"RevokeSecurityGroup{side.word}", GroupId=one["GroupId"], SecurityGroupRuleIds=[work.id]
            )
        return Done(physical_id=work.id)

    return AwsType(
        facts=facts(
            side.name,
            source,
            calls=calls(
                f"ec2:AuthorizeSecurityGroup{side.word}",
                f"ec2:RevokeSecurityGroup{side.word}",
                f"ec2:UpdateSecurityGroupRuleDescriptions{side.word}",
            ),
            costly=names,
            compare_as={**COMPARE_AS, "GroupName": Comparison.SHOWN},
            synonyms=_SYNONYMS if side is INGRESS else (),
            # A group has one rule for some traffic with one peer.
            exclusive=[("GroupId", "IpProtocol", "FromPort?", "ToPort?", name) for name in side.peers],
            is_tagged=False,
        ),
        source=source,
        create=create,
        modify=modify,
        delete=delete,
        is_found=by_owner,
        find_filters=(("GroupId", "group-id"),),
        marks=EC2_MARKS,
    )
