"""AWS::CloudWatch::AnomalyDetector. Its Ref is its id, and Cloud Control does not serve it.

A detector of one metric is declared in two spellings, of which CloudWatch shows both: the metric among the properties,
or in `SingleMetricAnomalyDetector`. The call that makes a detector replaces that of the same metric.
"""

from collections.abc import Callable
from dataclasses import replace

from tenuto.errors import TakenError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.kind import Work

_LIST, _PUT = "DescribeAnomalyDetectors", "PutAnomalyDetector"
_SINGLE, _MATH = "SingleMetricAnomalyDetector", "MetricMathAnomalyDetector"
_RANGES, _TIME = "ExcludedTimeRanges", "%Y-%m-%dT%H:%M:%S"
_METRIC = "Dimensions MetricName Namespace Stat"


def _of_metric(name: str) -> Callable[[JsonMap], Json]:
    """A part of the one metric, which stands in one of two places."""
    return lambda one: one.get(name) or (one.get(_SINGLE) or {}).get(name)


def _configuration(one: JsonMap) -> Json:
    """The configuration with its times as the schema has them: of UTC, and without a letter that says so."""
    shown = one.get("Configuration")
    ranges = [{name: f"{time:{_TIME}}" for name, time in each.items()} for each in (shown or {}).get(_RANGES) or ()]
    return shown and {**shown, **({_RANGES: ranges} if ranges else {})}


def _single(one: JsonMap) -> Json:
    told = {name: one[name] for name in _METRIC.split() if one.get(name) is not None}
    return {**told, **(one.get(_SINGLE) or {})} or None


_LISTED = Listed(
    operation=_LIST,
    id="AnomalyDetectorId",
    fixed={"AnomalyDetectorTypes": ["SINGLE_METRIC", "METRIC_MATH"]},
)
_DETECTOR = block(
    "AWS::CloudWatch::AnomalyDetector",
    "cloudwatch",
    key="AnomalyDetectorId",
    listed=_LISTED,
    asked=Call(_LIST, key="AnomalyDetectorIds[]"),
    create=_PUT,
    made="AnomalyDetectorId",
    shown={"Configuration": _configuration, **{name: _of_metric(name) for name in _METRIC.split()}, _SINGLE: _single},
    # The metric says which detector the call is about.
    modify={Call(_PUT, key="-"): f"Configuration + {_METRIC} {_SINGLE} {_MATH} MetricCharacteristics"},
    delete="DeleteAnomalyDetector",
    attributes={"Id": "$id"},
    exclusive=[("Namespace", "MetricName", "Stat", "Dimensions?"), (_SINGLE,), (_MATH,)],
    compare_as={
        "Configuration.ExcludedTimeRanges": Comparison.SET,
        "Dimensions": Comparison.SET,
        f"{_SINGLE}.Dimensions": Comparison.SET,
    },
)


def _metric(one: JsonMap) -> Json:
    """The metric of a detector, as it is declared or shown; None for one of an expression."""
    found: JsonMap = {**(_single(one) or {})}
    dimensions = sorted((str(each["Name"]), str(each["Value"])) for each in found.get("Dimensions") or ())
    return [found.get("Namespace"), found.get("MetricName"), found.get("Stat"), dimensions] if found else None


def _create(work: Work) -> Outcome:
    """Make a detector, and never replace one that is there. Raises PermanentError."""
    wanted = _metric(work.request.properties)
    if wanted is not None:
        for one in work.client.pages(_LISTED.paging("cloudwatch"), **_LISTED.fixed):
            if _metric(one) == wanted:
                raise TakenError(f"The anomaly detector {one['AnomalyDetectorId']} watches {wanted[1]} already.")
    return _DETECTOR.create(work)


DETECTOR = replace(_DETECTOR, create=_create)
TYPES = (DETECTOR,)
