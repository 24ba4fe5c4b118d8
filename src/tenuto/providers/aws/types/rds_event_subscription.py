"""AWS::RDS::EventSubscription: the events that RDS tells a topic. Its Ref is its name."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.members import Members
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.rds_groups import rds_tags

_LIST = "DescribeEventSubscriptions"

SUBSCRIPTION = block(
    "AWS::RDS::EventSubscription",
    "rds",
    key="SubscriptionName",
    listed=Listed(operation=_LIST, id="CustSubscriptionId", size=100, by_name="SubscriptionName"),
    asked=Call(_LIST),
    named=Named("SubscriptionName", 255),
    create="CreateEventSubscription",
    shown={"EventCategories": "EventCategoriesList"},
    modify={"ModifyEventSubscription": "*"},
    parts=(
        Members(
            name="SourceIds",
            shown_at="SourceIdsList",
            put=Call("AddSourceIdentifierToSubscription"),
            drop=Call("RemoveSourceIdentifierFromSubscription"),
            member="SourceIdentifier",
        ),
    ),
    delete="DeleteEventSubscription",
    state=State(at="Status", pending="creating modifying", going="deleting", broken="no-permission topic-not-exist"),
    tags=rds_tags("EventSubscriptionArn"),
    compare_as={"EventCategories": Comparison.SET, "SourceIds": Comparison.SET},
    defaults={"Enabled": True},
)
TYPES = (SUBSCRIPTION,)
