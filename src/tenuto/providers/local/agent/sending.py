"""The way of contents from a host to its Conductor: in blocks, each on the Conductor's disk when it is told.

A connection that breaks costs the block that was on its way: the host asks how much the Conductor has, and sends the
rest.
"""

import time
from collections.abc import Callable
from typing import BinaryIO

import structlog

from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.driver import NotSentError

BLOCK_BYTES = 4 * 1024**2
"""The bytes of one block: half of the largest body of the Conductor."""
AGAIN_S = 1.0
_GOES_ON = 409
"""The status of a block at a wrong place: an answer was lost."""

_log = structlog.get_logger("tenuto.hosts")


class Sender:
    """Implements `providers.local.driver.Send`."""

    def __init__(self, size: Callable[[str], int], append: Callable[[str, int, bytes], int]) -> None:
        """`size` asks for the bytes that are there, `append` sends some. Both raise SilentError and RefusedError."""
        self._size = size
        self._append = append

    def __call__(self, name: str, file: BinaryIO, until: float) -> None:
        while True:
            try:
                self._send(name, file)
            except SilentError as silent:
                if time.time() >= until:
                    raise NotSentError(f"it did not come to the Conductor in time: {silent}") from silent
                _log.info("agent.content_waits", name=name, reason=str(silent))
                time.sleep(AGAIN_S)
            except RefusedError as refused:
                if refused.status != _GOES_ON or time.time() >= until:
                    raise NotSentError(f"the Conductor did not take it: {refused}") from refused
            else:
                return

    def _send(self, name: str, file: BinaryIO) -> None:
        size = self._size(name)
        file.seek(size)
        while block := file.read(BLOCK_BYTES):
            size = self._append(name, size, block)
