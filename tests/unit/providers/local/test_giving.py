"""A host gives its copy of a blob back to the Conductor: beside its other work, whole, and never a damaged one."""

import threading
from pathlib import Path
from typing import BinaryIO

import pytest
from images import digest, disk

from tenuto.model.ids import Instant, ObjectId
from tenuto.providers.local.agent.giving import Giving
from tenuto.providers.local.agent.staging import Staging
from tenuto.providers.local.agent.staging_driver import StagingDriver
from tenuto.providers.local.driver import NotSentError, Problem, Spec
from tenuto.providers.local.drivers.memory import make_driver
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.replication import SEND_AS

CONTENT, COPY, PART = disk("base"), ObjectId("blob@z/h1"), "mend-blob"
PATIENCE_S = 30


class Host:
    """A host with a copy, and what its Conductor has got."""

    def __init__(self, folder: Path) -> None:
        self.blobs = BlobFolder(folder / BLOBS)
        self.blobs.begin(ObjectId("c"), Instant(0.0))
        self.blobs.append(ObjectId("c"), 0, CONTENT, Instant(0.0))
        self.blobs.keep(ObjectId("c"), digest(CONTENT))
        staging = Staging(self.blobs, lambda sha512, begin: iter(()))
        giving = Giving(self.blobs, staging.is_good)
        self.driver = StagingDriver(make_driver(folder, host="h1", address=""), staging, giving=giving)
        self.may_send = threading.Event()
        self.got: dict[str, bytes] = {}
        self.fault = ""
        self.driver.send_by(self.send)

    def send(self, name: str, file: BinaryIO, until: float) -> None:
        assert self.may_send.wait(PATIENCE_S)
        if self.fault:
            raise NotSentError(self.fault)
        self.got[name] = file.read()

    def order(self, **more: str) -> Problem | None:
        sha512 = digest(CONTENT)
        spec = Spec(
            type=BLOB,
            object_id=COPY,
            account="red",
            owner=None,
            host="h1",
            properties={"Sha512": sha512, "SizeBytes": len(CONTENT), "Sources": [], **more},
            attributes={BASES: {"blob": sha512}},
        )
        return self.driver.ensure([spec]).get(COPY)

    def ended(self) -> Problem | None:
        for _ in range(PATIENCE_S * 100):
            problem = self.order(**{SEND_AS: PART})
            if problem is None or not problem.is_under_way:
                return problem
            threading.Event().wait(0.01)
        raise AssertionError("it never ends")


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_a_copy_is_given_beside_everything_else_and_whole(host: Host) -> None:
    problem = host.order(**{SEND_AS: PART})
    assert problem is not None
    assert problem.is_under_way
    assert host.order() is None, "an order for the copy alone sends nothing and waits for nothing"
    host.may_send.set()
    assert host.ended() is None
    assert host.got == {PART: CONTENT}


def test_a_damaged_copy_is_removed_and_told_and_not_given(host: Host) -> None:
    host.may_send.set()
    host.order()
    host.blobs.path(digest(CONTENT)).write_bytes(bytes(len(CONTENT)))
    problem = host.ended()
    assert problem is not None
    assert "were not what they had been" in problem.message
    assert (host.got, host.blobs.stamp(digest(CONTENT))) == ({}, None)
    [seen] = [one for one in host.driver.observe() if one.object_id == COPY]
    assert "so it was removed" in seen.message


def test_why_a_copy_did_not_come_is_told_and_the_next_order_sends_it(host: Host) -> None:
    host.may_send.set()
    host.fault = "the Conductor did not take it"
    problem = host.ended()
    assert problem is not None
    assert problem.message == host.fault
    host.fault = ""
    assert host.ended() is None
    assert host.got == {PART: CONTENT}
