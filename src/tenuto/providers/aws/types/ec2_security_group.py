"""AWS::EC2::SecurityGroup, and the source that shows groups together with their rules.

A group's inline rules are all of its rules but those that are resources of their own: rules whose id is tracked, and
rules that carry an ownership tag (one that was made a moment ago, or belongs to another process). Rules are read one
by one from DescribeSecurityGroupRules, where each has an id and tags; DescribeSecurityGroups merges them into
permissions.
"""

from collections.abc import Mapping, Sequence

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.model.rate import MemberCalls
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers.faults import not_of_aws
from tenuto.providers.aws.client.answers.pages import any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types import ec2_rules
from tenuto.providers.aws.types.facts import calls, facts, member

NAME = "AWS::EC2::SecurityGroup"
_GROUPS = ec2("DescribeSecurityGroups", "SecurityGroups")
_BY_GROUP, _BY_RULE = "group-id", "security-group-rule-id"


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    by = str(scope.filters[0]["Name"]) if scope.filters else ""
    groups = [] if by == _BY_RULE else list(client.pages(_GROUPS, **narrowed(scope.filters)))
    by_id = {group["GroupId"]: group for group in groups}
    # No other filter of groups is one of rules, too.
    shows_rules = by in ("", _BY_GROUP, _BY_RULE)
    rules = (
        [_described(rule, by_id) for rule in client.pages(ec2_rules.RULES, **narrowed(scope.filters))]
        if shows_rules
        else []
    )
    inline: dict[str, list[JsonMap]] = {}
    for rule in rules:
        if not _stands_alone(rule, scope):
            inline.setdefault(rule["GroupId"], []).append(rule)
    names = _names(client, scope, rules, by_id)
    return [_seen(group, inline.get(group["GroupId"], [])) for group in groups] + [
        ec2_rules.seen_rule(rule, names.get(rule["SecurityGroupRuleId"], {})) for rule in rules
    ]


def _names(
    client: AccountClient, scope: Scope, rules: Sequence[JsonMap], groups: Mapping[str, JsonMap]
) -> dict[str, JsonMap]:
    """The names of groups in each of the rules that are declared by them. `groups` are those that were seen anyway."""
    by_id = {str(rule["SecurityGroupRuleId"]): rule for rule in rules}

    def read(asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
        named = {one: ec2_rules.named_groups(by_id[one]) for one in asked}
        wanted = {named[one][name] for one, names in asked.items() for name in names if name in named[one]}
        filters = any_of(_BY_GROUP, sorted(wanted - groups.keys()))
        others = {one["GroupId"]: one for some in filters for one in client.pages(_GROUPS, Filters=some)}
        known = {**groups, **others}
        return {
            one: {
                name: known[group_id]["GroupName"]
                for name, group_id in named[one].items()
                if name in names and group_id in known
            }
            for one, names in asked.items()
        }

    return scope.details(client, ec2_rules.INGRESS_NAME, by_id, read)


def _described(rule: JsonMap, groups: Mapping[str, JsonMap]) -> JsonMap:
    """A rule between groups with its description, which some endpoints show in the permissions of the group only."""
    peer = (rule.get("ReferencedGroupInfo") or {}).get("GroupId")
    if peer is None or rule.get("Description"):
        return rule
    group = groups.get(rule["GroupId"], {})
    for permission in group.get("IpPermissionsEgress" if rule.get("IsEgress") else "IpPermissions") or ():
        # Of all ports, the rule may say -1 where the permission says nothing.
        if any(permission.get(name, -1) != rule.get(name, -1) for name in ("IpProtocol", "FromPort", "ToPort")):
            continue
        for pair in permission.get("UserIdGroupPairs") or ():
            if pair.get("GroupId") == peer and pair.get("Description"):
                return {**rule, "Description": pair["Description"]}
    return rule


def _stands_alone(rule: JsonMap, scope: Scope) -> bool:
    is_own = any(
        scope.is_own(name, rule["SecurityGroupRuleId"]) for name in (ec2_rules.INGRESS_NAME, ec2_rules.EGRESS_NAME)
    )
    return is_own or read_tags(rule.get("Tags")).owner is not None


def _seen(group: JsonMap, rules: Sequence[JsonMap]) -> Seen:
    return seen(
        NAME,
        group["GroupId"],
        {
            "GroupName": group.get("GroupName"),
            "GroupDescription": group.get("Description"),
            "VpcId": group.get("VpcId"),
            "SecurityGroupIngress": [ec2_rules.declared(rule) for rule in rules if not rule.get("IsEgress")],
            "SecurityGroupEgress": [ec2_rules.declared(rule) for rule in rules if rule.get("IsEgress")],
        },
        attributes={
            "GroupId": group["GroupId"],
            "GroupName": group.get("GroupName"),
            "Id": group["GroupId"],
            "VpcId": group.get("VpcId"),
        },
        tags=group.get("Tags") or (),
        undeclarable="it is the default security group of its VPC, and comes and goes with that"
        if group.get("GroupName") == "default"
        else "",
    )


def generated_group_name(request: Request) -> str:
    """Return a name that AWS allows: it keeps names that begin like its ids to itself, and a process may well be called
    `sg`.
    """
    name = generated_name(request, 253)
    return f"t-{name}" if name.lower().startswith("sg-") else name


def _create(work: Work) -> Outcome:
    name = work.want("GroupName") or generated_group_name(work.request)
    made = work.change(
        "ec2",
        "CreateSecurityGroup",
        GroupName=name,
        Description=work.need("GroupDescription"),
        **work.given("VpcId"),
        **work.birth(),
    )
    group_id = made["GroupId"]
    return Done(physical_id=group_id, attributes={"GroupId": group_id, "GroupName": name, "Id": group_id})


def _modify(work: Work) -> Outcome:
    """Add new rules first, then remove the old ones: traffic that both allow is never cut."""
    present = _present(work)
    for name, side in (("SecurityGroupIngress", ec2_rules.INGRESS), ("SecurityGroupEgress", ec2_rules.EGRESS)):
        _repair(work, side, name, list(work.want(name) or ()), list(present.get(name) or ()))
    return Done(physical_id=work.id)


def _present(work: Work) -> JsonMap:
    """The inline rules as last seen; without a last sweep, those that carry no ownership tag."""
    if work.request.observed is not None:
        return work.request.observed
    within = [{"Name": "group-id", "Values": [work.id]}]
    rules = [
        rule
        for rule in work.client.pages(ec2_rules.RULES, Filters=within)
        if rule["GroupId"] == work.id and read_tags(rule.get("Tags")).owner is None
    ]
    return {
        "SecurityGroupIngress": [ec2_rules.declared(rule) for rule in rules if not rule.get("IsEgress")],
        "SecurityGroupEgress": [ec2_rules.declared(rule) for rule in rules if rule.get("IsEgress")],
    }


def _repair(work: Work, side: ec2_rules.Side, path: str, wanted: list[Json], present: list[Json]) -> None:
    comparison = {key: rule for key, rule in COMPARE_AS.items() if key != path}
    missing = [one for one in wanted if not any(means_same(one, other, comparison, path) for other in present)]
    surplus = [other for other in present if not any(means_same(one, other, comparison, path) for one in wanted)]
    if not all(ec2_rules.has_peer(other, side) for other in surplus):
        raise not_of_aws("ec2 DescribeSecurityGroupRules")
    for rule in missing:
        duplicate = next((other for other in surplus if ec2_rules.is_same_traffic(rule, other)), None)
        if duplicate is None:
            ec2_rules.authorize(work, side, work.id, rule)
        else:
            # Only the description differs, and AWS would refuse a second rule for the same traffic.
            surplus.remove(duplicate)
            ec2_rules.describe(work, side, {"GroupId": work.id}, rule)
    for rule in wanted if work.lost(path) else ():
        # A rule without a description is as declared by any; only the update says that it had one.
        if not rule.get("Description") and any(_is_described(other, rule) for other in present):
            ec2_rules.describe(work, side, {"GroupId": work.id}, rule)
    for rule in surplus:
        # Only a group without inline rules leaves its default rule to a separate one.
        if not wanted and side is ec2_rules.EGRESS and ec2_rules.is_taken_over(work, work.id, rule):
            continue
        ec2_rules.revoke(work, side, work.id, rule)


def _is_described(rule: JsonMap, bare: JsonMap) -> bool:
    """Whether a rule that was seen is this one, with a description."""
    return bool(rule.get("Description")) and ec2_rules.is_same_traffic(bare, rule)


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteSecurityGroup", GroupId=work.id)
    return Done(physical_id=work.id)


def _members(side: ec2_rules.Side, *at_birth: Json) -> MemberCalls:
    """The calls of the inline rules of a side."""
    return member(
        f"ec2:AuthorizeSecurityGroup{side.word}",
        f"ec2:RevokeSecurityGroup{side.word}",
        retell=f"ec2:UpdateSecurityGroupRuleDescriptions{side.word}",
        told="Description",
        at_birth=at_birth,
    )


SOURCE = Source(
    name="ec2.DescribeSecurityGroups",
    read=_read,
    by_id={
        NAME: IdFilter(name=_BY_GROUP),
        ec2_rules.INGRESS_NAME: IdFilter(name=_BY_RULE),
        ec2_rules.EGRESS_NAME: IdFilter(name=_BY_RULE),
    },
)

COMPARE_AS = {
    f"{path}{suffix}": rule
    for path in ("SecurityGroupIngress", "SecurityGroupEgress")
    for suffix, rule in (("", Comparison.SET), *((f".{key}", rule) for key, rule in ec2_rules.COMPARE_AS.items()))
}

SECURITY_GROUP = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls(
            "ec2:CreateSecurityGroup",
            "ec2:DeleteSecurityGroup",
            members={
                "SecurityGroupIngress": _members(ec2_rules.INGRESS),
                "SecurityGroupEgress": _members(ec2_rules.EGRESS, ec2_rules.ALLOW_ALL),
            },
            is_tagged=True,
        ),
        attributes="GroupName VpcId",
        when_absent={"SecurityGroupIngress": [], "SecurityGroupEgress": [ec2_rules.ALLOW_ALL]},
        cleared_last="SecurityGroupEgress",
        compare_as=COMPARE_AS,
        exclusive=[("GroupName", "VpcId?")],
    ),
    source=SOURCE,
    question=by_ids("DescribeSecurityGroups", "GroupIds", "SecurityGroups"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    tagged_as="security-group",
)

RULES = tuple(ec2_rules.rule_type(side, SOURCE) for side in (ec2_rules.INGRESS, ec2_rules.EGRESS))
TYPES = (*RULES, SECURITY_GROUP)
