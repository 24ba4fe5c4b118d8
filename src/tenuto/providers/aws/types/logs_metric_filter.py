"""AWS::Logs::MetricFilter. It is a part of a log group; its Ref is its own name."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.types.named import Named

METRIC_FILTER = block(
    "AWS::Logs::MetricFilter",
    "logs",
    key="logGroupName filterName",
    listed=Listed(operation="DescribeMetricFilters", id="logGroupName filterName", size=50),
    named=Named("FilterName", 512),
    create="PutMetricFilter",
    # The call replaces a filter of the same name.
    asks_first=True,
    modify={"PutMetricFilter": "*"},
    delete="DeleteMetricFilter",
    attributes={"Ref": "filterName"},
    unsupported="ApplyOnTransformedLogs EmitSystemFieldDimensions FieldSelectionCriteria",
)
TYPES = (METRIC_FILTER,)
