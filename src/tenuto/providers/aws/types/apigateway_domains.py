"""AWS::ApiGateway and AWS::ApiGatewayV2: domains of one's own, the APIs that they lead to, and links to private
networks.

API Gateway has one set of domains and two ways to speak of them. The Ref of a domain is its name.
"""

from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.types import apigatewayv2
from tenuto.providers.aws.types.apigateway import patch, tags

_NO_PATH = "(none)"
"""The word of API Gateway for a mapping of all paths."""


def _said(path: Json) -> Json:
    return path or _NO_PATH


DOMAIN = block(
    "AWS::ApiGateway::DomainName",
    "apigateway",
    key="domainName",
    listed=Listed(operation="GetDomainNames", id="domainName", size=500),
    described=Described(call=Call("GetDomainName"), anew=True),
    create="CreateDomainName",
    modify={patch("UpdateDomainName"): "*"},
    delete="DeleteDomainName",
    state=State(
        at="domainNameStatus",
        pending="PENDING UPDATING",
        broken="FAILED",
        reason="domainNameStatusMessage",
        ends_at_once=True,
    ),
    attributes={
        "DistributionDomainName": "distributionDomainName",
        "DistributionHostedZoneId": "distributionHostedZoneId",
        "DomainNameArn": "domainNameArn",
        "RegionalDomainName": "regionalDomainName",
        "RegionalHostedZoneId": "regionalHostedZoneId",
    },
    tags=tags("/domainnames/{}"),
    exclusive=[("DomainName",)],
)

MAPPING = block(
    "AWS::ApiGateway::BasePathMapping",
    "apigateway",
    key="domainName basePath",
    implied={"basePath": _NO_PATH},
    described=Described(call=Call("GetBasePathMapping")),
    create="CreateBasePathMapping",
    sent_as={"BasePath": _said},
    shown={"BasePath": f"basePath != '{_NO_PATH}' && basePath || ''"},
    # The one path that is not spelled as its answer has it.
    modify={Call("UpdateBasePathMapping", patched_as="patchOperations", paths={"/restApiId": "/restapiId"}): "*"},
    delete="DeleteBasePathMapping",
    attributes={"Ref": "$id"},
    exclusive=[("DomainName", "BasePath?")],
)

DOMAIN_V2 = block(
    "AWS::ApiGatewayV2::DomainName",
    "apigatewayv2",
    key="DomainName",
    listed=Listed(operation="GetDomainNames", id="DomainName", members="Items"),
    described=Described(call=Call("GetDomainName"), anew=True),
    create="CreateDomainName",
    modify={"UpdateDomainName": "*"},
    delete="DeleteDomainName",
    state=State(
        at="DomainNameConfigurations[0].DomainNameStatus",
        pending="PENDING UPDATING",
        broken="FAILED",
        reason="DomainNameConfigurations[0].DomainNameStatusMessage",
        ends_at_once=True,
    ),
    attributes={
        "DomainNameArn": "DomainNameArn",
        "RegionalDomainName": "DomainNameConfigurations[0].ApiGatewayDomainName",
        "RegionalHostedZoneId": "DomainNameConfigurations[0].HostedZoneId",
    },
    tags=apigatewayv2.tags("/domainnames/{}"),
    exclusive=[("DomainName",)],
)

MAPPING_V2 = block(
    "AWS::ApiGatewayV2::ApiMapping",
    "apigatewayv2",
    key="DomainName ApiMappingId",
    described=Described(call=Call("GetApiMapping")),
    beside=Listed(
        operation="GetApiMappings", id="$DomainName ApiMappingId", given={"DomainName": "DomainName"}, members="Items"
    ),
    create="CreateApiMapping",
    made="DomainName ApiMappingId",
    modify={"UpdateApiMapping": "*"},
    delete="DeleteApiMapping",
    attributes={"Ref": "ApiMappingId"},
    exclusive=[("DomainName", "ApiMappingKey?")],
)

VPC_LINK = block(
    "AWS::ApiGatewayV2::VpcLink",
    "apigatewayv2",
    key="VpcLinkId",
    listed=Listed(operation="GetVpcLinks", id="VpcLinkId", members="Items"),
    described=Described(call=Call("GetVpcLink"), anew=True),
    create="CreateVpcLink",
    made="VpcLinkId",
    modify={"UpdateVpcLink": "*"},
    delete="DeleteVpcLink",
    state=State(
        at="VpcLinkStatus", pending="PENDING", going="DELETING", broken="FAILED", reason="VpcLinkStatusMessage"
    ),
    tags=apigatewayv2.tags("/vpclinks/{}"),
)
TYPES = (DOMAIN, MAPPING, DOMAIN_V2, MAPPING_V2, VPC_LINK)
