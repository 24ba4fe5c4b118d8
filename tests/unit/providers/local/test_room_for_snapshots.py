"""The snapshots that a host refuses at once: it has no room, a disk cannot be read, or the machine is off."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from test_virtual_disks import NAME, Room

from tenuto.providers.local.executor.requests import SnapshotShown
from tenuto.providers.local.executor.virtual.qmp import Monitor
from tenuto.providers.local.executor.virtual.snapshots import Snapshots, told_room
from tenuto.providers.local.rules.networks.spec import UnusableValueError

MIB = 1 << 20


class Idle:
    """A QEMU that has no job."""

    def do(self, command: str, arguments: dict[str, Any] | None = None, **_: object) -> list[object]:
        return []


def taken(room: Room, *, is_on: bool = True) -> SnapshotShown:
    snapshots = Snapshots(room.state, room.disks, lambda _: os.getuid())
    return snapshots.proceed(NAME, "a-snapshot", (0,), cast("Monitor", Idle()), is_thin=False, is_on=is_on)


@pytest.fixture
def room(tmp_path: Path) -> Room:
    made = Room(tmp_path)
    made.made()
    return made


def test_a_shortage_of_less_than_a_mebibyte_is_told_by_two_figures_that_differ() -> None:
    told = told_room(19 * MIB + 1, 20 * MIB - 1)
    assert "may take 20 MiB, and 19 MiB are free" in told
    assert "beside 1024 MiB that stay free. Make room there" in told


def gone(disk: Path) -> None:
    disk.unlink()


def overwritten(disk: Path) -> None:
    disk.write_bytes(b"garbage!")


@pytest.mark.parametrize(("act", "told"), [(gone, "its disk 0 is gone"), (overwritten, "header")])
def test_a_disk_that_cannot_be_read_refuses_the_snapshot_for_good(
    room: Room, act: Callable[[Path], None], told: str
) -> None:
    act(room.disk)
    with pytest.raises(UnusableValueError, match=rf"{told}.*\. Restore its file"):
        taken(room)


def test_no_snapshot_begins_of_a_machine_that_its_guest_turned_off(room: Room) -> None:
    with pytest.raises(UnusableValueError, match="the machine does not run"):
        taken(room, is_on=False)
    assert not taken(room).is_done, "it has begun"
