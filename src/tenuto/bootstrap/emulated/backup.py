"""Selections of plans of AWS Backup, changes of plans, and the policies and notifications of vaults."""

from typing import Any
from uuid import uuid4

from moto.backup import urls
from moto.backup.exceptions import ResourceNotFoundException
from moto.backup.responses import BackupResponse

from tenuto.bootstrap.emulated.added import Action, added


def _kept(self: Any, kind: str) -> dict[str, dict[str, Any]]:
    """The selections, or the settings of vaults, by id or name."""
    everything: dict[str, dict[str, dict[str, Any]]] = vars(self.backup_backend).setdefault("tenuto_kept", {})
    return everything.setdefault(kind, {})


def _named(self: Any, word: str) -> str:
    """The part of the path that follows a word."""
    parts = [one for one in self.path.split("?")[0].split("/") if one]
    return str(parts[parts.index(word) + 1])


def _found(self: Any, kind: str, name: str) -> dict[str, Any]:
    found = _kept(self, kind).get(name)
    if found is None:
        raise ResourceNotFoundException(msg=f"There is no {name}.")
    return found


def _update_plan(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    plan = self.backup_backend.get_backup_plan(_named(self, "plans"), None)
    plan.backup_plan = sent["BackupPlan"]
    plan.version_id = uuid4().hex
    answer: dict[str, Any] = plan.to_dict()
    return answer


def _select(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    plan, one = self.backup_backend.get_backup_plan(_named(self, "plans"), None), str(uuid4())
    shown = {**sent, "SelectionId": one, "BackupPlanId": plan.backup_plan_id, "CreationDate": 1767225600}
    _kept(self, "selections")[one] = shown
    return {name: shown[name] for name in ("SelectionId", "BackupPlanId", "CreationDate")}


def _selections(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    plan = _named(self, "plans")
    found = [one for one in _kept(self, "selections").values() if one["BackupPlanId"] == plan]
    names = ("SelectionId", "BackupPlanId", "CreationDate", "CreatorRequestId")
    return {"BackupSelectionsList": [{name: one[name] for name in names if name in one} for one in found]}


def _unselect(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _kept(self, "selections").pop(_found(self, "selections", _named(self, "selections"))["SelectionId"])
    return {}


def _put(kind: str) -> Action:
    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        vault = self.backup_backend.describe_backup_vault(_named(self, "backup-vaults"))
        _kept(self, kind)[vault.backup_vault_name] = sent
        return {}

    return act


def _get(kind: str) -> Action:
    return lambda self, sent: _found(self, kind, _named(self, "backup-vaults"))


_delete_vault = BackupResponse.delete_backup_vault


def _drop_vault(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """Delete a vault, with the policies and notifications that were kept of it."""
    _delete_vault(self)
    for kind in ("policies", "notifications"):
        _kept(self, kind).pop(_named(self, "backup-vaults"), None)
    return {}


def add() -> None:
    """Add the calls."""
    for word in ("access-policy", "notification-configuration"):
        urls.url_paths[f"{{0}}/backup-vaults/(?P<name>[^/]+)/{word}$"] = urls.response.dispatch
    added(
        BackupResponse,
        update_backup_plan=_update_plan,
        create_backup_selection=_select,
        get_backup_selection=lambda self, sent: _found(self, "selections", _named(self, "selections")),
        list_backup_selections=_selections,
        delete_backup_selection=_unselect,
        put_backup_vault_access_policy=_put("policies"),
        get_backup_vault_access_policy=_get("policies"),
        put_backup_vault_notifications=_put("notifications"),
        get_backup_vault_notifications=_get("notifications"),
        delete_backup_vault=_drop_vault,
    )
