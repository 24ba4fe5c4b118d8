"""Contributor insights, policies and throughput of tables of DynamoDB: moto keeps some of them, and shows fewer.

Insights are on their way for as long as they were described twice, and then they are on or off. A policy belongs to a
table or to a stream. Limits on demand are kept until they are set to -1, and the warm throughput of a table or an index
is only ever raised.
"""

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.dynamodb.exceptions import MockValidationException, PolicyNotFoundException, ResourceNotFoundException
from moto.dynamodb.models.table import (
    DEFAULT_WARM_THROUGHPUT_RCU,
    DEFAULT_WARM_THROUGHPUT_WCU,
    GlobalSecondaryIndex,
    Table,
)
from moto.dynamodb.responses import DynamoHandler

_LIMITS, _WARM = "OnDemandThroughput", "WarmThroughput"
_UNITS = ("ReadUnitsPerSecond", "WriteUnitsPerSecond")
_ENDED = {"ENABLING": "ENABLED", "DISABLING": "DISABLED"}
_describe_table, _describe_index = Table.describe, GlobalSecondaryIndex.describe
_create_table, _update_table = DynamoHandler.create_table, DynamoHandler.update_table
_create_index, _update_index = GlobalSecondaryIndex.create, GlobalSecondaryIndex.update


def _insights_of(self: Any) -> dict[str, Any]:
    """The insights of the table or the index that is asked for."""
    table, index = self.dynamodb_backend.get_table(self.body["TableName"]), self.body.get("IndexName", "")
    if index and index not in {one.name for one in table.global_indexes}:
        raise ResourceNotFoundException(f"Requested resource not found: Index: {index}")
    unset = {"status": "DISABLED", "shows": 0}
    found: dict[str, Any] = vars(table).setdefault("tenuto_insights", {}).setdefault(index, unset)
    return found


def _told(self: Any, insights: dict[str, Any]) -> ActionResult:
    about = {name: self.body[name] for name in ("TableName", "IndexName") if name in self.body}
    mode = {"ContributorInsightsMode": insights["mode"]} if "mode" in insights else {}
    return ActionResult({**about, "ContributorInsightsStatus": insights["status"], **mode})


def _update_insights(self: Any) -> ActionResult:
    insights = _insights_of(self)
    if self.body["ContributorInsightsAction"] == "ENABLE":
        mode = self.body.get("ContributorInsightsMode") or "ACCESSED_AND_THROTTLED_KEYS"
        insights |= {"status": "ENABLING", "mode": mode, "shows": 2}
    else:
        insights |= {"status": "DISABLING", "shows": 2}
    return _told(self, insights)


def _describe_insights(self: Any) -> ActionResult:
    insights = _insights_of(self)
    if not insights["shows"]:
        insights["status"] = _ENDED.get(insights["status"], insights["status"])
    insights["shows"] = max(0, insights["shows"] - 1)
    return _told(self, insights)


def _policies_of(self: Any) -> tuple[dict[str, str], str]:
    """The policies of the table that an ARN is about, and the ARN. Raises when there is no such table or stream."""
    arn = str(self.body["ResourceArn"])
    of_table, _, stream = arn.partition("/stream/")
    table = self.dynamodb_backend.get_table(of_table)
    if stream and stream != table.latest_stream_label:
        raise ResourceNotFoundException(f"Requested resource not found: Stream: {arn}")
    return vars(table).setdefault("tenuto_policies", {}), arn


def _put_policy(self: Any) -> ActionResult:
    policies, arn = _policies_of(self)
    policies[arn] = self.body["Policy"]
    return ActionResult({"RevisionId": "1"})


def _get_policy(self: Any) -> ActionResult:
    policies, arn = _policies_of(self)
    if arn not in policies:
        raise PolicyNotFoundException(f"Resource-based policy not found for the provided ResourceArn: {arn}")
    return ActionResult({"Policy": policies[arn], "RevisionId": "1"})


def _delete_policy(self: Any) -> ActionResult:
    policies, arn = _policies_of(self)
    policies.pop(arn, None)
    return EmptyResult()


def _limit(owner: Any, wanted: dict[str, int] | None) -> None:
    kept = vars(owner).setdefault("tenuto_limits", {})
    kept.update(wanted or {})


def _limits_shown(owner: Any, shown: dict[str, Any]) -> dict[str, Any]:
    limits = vars(owner).get("tenuto_limits")
    return {**shown, _LIMITS: dict(limits)} if limits else shown


def _complete(owner: Any) -> None:
    """Give a new table or index the warm throughput that it has anyway, where less than all of it was asked for."""
    usual = (DEFAULT_WARM_THROUGHPUT_RCU, DEFAULT_WARM_THROUGHPUT_WCU)
    owner.warm_throughput = {**dict(zip(_UNITS, usual, strict=True)), **owner.warm_throughput}


def _warmed(owner: Any, wanted: dict[str, int] | None) -> dict[str, Any] | None:
    """The whole warm throughput of a table or an index that is to be raised. Raises for less than there is."""
    if not wanted:
        return None
    present = {name: owner.warm_throughput[name] for name in _UNITS}
    if any(units < present[name] for name, units in wanted.items()):
        raise MockValidationException("One or more parameter values were invalid: WarmThroughput cannot be decreased")
    return {**present, **wanted}


def _created(self: Any) -> Any:
    answer = _create_table(self)
    table = self.dynamodb_backend.get_table(self.body["TableName"])
    _limit(table, self.body.get(_LIMITS))
    _complete(table)
    if policy := self.body.get("ResourcePolicy"):
        vars(table)["tenuto_policies"] = {table.table_arn: policy}
    return answer


def _updated(self: Any) -> Any:
    table = self.dynamodb_backend.get_table(self.body["TableName"])
    if warm := _warmed(table, self.body.get(_WARM)):
        self.body[_WARM] = warm
    answer = _update_table(self)
    _limit(table, self.body.get(_LIMITS))
    return answer


def _index_made(sent: dict[str, Any], keys: list[str]) -> Any:
    index = _create_index(sent, keys)
    _limit(index, sent.get(_LIMITS))
    _complete(index)
    return index


def _index_updated(self: Any, sent: dict[str, Any]) -> None:
    warm = _warmed(self, sent.get(_WARM))
    _update_index(self, {**sent, **({_WARM: warm} if warm else {})})
    _limit(self, sent.get(_LIMITS))


def _table_shown(self: Any, base_key: str = "TableDescription") -> dict[str, Any]:
    return {base_key: _limits_shown(self, _describe_table(self, base_key)[base_key])}


def add() -> None:
    """Add the calls, and keep and show the settings that they make."""
    for name, call in (
        ("create_table", _created),
        ("update_table", _updated),
        ("update_contributor_insights", _update_insights),
        ("describe_contributor_insights", _describe_insights),
        ("put_resource_policy", _put_policy),
        ("get_resource_policy", _get_policy),
        ("delete_resource_policy", _delete_policy),
    ):
        setattr(DynamoHandler, name, call)
    setattr(Table, "describe", _table_shown)  # noqa: B010
    setattr(GlobalSecondaryIndex, "describe", lambda self: _limits_shown(self, _describe_index(self)))  # noqa: B010
    setattr(GlobalSecondaryIndex, "create", staticmethod(_index_made))  # noqa: B010
    setattr(GlobalSecondaryIndex, "update", _index_updated)  # noqa: B010
