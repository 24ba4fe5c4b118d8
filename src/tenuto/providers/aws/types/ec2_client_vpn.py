"""AWS::EC2::ClientVpnEndpoint and AWS::EC2::ClientVpnTargetNetworkAssociation. Their Refs are their ids.

Cloud Control serves the routes and the rules of an endpoint, and neither of these. An endpoint carries the tags that
its `TagSpecifications` say, and no tags beside them: only a new one has others, so our mark would never be on one that
is adopted. A creation that was lost is repeated with its token, and EC2 answers with the same endpoint.
"""

from collections.abc import Mapping

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.kind import Work, texts

_ENDPOINTS, _MODIFY = "DescribeClientVpnEndpoints", "ModifyClientVpnEndpoint"
_CHAIN, _DNS = "ClientRootCertificateChain", "DnsServers"
_NETWORK = "SecurityGroupIds VpcId"


class _Resolvers(Shown):
    """The servers of DNS: a list for a creation, and a list with a switch for a change."""

    properties = frozenset({_DNS})

    @property
    def defaults(self) -> JsonMap:
        return {_DNS: []}

    def read(self, thing: Thing) -> dict[str, Json]:
        return {_DNS: texts(thing.answer.get(_DNS))}

    def at_birth(self, work: Work) -> dict[str, Json]:
        wanted = texts(work.want(_DNS))
        return {_DNS: wanted} if wanted else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_DNS):
            wanted = texts(work.want(_DNS))
            told = {"Enabled": bool(wanted), **({"CustomDnsServers": wanted} if wanted else {})}
            work.change(service, _MODIFY, ClientVpnEndpointId=work.id, DnsServers=told)

    def changes(self, service: str) -> Mapping[str, str]:
        return {_DNS: f"{service}:{_MODIFY}"}


def _authentication(one: JsonMap) -> Json:
    """The ways of signing in, with the ARN of a certificate as it is declared."""
    return [
        {**way, "MutualAuthentication": {f"{_CHAIN}Arn": way["MutualAuthentication"].get(_CHAIN)}}
        if way.get("MutualAuthentication")
        else way
        for way in one.get("AuthenticationOptions") or ()
    ]


def _posture(one: JsonMap) -> Json:
    """The providers of trust; EC2 does not show whether they count, and takes none where they do not."""
    shown = one.get("DevicePostureOptions")
    return shown and {**shown, "Enabled": bool(shown.get("TrustProviders"))}


ENDPOINT = block(
    "AWS::EC2::ClientVpnEndpoint",
    "ec2",
    key="ClientVpnEndpointId",
    listed=Listed(operation=_ENDPOINTS, id="ClientVpnEndpointId", members="ClientVpnEndpoints", by_id="endpoint-id"),
    asked=Call(_ENDPOINTS, key="ClientVpnEndpointIds[]"),
    create="CreateClientVpnEndpoint",
    made="ClientVpnEndpointId",
    token="ClientToken",
    shown={
        "AuthenticationOptions": _authentication,
        "DevicePostureOptions": _posture,
        "SelfServicePortal": lambda one: "enabled" if one.get("SelfServicePortalUrl") else "disabled",
    },
    modify={
        _MODIFY: "ClientConnectOptions ClientLoginBannerOptions ClientRouteEnforcementOptions ConnectionLogOptions "
        "Description DevicePostureOptions DisconnectOnSessionTimeout SelfServicePortal ServerCertificateArn "
        "SessionTimeoutHours SplitTunnel VpnPort",
        # The call takes groups together with their network alone.
        Call(_MODIFY, key="ClientVpnEndpointId"): _NETWORK,
    },
    parts=(_Resolvers(),),
    delete="DeleteClientVpnEndpoint",
    # One that no network is associated with is as it should be.
    state=State(at="Status.Code", going="deleting", gone="deleted", reason="Status.Message"),
    attributes={"Id": "$id"},
    write_only="TagSpecifications",
    refused={
        "AuthorizationPolicy": "A call of its own sets it, which the SDK may not know yet. Take it out, and "
        "set it after the run; Tenuto leaves it as it is.",
    },
    defaults={
        "Description": "",
        "DisconnectOnSessionTimeout": True,
        "SelfServicePortal": "disabled",
        "SessionTimeoutHours": 24,
        "SplitTunnel": False,
        "VpnPort": 443,
    },
    compare_as={
        "SecurityGroupIds": Comparison.SET,
        "TransitGatewayConfiguration.AvailabilityZoneIds": Comparison.SET,
        "TransitGatewayConfiguration.AvailabilityZones": Comparison.SET,
    },
)
ASSOCIATION = block(
    "AWS::EC2::ClientVpnTargetNetworkAssociation",
    "ec2",
    key="ClientVpnEndpointId AssociationId",
    beside=Listed(
        operation="DescribeClientVpnTargetNetworks",
        id="ClientVpnEndpointId AssociationId",
        members="ClientVpnTargetNetworks",
        given={"ClientVpnEndpointId": "ClientVpnEndpointId"},
        is_swept=True,
    ),
    create="AssociateClientVpnTargetNetwork",
    made="ClientVpnEndpointId AssociationId",
    token="ClientToken",
    shown={
        "AvailabilityZone": "AvailabilityZones[0]",
        "AvailabilityZoneId": "AvailabilityZoneIds[0]",
        "SubnetId": "TargetNetworkId",
    },
    delete="DisassociateClientVpnTargetNetwork",
    state=State(
        at="Status.Code",
        pending="associating",
        going="disassociating",
        gone="disassociated",
        broken="association-failed",
        reason="Status.Message",
    ),
    attributes={"Id": "AssociationId", "Ref": "AssociationId"},
    exclusive=[("ClientVpnEndpointId", "SubnetId?")],
)
TYPES = (ENDPOINT, ASSOCIATION)
