"""A large part is read beside the phases: other operations of the same run do not wait for it."""

import threading
from pathlib import Path

import pytest
from images import digest, disk
from local_world import LocalWorld, a

from tenuto.errors import StoreUnavailableError
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.image import Content
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.images.sealing import OwnSeals, Sealing

PART, AT, PATIENCE_S = ObjectId("part"), Instant(0.0), 30


class SlowFolder(BlobFolder):
    """A folder whose parts are read when the test lets them."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.may_read, self.reads = threading.Event(), 0
        self.fault: Exception | None = None

    def seal(self, name: ObjectId) -> Content:
        self.reads += 1
        assert self.may_read.wait(PATIENCE_S)
        if self.fault is not None:
            raise self.fault
        return super().seal(name)


@pytest.fixture
def files(tmp_path: Path) -> SlowFolder:
    made = SlowFolder(tmp_path)
    made.begin(PART, AT)
    made.append(PART, 0, disk("base"), AT)
    return made


def ended(seals: Sealing) -> Content:
    for _ in range(PATIENCE_S * 100):
        if (found := seals.ask(PART)) is not None:
            return found
        threading.Event().wait(0.01)
    raise AssertionError("it is never read")


def test_a_large_part_is_read_once_beside_whoever_asks(files: SlowFolder) -> None:
    seals = Sealing(files, at_once_bytes=10)
    assert [seals.ask(PART) for _ in range(3)] == [None] * 3
    files.may_read.set()
    assert ended(seals).sha512 == digest(disk("base"))
    assert files.reads == 1


def test_a_small_part_is_read_at_once(files: SlowFolder) -> None:
    files.may_read.set()
    found = Sealing(files).ask(PART)
    assert found == OwnSeals(files).ask(PART)
    assert found is not None


def test_why_a_part_cannot_be_read_is_told_to_whoever_asks_and_it_is_read_again(files: SlowFolder) -> None:
    seals = Sealing(files, at_once_bytes=10)
    files.fault = StoreUnavailableError("the disk is gone")
    files.may_read.set()
    with pytest.raises(StoreUnavailableError, match="the disk is gone"):
        ended(seals)
    files.fault = None
    assert ended(seals).sha512 == digest(disk("base"))
    with pytest.raises(FileNotFoundError):
        seals.ask(ObjectId("nothing"))


class HeldSeals:
    """Implements `Seals`: the parts of one operation are read for as long as the test wants."""

    def __init__(self, files: BlobFolder) -> None:
        self._inner = OwnSeals(files)
        self.held = ""

    def ask(self, part: ObjectId) -> Content | None:
        return None if part.startswith(self.held) else self._inner.ask(part)


def test_a_snapshot_that_is_being_read_holds_up_no_other_operation() -> None:
    world = LocalWorld()
    machines = [a(name, "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"SizeGiB": 1}]) for name in ("Big", "Web")]
    world.run(*machines)
    seals = HeldSeals(world.files)
    world.provider_of_hosts._snapshots._seals = seals

    def snapshot(machine: str) -> ObjectId:
        fields = {"Instance": world.the(machine).object_id, "Commands": [{"Snapshot": machine.lower()}]}
        return world.system.objects.create("AgentOperation", fields=fields, region="us-east-1").item.object_id

    first = seals.held = snapshot("Big")
    second = snapshot("Web")
    world.advance(20)
    states = [world.system.objects.find(one).state for one in (first, second)]
    assert states == ["executing", "complete"]
    seals.held = "nothing"
    world.advance(20)
    assert world.system.objects.find(first).state == "complete"
