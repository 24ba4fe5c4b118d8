"""The changes that a provider reported, kept for assertions."""

import threading
from collections.abc import Sequence

from tenuto.model.ids import ObjectId
from tenuto.model.outcome import Op


class RecordedOps:
    """Implements `ports.provider.OpSink`. Thread-safe."""

    def __init__(self) -> None:
        self._ops: list[Op] = []
        self._lock = threading.Lock()

    def permit(self, objects: Sequence[ObjectId]) -> None:
        """No other Conductor is there, and no command."""

    def record(self, op: Op) -> None:
        with self._lock:
            self._ops.append(op)

    def called(self, service: str, api: str, result: str) -> None:
        """Not kept."""

    @property
    def all(self) -> tuple[Op, ...]:
        """Every op, in order."""
        with self._lock:
            return tuple(self._ops)
