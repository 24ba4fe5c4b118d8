"""Associations of documents of Systems Manager with instances."""

from typing import Any
from uuid import uuid4

from moto.core.exceptions import JsonRESTError
from moto.ssm.responses import SimpleSystemManagerResponse

from tenuto.bootstrap.emulated.added import added


def _kept(self: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """The associations by document and instance."""
    found: dict[tuple[str, str], dict[str, Any]] = vars(self.ssm_backend).setdefault("tenuto_associations", {})
    return found


def _found(self: Any, sent: dict[str, Any]) -> tuple[str, str]:
    key = (sent["Name"], sent["InstanceId"])
    if key not in _kept(self):
        raise JsonRESTError("AssociationDoesNotExist", f"{key[0]} is not associated with {key[1]}.")
    return key


def _create(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    key = (sent["Name"], sent["InstanceId"])
    if key in _kept(self):
        raise JsonRESTError("AssociationAlreadyExists", f"{key[0]} is associated with {key[1]}.")
    _kept(self)[key] = {**sent, "AssociationId": str(uuid4())}
    return {"AssociationDescription": _kept(self)[key]}


def _list(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    wanted = {one["value"] for one in sent.get("AssociationFilterList") or () if one["key"] == "InstanceId"}
    shown = [one for one in _kept(self).values() if not wanted or one["InstanceId"] in wanted]
    return {"Associations": [{name: one[name] for name in ("Name", "InstanceId", "AssociationId")} for one in shown]}


def _delete(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    del _kept(self)[_found(self, sent)]
    return {}


def add() -> None:
    """Add the calls."""
    added(
        SimpleSystemManagerResponse,
        create_association=_create,
        describe_association=lambda self, sent: {"AssociationDescription": _kept(self)[_found(self, sent)]},
        list_associations=_list,
        delete_association=_delete,
    )
