"""AWS::Kinesis::StreamConsumer, which reads a stream at a rate of its own. Its Ref is its ARN.

The ARN ends in the moment of the registration, so that it is not known before. Consumers are listed by their streams.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.types.kinesis_stream import listed_tags
from tenuto.providers.aws.types.tag_calls import TagCalls

CONSUMER = block(
    "AWS::Kinesis::StreamConsumer",
    "kinesis",
    key="ConsumerARN",
    described=Described(call=Call("DescribeStreamConsumer"), at="ConsumerDescription", anew=True),
    beside=Listed(operation="ListStreamConsumers", id="ConsumerARN", size=100, given={"StreamARN": "StreamARN"}),
    create="RegisterStreamConsumer",
    made="Consumer.ConsumerARN",
    delete="DeregisterStreamConsumer",
    state=State(at="ConsumerStatus", pending="CREATING", going="DELETING"),
    tags=TagCalls(service="kinesis", id_name="ResourceARN", is_mapping=True, listed_as=listed_tags),
    # The calls for tags of resources change them, although the schema does not say so.
    in_place="Tags",
    exclusive=[("StreamARN", "ConsumerName")],
)
TYPES = (CONSUMER,)
