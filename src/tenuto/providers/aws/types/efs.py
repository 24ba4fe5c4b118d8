"""AWS::EFS: file systems, their mount targets and access points. Their Refs are their ids."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.errors import ProviderError
from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Words
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.parts import Setting, Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work, flag
from tenuto.providers.aws.naming import KMS_KEY
from tenuto.providers.aws.types.tag_calls import TagCalls

_SERVICE = "efs"
_NO_POLICY = "PolicyNotFound"
"""The code for a policy that was never set. It has the meaning of others that say that the file system is gone."""
_BYPASS, _PROTECTION = "BypassPolicyLockoutSafetyCheck", "FileSystemProtection"
_STATE = State(at="LifeCycleState", pending="creating updating", going="deleting", gone="deleted", broken="error")


@dataclass(frozen=True, kw_only=True)
class _Policy(Setting):
    """A setting that there need not be."""

    def read(self, thing: Thing) -> dict[str, Json]:
        try:
            return super().read(thing)
        except ProviderError as error:
            if _NO_POLICY in str(error):
                return {}
            raise


@dataclass(frozen=True, kw_only=True)
class _Backup(_Policy):
    """The policy of backups, of which the creation takes whether there are any."""

    def at_birth(self, work: Work) -> dict[str, Json]:
        status = (work.want(self.name) or {}).get("Status")
        return {"Backup": status == "ENABLED"} if status else {}


@dataclass(frozen=True, kw_only=True)
class _Access(_Policy):
    """The policy of the file system. The call takes with it whether EFS lets it lock out the one who sets it."""

    def _given(self, work: Work) -> dict[str, Json]:
        bypass = work.want(_BYPASS)
        return {**super()._given(work), **({} if bypass is None else {_BYPASS: flag(bypass)})}


class _Protection(Shown):
    """The protection against being overwritten by a replication, which the call takes member by member."""

    properties = frozenset({_PROTECTION})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = thing.answer.get(_PROTECTION)
        return {_PROTECTION: shown} if shown else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(_PROTECTION):
            work.change(service, "UpdateFileSystemProtection", FileSystemId=work.id, **work.want(_PROTECTION))

    def changes(self, service: str) -> Mapping[str, str]:
        return {_PROTECTION: f"{service}:UpdateFileSystemProtection"}


def _tags(declared_as: str) -> TagCalls:
    return TagCalls(
        service=_SERVICE,
        id_name="ResourceId",
        shown_at="Tags",
        declared_as=declared_as,
    )


def _numbers(value: Json) -> Json:
    """A value with its numbers as such: a composition may have texts."""
    if isinstance(value, dict):
        return {name: one if name in ("Path", "Permissions") else _numbers(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_numbers(one) for one in value]
    return int(value)


FILE_SYSTEM = block(
    "AWS::EFS::FileSystem",
    _SERVICE,
    key="FileSystemId",
    listed=Listed(operation="DescribeFileSystems", id="FileSystemId", size=100),
    asked=Call("DescribeFileSystems"),
    create="CreateFileSystem",
    made="FileSystemId",
    token="CreationToken",
    token_at="CreationToken",
    attributes={"Arn": "FileSystemArn"},
    modify={"UpdateFileSystem": "ProvisionedThroughputInMibps ThroughputMode"},
    parts=(
        Setting(
            name="LifecyclePolicies",
            read_by=Call("DescribeLifecycleConfiguration"),
            write_by=Call("PutLifecycleConfiguration"),
            shown_at="LifecyclePolicies",
            given_as="LifecyclePolicies",
        ),
        _Backup(
            name="BackupPolicy",
            read_by=Call("DescribeBackupPolicy"),
            write_by=Call("PutBackupPolicy"),
            shown_at="BackupPolicy",
            given_as="BackupPolicy",
        ),
        _Access(
            name="FileSystemPolicy",
            read_by=Call("DescribeFileSystemPolicy"),
            write_by=Call("PutFileSystemPolicy", drop="DeleteFileSystemPolicy"),
            shown_at="Policy",
            given_as="Policy",
            is_text=True,
        ),
        _Protection(),
    ),
    delete="DeleteFileSystem",
    recovers=True,
    state=_STATE,
    tags=_tags("FileSystemTags"),
    refused={
        "ReplicationConfiguration": "A replication makes another file system, often in another region, that no "
        "process would own. Take it out, and start it with `aws efs create-replication-configuration`.",
    },
    defaults={
        "BackupPolicy": {"Status": "DISABLED"},
        _PROTECTION: {"ReplicationOverwriteProtection": "ENABLED"},
        "LifecyclePolicies": [],
        "ThroughputMode": "bursting",
    },
    compare_as={
        "BackupPolicy.Status": Comparison.FOLDED,
        "FileSystemPolicy": POLICY,
        # A file system without protection that a replication writes to.
        f"{_PROTECTION}.ReplicationOverwriteProtection": Words(same={"DISABLED": "REPLICATING"}),
        "KmsKeyId": KMS_KEY,
        "LifecyclePolicies": Comparison.SET,
    },
    bears_data=True,
)
MOUNT_TARGET = block(
    "AWS::EFS::MountTarget",
    _SERVICE,
    key="MountTargetId",
    described=Described(call=Call("DescribeMountTargets"), at="MountTargets[0]", anew=True),
    beside=Listed(operation="DescribeMountTargets", id="MountTargetId", given={"FileSystemId": "FileSystemId"}),
    create="CreateMountTarget",
    made="MountTargetId",
    attributes={"Id": "$id"},
    parts=(
        Setting(
            name="SecurityGroups",
            read_by=Call("DescribeMountTargetSecurityGroups"),
            write_by=Call("ModifyMountTargetSecurityGroups"),
            shown_at="SecurityGroups",
            given_as="SecurityGroups",
            is_born=True,
        ),
    ),
    delete="DeleteMountTarget",
    state=_STATE,
    exclusive=[("FileSystemId", "SubnetId")],
    compare_as={"SecurityGroups": Comparison.SET},
)
ACCESS_POINT = block(
    "AWS::EFS::AccessPoint",
    _SERVICE,
    key="AccessPointId",
    listed=Listed(operation="DescribeAccessPoints", id="AccessPointId", size=100),
    asked=Call("DescribeAccessPoints"),
    create="CreateAccessPoint",
    made="AccessPointId",
    token="ClientToken",
    token_at="ClientToken",
    sent_as={"PosixUser": _numbers, "RootDirectory": _numbers},
    attributes={"Arn": "AccessPointArn"},
    delete="DeleteAccessPoint",
    state=_STATE,
    tags=_tags("AccessPointTags"),
    refused={
        "ClientToken": "Tenuto gives each creation a token of its own, so that a repetition makes nothing "
        "twice. Take it out.",
    },
    compare_as={"PosixUser.SecondaryGids": Comparison.SET},
)
TYPES = (FILE_SYSTEM, MOUNT_TARGET, ACCESS_POINT)
