"""AWS::Logs::LogStream and AWS::Logs::SubscriptionFilter: parts of a log group. Their Refs are their own names.

No list shows the parts of all groups, and the lists of one group take the beginning of a name.
"""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described
from tenuto.providers.aws.types.named import Named

STREAM = block(
    "AWS::Logs::LogStream",
    "logs",
    key="logGroupName logStreamName",
    described=Described(
        call=Call("DescribeLogStreams", key="logGroupName logStreamNamePrefix"),
        at="logStreams",
        gone_at="logStreams != `null`",
        chosen_by="logStreamName",
    ),
    named=Named("LogStreamName", 512),
    create="CreateLogStream",
    delete="DeleteLogStream",
    attributes={"Ref": "logStreamName"},
    # No stream is shown with its group.
    shown={"LogGroupName": lambda stream: stream["arn"].partition(":log-group:")[2].partition(":log-stream:")[0]},
    bears_data=True,
)
SUBSCRIPTION_FILTER = block(
    "AWS::Logs::SubscriptionFilter",
    "logs",
    key="logGroupName filterName",
    described=Described(
        call=Call("DescribeSubscriptionFilters", key="logGroupName filterNamePrefix"),
        at="subscriptionFilters",
        gone_at="subscriptionFilters != `null`",
        chosen_by="filterName",
    ),
    named=Named("FilterName", 512),
    create="PutSubscriptionFilter",
    # The call replaces a filter of the same name.
    asks_first=True,
    modify={"PutSubscriptionFilter": "*"},
    delete="DeleteSubscriptionFilter",
    attributes={"Ref": "filterName"},
    # The call that replaces a filter takes away a property that it does not name.
    defaults={
        "ApplyOnTransformedLogs": False,
        "Distribution": "ByLogStream",
        "EmitSystemFields": None,
        "FieldSelectionCriteria": None,
        "RoleArn": None,
    },
)
TYPES = (STREAM, SUBSCRIPTION_FILTER)
