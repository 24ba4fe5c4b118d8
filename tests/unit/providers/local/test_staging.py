"""Blobs on a host: an order waits for them, a broken transfer stores nothing, and unused ones go (behaviour 63)."""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from images import digest, disk

from tenuto.model.ids import Instant, ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.agent.calls import RefusedError, SilentError
from tenuto.providers.local.agent.copies import Copies
from tenuto.providers.local.agent.staging import UNUSED_S, VERIFY_S, Staging
from tenuto.providers.local.agent.staging_driver import StagingDriver
from tenuto.providers.local.driver import HostDriver, Problem, Spec
from tenuto.providers.local.drivers.memory import make_driver
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.replication import replica_id
from tenuto.providers.local.types import INSTANCE

CONTENT = disk("base", 8 * 512)
BLOCK = 1024
WEB, OTHERS = ObjectId("web"), ObjectId("others")


class Conductor:
    """A source of blobs, and what goes wrong with it once."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.cut_at: int | None = None
        self.refuses = False
        self.begun: list[int] = []

    def fetch(self, sha512: str, begin: int) -> Iterator[bytes]:
        self.begun.append(begin)
        if self.refuses:
            raise RefusedError(404, "There is no blob")
        end = len(self.content) if self.cut_at is None else self.cut_at
        for at in range(begin, end, BLOCK):
            yield self.content[at : min(at + BLOCK, end)]
        if self.cut_at is not None:
            self.cut_at = None
            raise SilentError("the connection ended")


class Disk(BlobFolder):
    """A folder on a disk of a size."""

    size = 1 << 40

    def free_bytes(self) -> int:
        assert self._given is not None
        return max(0, self.size - sum(one.stat().st_size for one in self._given.rglob("*") if one.is_file()))


class Host:
    """A host whose time passes when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.conductor = Conductor()
        self.blobs = Disk(folder / BLOBS)
        self.staging = Staging(self.blobs, self.conductor.fetch, self.time)
        self.driver = StagingDriver(make_driver(folder, host="h1", address=""), self.staging)

    def order(self, content: bytes = CONTENT) -> Problem | None:
        spec = Spec(
            type=INSTANCE,
            object_id=WEB,
            account="red",
            owner=None,
            host="h1",
            properties={"Vcpus": 1, "MemoryMiB": 64, "PowerState": "on", "Disks": [{"Base": digest(content)}]},
            attributes={BASES: {"base": digest(content)}},
        )
        return self.ordered(spec)

    def copy(self) -> Problem | None:
        """Order a copy of the content."""
        spec = Spec(
            type=BLOB,
            object_id=replica_id(ObjectId("b-1"), "zone/h1"),
            account="red",
            owner=None,
            host="h1",
            properties={"Sha512": digest(CONTENT), "SizeBytes": len(CONTENT)},
            attributes={BASES: {"copy": digest(CONTENT)}},
        )
        return self.ordered(spec)

    def ordered(self, spec: Spec) -> Problem | None:
        """The problem of an order, once the transfers that it began have ended."""
        problem = self.driver.ensure([spec]).get(spec.object_id)
        for one in threading.enumerate():
            if one.name == "transfer":
                one.join(30)
        return problem

    def observed(self) -> None:
        """Observe the host, and wait for the reading that this began."""
        self.driver.observe()
        for one in threading.enumerate():
            if one.name == "verification":
                one.join(30)

    def time(self) -> float:
        return self.now


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_an_order_is_under_way_until_its_base_is_here(host: Host) -> None:
    first = host.order()
    assert first is not None
    assert first.is_under_way
    assert host.driver.observe() == []
    assert host.order() is None
    assert [one.object_id for one in host.driver.observe()] == [WEB]
    assert host.blobs.path(digest(CONTENT)).read_bytes() == CONTENT


def test_behaviour_63_a_cut_transfer_stores_nothing_and_goes_on_where_it_stopped(host: Host) -> None:
    host.conductor.cut_at = 1000
    host.order()
    assert host.blobs.stored() == ()
    second = host.order()
    assert second is not None
    assert (second.is_under_way, "the connection ended" in second.message) == (False, True)
    host.order()
    assert host.order() is None
    assert host.conductor.begun == [0, 1000]


def test_behaviour_63_changed_bytes_are_thrown_away(host: Host) -> None:
    host.conductor.content = disk("other", 8 * 512)
    host.order()
    told = host.order()
    assert told is not None
    assert "thrown away" in told.message
    assert host.blobs.stored() == ()
    host.conductor.content = CONTENT
    host.order()
    assert host.order() is None


def test_behaviour_63_a_refused_transfer_stores_nothing(host: Host) -> None:
    host.conductor.refuses = True
    host.order()
    told = host.order()
    assert told is not None
    assert ("There is no blob" in told.message, told.is_final) == (True, False)
    assert host.blobs.stored() == ()


def test_a_blob_that_no_machine_has_goes_after_a_while(host: Host) -> None:
    host.order()
    host.order()
    host.driver.observe()
    host.now += 2 * UNUSED_S
    host.driver.observe()
    assert host.blobs.stored() == (digest(CONTENT),)
    host.driver.remove([WEB])
    host.driver.observe()
    assert host.blobs.stored() == (digest(CONTENT),)
    host.now += UNUSED_S
    host.driver.observe()
    assert host.blobs.stored() == ()


def test_the_part_of_a_transfer_that_nothing_goes_on_with_goes_after_a_while(host: Host, tmp_path: Path) -> None:
    host.conductor.cut_at = 2048
    host.order()
    anew = StagingDriver(
        make_driver(tmp_path, host="h1", address=""), Staging(host.blobs, host.conductor.fetch, host.time)
    )
    [part] = host.blobs.parts()
    host.blobs.begin(OTHERS, Instant(0.0))
    host.now += UNUSED_S - 1
    anew.observe()
    assert host.blobs.parts() == (part, OTHERS)
    host.now += 1
    anew.observe()
    assert host.blobs.parts() == (OTHERS,), "it is the part of no transfer"


def test_the_part_of_a_copy_that_is_still_ordered_stays(host: Host) -> None:
    host.conductor.cut_at = 2048
    host.copy()
    host.now += 2 * UNUSED_S
    host.driver.observe()
    assert len(host.blobs.parts()) == 1
    host.copy()
    host.copy()
    assert (host.copy(), host.conductor.begun) == (None, [0, 2048])


def test_a_transfer_that_meets_a_full_disk_leaves_its_room_and_begins_again_when_there_is_more(host: Host) -> None:
    host.blobs.size = 2500
    host.order()
    for _ in range(3):
        told = host.order()
        assert told is not None
        assert (told.is_full, "the Conductor has no room" in told.message) == (True, True)
    assert (host.blobs.parts(), host.conductor.begun) == ((), [0]), "the same bytes do not come again for nothing"
    host.blobs.size = 5000
    host.order()
    assert host.order() is None


def test_a_full_disk_gets_rid_of_the_parts_that_no_transfer_goes_on_with(host: Host) -> None:
    left = ObjectId("ab" * 32)
    host.blobs.begin(left, Instant(host.now))
    host.blobs.append(left, 0, bytes(2000), Instant(host.now))
    host.blobs.size = 5000
    host.order()
    host.order()
    assert host.blobs.parts() == ()
    host.order()
    assert host.order() is None


def test_a_copy_for_which_there_is_no_room_is_not_begun(host: Host) -> None:
    host.blobs.size = len(CONTENT) - 1
    told = host.copy()
    assert told is not None
    assert (told.is_full, host.conductor.begun) == (True, [])
    host.blobs.size += 1
    host.copy()
    assert host.copy() is None


def test_the_copy_of_a_blob_is_removed_also_by_an_agent_that_began_after_it_came(host: Host, tmp_path: Path) -> None:
    host.order()
    copy, gone = replica_id(ObjectId("b-1"), "zone/h1"), ObjectId("web-2")
    given: list[Sequence[ObjectId]] = []

    class Strict:
        """A driver that knows things by ids, and copies not at all."""

        name = "strict"

        def remove(self, object_ids: Sequence[ObjectId]) -> dict[ObjectId, Problem]:
            given.append(object_ids)
            return {}

    driver = StagingDriver(cast(HostDriver, Strict()), host.staging)
    assert driver.remove([copy, gone]) == {}
    assert driver.remove([copy]) == {}
    assert given == [[gone]], "an order about a copy is none for the machines of the host"


def test_an_agent_that_begins_anew_shows_the_copies_of_the_one_before(host: Host, tmp_path: Path) -> None:
    host.order()
    copy = Spec(
        type=BLOB,
        object_id=replica_id(ObjectId("b-1"), "zone/h1"),
        account="red",
        owner=None,
        host="h1",
        properties={"Sha512": digest(CONTENT)},
        attributes={BASES: {"copy": digest(CONTENT)}},
    )
    file = tmp_path / "copies.json"

    def agent() -> StagingDriver:
        inner = make_driver(tmp_path, host="h1", address="")
        return StagingDriver(inner, host.staging, copies=Copies(file))

    assert agent().ensure([copy]) == {}
    assert [one.object_id for one in agent().observe()] == [copy.object_id]
    agent().remove([copy.object_id])
    assert agent().observe() == []
    file.write_text("[{]")
    assert agent().observe() == [], "what cannot be read is ordered again"


def test_a_file_that_was_changed_is_read_before_its_day_and_comes_again(host: Host) -> None:
    host.copy()
    assert host.copy() is None
    blob = host.blobs.path(digest(CONTENT))
    host.observed()
    blob.write_bytes(b"")
    host.observed()
    [told] = host.driver.observe()
    assert (told.condition, "its bytes were not what they had been" in told.message) == (Condition.BROKEN, True)
    host.copy()
    assert host.copy() is None
    assert (blob.read_bytes(), host.driver.observe()[0].condition) == (CONTENT, Condition.READY)


def test_no_machine_is_made_of_a_file_that_was_changed(host: Host) -> None:
    host.copy()
    assert host.copy() is None
    blob = host.blobs.path(digest(CONTENT))
    blob.write_bytes(b"")
    problem = host.order()
    assert problem is not None
    assert problem.is_under_way
    assert host.order() is None
    assert blob.read_bytes() == CONTENT


def test_the_base_of_a_machine_is_read_once_a_day_also_where_it_is_no_copy(host: Host) -> None:
    host.order()
    assert host.order() is None
    blob = host.blobs.path(digest(CONTENT))
    rot(blob)
    host.observed()
    assert blob.exists()
    host.now += VERIFY_S
    host.observed()
    assert not blob.exists()
    assert [one.object_id for one in host.driver.observe()] == [WEB], "the machine has a copy of its own"


def rot(blob: Path) -> None:
    """Let a file have other bytes, and the size and the time that it had."""
    known = blob.stat()
    blob.write_bytes(CONTENT[:-1] + b"?")
    os.utime(blob, ns=(known.st_atime_ns, known.st_mtime_ns))


class Suspicious:
    """A driver that finds other bytes in a blob than its digest says, as the executor of a host does."""

    def __init__(self, inner: HostDriver, blobs: BlobFolder) -> None:
        self._inner = inner
        self._blobs = blobs
        self.name = inner.name

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        content = self._blobs.content(digest(CONTENT))
        if content is None or content.sha512 != digest(CONTENT):
            return {one.object_id: Problem(message="the blob has other bytes", is_final=True) for one in specs}
        return self._inner.ensure(specs)


def test_a_machine_that_meets_a_damaged_blob_waits_for_it_and_does_not_fail(host: Host, tmp_path: Path) -> None:
    host.order()
    assert host.order() is None
    blob = host.blobs.path(digest(CONTENT))
    rot(blob)
    suspicious = cast(HostDriver, Suspicious(make_driver(tmp_path, host="h1", address=""), host.blobs))
    host.driver = StagingDriver(suspicious, host.staging)
    problem = host.order()
    assert problem is not None
    assert problem.is_under_way
    assert "was removed, and is fetched again" in problem.message
    host.order()
    assert host.order() is None
    assert blob.read_bytes() == CONTENT
