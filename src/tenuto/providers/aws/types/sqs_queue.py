"""AWS::SQS::Queue. Its Ref is its URL; every setting is an attribute, which SQS keeps as text."""

from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.parts import Attributes
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.named import Named, fifo_by
from tenuto.providers.aws.types.tag_calls import TagCalls

NAME = "AWS::SQS::Queue"
_ALL = {"AttributeNames": ["All"]}

QUEUE = block(
    NAME,
    "sqs",
    key="QueueUrl",
    listed=Listed(operation="ListQueues", id="@", size=1000, may_lack=True),
    # A name lives on in the list for a while after its queue is gone, so only a queue that is read by itself is
    # believed.
    described=Described(call=Call("GetQueueAttributes", fixed=_ALL), at="Attributes", anew=True),
    looked_up=Described(call=Call("GetQueueUrl", key="QueueName"), at="QueueUrl"),
    name_after="/",
    named=Named("QueueName", 80, ending=fifo_by("FifoQueue")),
    # SQS answers the creation of a queue that is there already like any other.
    asks_first=True,
    create="CreateQueue",
    made="QueueUrl",
    parts=(
        Attributes(
            type=NAME,
            names="ContentBasedDeduplication DeduplicationScope DelaySeconds FifoQueue FifoThroughputLimit "
            "KmsDataKeyReusePeriodSeconds KmsMasterKeyId MaximumMessageSize MessageRetentionPeriod "
            "ReceiveMessageWaitTimeSeconds RedriveAllowPolicy RedrivePolicy SqsManagedSseEnabled VisibilityTimeout",
            write_by=Call("SetQueueAttributes"),
            silent="FifoQueue",
        ),
    ),
    delete="DeleteQueue",
    tags=TagCalls(
        service="sqs",
        list_call="ListQueueTags",
        put_call="TagQueue",
        remove_call="UntagQueue",
        id_name="QueueUrl",
        is_mapping=True,
    ),
    attributes={"Arn": "QueueArn", "QueueName": "$name", "QueueUrl": "$id"},
    compare_as={
        "KmsMasterKeyId": KMS_KEY,
        "RedriveAllowPolicy.redrivePermission": Words(absent="allowAll"),
        "RedriveAllowPolicy.sourceQueueArns": Comparison.SET,
    },
    defaults={
        "ContentBasedDeduplication": False,
        "DeduplicationScope": "queue",
        "DelaySeconds": 0,
        "FifoThroughputLimit": "perQueue",
        "KmsMasterKeyId": None,
        "MessageRetentionPeriod": 345_600,
        "ReceiveMessageWaitTimeSeconds": 0,
        "RedriveAllowPolicy": None,
        "RedrivePolicy": None,
        "VisibilityTimeout": 30,
    },
    bears_data=True,
)
TYPES = (QUEUE,)
