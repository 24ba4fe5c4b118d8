"""The protection of a file system of EFS against being overwritten by a replication."""

from typing import Any

from moto.efs import urls
from moto.efs.models import FileSystem
from moto.efs.responses import EFSResponse

from tenuto.bootstrap.emulated.added import added

_WORD = "ReplicationOverwriteProtection"
_show: Any = FileSystem.info_json


def _shown(self: Any) -> dict[str, Any]:
    return {**_show(self), "FileSystemProtection": {_WORD: getattr(self, "_protection", "ENABLED")}}


def _update(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _, [system] = self.efs_backend.describe_file_systems(file_system_id=self._get_param("FileSystemId"))
    setattr(system, "_protection", sent[_WORD])  # noqa: B010
    return {_WORD: sent[_WORD]}


def add() -> None:
    """Keep and show it."""
    setattr(FileSystem, "info_json", _shown)  # noqa: B010
    urls.url_paths["{0}/2015-02-01/file-systems/(?P<file_system_id>[^/]+)/protection$"] = urls.response.dispatch
    added(EFSResponse, update_file_system_protection=_update)
