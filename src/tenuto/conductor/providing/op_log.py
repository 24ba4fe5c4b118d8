"""The Conductor's side of a provider's client: which calls may be made, and the record of those that were.

A changing call is let through while this Conductor surely leads and every object that it is about has a mandate: so a
call that a phase run was about to make when a command took it back is not made, however long the run waited for its
turn.

A provider's client reports from many threads and must never wait for the store, so ops are gathered here and written
with the next turn of the loop. They are a record for people; nothing is decided from them, and the last fraction
of a second before a crash may be missing from it. So a wrong op ends nothing: its fields are made such that they can be
stored (`sound_ops`), and one that the store refuses all the same is logged and left out.
"""

import threading
from collections.abc import Sequence

import structlog

from tenuto.conductor.leading.leadership import Leadership
from tenuto.conductor.providing.sound_ops import sound_op
from tenuto.errors import StoreError, TransientError
from tenuto.kit.metrics import Meter
from tenuto.model.ids import ObjectId
from tenuto.model.metrics import CALLS
from tenuto.model.outcome import Op
from tenuto.ports.provider import NO_MANDATE
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append

MOST = 10_000
"""The number of ops that are kept while the store is away; more would only cost memory that is not planned for."""

_log = structlog.get_logger("tenuto.ops")


class OpLog:
    """Implements `ports.provider.OpSink`."""

    def __init__(self, store: Store, leadership: Leadership, meter: Meter) -> None:
        self._store = store
        self._leadership = leadership
        self._meter = meter
        self._ops: list[Op] = []
        self._lock = threading.Lock()
        self._is_told = False

    def permit(self, objects: Sequence[ObjectId]) -> None:
        self._leadership.check()
        if objects and self._store.without_mandate(objects):
            raise TransientError(
                "not sent: its process was suspended or given another command meanwhile", code=NO_MANDATE
            )

    def record(self, op: Op) -> None:
        sound = sound_op(op)
        if sound is None:
            _log.warning("op.refused", kind=type(op).__name__, reason="a provider delivered something that is no op")
            return
        with self._lock:
            if len(self._ops) < MOST:
                self._ops.append(sound)

    def called(self, service: str, api: str, result: str) -> None:
        self._meter.count(CALLS, service, api, result)

    def flush(self) -> None:
        """Write the gathered ops; keep them when the store is away."""
        with self._lock:
            ops, self._ops = self._ops, []
        if not ops:
            return
        try:
            self._write(ops)
            self._is_told = False
            _log.debug("ops.written", count=len(ops))
        except StoreError as error:
            if not self._is_told:
                # Once: this is tried again with every turn of the loop, and the log may be on the same full disk.
                _log.warning("ops.kept", count=len(ops), reason=str(error))
            self._is_told = True
            with self._lock:
                self._ops = (ops + self._ops)[:MOST]

    def _write(self, ops: Sequence[Op]) -> None:
        """Write the ops in one commit; where one of them is refused, each alone, without that. Raises StoreError."""
        try:
            self._store.commit([Append(ops=tuple(ops))])
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - a record for people must not end the Conductor
            if len(ops) == 1:
                _log.error("op.lost", service=ops[0].service, operation=ops[0].operation, reason=repr(error))
                return
            for op in ops:
                self._write([op])
