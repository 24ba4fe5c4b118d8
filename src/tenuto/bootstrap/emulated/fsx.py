"""The emulation adds changes of file systems to moto, and keeps the state, version and end of each."""

import json
from typing import Any

from moto.fsx.exceptions import FileSystemNotFound
from moto.fsx.models import FileSystem, FSxBackend
from moto.fsx.responses import FSxResponse

from tenuto.bootstrap.emulated.added import added

_MORE = "tenuto_more"
_make: Any = FSxBackend.create_file_system
_describe: Any = FSxBackend.describe_file_systems
_shown = FileSystem.to_dict
_OF_REPOSITORY = ("AutoImportPolicy", "ExportPath", "ImportPath", "ImportedFileChunkSize")
_FAMILIES = {
    "LustreConfiguration": "lustre_configuration",
    "OntapConfiguration": "ontap_configuration",
    "OpenZFSConfiguration": "open_zfs_configuration",
    "WindowsConfiguration": "windows_configuration",
}


def _created(self: FSxResponse) -> str:
    """Make a file system, once for each token."""
    asked = json.loads(self.body)
    known = vars(self.fsx_backend).setdefault("tenuto_tokens", {})
    token = asked.get("ClientRequestToken")
    if token not in known or known[token].file_system_id not in self.fsx_backend.file_systems:
        given = ("FileSystemType", "StorageCapacity", "StorageType", "SubnetIds", "SecurityGroupIds", "Tags")
        words = ("file_system_type", "storage_capacity", "storage_type", "subnet_ids", "security_group_ids", "tags")
        made = _make(
            self.fsx_backend,
            client_request_token=token,
            kms_key_id=asked.get("KmsKeyId"),
            file_system_type_version=asked.get("FileSystemTypeVersion"),
            **{word: asked.get(name) for word, name in zip(words, given, strict=True)},
            **{word: asked.get(name) for name, word in _FAMILIES.items()},
        )
        setattr(made, _MORE, {name: asked[name] for name in ("FileSystemTypeVersion", "NetworkType") if name in asked})
        known[token] = made
    return json.dumps({"FileSystem": known[token].to_dict()})


def _known(self: FSxBackend, file_system_ids: list[str], **page: Any) -> Any:
    """The file systems of these ids, all of which must be there."""
    for name in file_system_ids or ():
        if name not in self.file_systems:
            raise FileSystemNotFound(name)
    return _describe(self, file_system_ids=file_system_ids, **page)


def _whole(self: FileSystem) -> dict[str, Any]:
    more = getattr(self, _MORE, {})
    # A description shows no groups.
    kept = {name: value for name, value in _shown(self).items() if name != "SecurityGroupIds"}
    windows, lustre = kept.get("WindowsConfiguration"), kept.get("LustreConfiguration")
    if windows and "Aliases" in windows:
        aliases = [{"Name": one, "Lifecycle": "AVAILABLE"} for one in windows["Aliases"]]
        kept["WindowsConfiguration"] = {**windows, "Aliases": aliases}
    if lustre:
        apart = {name: lustre[name] for name in _OF_REPOSITORY if name in lustre}
        rest = {name: value for name, value in lustre.items() if name not in apart}
        kept["LustreConfiguration"] = {"MountName": "fsx", **rest, "DataRepositoryConfiguration": apart}
    return {"StorageType": "SSD", **kept, **more, "Lifecycle": "AVAILABLE"}


def _update(response: FSxResponse, asked: dict[str, Any]) -> dict[str, Any]:
    one = response.fsx_backend.file_systems[asked["FileSystemId"]]
    for name, word in _FAMILIES.items():
        if name in asked:
            setattr(one, word, {**(getattr(one, word) or {}), **asked[name]})
    one.storage_capacity = asked.get("StorageCapacity", one.storage_capacity)
    one.storage_type = asked.get("StorageType", one.storage_type)
    more = {name: asked[name] for name in ("FileSystemTypeVersion", "NetworkType") if name in asked}
    setattr(one, _MORE, {**getattr(one, _MORE, {}), **more})
    return {"FileSystem": one.to_dict()}


def add() -> None:
    """Add the calls."""
    added(FSxResponse, update_file_system=_update)
    setattr(FSxBackend, "describe_file_systems", _known)  # noqa: B010
    FSxResponse.create_file_system = _created  # type: ignore[method-assign]
    FileSystem.to_dict = _whole  # type: ignore[method-assign]
