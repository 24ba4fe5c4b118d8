"""AWS::FSx::FileSystem. Its Ref is its id.

Cloud Control does not serve the type. One family of settings belongs to each kind of file system (Lustre, Windows,
ONTAP, OpenZFS), and FSx changes a part of each family in place. A deletion takes a last backup where FSx does so by
itself, as the deletion of a stack does.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.tag_calls import TagCalls

_LUSTRE, _ONTAP = "LustreConfiguration", "OntapConfiguration"
_WINDOWS, _ZFS = "WindowsConfiguration", "OpenZFSConfiguration"
_OPTIONS = "Options"
_AT_BIRTH = {
    _LUSTRE: "CopyTagsToBackups DeploymentType DriveCacheType EfaEnabled ExportPath ImportPath ImportedFileChunkSize",
    _ONTAP: "DeploymentType EndpointIpAddressRange PreferredSubnetId RouteTableIds",
    _WINDOWS: "ActiveDirectoryId Aliases CopyTagsToBackups DeploymentType PreferredSubnetId",
    _ZFS: "DeploymentType EndpointIpAddressRange PreferredSubnetId RootVolumeConfiguration RouteTableIds",
}
"""The members of each family that no update takes. Other calls exchange route tables and aliases, so a change of them
needs another file system here."""
_HIDDEN = (
    "SecurityGroupIds",
    f"{_ONTAP}.FsxAdminPassword",
    f"{_WINDOWS}.SelfManagedActiveDirectoryConfiguration.Password",
    f"{_ZFS}.RootVolumeConfiguration",
    f"{_ZFS}.{_OPTIONS}",
)
"""The properties that no description shows: groups are those of interfaces, and volumes have their own calls."""


def _lustre(one: JsonMap) -> Json:
    """The settings of Lustre, with those of its repository, which FSx shows apart."""
    shown = one.get(_LUSTRE)
    return shown and {**(shown.get("DataRepositoryConfiguration") or {}), **shown}


def _windows(one: JsonMap) -> Json:
    shown = one.get(_WINDOWS)
    if not shown or "Aliases" not in shown:
        return shown
    aliases = [alias["Name"] if isinstance(alias, dict) else alias for alias in shown["Aliases"]]
    return {**shown, "Aliases": aliases}


def _zfs(declared: Json) -> Json:
    """The settings of OpenZFS without the options of its deletion."""
    return {name: value for name, value in declared.items() if name != _OPTIONS}


def _parting(work: Work) -> JsonMap:
    """The options of a deletion, which a composition declares among the settings of OpenZFS."""
    options = (work.want(_ZFS) or {}).get(_OPTIONS)
    return {_ZFS: {_OPTIONS: options}} if options else {}


FILE_SYSTEM = block(
    "AWS::FSx::FileSystem",
    "fsx",
    key="FileSystemId",
    listed=Listed(operation="DescribeFileSystems", id="FileSystemId"),
    asked=Call("DescribeFileSystems", key="FileSystemIds[]"),
    create="CreateFileSystem",
    made="FileSystem.FileSystemId",
    token="ClientRequestToken",
    shown={_LUSTRE: _lustre, _WINDOWS: _windows},
    sent_as={_ZFS: _zfs},
    modify={"UpdateFileSystem": "*"},
    delete="DeleteFileSystem",
    parting=_parting,
    state=State(
        at="Lifecycle",
        pending="CREATING UPDATING",
        going="DELETING",
        broken="FAILED MISCONFIGURED MISCONFIGURED_UNAVAILABLE",
        reason="FailureDetails.Message",
    ),
    # FSx recovers by itself when its configuration is valid again: a directory that answers, a permission that is back.
    recovers=True,
    attributes={
        "DNSName": "DNSName",
        "Id": "$id",
        "LustreMountName": f"{_LUSTRE}.MountName",
        "ResourceARN": "ResourceARN",
        "RootVolumeId": f"{_ZFS}.RootVolumeId",
    },
    tags=TagCalls(
        service="fsx",
        id_name="ResourceARN",
        named=lambda _, one: one["ResourceARN"],
        shown_at="Tags",
    ),
    create_only=" ".join(f"{family}.{name}" for family, names in _AT_BIRTH.items() for name in names.split()),
    write_only=" ".join(_HIDDEN),
    refused={
        "BackupId": "A file system is made of a backup by another call, which takes a part of the settings. "
        "Make it with `aws fsx create-file-system-from-backup`, and bring it in with `tenuto import`.",
    },
    compare_as={
        "KmsKeyId": KMS_KEY,
        f"{_ONTAP}.RouteTableIds": Comparison.SET,
        "SubnetIds": Comparison.SET,
        f"{_WINDOWS}.Aliases": Comparison.SET,
        f"{_WINDOWS}.SelfManagedActiveDirectoryConfiguration.DnsIps": Comparison.SET,
        f"{_ZFS}.RouteTableIds": Comparison.SET,
    },
    bears_data=True,
)
TYPES = (FILE_SYSTEM,)
