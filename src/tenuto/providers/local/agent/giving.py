"""The copies that a host gives back to its Conductor, whose own file of a blob is damaged or lost.

Theory of operation. An order that names a part is done when the copy of this host has been sent as that part. It is
sent beside everything else, so the order is under way meanwhile and is given again. The copy is read as a whole first:
a damaged one is removed and told, as by the daily verification, and not sent. The bytes of the part that the Conductor
has already are not sent again.
"""

import threading
import time
from collections.abc import Callable

import structlog

from tenuto.errors import TenutoError
from tenuto.providers.local.driver import NotSentError, Problem, Send
from tenuto.providers.local.images.folder import BlobFolder

LONGEST_S = 3600.0
"""Seconds for which a copy is sent over a connection that breaks; then it is ordered again."""

_log = structlog.get_logger("tenuto.hosts")


class Giving:
    """The copies that are on their way. Thread-safe."""

    def __init__(self, blobs: BlobFolder, is_good: Callable[[str], bool]) -> None:
        """`is_good` reads a copy as a whole, and removes and tells a damaged one."""
        self._blobs = blobs
        self._is_good = is_good
        self.send: Send | None = None
        """The way to the Conductor."""
        self._lock = threading.Lock()
        self._under_way: set[str] = set()
        self._ended: dict[str, str] = {}

    def problem(self, sha512: str, part: str) -> Problem | None:
        """Begin to send a copy as a part, or tell how that goes; None when all of it was sent."""
        with self._lock:
            ended = self._ended.pop(part, None)
            if ended is not None:
                return Problem(message=ended) if ended else None
            if part not in self._under_way:
                self._under_way.add(part)
                threading.Thread(target=self._run, args=(sha512, part), name="giving", daemon=True).start()
        return Problem(message="it is being sent", is_under_way=True)

    def _run(self, sha512: str, part: str) -> None:
        try:
            cause = self._give(sha512, part)
        except (NotSentError, TenutoError, OSError) as failed:
            cause = str(failed)
        except Exception as error:  # noqa: BLE001 - the border: the order must learn that the sending has ended
            _log.exception("agent.giving_failed", sha512=sha512)
            cause = repr(error)
        with self._lock:
            self._under_way.discard(part)
            self._ended[part] = cause

    def _give(self, sha512: str, part: str) -> str:
        """Send a copy; the reason why it was not sent, or an empty text."""
        if self.send is None:
            return "this host has no way to send it"
        if self._blobs.stamp(sha512) is None:
            return "its copy is not here"
        if not self._is_good(sha512):
            return "its bytes were not what they had been, so it was removed"
        with self._blobs.path(sha512).open("rb") as file:
            self.send(part, file, time.time() + LONGEST_S)
        _log.info("agent.copy_given", sha512=sha512)
        return ""
