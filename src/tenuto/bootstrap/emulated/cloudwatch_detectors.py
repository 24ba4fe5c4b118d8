"""Detectors of anomalies, which moto lacks."""

from typing import Any
from uuid import uuid4

from moto.cloudwatch.exceptions import ResourceNotFoundException
from moto.cloudwatch.responses import CloudWatchResponse
from moto.core.responses import ActionResult, EmptyResult

_SINGLE, _MATH = "SingleMetricAnomalyDetector", "MetricMathAnomalyDetector"
_SETTINGS = "Configuration MetricCharacteristics"
_METRIC = ("Namespace", "MetricName", "Dimensions", "Stat")


def _detectors(self: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = vars(self.cloudwatch_backend).setdefault("tenuto_detectors", {})
    return found


def _subject(self: Any) -> dict[str, Any]:
    """The metric or the expression that a call names, in the words of a description."""
    if self._get_param(_MATH):
        return {_MATH: self._get_param(_MATH)}
    metric = self._get_param(_SINGLE) or {name: self._get_param(name) for name in _METRIC}
    told = {name: value for name, value in metric.items() if value is not None}
    told["Dimensions"] = told.get("Dimensions") or []
    return {**told, _SINGLE: told}


def _put(self: Any) -> ActionResult:
    subject = _subject(self)
    same = next((name for name, one in _detectors(self).items() if subject.items() <= one.items()), None)
    name = same or str(uuid4())
    settings = {word: self._get_param(word) for word in _SETTINGS.split()}
    told = {word: value for word, value in settings.items() if value is not None}
    _detectors(self)[name] = {**subject, **told, "AnomalyDetectorId": name, "StateValue": "TRAINED"}
    return ActionResult({"AnomalyDetectorId": name})


def _describe(self: Any) -> ActionResult:
    names = self._get_param("AnomalyDetectorIds") or []
    found = [one for name, one in _detectors(self).items() if not names or name in names]
    kinds = self._get_param("AnomalyDetectorTypes") or ["SINGLE_METRIC"]
    shown = [one for one in found if names or ("METRIC_MATH" if _MATH in one else "SINGLE_METRIC") in kinds]
    return ActionResult({"AnomalyDetectors": shown})


def _delete(self: Any) -> EmptyResult:
    name = self._get_param("AnomalyDetectorId")
    if name not in _detectors(self):
        raise ResourceNotFoundException(f"The anomaly detector {name} does not exist.")
    del _detectors(self)[name]
    return EmptyResult()


def add() -> None:
    """Add the calls."""
    for name, call in (
        ("put_anomaly_detector", _put),
        ("describe_anomaly_detectors", _describe),
        ("delete_anomaly_detector", _delete),
    ):
        setattr(CloudWatchResponse, name, call)
