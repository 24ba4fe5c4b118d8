"""Definitions of queries of CloudWatch Logs, policies of log groups, and all that a filter is put with."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from moto.logs.exceptions import InvalidParameterException, ResourceNotFoundException
from moto.logs.responses import LogsResponse

from tenuto.bootstrap.emulated.added import added

_MORE = ("applyOnTransformedLogs", "emitSystemFieldDimensions", "emitSystemFields", "fieldSelectionCriteria")
"""The parameters of a filter that moto takes no notice of."""
_MASKS, _INDEXES = "tenuto_masks", "tenuto_indexes"


def _kept(self: Any) -> dict[str, dict[str, Any]]:
    kept: dict[str, dict[str, Any]] = vars(self.logs_backend).setdefault("tenuto_queries", {})
    return kept


def _known(self: Any, sent: dict[str, Any]) -> str:
    one = str(sent["queryDefinitionId"])
    if one not in _kept(self):
        raise ResourceNotFoundException
    return one


def _put(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    one = _known(self, sent) if "queryDefinitionId" in sent else str(uuid4())
    shown = {name: value for name, value in sent.items() if name != "clientToken"}
    _kept(self)[one] = {"queryLanguage": "CWLI", **shown, "queryDefinitionId": one, "lastModified": 1767225600000}
    return {"queryDefinitionId": one}


def _drop(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    del _kept(self)[_known(self, sent)]
    return {"success": True}


def _group(self: Any, name: str) -> dict[str, Any]:
    """Return the members that are kept of a group, by its name or its ARN."""
    found = self.logs_backend.groups.get(name.rpartition(":")[2])
    if found is None:
        raise ResourceNotFoundException
    kept: dict[str, Any] = vars(found)
    return kept


def _policy(sent: dict[str, Any]) -> str:
    text = str(sent["policyDocument"])
    try:
        is_object = isinstance(json.loads(text), dict)
    except ValueError:
        is_object = False
    if not is_object:
        raise InvalidParameterException("The policy document is not a JSON object.")
    return text


def _mask(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _group(self, sent["logGroupIdentifier"])[_MASKS] = _policy(sent)
    return sent


def _masks(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    group = _group(self, sent["logGroupIdentifier"])
    if _MASKS not in group:
        raise ResourceNotFoundException
    return {**sent, "policyDocument": group[_MASKS]}


def _index(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _group(self, sent["logGroupIdentifier"])[_INDEXES] = _policy(sent)
    return {"indexPolicy": {**sent, "source": "LOG_GROUP"}}


def _indexes(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    groups = {name: _group(self, name) for name in sent["logGroupIdentifiers"]}
    return {
        "indexPolicies": [
            {"logGroupIdentifier": name, "policyDocument": group[_INDEXES], "source": "LOG_GROUP"}
            for name, group in groups.items()
            if _INDEXES in group
        ]
    }


def _without(member: str) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        _group(self, sent["logGroupIdentifier"]).pop(member, None)
        return {}

    return act


def _filters(self: Any) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    kept: dict[tuple[str, str, str], Mapping[str, Any]] = vars(self.logs_backend).setdefault("tenuto_filters", {})
    return kept


def _putting(kind: str, call: Callable[[Any], str]) -> Callable[[Any], str]:
    """The call that puts a filter. A metric filter replaces one of its name, which moto keeps beside it."""

    def act(self: Any) -> str:
        sent = json.loads(self.body)
        backend, name, group = self.logs_backend, sent["filterName"], sent["logGroupName"]
        if kind == "metric" and any(
            one["filterName"] == name for one in backend.describe_metric_filters(log_group_name=group)
        ):
            backend.delete_metric_filter(name, group)
        answer = call(self)
        _filters(self)[kind, group, name] = {word: sent[word] for word in _MORE if sent.get(word) not in (None, [])}
        return answer

    return act


def _showing(kind: str, call: Callable[[Any], str]) -> Callable[[Any], str]:
    def act(self: Any) -> str:
        answer = json.loads(call(self))
        for one in answer[f"{kind}Filters"]:
            kept = _filters(self).get((kind, one["logGroupName"], one["filterName"]), {})
            one.update({"applyOnTransformedLogs": False, **kept})
        return json.dumps(answer)

    return act


def add() -> None:
    """Add the calls."""
    added(
        LogsResponse,
        put_query_definition=_put,
        delete_query_definition=_drop,
        describe_query_definitions=lambda self, sent: {"queryDefinitions": list(_kept(self).values())},
        put_data_protection_policy=_mask,
        get_data_protection_policy=_masks,
        delete_data_protection_policy=_without(_MASKS),
        put_index_policy=_index,
        describe_index_policies=_indexes,
        delete_index_policy=_without(_INDEXES),
    )
    for kind in ("metric", "subscription"):
        for verb, around, end in (("put", _putting, ""), ("describe", _showing, "s")):
            name = f"{verb}_{kind}_filter{end}"
            setattr(LogsResponse, name, around(kind, getattr(LogsResponse, name)))
