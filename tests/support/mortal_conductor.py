"""A Conductor that dies, as by `kill -9`, at one durable write: `mortal_conductor.py NUMBER before|after`.

*Before*: everything of the transaction has been said to the database, and it is not committed. *After*: it is
committed, and nobody has been told. The process gets the signal that nothing can catch, so what it holds in memory is
lost, what it has sent is under way, and what it wrote is what the next one finds. Writes are counted from its start.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

import tenuto.storage.open
from tenuto.bootstrap.serve import serve
from tenuto.settings import Settings
from tenuto.storage.file.database import Database


class MortalDatabase(Database):
    """A database that takes its process along."""

    def __init__(self, path: Path) -> None:
        self._moment, self._is_after = int(sys.argv[1]), sys.argv[2] == "after"
        self._count = 0
        self._count_lock = threading.Lock()
        super().__init__(path)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with super().writing() as connection:
            yield connection
            with self._count_lock:
                self._count += 1
                is_now = self._count == self._moment
            if is_now and not self._is_after:
                _die()
        if is_now:
            _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    threading.Event().wait()  # the signal reaches a process, and takes its threads a moment later


if __name__ == "__main__":
    tenuto.storage.open.Database = MortalDatabase
    serve(Settings.from_environment(os.environ))
