"""AWS::Events::EventBus. Its Ref is its name."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Setting
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

BUS = block(
    "AWS::Events::EventBus",
    "events",
    key="Name",
    listed=Listed(operation="ListEventBuses", id="Name", members="EventBuses"),
    described=Described(call=Call("DescribeEventBus")),
    named=Named("Name", 256),
    create="CreateEventBus",
    modify={"UpdateEventBus": "*"},
    parts=(
        Setting(
            name="Policy",
            read_by=Call("DescribeEventBus"),
            write_by=Call("PutPermission", key="EventBusName"),
            shown_at="Policy",
            given_as="Policy",
            is_text=True,
        ),
    ),
    delete="DeleteEventBus",
    attributes={"Arn": "Arn", "Name": "Name"},
    tags=TagCalls(
        service="events",
        id_name="ResourceARN",
        named=lambda _, bus: bus["Arn"],
    ),
    compare_as={"Policy": POLICY},
    create_only="EventSourceName",
    named_attributes="Arn Name",
)
TYPES = (BUS,)
