"""The means of a host of driver `qemu` for operations, besides its guests: resets, copies of disks, blobs."""

from typing import Any, BinaryIO

from tenuto.errors import TransientError
from tenuto.kit.documents import from_document
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import is_digest
from tenuto.providers.local.driver import NotSentError, Send
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.executor.requests import (
    ForgetSnapshot,
    OpenSnapshot,
    Request,
    ResetVirtual,
    SnapshotShown,
    SnapshotVirtual,
)
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.rules.networks.spec import UnusableValueError


class HostMeans:
    """Implements `drivers.qemu.disk_copy.Means`. Thread-safe."""

    def __init__(self, executor: ExecutorLink, blobs: BlobFolder | None, *, host: str) -> None:
        self._executor = executor
        self._blobs = blobs
        self._host = host
        self.sender: Send | None = None

    def reset(self, machine: ObjectId) -> str:
        answer = self._executor.ask(ResetVirtual(object_id=machine))
        return f"on {self._host} {answer['refused']}" if "refused" in answer else ""

    def blob(self, digest: str) -> bytes:
        if self._blobs is None or not is_digest(digest):
            raise FileNotFoundError(2, "this host has no folder of blobs")
        return self._blobs.path(digest).read_bytes()

    def copy(self, machine: ObjectId, operation: ObjectId, disks: tuple[int, ...], *, is_thin: bool) -> SnapshotShown:
        try:
            request: Request = SnapshotVirtual(object_id=machine, snapshot=operation, disks=disks, is_thin=is_thin)
        except UnusableValueError as error:
            raise NotSentError(str(error)) from error
        return from_document(SnapshotShown, self._done(request))

    def copied(self, machine: ObjectId, operation: ObjectId, disk: int) -> BinaryIO:
        return self._executor.open_file(OpenSnapshot(object_id=machine, snapshot=operation, disk=disk))

    def forget(self, machine: ObjectId, operation: ObjectId) -> None:
        self._executor.ask(ForgetSnapshot(object_id=machine, snapshot=operation))

    def send(self, name: str, file: BinaryIO, until: float) -> None:
        if self.sender is None:
            raise NotSentError("this host has no way to send it")
        self.sender(name, file, until)

    def _done(self, request: Request) -> Any:
        answer: JsonMap = self._executor.ask(request)
        if "refused" in answer:
            told = f"on {self._host} {answer['refused']}"
            if answer["is_final"]:
                raise NotSentError(told)
            raise TransientError(told, code="NoSnapshot")
        return answer["done"]
