"""Definitions of queries of CloudWatch Logs."""

from typing import Any
from uuid import uuid4

from moto.logs.exceptions import ResourceNotFoundException
from moto.logs.responses import LogsResponse

from tenuto.bootstrap.emulated.added import added


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


def add() -> None:
    """Add the calls."""
    added(
        LogsResponse,
        put_query_definition=_put,
        delete_query_definition=_drop,
        describe_query_definitions=lambda self, sent: {"queryDefinitions": list(_kept(self).values())},
    )
