"""Who waits to write is written together with the others, and told of its own part only."""

import gc
import weakref
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

from tenuto.errors import ConflictError, StoreUnavailableError
from tenuto.storage.file.grouped import Grouped


class Disk:
    """Writes parts, and stands still at the first until it is let go on."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.is_full = False
        self._began, self._may_go_on = Event(), Event()
        self.grouped = Grouped(self._write_all)

    def _write_all(self, parts: Sequence[str]) -> list[Exception | None]:
        self.groups.append(list(parts))
        self._began.set()
        self._may_go_on.wait()
        if self.is_full:
            raise StoreUnavailableError("full")
        return [ConflictError(part) if part == "late" else None for part in parts]

    def write(self, *parts: str) -> list[Future[None]]:
        """The first part, and behind it all others at once."""
        with ThreadPoolExecutor(len(parts)) as pool:
            told = [pool.submit(self.grouped.write, parts[0])]
            self._began.wait()
            for number, part in enumerate(parts[1:], start=1):
                told.append(pool.submit(self.grouped.write, part))
                while self.grouped.waiting < number:
                    pass
            self._may_go_on.set()
        return told


def test_who_waits_is_written_together_in_the_order_of_coming() -> None:
    disk = Disk()
    told = disk.write("a", "b", "c", "d")
    assert disk.groups == [["a"], ["b", "c", "d"]]
    assert [one.exception() for one in told] == [None] * 4


def test_what_one_must_not_write_is_told_to_that_one_alone() -> None:
    told = Disk().write("a", "b", "late", "d")
    assert [type(one.exception()) for one in told] == [type(None), type(None), ConflictError, type(None)]


def test_what_goes_wrong_for_all_is_told_to_all() -> None:
    disk = Disk()
    disk.is_full = True
    assert all(isinstance(one.exception(), StoreUnavailableError) for one in disk.write("a", "b", "c"))


def test_after_a_failure_the_next_is_written() -> None:
    disk = Disk()
    disk.is_full = True
    disk.write("a")
    disk.is_full = False
    disk.grouped.write("b")
    assert disk.groups == [["a"], ["b"]]


def test_an_interrupted_writer_leaves_nobody_waiting_for_ever() -> None:
    class Interrupted(Disk):
        def _write_all(self, parts: Sequence[str]) -> list[Exception | None]:
            told = super()._write_all(parts)
            if len(parts) > 1:
                raise KeyboardInterrupt
            return told

    first, *others = Interrupted().write("a", "b", "c")
    assert first.exception() is None
    assert {type(one.exception()) for one in others} == {KeyboardInterrupt, StoreUnavailableError}


def test_an_error_is_freed_when_nobody_handles_it_any_more() -> None:
    """Errors hold the frames that they passed, and whatever was to be written: a full disk would fill the memory."""
    disk = Disk()
    disk.is_full = True
    disk.write("first")
    left: list[weakref.ref[StoreUnavailableError]] = []
    gc.disable()
    try:
        for part in "ab":
            try:
                disk.grouped.write(part)
            except StoreUnavailableError as error:
                left.append(weakref.ref(error))
        assert [one() for one in left] == [None, None]
    finally:
        gc.enable()


def test_who_is_written_goes_on_while_others_are_written() -> None:
    """Each of three parts is written alone, and the first to come back do not wait for the last."""
    gates = {part: Event() for part in "abc"}
    began = {part: Event() for part in "abc"}

    def write_all(parts: Sequence[str]) -> list[None]:
        for part in parts:
            began[part].set()
            gates[part].wait()
        return [None] * len(parts)

    grouped: Grouped[str] = Grouped(write_all)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(grouped.write, "a")
        began["a"].wait()
        second = pool.submit(grouped.write, "b")
        while grouped.waiting < 1:
            pass
        gates["a"].set()
        began["b"].wait()
        third = pool.submit(grouped.write, "c")
        assert first.result(timeout=10) is None
        while grouped.waiting < 1:
            pass
        gates["b"].set()
        began["c"].wait()
        assert second.result(timeout=10) is None
        assert not third.done()
        gates["c"].set()
        assert third.result(timeout=10) is None
