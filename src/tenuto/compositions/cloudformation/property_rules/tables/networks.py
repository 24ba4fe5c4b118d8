"""Rules for networks: EC2's, load balancers, records."""

from collections.abc import Mapping

from tenuto.compositions.cloudformation.property_rules.companions import Companions
from tenuto.compositions.cloudformation.property_rules.conditions import DECLARED, unless, words
from tenuto.compositions.cloudformation.property_rules.forms import Form, all_of, between, fits, one_of, prefix_length
from tenuto.compositions.cloudformation.property_rules.records import records
from tenuto.compositions.cloudformation.property_rules.rule import Rule
from tenuto.compositions.cloudformation.property_rules.values import Order, Value

_PORTED = words("tcp udp 6 17")
_BLOCK = prefix_length(16, 28)
_ROUTES_TO = (
    *("CarrierGatewayId", "CoreNetworkArn", "EgressOnlyInternetGatewayId", "GatewayId", "InstanceId"),
    *("LocalGatewayId", "NatGatewayId", "NetworkInterfaceId", "OdbNetworkArn", "TransitGatewayId", "VpcEndpointId"),
    "VpcPeeringConnectionId",
)
_OPTIONS = (
    *("DomainName", "DomainNameServers", "Ipv6AddressPreferredLeaseTime", "NetbiosNameServers", "NetbiosNodeType"),
    "NtpServers",
)
_CHECKED_BY_NAME = words("http https http_str_match https_str_match tcp")


def _ports(path: str = "") -> tuple[Rule, ...]:
    """A rule of a security group."""
    port = between(-1, 65_535)
    return (
        Companions(path=path, when={"IpProtocol": _PORTED}, needs=("FromPort", "ToPort")),
        Value(path=path, when={"IpProtocol": _PORTED}, of="FromPort", form=port),
        Value(path=path, when={"IpProtocol": _PORTED}, of="ToPort", form=port),
        Order(path=path, when={"IpProtocol": _PORTED}, low="FromPort", high="ToPort"),
    )


def _balanced_name(*reserved: str) -> Form:
    """The name of a load balancer or of a target group."""
    plain = fits(
        r"[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?",
        "have at most 32 letters, digits and hyphens, and no hyphen at an end",
    )
    return all_of(plain, *(fits(f"(?!{one}).*", f"not begin with {one}") for one in reserved))


RULES: Mapping[str, tuple[Rule, ...]] = {
    "AWS::EC2::ClientVpnEndpoint": (Value(of="ClientCidrBlock", form=prefix_length(12, 22)),),
    "AWS::EC2::DHCPOptions": (Companions(needs_one=_OPTIONS),),
    "AWS::EC2::NatGateway": (
        Companions(
            when={"ConnectivityType": unless("public"), "AvailabilityMode": unless("zonal")},
            needs=("AllocationId",),
            or_else="declare ConnectivityType: private",
        ),
        Companions(when={"ConnectivityType": words("private")}, excludes=("AllocationId",)),
    ),
    "AWS::EC2::NetworkAclEntry": (
        Companions(when={"Protocol": words("6 17")}, needs=("PortRange",)),
        Companions(when={"Protocol": words("1")}, needs=("Icmp",)),
        Order(when={"Protocol": words("6 17")}, low="PortRange.From", high="PortRange.To"),
        Value(of="RuleNumber", form=between(1, 32_766)),
    ),
    "AWS::EC2::Route": (Companions(needs_one=_ROUTES_TO),),
    "AWS::EC2::SecurityGroup": (
        *_ports("SecurityGroupIngress.*"),
        *_ports("SecurityGroupEgress.*"),
        Value(of="GroupName", form=fits("(?!sg-).*", "not begin with sg-, as ids do")),
    ),
    "AWS::EC2::SecurityGroupEgress": _ports(),
    "AWS::EC2::SecurityGroupIngress": _ports(),
    "AWS::EC2::Subnet": (Value(of="CidrBlock", form=_BLOCK),),
    "AWS::EC2::VPC": (Value(of="CidrBlock", form=_BLOCK),),
    "AWS::EC2::VPCCidrBlock": (Value(of="CidrBlock", form=_BLOCK),),
    "AWS::EC2::VPCEndpoint": (
        Companions(when={"VpcEndpointType": unless("gateway")}, excludes=("SubnetIds", "SecurityGroupIds")),
    ),
    "AWS::EC2::VPCGatewayAttachment": (Companions(needs_one=("InternetGatewayId", "VpnGatewayId")),),
    "AWS::ElasticLoadBalancing::LoadBalancer": (
        Companions(path="Listeners.*", when={"Protocol": words("https ssl")}, needs=("SSLCertificateId",)),
        Order(path="HealthCheck", low="Timeout", high="Interval", is_strict=True),
        Value(of="HealthCheck.HealthyThreshold", form=between(2, 10)),
        Value(of="HealthCheck.UnhealthyThreshold", form=between(2, 10)),
    ),
    "AWS::ElasticLoadBalancingV2::Listener": (
        Companions(when={"Protocol": words("https tls")}, needs=("Certificates",)),
    ),
    "AWS::ElasticLoadBalancingV2::ListenerRule": (Companions(needs=("ListenerArn",)),),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": (Value(of="Name", form=_balanced_name("internal-")),),
    "AWS::ElasticLoadBalancingV2::TargetGroup": (
        Companions(when={"TargetType": unless("instance ip alb")}, needs=("Port", "Protocol", "VpcId")),
        Order(low="HealthCheckTimeoutSeconds", high="HealthCheckIntervalSeconds"),
        Value(of="Name", form=_balanced_name()),
    ),
    "AWS::WAFv2::WebACL": (
        Companions(path="DefaultAction", needs_one=("Allow", "Block")),
        Companions(path="DefaultAction", when={"Allow": DECLARED}, excludes=("Block",)),
    ),
    "AWS::Route53::HealthCheck": (
        Companions(
            path="HealthCheckConfig",
            when={"Type": _CHECKED_BY_NAME},
            needs_one=("FullyQualifiedDomainName", "IPAddress"),
        ),
        Companions(
            path="HealthCheckConfig", when={"Type": words("http_str_match https_str_match")}, needs=("SearchString",)
        ),
        Value(of="HealthCheckConfig.RequestInterval", form=one_of("10 30")),
    ),
    "AWS::Route53::RecordSet": (
        *records(),
        Companions(when={"AliasTarget": unless()}, needs=("TTL",)),
        Companions(when={"ResourceRecords": unless()}, excludes=("TTL",)),
    ),
    "AWS::Route53::RecordSetGroup": records("RecordSets.*"),
}
