"""AWS::ElasticLoadBalancing::LoadBalancer, the classic one. Its Ref is its name."""

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.types.elb_parts import Listeners, Machines, Places, Settings
from tenuto.providers.aws.types.elb_policies import RULES, Cookies, Policies
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_SETS = (
    "AppCookieStickinessPolicy",
    "AvailabilityZones",
    "LBCookieStickinessPolicy",
    "Listeners",
    "Listeners.PolicyNames",
    "SecurityGroups",
    "Subnets",
)


def _whole(check: Json) -> Json:
    """A health check with numbers: a composition has texts, of which the call takes only the target."""
    return {name: value if name == "Target" else int(value) for name, value in check.items()}


LOAD_BALANCER = block(
    "AWS::ElasticLoadBalancing::LoadBalancer",
    "elb",
    key="LoadBalancerName",
    listed=Listed(operation="DescribeLoadBalancers", id="LoadBalancerName", size=400, by_name="LoadBalancerNames[]"),
    asked=Call("DescribeLoadBalancers", key="LoadBalancerNames[]"),
    named=Named("LoadBalancerName", 32),
    # The same settings again are answered like a creation.
    asks_first=True,
    create="CreateLoadBalancer",
    sent_as={"HealthCheck": _whole},
    modify={
        "ApplySecurityGroupsToLoadBalancer": "SecurityGroups",
        "ConfigureHealthCheck": "HealthCheck",
    },
    parts=(
        Cookies(
            name="AppCookieStickinessPolicy",
            shown="AppCookieStickinessPolicies",
            make="CreateAppCookieStickinessPolicy",
        ),
        Cookies(
            name="LBCookieStickinessPolicy", shown="LBCookieStickinessPolicies", make="CreateLBCookieStickinessPolicy"
        ),
        Policies(),
        Listeners(),
        Places(
            name="Subnets",
            shown_at="Subnets",
            put=Call("AttachLoadBalancerToSubnets"),
            drop=Call("DetachLoadBalancerFromSubnets"),
            member="Subnets",
            is_bulk=True,
        ),
        Places(
            name="AvailabilityZones",
            shown_at="AvailabilityZones",
            put=Call("EnableAvailabilityZonesForLoadBalancer"),
            drop=Call("DisableAvailabilityZonesForLoadBalancer"),
            member="AvailabilityZones",
            is_bulk=True,
        ),
        Machines(),
        Settings(),
    ),
    delete="DeleteLoadBalancer",
    tags=TagCalls(
        service="elb",
        list_call="DescribeTags",
        put_call="AddTags",
        remove_call="RemoveTags",
        id_name="LoadBalancerNames[]",
        listed_as="TagDescriptions[0].Tags",
        keys_as="Tags",
        takes_members=True,
    ),
    compare_as={
        **dict.fromkeys(_SETS, Comparison.SET),
        # An Auto Scaling group registers its machines, from wherever it is declared.
        "Instances": Comparison.SHARED,
        **dict.fromkeys(("Listeners.Protocol", "Listeners.InstanceProtocol"), Comparison.FOLDED),
        **RULES,
    },
)
TYPES = (LOAD_BALANCER,)
