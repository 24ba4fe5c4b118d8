"""Changes of a file system of EFS: its throughput, its backups, and its protection against being overwritten by a
replication."""

from typing import Any

from moto.efs import urls
from moto.efs.models import FileSystem
from moto.efs.responses import EFSResponse

from tenuto.bootstrap.emulated.added import added

_WORD = "ReplicationOverwriteProtection"
_BACKUPS = "tenuto_backups"
_show: Any = FileSystem.info_json


def _shown(self: Any) -> dict[str, Any]:
    return {**_show(self), "FileSystemProtection": {_WORD: getattr(self, "_protection", "ENABLED")}}


def _update(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _system(self)._protection = sent[_WORD]
    return {_WORD: sent[_WORD]}


def _system(self: Any) -> Any:
    _, [system] = self.efs_backend.describe_file_systems(file_system_id=self._get_param("FileSystemId"))
    return system


def _update_throughput(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    system = _system(self)
    system.throughput_mode = sent.get("ThroughputMode", system.throughput_mode)
    system.provisioned_throughput_in_mibps = sent.get("ProvisionedThroughputInMibps")
    found: dict[str, Any] = system.info_json()
    return found


def _put_backups(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """Keep the policy of backups, also one that turns them off."""
    setattr(_system(self), _BACKUPS, sent["BackupPolicy"])
    return {"BackupPolicy": sent["BackupPolicy"]}


def _backups(self: Any) -> Any:
    kept = getattr(self, _BACKUPS, None)
    return kept or ({"Status": "ENABLED"} if self._backup else None)


def add() -> None:
    """Keep and show them."""
    setattr(FileSystem, "info_json", _shown)  # noqa: B010
    urls.url_paths["{0}/2015-02-01/file-systems/(?P<file_system_id>[^/]+)/protection$"] = urls.response.dispatch
    added(
        EFSResponse,
        put_backup_policy=_put_backups,
        update_file_system=_update_throughput,
        update_file_system_protection=_update,
    )
    setattr(FileSystem, "backup_policy", property(_backups))  # noqa: B010
