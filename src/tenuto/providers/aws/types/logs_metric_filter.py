"""AWS::Logs::MetricFilter. It is a part of a log group; its Ref is its own name."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Listed
from tenuto.providers.aws.types.named import Named

_METRICS, _DIMENSIONS = "MetricTransformations", "Dimensions"


def _given(metrics: Json) -> Json:
    """Metrics with their dimensions by name, of which a composition declares a list."""
    return [
        {**one, _DIMENSIONS: {part["Key"]: part["Value"] for part in one[_DIMENSIONS]}} if one.get(_DIMENSIONS) else one
        for one in metrics
    ]


def _shown(answer: JsonMap) -> Json:
    return [
        {**one, "dimensions": [{"Key": name, "Value": one["dimensions"][name]} for name in sorted(one["dimensions"])]}
        if one.get("dimensions")
        else one
        for one in answer.get("metricTransformations") or ()
    ]


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
    shown={_METRICS: _shown},
    sent_as={_METRICS: _given},
    compare_as={f"{_METRICS}.{_DIMENSIONS}": Comparison.SET},
    # The call that replaces a filter takes away a property that it does not name.
    defaults={"ApplyOnTransformedLogs": False, "EmitSystemFieldDimensions": None, "FieldSelectionCriteria": None},
)
TYPES = (METRIC_FILTER,)
