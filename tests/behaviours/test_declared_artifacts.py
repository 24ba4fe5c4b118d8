"""Artifacts that compositions declare: made, read, changed, replaced, held and ended by their process."""

import pytest
from images import digest, disk, qcow2_of
from local_world import LocalWorld, a, submission

from tenuto.errors import NotAllowedError
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.event import EventType
from tenuto.model.ids import Json
from tenuto.model.image import GIB
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.mortality import Blow

URL = "http://images.test/base.img"
OTHER = "http://images.test/other.img"


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.sources.contents = {URL: disk("base"), OTHER: disk("other")}
    return made


def base(source: Json = None, **more: Json) -> Declaration:
    return a("Base", "Artifact", **{"Name": "base", "Kind": "image", "Source": source or {"Url": URL}, **more})


def blobs(world: LocalWorld) -> list[ManagedObject]:
    return list(world.store.object_page(ObjectQuery(types=("Tenuto::Blob",), live=True)))


def test_a_declared_artifact_is_fetched_and_its_attributes_can_be_read(world: LocalWorld) -> None:
    label = a("Label", "Artifact", "Base", Name="stable", Kind="label", Source={"Artifact": {"Ref": "Base"}})
    process = world.run(base(), label)
    made = world.the("Base")
    assert (process.state, made.state) == (ProcessState.RUNNING, "created")
    assert made.attributes["Sha512"] == digest(disk("base"))
    assert (made.attributes["Version"], made.attributes["Format"]) == (1, "raw")
    assert world.the("Label").attributes["BlobId"] == made.attributes["BlobId"]
    assert len(blobs(world)) == 1


def test_nothing_is_to_be_done_once_it_is_there(world: LocalWorld) -> None:
    world.run(base())
    assert world.system.queries.plan("shop").planning.plan.operations == ()


def test_a_changed_source_replaces_it_and_the_old_content_goes(world: LocalWorld) -> None:
    world.run(base())
    first = world.the("Base").object_id
    world.update(base({"Url": OTHER}))
    second = world.the("Base")
    assert second.object_id != first
    assert second.attributes["Sha512"] == digest(disk("other"))
    world.advance(2 * 3600)
    assert [one.desired["Sha512"] for one in blobs(world)] == [digest(disk("other"))]


def test_a_change_in_place_is_no_other_artifact(world: LocalWorld) -> None:
    world.run(base())
    first = world.the("Base").object_id
    world.sources.contents[URL] = disk("newer")
    world.update(base(Sha512=digest(disk("newer")), MaxVersions=1))
    found = world.the("Base")
    assert found.object_id == first
    assert [one["Index"] for one in found.attributes["Versions"]] == [2]


@pytest.mark.parametrize(
    ("declared", "told"),
    [
        ({"source": {"Url": "http://images.test/none"}}, "no server listens there"),
        ({"source": {"Blob": "none"}}, "there is no blob or artifact none"),
        ({"Sha512": "0" * 128}, "was asked for"),
    ],
)
def test_what_cannot_be_made_suspends_its_process_with_the_true_cause(
    world: LocalWorld, declared: dict[str, Json], told: str
) -> None:
    process = world.run(base(**declared))
    assert process.state is ProcessState.SUSPENDED
    assert told in world.the("Base").message


def test_a_name_belongs_to_one_artifact_of_a_namespace(world: LocalWorld) -> None:
    world.run(base())
    world.run(base(), alias="other")
    assert "the name base belongs to the artifact" in world.the("Base", "other").message


def test_a_damaged_content_is_drift_that_is_mended_from_its_source(world: LocalWorld) -> None:
    world.run(base())
    path, first = world.files.path(digest(disk("base"))), world.the("Base").object_id
    path.write_bytes(b"broken")
    world.advance(300)
    assert path.read_bytes() == disk("base")
    found = world.the("Base")
    assert (found.object_id, [one["Index"] for one in found.attributes["Versions"]]) == (first, [1])
    assert "Damage" not in blobs(world)[0].attributes
    assert world.system.queries.plan("shop").planning.plan.operations == ()


def test_a_damaged_content_without_a_source_is_told_until_it_is_mended(world: LocalWorld) -> None:
    world.run(base(), a("Label", "Artifact", "Base", Name="stable", Kind="label", Source={"Artifact": {"Ref": "Base"}}))
    del world.sources.contents[URL]
    world.files.path(digest(disk("base"))).unlink()
    world.advance(200)
    [entry] = [one for name, one in world.the("Label").phases.items() if name == "local.artifact.change"]
    assert "mends it" in entry.message


def test_the_end_of_its_process_takes_everything_along(world: LocalWorld) -> None:
    world.run(base())
    world.system.commands.kill("shop")
    assert world.settle()
    world.advance(2 * 3600)
    assert blobs(world) == []
    assert world.files.stamp(digest(disk("base"))) is None


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("moment", range(2, 11))
def test_a_conductor_that_dies_around_a_write_makes_one_artifact_of_one_blob(moment: int, is_after: bool) -> None:
    world = LocalWorld()
    world.sources.contents = {URL: disk("base")}
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=moment))
    world.run(base())
    assert world.crashes
    found = world.the("Base")
    assert found.state == "created"
    assert [one["Index"] for one in found.attributes["Versions"]] == [1]
    [blob] = blobs(world)
    assert [one.to_id for one in world.store.relations_of(found.object_id)] == [blob.object_id]


def machine(**disk_of: Json) -> Declaration:
    return a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=256, Disks=[{"Base": {"Ref": "Base"}, **disk_of}])


def ordered(world: LocalWorld) -> list[Json]:
    """The disks that the host of the machine was told."""
    [things] = [things for _, things in world.hosts.everything().values()]
    [spec] = [spec for spec, _ in things if spec.object_id == world.the("Web").object_id]
    disks: list[Json] = list(spec.properties["Disks"])
    return disks


def test_behaviour_58_a_blob_in_use_outlives_its_artifact(world: LocalWorld) -> None:
    world.run(base(), alias="images")
    artifact = world.the("Base", "images").object_id
    world.run(
        a("Web", "Instance", Vcpus=1, MemoryMiB=256, Disks=[{"Base": artifact}, {"Base": artifact, "SizeGiB": 2}])
    )
    [blob] = blobs(world)
    assert [one["Base"] for one in ordered(world)] == [blob.desired["Sha512"]] * 2
    # Two disks of one blob are two relations.
    roles = [one.role for one in world.store.relations_of(world.the("Web").object_id)]
    assert roles == ["disk0", "disk1"]
    assert world.system.queries.plan("shop").planning.plan.operations == ()
    world.system.commands.kill("images")
    assert world.settle()
    world.advance(2 * 3600)
    assert blobs(world) == [world.store.object(blob.object_id)]
    assert world.files.stamp(blob.desired["Sha512"]) is not None
    with pytest.raises(NotAllowedError, match="still needed by Tenuto::Compute::Instance Web"):
        world.system.objects.delete(blob.object_id)
    world.system.commands.kill("shop")
    assert world.settle()
    world.advance(2 * 3600)
    assert blobs(world) == []


def test_a_machine_keeps_its_content_when_its_artifact_has_another(world: LocalWorld) -> None:
    world.run(base(RefreshSeconds=60), machine())
    first = ordered(world)
    world.sources.contents[URL] = disk("newer")
    world.advance(600)
    assert world.the("Base").attributes["Version"] == 2
    world.update(base(RefreshSeconds=60), machine(SizeGiB=3))
    assert [one["Base"] for one in ordered(world)] == [one["Base"] for one in first]  # type: ignore[index]


def test_a_disk_keeps_its_base_and_says_so_when_another_one_is_declared(world: LocalWorld) -> None:
    other = a("Other", "Artifact", Name="other", Kind="image", Source={"Url": OTHER})
    world.run(base(), other, machine())
    web, before = world.the("Web"), ordered(world)
    changed = a("Web", "Instance", "Other", Vcpus=1, MemoryMiB=256, Disks=[{"Base": {"Ref": "Other"}}])
    world.system.commands.update("shop", submission((base(), other, changed)))
    world.advance(120)
    found = world.the("Web")
    assert (found.object_id, found.state, ordered(world)) == (web.object_id, "created", before)
    assert any("keeps the base" in one.message for one in found.phases.values())
    world.update(base(), other, machine())
    assert world.system.queries.plan("shop").planning.plan.operations == ()


def test_behaviour_36_a_disk_that_is_smaller_than_its_image_is_an_error_that_says_so(world: LocalWorld) -> None:
    large = qcow2_of(5 * GIB)
    world.sources.contents[URL] = large
    process = world.run(base(), machine(SizeGiB=4))
    assert process.state is ProcessState.SUSPENDED
    web = world.the("Web")
    assert web.state == "error"
    assert "disk 0 of 4 GiB is smaller than its base" in web.message
    assert "(5 GiB)" in web.message
    told = world.store.events(EventQuery(fid=web.fid, types=(EventType.OBJECT_STATE,), limit=100))
    states = [one.after for one in told if one.subject == "Web"]
    assert states[-2:] == ["creating-error", "error"]


@pytest.mark.parametrize("image", ["nothing", "0b1d5f3a-6c1e-4b5e-9f53-0a8d3f6f2c01"])
def test_a_base_that_is_not_there_is_an_error_that_names_it(world: LocalWorld, image: str) -> None:
    world.run(a("Web", "Instance", Vcpus=1, MemoryMiB=256, Disks=[{"Base": image}]))
    assert f"the base {image}, and there is no artifact" in world.the("Web").message
    assert world.store.relations_of(world.the("Web").object_id) == ()


def test_behaviour_14_a_machine_that_is_deleted_while_its_image_is_fetched_stays_deleted(world: LocalWorld) -> None:
    world.sources.slow.add(URL)
    world.system.commands.run(submission((base(), machine())), alias="shop")
    world.advance(60)
    assert world.the("Base").state == "initial"
    world.system.commands.kill("shop")
    world.advance(60)
    world.sources.slow.clear()
    world.advance(600)
    assert {one.state for one in world.objects()} <= {"deleted"}
    assert world.things() == {}
    assert blobs(world) == []


def test_an_artifact_of_another_namespace_is_no_base(world: LocalWorld) -> None:
    for name in ("red", "blue"):
        world.system.objects.create("Namespace", name)
    world.run(base(), alias="images", account="red")
    artifact = world.the("Base", "images").object_id
    web = a("Web", "Instance", Vcpus=1, MemoryMiB=256, Disks=[{"Base": artifact}])
    world.run(web, account="blue")
    assert "that blue may see" in world.the("Web").message
