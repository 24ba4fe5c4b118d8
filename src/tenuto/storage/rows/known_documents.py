"""Documents that were read or written lately, so that the same text is not parsed again and again.

A plan and a composition never change once they are stored, and a process has another generation after every write. So
a name, or a name with its generation, stands for one value for ever, and nothing here can be stale. Both keep a bounded
number of values: the newest push the oldest out.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from tenuto.model.ids import Fid
from tenuto.model.process import Process
from tenuto.ports.store_changes import CreateProcess, SaveProcess, StoreChange
from tenuto.storage.rows.columns import Row
from tenuto.storage.rows.rows import process_of
from tenuto.storage.rows.stored import stored_process

MOST_PROCESSES = 10_000
"""One Conductor is full at about four thousand; a process with its last job takes some two kilobytes."""
MOST_DOCUMENTS = 256
LARGEST_CHARACTERS = 50_000
"""A larger document is known only while other code holds its value: a few of them would fill the memory."""

T = TypeVar("T")


class KnownProcesses:
    """The latest value of each process that was read or written, or the value that `note` put in its place since.
    Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: OrderedDict[Fid, Process] = OrderedDict()

    def of(self, row: Row) -> Process:
        """The process of a row, parsed only when its generation is new."""
        known = self._known.get(row["fid"])
        if known is not None and known.generation == row["generation"]:
            return known
        found = process_of(row)
        with self._lock:
            known = self._known.get(found.fid)
            if known is not None and known.generation == found.generation:
                return known
            self._keep(found)
        return found

    def add_committed(self, changes: Iterable[StoreChange]) -> None:
        """Know the processes that a commit stored, unless later ones are known."""
        for change in changes:
            if isinstance(change, CreateProcess | SaveProcess):
                found = stored_process(change)
                with self._lock:
                    known = self._known.get(found.fid)
                    if known is None or known.generation < found.generation:
                        self._keep(found)

    def note(self, process: Process) -> None:
        """Give this value to readers of the process at its generation; at no other, and only if one is known."""
        with self._lock:
            known = self._known.get(process.fid)
            if known is not None and known.generation == process.generation:
                self._known[process.fid] = process

    def _keep(self, process: Process) -> None:
        """Keep a value as the newest; the oldest may go. The lock is held."""
        self._known[process.fid] = process
        if len(self._known) > MOST_PROCESSES:
            self._known.popitem(last=False)


class KnownDocuments(Generic[T]):
    """The latest read documents of one kind, by name. Thread-safe."""

    def __init__(self, parse: Callable[[str], T]) -> None:
        self._parse = parse
        self._lock = Lock()
        self._known: OrderedDict[str, T] = OrderedDict()
        self._held: WeakValueDictionary[str, T] = WeakValueDictionary()

    def get(self, name: str) -> T | None:
        found = self._known.get(name)
        return found if found is not None else self._held.get(name)

    def forget(self, names: Iterable[str]) -> None:
        """Forget documents that were removed from the store."""
        with self._lock:
            for name in names:
                self._known.pop(name, None)

    def read(self, name: str, text: str) -> T:
        """The value of a text that is stored under a name."""
        value = self._parse(text)
        with self._lock:
            if len(text) > LARGEST_CHARACTERS:
                self._held[name] = value
            else:
                self._known[name] = value
                if len(self._known) > MOST_DOCUMENTS:
                    self._known.popitem(last=False)
        return value
