"""Associations, propagations and routes of the route tables of transit gateways.

Each is asked for by itself, since EC2 lists them by table. An attachment has one table at a time, so an old association
goes first.
"""

from tenuto.model.ids import JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, State
from tenuto.providers.aws.kind import AwsType

_TABLE, _ATTACHMENT = "TransitGatewayRouteTableId", "TransitGatewayAttachmentId"
_NOTHING = "`true`"
"""The answer itself says that there is no such thing, where it shows none."""


def _relation(word: str, asked: str, at: str, create: str, delete: str, state: State) -> AwsType:
    """A table with an attachment, one of each."""
    return block(
        f"AWS::EC2::TransitGatewayRouteTable{word}",
        "ec2",
        key=f"{_TABLE} {_ATTACHMENT}",
        described=Described(
            call=Call(asked, key=f"{_TABLE} transit-gateway-attachment-id="), at=at, gone_at=_NOTHING, anew=True
        ),
        create=create,
        delete=delete,
        state=state,
        exclusive=[(_ATTACHMENT,) if word == "Association" else (_TABLE, _ATTACHMENT)],
    )


def _is_blackhole(route: JsonMap) -> bool:
    """A route whose attachment is gone drops packets as well, and was not made to."""
    return route.get("State") == "blackhole" and not route.get("TransitGatewayAttachments")


ASSOCIATION = _relation(
    "Association",
    "GetTransitGatewayRouteTableAssociations",
    "Associations[0]",
    "AssociateTransitGatewayRouteTable",
    "DisassociateTransitGatewayRouteTable",
    State(at="State", pending="associating", going="disassociating", gone="disassociated"),
)
PROPAGATION = _relation(
    "Propagation",
    "GetTransitGatewayRouteTablePropagations",
    "TransitGatewayRouteTablePropagations[0]",
    "EnableTransitGatewayRouteTablePropagation",
    "DisableTransitGatewayRouteTablePropagation",
    State(at="State", pending="enabling", going="disabling", gone="disabled"),
)
ROUTE = block(
    "AWS::EC2::TransitGatewayRoute",
    "ec2",
    key=f"{_TABLE} DestinationCidrBlock",
    described=Described(
        call=Call("SearchTransitGatewayRoutes", key=f"{_TABLE} route-search.exact-match="),
        # A propagated route to the same place is none that a user made.
        at="Routes[?Type=='static'] | [0]",
        gone_at=_NOTHING,
        anew=True,
    ),
    create="CreateTransitGatewayRoute",
    modify={Call("ReplaceTransitGatewayRoute"): f"Blackhole {_ATTACHMENT}"},
    delete="DeleteTransitGatewayRoute",
    shown={"Blackhole": _is_blackhole, _ATTACHMENT: f"TransitGatewayAttachments[0].{_ATTACHMENT}"},
    state=State(at="State", pending="pending", going="deleting", gone="deleted"),
    # The schema has no call for it in mind; EC2 has one.
    in_place=f"Blackhole {_ATTACHMENT}",
    exclusive=[(_TABLE, "DestinationCidrBlock")],
)
TYPES = (ASSOCIATION, PROPAGATION, ROUTE)
