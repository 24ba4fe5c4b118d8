"""AWS::EC2::VPCEndpointService and its permissions. The Ref of both is the id of the service.

A service stands in front of load balancers, and endpoints of other networks lead to it. The permissions are the callers
that may make such endpoints; they are there as long as the service lists one of them.
"""

from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.exchanged import Exchanged
from tenuto.providers.aws.kind import Work, texts
from tenuto.providers.aws.types.named import Named

_SERVICES = "DescribeVpcEndpointServiceConfigurations"
_MODIFY = Call("ModifyVpcEndpointServiceConfiguration")
_PERMIT = "ModifyVpcEndpointServicePermissions"
_LISTS = ("GatewayLoadBalancerArns", "NetworkLoadBalancerArns", "SupportedIpAddressTypes")
_REGIONS, _PRINCIPALS = "SupportedRegions", "AllowedPrincipals"


SERVICE = block(
    "AWS::EC2::VPCEndpointService",
    "ec2",
    key="ServiceId",
    listed=Listed(operation=_SERVICES, id="ServiceId", size=1000, by_id="service-id"),
    asked=Call(_SERVICES, key="ServiceIds[]"),
    create="CreateVpcEndpointServiceConfiguration",
    made="ServiceConfiguration.ServiceId",
    token="ClientToken",
    modify={_MODIFY: "AcceptanceRequired PrivateDnsName"},
    parts=(
        *(Exchanged(name=name, write_by=_MODIFY) for name in _LISTS),
        Exchanged(name=_REGIONS, write_by=_MODIFY, shown_at=f"{_REGIONS}[].Region"),
    ),
    delete=Call("DeleteVpcEndpointServiceConfigurations", key="ServiceIds[]"),
    state=State(at="ServiceState", pending="Pending", going="Deleting", gone="Deleted", broken="Failed"),
    attributes={"ServiceId": "$id"},
    tags="vpc-endpoint-service",
    refused={
        "ContributorInsightsEnabled": "No answer of EC2 shows it, so nothing could be held. Take it out, and "
        "make the rules of CloudWatch Contributor Insights there.",
        "PayerResponsibility": "It is set once and for good, by a call of its own. Take it out, and set it "
        "with `aws ec2 modify-vpc-endpoint-service-payer-responsibility` after the run.",
    },
    compare_as=dict.fromkeys((*_LISTS, _REGIONS), Comparison.SET),
)


@dataclass(frozen=True, kw_only=True)
class _Principals(Exchanged):
    """The callers. They are put by the call that changes them, also at first."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {f"Add{_PRINCIPALS}": texts(work.want(_PRINCIPALS))}


def _permitted(answer: JsonMap) -> Json:
    found = [one["Principal"] for one in answer.get(_PRINCIPALS) or ()]
    return {_PRINCIPALS: found} if found else None


PERMISSIONS = block(
    "AWS::EC2::VPCEndpointServicePermissions",
    "ec2",
    key="ServiceId",
    described=Described(
        call=Call("DescribeVpcEndpointServicePermissions"), at=_permitted, gone_at="AllowedPrincipals == `[]`"
    ),
    named=Named("ServiceId", 255),
    create=_PERMIT,
    parts=(_Principals(name=_PRINCIPALS, write_by=Call(_PERMIT)),),
    delete=_PERMIT,
    parting=lambda work: {f"Remove{_PRINCIPALS}": texts(work.want(_PRINCIPALS))},
    compare_as={_PRINCIPALS: Comparison.SET},
)
TYPES = (SERVICE, PERMISSIONS)
