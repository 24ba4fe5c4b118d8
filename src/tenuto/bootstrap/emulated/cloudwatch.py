"""Tags of dashboards, where moto has tags for alarms alone, and the settings of alarms that moto does not keep,
or refuses: of the statistics that are no plain ones it knows percentiles alone."""

import re
from typing import Any

from moto.cloudwatch.models import CloudWatchBackend
from moto.cloudwatch.responses import CloudWatchResponse

_put = CloudWatchResponse.put_dashboard
_delete = CloudWatchBackend.delete_dashboards
_tag = CloudWatchBackend.tag_resource
_put_alarm: Any = CloudWatchResponse.put_metric_alarm
_make_alarm: Any = CloudWatchBackend.put_metric_alarm
_STATISTIC = re.compile(r"(p|tm|wm|tc|ts)\d{1,3}(\.\d+)?|IQM|(PR|TM|WM|TC|TS)\([\d.]*%?:[\d.]*%?\)", re.IGNORECASE)
"""Percentiles and their ranks, trimmed and winsorized means, counts and sums of the values that are left when it is
trimmed."""
_SETTINGS = (
    "ActionConfiguration",
    "ActionsSuppressor",
    "ActionsSuppressorExtensionPeriod",
    "ActionsSuppressorWaitPeriod",
    "EvaluationCriteria",
    "EvaluationInterval",
    "EvaluationWindow",
    "WarmUpConfiguration",
)


def _put_tagged(self: Any) -> Any:
    """Make or replace a dashboard. Tags count for a new one alone."""
    backend, name = self.cloudwatch_backend, self._get_param("DashboardName")
    is_new = name not in backend.dashboards
    answer = _put(self)
    if is_new:
        backend.tagger.tag_resource(backend.dashboards[name].arn, self._get_param("Tags", []))
    return answer


def _delete_tagged(self: Any, dashboards: list[str]) -> Any:
    arns = [self.dashboards[name].arn for name in dashboards if name in self.dashboards]
    answer = _delete(self, dashboards)
    for arn in arns if answer is None else ():
        self.tagger.delete_all_tags_for_resource(arn)
    return answer


def _tag_any(self: Any, arn: str, tags: dict[str, str]) -> None:
    if arn in {one.arn for one in self.dashboards.values()}:
        self.tagger.tag_resource(arn, self.tagger.convert_dict_to_tags_input(tags))
    else:
        _tag(self, arn, tags)


def _put_whole_alarm(self: Any) -> Any:
    """Make or replace an alarm, which loses the settings that the call does not name."""
    answer = _put_alarm(self)
    alarm = self.cloudwatch_backend.alarms[self._get_param("AlarmName")]
    for name in _SETTINGS:
        setattr(alarm, name, self._get_param(name))
    alarm.alarm_rule = alarm.rule
    return answer


def _of_any_statistic(self: Any, **given: Any) -> Any:
    """The making of an alarm, for which moto sees a percentile in place of another statistic of this family."""
    whole = given.get("extended_statistic")
    if whole and _STATISTIC.fullmatch(whole):
        given["extended_statistic"] = "p99"
    alarm = _make_alarm(self, **given)
    alarm.extended_statistic = whole
    return alarm


def add() -> None:
    """Add the calls."""
    for owner, name, call in (
        (CloudWatchResponse, "put_dashboard", _put_tagged),
        (CloudWatchResponse, "put_metric_alarm", _put_whole_alarm),
        # Moto makes an alarm that has a rule of other alarms by the same method.
        (CloudWatchResponse, "put_composite_alarm", _put_whole_alarm),
        (CloudWatchBackend, "delete_dashboards", _delete_tagged),
        (CloudWatchBackend, "put_metric_alarm", _of_any_statistic),
        (CloudWatchBackend, "tag_resource", _tag_any),
    ):
        setattr(owner, name, call)
