"""The daily reading of base images: bytes that root has changed, with the time of the file set back."""

import os
from pathlib import Path

import pytest
from test_virtual_disks import DIGEST, IMAGE, Room, other_byte

from tenuto.providers.local.executor.virtual import base_reading
from tenuto.providers.local.executor.virtual.base_reading import DAY_S, PAUSE_S, BaseReading

START = 1_700_000_000.0


class Clocks:
    """The clock of the host and the steady one, which a test moves."""

    def __init__(self) -> None:
        self.wall, self.steady = START, 0.0

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.fixture
def clocks(room: Room) -> Clocks:
    """Clocks, once the base was copied, which counts as read at the start."""
    room.made()
    room.bases.note_read(DIGEST, START, is_good=True)
    return Clocks()


def reading_of(room: Room, clocks: Clocks) -> BaseReading:
    return BaseReading(room.bases, now=lambda: clocks.wall, steady=lambda: clocks.steady)


def change_in_secret(room: Room) -> None:
    """Change the bytes in their place, and give the file back its time."""
    before = room.copy.stat()
    room.changed(other_byte)
    os.utime(room.copy, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert room.damage() == "", "its stamp says nothing"


def a_day(reading: BaseReading, clocks: Clocks, turns: int) -> None:
    clocks.advance(DAY_S)
    for _ in range(turns):
        reading.go_on()
        clocks.advance(PAUSE_S)


def test_bytes_that_were_changed_in_secret_are_told_within_a_day_and_made_again(
    room: Room, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_reading, "SLICE", 1024)
    reading = reading_of(room, clocks)
    opened = room.disks.opened([room.made()])
    room.bases.note_read(DIGEST, START, is_good=True)
    change_in_secret(room)
    reading.go_on()
    assert room.damage() == "", "it was read today"
    a_day(reading, clocks, turns=len(IMAGE) // 1024)
    assert room.damage() == "", "it is read in turns"
    reading.go_on()
    assert room.damage() == "has a base image that has other bytes than it had"
    room.made()
    assert room.damage() == ""
    assert room.copy.read_bytes() == IMAGE
    assert room.disks.reads_changed(opened), "a machine that has it open is started again"


def test_a_copy_with_its_own_bytes_is_read_once_a_day_and_not_between_two_pauses(room: Room, clocks: Clocks) -> None:
    reading = reading_of(room, clocks)
    a_day(reading, clocks, turns=1)
    [first] = room.bases.read_at().values()
    assert first == START + DAY_S
    clocks.advance(60.0)
    reading.go_on()
    assert [*room.bases.read_at().values()] == [first]
    clocks.advance(DAY_S)
    clocks.steady = 0.0
    reading.go_on()
    assert [*room.bases.read_at().values()] == [first], "its turn has not come"


def test_a_moment_in_the_future_counts_as_none(room: Room, clocks: Clocks) -> None:
    """The clock of the host was years ahead when the copy was made."""
    room.bases.note_read(DIGEST, START + 1e9, is_good=True)
    reading_of(room, clocks).go_on()
    assert [*room.bases.read_at().values()] == [START]


def test_a_copy_that_is_replaced_while_it_is_read_is_left_to_its_stamp(
    room: Room, clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_reading, "SLICE", 1024)
    reading = reading_of(room, clocks)
    a_day(reading, clocks, turns=2)
    room.changed(other_byte)
    a_day(reading, clocks, turns=400)
    assert room.damage() == "has a base image that was changed"
    room.made()
    a_day(reading, clocks, turns=400)
    assert room.damage() == ""
