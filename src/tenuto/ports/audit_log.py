"""The audit log: the acts of users, line by line, for readers outside the Conductor."""

from typing import Protocol

from tenuto.model.ids import JsonMap


class AuditLog(Protocol):
    """Append-only. Thread-safe."""

    def append(self, entry: JsonMap) -> None:
        """Return when the entry is on the disk. Raises StoreUnavailableError, and then it may be there or not."""
        ...
