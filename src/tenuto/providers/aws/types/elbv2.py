"""AWS::ElasticLoadBalancingV2: load balancers, target groups, listeners and their rules. Their Refs are their ARNs."""

from collections.abc import Mapping

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.blocks.parts import KeyValues, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.elbv2_parts import CAPACITY, Withdrawn
from tenuto.providers.aws.types.facts import unsaid
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_TAGS = TagCalls(
    service="elbv2",
    list_call="DescribeTags",
    put_call="AddTags",
    remove_call="RemoveTags",
    id_name="ResourceArns[]",
    listed_as="TagDescriptions[0].Tags",
)


class _Priority(Shown):
    """The place of a rule among those of its listener: one call sets any number of them."""

    properties = frozenset({"Priority"})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = str(thing.answer.get("Priority"))
        return {"Priority": int(shown)} if shown.isdecimal() else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {"Priority": work.need("Priority")}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs("Priority"):
            place = {"RuleArn": work.id, "Priority": work.want("Priority")}
            work.change(service, "SetRulePriorities", RulePriorities=[place])

    def changes(self, service: str) -> Mapping[str, str]:
        return {"Priority": f"{service}:SetRulePriorities"}


def _mapping(zone: JsonMap) -> JsonMap:
    """The subnet of a zone with the address that the load balancer has in it."""
    address: JsonMap = next(iter(zone.get("LoadBalancerAddresses") or ()), {})
    found = {
        "SubnetId": zone.get("SubnetId"),
        "AllocationId": address.get("AllocationId"),
        "PrivateIPv4Address": address.get("PrivateIPv4Address"),
        "IPv6Address": address.get("IPv6Address"),
        "SourceNatIpv6Prefix": next(iter(zone.get("SourceNatIpv6Prefixes") or ()), None),
    }
    return {name: value for name, value in found.items() if value is not None}


def _standing_groups(given: JsonMap, shown: JsonMap) -> JsonMap:
    """The security groups as they are: the call needs them, also where a composition leaves them out."""
    return {} if "SecurityGroups" in given else {"SecurityGroups": shown.get("SecurityGroups") or []}


def _listener_of(rule: JsonMap) -> Json:
    """The listener of a rule, which no answer shows beside the ARN of the rule: that is made of it."""
    start, kind, path = str(rule.get("RuleArn") or "").partition(":listener-rule/")
    return f"{start}:listener/{path.rpartition('/')[0]}" if kind else None


_PRIVATE_LINK, _PREFIX = "EnforceSecurityGroupInboundRulesOnPrivateLinkTraffic", "EnablePrefixForIpv6SourceNat"
_CLIENT_SECRET = "AuthenticateOidcConfig.ClientSecret"
"""The secret of an action, which no answer shows."""
LOAD_BALANCER = block(
    "AWS::ElasticLoadBalancingV2::LoadBalancer",
    "elbv2",
    key="LoadBalancerArn",
    listed=Listed(operation="DescribeLoadBalancers", id="LoadBalancerArn", size=400, by_name="Names[]"),
    asked=Call("DescribeLoadBalancers", key="LoadBalancerArns[]"),
    named=Named("Name", 32),
    # The same settings again are answered with the load balancer that is there.
    asks_first=True,
    create="CreateLoadBalancer",
    made="LoadBalancers[0].LoadBalancerArn",
    renamed={"CanonicalHostedZoneID": "CanonicalHostedZoneId"},
    shown={
        "Name": "LoadBalancerName",
        "Subnets": "AvailabilityZones[].SubnetId",
        "SubnetMappings": lambda one: [_mapping(zone) for zone in one.get("AvailabilityZones") or ()],
    },
    attributes={"LoadBalancerFullName": lambda one: one["LoadBalancerArn"].partition("/")[2]},
    modify={
        # A prefix goes with addresses of both kinds alone: the call gets the new kind as well.
        "SetSubnets": f"Subnets SubnetMappings {_PREFIX} + IpAddressType",
        Call("SetSecurityGroups", fills=_standing_groups): f"SecurityGroups {_PRIVATE_LINK}",
        "SetIpAddressType": "IpAddressType",
    },
    parts=(
        KeyValues(
            name="LoadBalancerAttributes",
            read_by=Call("DescribeLoadBalancerAttributes"),
            write_by=Call("ModifyLoadBalancerAttributes"),
        ),
        CAPACITY,
        Withdrawn(
            name="Ipv4IpamPoolId",
            write_by="ModifyIpPools",
            shown_at="IpamPools.Ipv4IpamPoolId",
            given_at=("IpamPools", "Ipv4IpamPoolId"),
            without={"RemoveIpamPools": ["ipv4"]},
            is_born=True,
        ),
    ),
    delete="DeleteLoadBalancer",
    state=State(at="State.Code", pending="provisioning", broken="failed", reason="State.Reason"),
    tags=_TAGS,
    refused={
        "EnableCapacityReservationProvisionStabilize": "It tells CloudFormation for how long to wait, and "
        "nothing of the load balancer. Take it out.",
    },
    defaults={_PREFIX: "off", _PRIVATE_LINK: "on"},
    # AWS shows attributes that were never declared: only declared ones are held.
    compare_as={
        # Only network load balancers show them.
        _PREFIX: Words(absent="off"),
        _PRIVATE_LINK: Words(absent="on"),
        "LoadBalancerAttributes": Comparison.MEMBERS,
        "SecurityGroups": Comparison.SET,
        "SubnetMappings": Comparison.SET,
        # The word lets AWS choose the prefix, which it then shows.
        "SubnetMappings.SourceNatIpv6Prefix": Words(choice=frozenset({"auto_assigned"})),
        "Subnets": Comparison.SET,
    },
    synonyms=[("Subnets", "SubnetMappings")],
    # A mapping is for addresses of one's own, and only network load balancers have them. Only network load balancers
    # can be made with a prefix, and others are shown without one.
    unsaid=[unsaid(f"SubnetMappings {_PREFIX}", Type="application gateway"), unsaid("Subnets", Type="network")],
)

TARGET_GROUP = block(
    "AWS::ElasticLoadBalancingV2::TargetGroup",
    "elbv2",
    key="TargetGroupArn",
    listed=Listed(operation="DescribeTargetGroups", id="TargetGroupArn", size=400, by_name="Names[]"),
    asked=Call("DescribeTargetGroups", key="TargetGroupArns[]"),
    named=Named("Name", 32),
    asks_first=True,
    create="CreateTargetGroup",
    made="TargetGroups[0].TargetGroupArn",
    shown={"Name": "TargetGroupName"},
    attributes={"TargetGroupFullName": lambda one: one["TargetGroupArn"].rpartition(":")[2]},
    modify={"ModifyTargetGroup": "*"},
    parts=(
        KeyValues(
            name="TargetGroupAttributes",
            read_by=Call("DescribeTargetGroupAttributes"),
            write_by=Call("ModifyTargetGroupAttributes"),
        ),
        Members(
            name="Targets",
            listed=Listed(operation="DescribeTargetHealth", id="Target.Id", members="TargetHealthDescriptions"),
            shown_at="Target",
            # One that was taken out is shown for minutes, until its last connections are closed.
            leaving="TargetHealth.State=='draining'",
            put=Call("RegisterTargets"),
            drop=Call("DeregisterTargets"),
            member="Targets",
            key="Id Port",
            is_bulk=True,
        ),
    ),
    delete="DeleteTargetGroup",
    tags=_TAGS,
    # The call that changes a group does not take it, although the schema does not say so.
    create_only="TargetControlPort",
    compare_as={
        "TargetGroupAttributes": Comparison.MEMBERS,
        # A service or an Auto Scaling group registers the targets that it runs, from any place of declaration.
        "Targets": Comparison.SHARED,
        # The only word that a function takes, and nothing shows it there.
        "Targets.AvailabilityZone": Words(absent="all"),
    },
)

LISTENER = block(
    "AWS::ElasticLoadBalancingV2::Listener",
    "elbv2",
    key="ListenerArn",
    described=Described(call=Call("DescribeListeners", key="ListenerArns[]"), at="Listeners[0]"),
    beside=Listed(operation="DescribeListeners", id="ListenerArn", given={"LoadBalancerArn": "LoadBalancerArn"}),
    create="CreateListener",
    made="Listeners[0].ListenerArn",
    # A condition may leave nothing in the mapping of a certificate.
    sent_as={"Certificates": lambda declared: [one for one in declared if one]},
    modify={"ModifyListener": "*"},
    parts=(
        KeyValues(
            name="ListenerAttributes",
            read_by=Call("DescribeListenerAttributes"),
            write_by=Call("ModifyListenerAttributes"),
        ),
    ),
    delete="DeleteListener",
    tags=_TAGS,
    exclusive=[("LoadBalancerArn", "Port")],
    compare_as={"ListenerAttributes": Comparison.MEMBERS, f"DefaultActions.{_CLIENT_SECRET}": Comparison.SHOWN},
)

LISTENER_RULE = block(
    "AWS::ElasticLoadBalancingV2::ListenerRule",
    "elbv2",
    key="RuleArn",
    described=Described(call=Call("DescribeRules", key="RuleArns[]"), at="Rules[0]"),
    beside=Listed(operation="DescribeRules", id="RuleArn", given={"ListenerArn": "ListenerArn"}),
    create="CreateRule",
    made="Rules[0].RuleArn",
    shown={"ListenerArn": _listener_of},
    shows="ListenerArn",
    modify={"ModifyRule": "Actions Conditions"},
    parts=(
        _Priority(),
        Withdrawn(
            name="Transforms",
            write_by="ModifyRule",
            shown_at="Transforms",
            given_at=("Transforms",),
            without={"ResetTransforms": True},
            is_born=True,
        ),
    ),
    delete="DeleteRule",
    tags=_TAGS,
    exclusive=[("ListenerArn", "Priority")],
    compare_as={f"Actions.{_CLIENT_SECRET}": Comparison.SHOWN},
)
TYPES = (LOAD_BALANCER, TARGET_GROUP, LISTENER, LISTENER_RULE)
