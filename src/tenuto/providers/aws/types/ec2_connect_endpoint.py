"""AWS::EC2::InstanceConnectEndpoint: the way to machines without a public address. Its Ref is its id.

A subnet has one. The schema replaces it for other groups; EC2 has a call that changes them in place.
"""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State

_ENDPOINTS = "DescribeInstanceConnectEndpoints"
_CHANGED = "PreserveClientIp SecurityGroupIds"

TYPES = (
    block(
        "AWS::EC2::InstanceConnectEndpoint",
        "ec2",
        key="InstanceConnectEndpointId",
        listed=Listed(
            operation=_ENDPOINTS, id="InstanceConnectEndpointId", size=50, by_id="instance-connect-endpoint-id"
        ),
        asked=Call(_ENDPOINTS, key="InstanceConnectEndpointIds[]"),
        create="CreateInstanceConnectEndpoint",
        made="InstanceConnectEndpoint.InstanceConnectEndpointId",
        token="ClientToken",
        modify={"ModifyInstanceConnectEndpoint": _CHANGED},
        delete="DeleteInstanceConnectEndpoint",
        attributes={"Id": "$id"},
        state=State(
            at="State",
            pending="create-in-progress update-in-progress",
            going="delete-in-progress",
            gone="delete-complete",
            broken="create-failed delete-failed",
            reason="StateMessage",
        ),
        tags="instance-connect-endpoint",
        in_place=_CHANGED,
        # The token of the creation is made here.
        refused={
            "ClientToken": "Tenuto gives each creation a token of its own, so that a repetition makes nothing "
            "twice. Take it out.",
        },
        exclusive=[("SubnetId",)],
        compare_as={"SecurityGroupIds": Comparison.SET},
        defaults={"PreserveClientIp": False},
    ),
)
