"""Operations in guests that do not answer: of a machine that starts, and of one that is off."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from tenuto.errors import TransientError
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Seen, Spec
from tenuto.providers.local.drivers.qemu.guests import Guests
from tenuto.providers.local.drivers.qemu.operations import Operations
from tenuto.providers.local.executor.requests import SnapshotShown
from tenuto.providers.local.objects import OPERATION
from tenuto.providers.local.rules.machines.operations import Ping
from tenuto.providers.local.rules.machines.power import OFF_BY_GUEST, ON

WEB, ASKED = ObjectId("web"), ObjectId("asked")


class NoMeans:
    """Implements `disk_copy.Means` for a host that has none."""

    def reset(self, machine: ObjectId) -> str:
        return "there is no means"

    def blob(self, digest: str) -> bytes:
        raise FileNotFoundError(2, "no blob")

    def copy(self, machine: ObjectId, operation: ObjectId, disks: tuple[int, ...], *, is_thin: bool) -> SnapshotShown:
        raise TransientError("no copy", code="NoSnapshot")

    def copied(self, machine: ObjectId, operation: ObjectId, disk: int) -> BinaryIO:
        raise TransientError("no copy", code="NoSnapshot")

    def forget(self, machine: ObjectId, operation: ObjectId) -> None:
        """There is nothing to forget."""

    def send(self, name: str, file: BinaryIO, until: float) -> None:
        """Nothing is sent."""


class Host:
    """The operations of a host whose only machine has no guest that is known."""

    def __init__(self, folder: Path) -> None:
        self.power = ON
        guests = Guests(lambda _: pytest.fail("no guest is known"))
        self.operations = Operations(
            StateFolder(folder), guests, NoMeans(), self.switch, self.echo, lambda _: self.power
        )

    def switch(self, instance: ObjectId, word: str) -> JsonMap | str:
        return "no switch"

    def echo(self, network: ObjectId, command: Ping) -> JsonMap | str:
        return "no network"

    def asked(self, command: JsonMap) -> Seen:
        given = {"Instance": WEB, "Commands": [command], "DeadlineSeconds": 600}
        self.operations.ensure(
            Spec(type=OPERATION, object_id=ASKED, account="red", owner=None, host="h1", properties=given)
        )
        return self.seen()

    def seen(self) -> Seen:
        [seen] = self.operations.seen()
        return seen


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    made = Host(tmp_path)
    yield made
    made.power = OFF_BY_GUEST  # The threads that still wait end with it.


@pytest.mark.parametrize("command", [{"Exec": ["true"]}, {"Get": "/etc/hostname"}], ids=["exec", "get"])
def test_an_operation_in_a_machine_that_is_off_ends_at_once_with_the_reason(host: Host, command: JsonMap) -> None:
    host.power = OFF_BY_GUEST
    seen = host.asked(command)
    assert (seen.condition, seen.message) == (Condition.BROKEN, "its machine is off (the guest powered itself off)")


def test_an_operation_in_a_machine_that_starts_waits_for_its_guest(host: Host) -> None:
    assert host.asked({"Exec": ["true"]}).condition is Condition.PENDING
