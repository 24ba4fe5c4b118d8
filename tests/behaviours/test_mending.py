"""The Conductor's own file of a blob, damaged or lost, comes back from the copy of a host (behaviour 62)."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from images import digest, disk
from local_world import LocalWorld, a

from tenuto.errors import NotFoundError, UserError
from tenuto.model.command import ProcessState
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.event import EventType
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.image import DAMAGE
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.hosts.parts import HostParts
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.placement import Host
from tenuto.providers.local.rules.replication import MENDER, SEND_AS, ReplicationRules, mend_part
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
URL = "http://images.test/base.img"
CONTENT = disk("base")
BASE = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL})
Given = Callable[[Spec], bytes | Problem]


class MendingWorld(LocalWorld):
    """A world whose hosts have copies. `given` is what a host sends for an order to give its copy back."""

    def __init__(self) -> None:
        super().__init__(replication=ReplicationRules(left_out=()))
        self.hosts.add_host(ZONE, Host(name="h3", cores=8, memory_mib=16384))
        self.asked: list[str] = []
        self.given: Given = lambda spec: CONTENT
        self._orders, self.hosts.ensure = self.hosts.ensure, self._ensure  # type: ignore[method-assign]
        self.sources.contents = {URL: CONTENT}
        self.run(BASE)
        self.advance(180)

    def _ensure(self, zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        problems = dict(self._orders(zone, specs))
        for spec in specs:
            if part := spec.properties.get(SEND_AS):
                self.asked.append(spec.host)
                found = self.given(spec)
                if isinstance(found, Problem):
                    problems[spec.object_id] = found
                else:
                    self.files.begin(ObjectId(part), self.clock.now())
                    self.files.append(ObjectId(part), 0, found, self.clock.now())
        return problems

    def damage(self, content: bytes | None = None) -> None:
        """Let the file of the blob be gone, or have other bytes."""
        path = self.files.path(digest(CONTENT))
        path.unlink()
        if content is not None:
            path.write_bytes(content)

    def whole(self) -> bool:
        path = self.files.path(digest(CONTENT))
        return path.exists() and path.read_bytes() == CONTENT

    def blob(self) -> ManagedObject:
        [found] = self.store.object_page(ObjectQuery(types=(BLOB,), live=True))
        return found

    def told(self) -> list[tuple[EventType, str]]:
        wanted = (EventType.BLOB_DAMAGED, EventType.BLOB_MENDED)
        return [(one.type, one.reason) for one in self.store.events(EventQuery(types=wanted))]


@pytest.fixture
def world() -> MendingWorld:
    return MendingWorld()


@pytest.mark.parametrize("content", [None, CONTENT[:-1], bytes(len(CONTENT))], ids=["lost", "cut", "changed"])
def test_behaviour_62_the_file_of_a_blob_comes_back_from_the_copy_of_a_host(
    world: MendingWorld, content: bytes | None
) -> None:
    world.damage(content)
    world.advance(180)
    assert world.whole()
    assert f"{ZONE}/{world.asked[0]}" in world.blob().attributes["Replicas"]
    assert [kind for kind, _ in world.told()] == [EventType.BLOB_DAMAGED, EventType.BLOB_MENDED]
    assert not {DAMAGE, MENDER} & world.blob().attributes.keys()
    assert not world.files.parts()
    assert world.settled().state is ProcessState.RUNNING


def test_behaviour_62_what_is_being_mended_is_a_deviation_that_names_the_host(world: MendingWorld) -> None:
    world.given = lambda spec: Problem(message="3 of 9 MiB are sent", is_under_way=True)
    world.damage()
    world.advance(200)
    [host] = set(world.asked)
    [artifact] = world.provider_of_hosts._images.observe(world.the("Base").partition)
    assert artifact.properties["Deviations"] == {
        "blob": [f"its file is not there; the host {ZONE}/{host} gives its copy back"]
    }
    world.given = lambda spec: CONTENT
    world.advance(60)
    assert world.whole()


def test_behaviour_62_a_host_that_gives_other_bytes_or_none_is_passed_over(world: MendingWorld) -> None:
    [first, second] = [key.partition("/")[2] for key in world.blob().attributes["Replicas"]]
    world.given = lambda spec: CONTENT if spec.host == second else b"wrong"
    world.damage()
    world.advance(180)
    assert (world.whole(), world.asked) == (True, [first, second])
    world.given = lambda spec: CONTENT if spec.host == first else Problem(message="its copy is gone", is_final=True)
    world.damage()
    world.advance(900)
    assert world.whole()


def test_behaviour_62_a_blob_without_a_copy_stays_damaged_and_an_upload_mends_it() -> None:
    made = LocalWorld()
    made.sources.contents = {URL: CONTENT}
    made.run(BASE)
    made.sources.contents = {}
    made.files.path(digest(CONTENT)).unlink()
    made.advance(300)
    [blob] = made.store.object_page(ObjectQuery(types=(BLOB,), live=True))
    assert blob.attributes[DAMAGE] == "its file is not there"


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("count", range(1, 9))
def test_a_blob_is_mended_whenever_the_conductor_dies(world: MendingWorld, count: int, is_after: bool) -> None:
    world.damage()
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=count))
    world.advance(400)
    assert world.whole()
    assert not {DAMAGE, MENDER} & world.blob().attributes.keys()


def test_only_the_host_that_was_asked_may_send_and_no_more_than_the_blob_has(world: MendingWorld) -> None:
    [first, second] = [key.partition("/")[2] for key in world.blob().attributes["Replicas"]]
    world.given = lambda spec: Problem(message="it is being sent", is_under_way=True)
    parts, name = HostParts(world.store, world.files, world.clock), mend_part(world.blob().object_id)

    def host(name: str, zone: str = ZONE) -> EnrolledHost:
        return EnrolledHost(zone=zone, name=name, enrolled_at=Instant(0.0), enrolled_by="ada")

    with pytest.raises(NotFoundError):
        parts.append(host(first), name, 0, b"x")  # nothing is damaged
    world.damage()
    world.advance(200)
    assert parts.append(host(first), name, 0, b"abc") == 3
    with pytest.raises(UserError, match=f"at most {len(CONTENT):,} bytes"):
        parts.append(host(first), name, 3, bytes(len(CONTENT)))
    for other in (host(second), host(first, "elsewhere")):
        with pytest.raises(NotFoundError):
            parts.append(other, name, 3, b"x")
    with pytest.raises(NotFoundError):
        parts.append(host(first), "mend-nothing", 0, b"x")
