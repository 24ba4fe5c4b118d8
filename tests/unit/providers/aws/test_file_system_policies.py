"""The call that sets the policy of a file system of EFS, and the check that it leaves out where that is declared."""

from typing import cast

from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.efs import FILE_SYSTEM

POLICY = {"Version": "2012-10-17", "Statement": []}


class FileSystemClient:
    """A client that keeps what it was told to change."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, JsonMap]] = []

    def change(self, service: str, operation: str, objects: Json, **given: Json) -> JsonMap:
        self.calls.append((operation, given))
        return {}


def calls(observed: JsonMap, **properties: Json) -> list[tuple[str, JsonMap]]:
    client = FileSystemClient()
    request = Request(
        object_id=ObjectId("o"),
        fid=None,
        process_name="web",
        logical_id=LogicalId("Files"),
        type=TypeName("AWS::EFS::FileSystem"),
        token="o",
        properties=properties,
        physical_id=PhysicalId("fs-1"),
        observed=observed,
    )
    change = FILE_SYSTEM.modify
    assert change is not None
    work = Work(client=cast(AccountClient, client), request=request, type=FILE_SYSTEM)
    assert isinstance(change(work), Done)
    return client.calls


def test_the_policy_goes_with_the_word_that_leaves_its_check_out() -> None:
    bypassed = calls({}, FileSystemPolicy=POLICY, BypassPolicyLockoutSafetyCheck="true")
    assert [(operation, given["BypassPolicyLockoutSafetyCheck"]) for operation, given in bypassed] == [
        ("PutFileSystemPolicy", True)
    ]
    [(_, checked)] = calls({}, FileSystemPolicy=POLICY)
    assert "BypassPolicyLockoutSafetyCheck" not in checked


def test_the_word_alone_changes_nothing() -> None:
    assert calls({"FileSystemPolicy": POLICY}, FileSystemPolicy=POLICY, BypassPolicyLockoutSafetyCheck=True) == []


def test_a_replication_that_writes_to_an_unprotected_file_system_is_no_drift() -> None:
    declared = {"ReplicationOverwriteProtection": "DISABLED"}
    written = {"FileSystemProtection": {"ReplicationOverwriteProtection": "REPLICATING"}}
    assert calls(written, FileSystemProtection=declared) == []
    protected = {"FileSystemProtection": {"ReplicationOverwriteProtection": "ENABLED"}}
    [(operation, given)] = calls(protected, FileSystemProtection=declared)
    assert (operation, given["ReplicationOverwriteProtection"]) == ("UpdateFileSystemProtection", "DISABLED")
