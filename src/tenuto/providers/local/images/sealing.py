"""The reading of large parts as a whole, beside the phases.

Theory of operation. A part of hundreds of gigabytes takes minutes to read, and a run of a phase serves many objects. So
a phase asks for the content, goes on with the others while it is read, and asks again. A part is read again when its
content is asked for after it was given: a caller that needs it twice keeps it.
"""

import threading
from typing import Protocol

import structlog

from tenuto.errors import StoreUnavailableError, TenutoError
from tenuto.model.ids import ObjectId
from tenuto.model.image import Content
from tenuto.ports.images import ImageFiles

AT_ONCE_BYTES = 16 * 1024**2
"""The size up to which a part is read at once: a tenth of a second of a slow disk."""

_log = structlog.get_logger("tenuto.phases")


class Seals(Protocol):
    """The means by which phases read parts as a whole. Thread-safe."""

    def ask(self, part: ObjectId) -> Content | None:
        """Return the content of a part; None while it is read. Raises FileNotFoundError and StoreError."""
        ...


class OwnSeals:
    """Implements `Seals` on the thread that asks."""

    def __init__(self, files: ImageFiles) -> None:
        self._files = files

    def ask(self, part: ObjectId) -> Content | None:
        return self._files.seal(part)


class Sealing:
    """Implements `Seals`: a small part at once, and a large one on a thread of its own, one after the other."""

    def __init__(self, files: ImageFiles, *, at_once_bytes: int = AT_ONCE_BYTES) -> None:
        self._files = files
        self._at_once_bytes = at_once_bytes
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        self._read: dict[ObjectId, Content | Exception] = {}
        self._under_way: set[ObjectId] = set()

    def ask(self, part: ObjectId) -> Content | None:
        found = self._files.part(part)
        if found is None or found.size <= self._at_once_bytes:
            return self._files.seal(part)
        with self._lock:
            end = self._read.pop(part, None)
            if isinstance(end, Exception):
                raise end
            if end is None and part not in self._under_way:
                self._under_way.add(part)
                threading.Thread(target=self._seal, args=(part,), name="sealing", daemon=True).start()
            return end

    def _seal(self, part: ObjectId) -> None:
        end: Content | Exception
        try:
            # One at a time: two would only take the disk from each other.
            with self._turn:
                end = self._files.seal(part)
        except (TenutoError, FileNotFoundError) as failed:
            end = failed
        except Exception as error:  # noqa: BLE001 - the border: the asker must learn that the reading has ended
            _log.exception("images.sealing_failed", part=part)
            end = StoreUnavailableError(f"the part {part} cannot be read: {error!r}")
        with self._lock:
            self._under_way.discard(part)
            self._read[part] = end
