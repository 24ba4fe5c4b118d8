"""The sizes of disks that begin with an image: refused with their line when they are too small, and counted."""

from dataclasses import replace

import pytest
from images import qcow2_of
from local_world import LocalWorld, a

from tenuto.errors import CompileError, NoRoomError
from tenuto.model.composition import Declaration
from tenuto.model.diagnostic import Position
from tenuto.model.image import GIB
from tenuto.service.commands.plan_view import plan_document
from tenuto.service.objects.limits import Limits
from tenuto.service.views.plan_text import plan_text

URL = "http://images.test/base.img"
NOTES = "http://images.test/notes.txt"


def web(name: str = "Web", **disk: object) -> Declaration:
    made = a(name, "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"Base": "base", **disk}])
    return replace(made, position=Position(file="shop.yaml", line=7, column=3))


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.sources.contents = {URL: qcow2_of(5 * GIB)}
    made.run(a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL}, RefreshSeconds=60), alias="images")
    return made


def test_a_disk_that_is_smaller_than_an_image_that_is_there_is_refused_with_its_line(world: LocalWorld) -> None:
    with pytest.raises(CompileError) as refused:
        world.run(web(SizeGiB=4))
    assert "shop.yaml:7: Disk 0 of Web has 4 GiB, and its base base is a disk of 5 GiB." in str(refused.value)
    assert "Give it a SizeGiB of 5 or more" in str(refused.value.diagnostics[0].hint)
    assert [one.alias for one in world.store.processes()] == ["images"]
    world.run(web(SizeGiB=5))
    assert world.the("Web").state == "created"


def test_a_base_that_is_no_image_is_refused_and_nothing_is_made(world: LocalWorld) -> None:
    world.sources.contents[NOTES] = b"notes"
    world.run(a("Notes", "Artifact", Name="notes", Kind="other", Source={"Url": NOTES}), alias="notes")
    with pytest.raises(CompileError, match="disk 0 has the base notes, whose content is no image for a machine"):
        world.run(web(Base="notes"))
    assert "shop" not in [one.alias for one in world.store.processes()]


def test_a_machine_keeps_the_version_that_it_began_with_and_is_not_judged_by_a_later_one(world: LocalWorld) -> None:
    world.run(web(SizeGiB=5))
    world.sources.contents = {URL: qcow2_of(9 * GIB)}
    world.advance(200)
    assert world.the("Base", "images").attributes["VirtualSizeGiB"] == 9
    world.update(web(SizeGiB=6))
    assert world.the("Web").desired["Disks"][0]["SizeGiB"] == 6
    with pytest.raises(CompileError, match="is a disk of 9 GiB"):
        world.run(web("Other", SizeGiB=6), alias="other")


def test_a_disk_of_a_machine_that_is_there_never_shrinks_and_keeps_its_base(world: LocalWorld) -> None:
    world.run(web(SizeGiB=8))
    world.advance(3600)
    with pytest.raises(CompileError) as refused:
        world.update(web(SizeGiB=7))
    assert "shop.yaml:7: Disk 0 of Web has 8 GiB, and a disk never shrinks." in str(refused.value)
    with pytest.raises(CompileError, match="Disk 0 of Web keeps the base that it was made with: base"):
        world.update(replace(web(), properties={"Vcpus": 1, "MemoryMiB": 512, "Disks": [{"SizeGiB": 8}]}))
    # Another machine of the same name in another process begins as it likes, as does one in the place of the first.
    world.run(web(SizeGiB=6), alias="other")
    anew = replace(web(SizeGiB=6), properties={**web(SizeGiB=6).properties, "Name": "web-2"})
    world.update(anew)
    world.advance(600)
    assert world.the("Web").desired["Disks"][0]["SizeGiB"] == 6


def with_disks(*disks: dict[str, object]) -> Declaration:
    return replace(web(), properties={**web().properties, "Disks": [{"Base": "base", "SizeGiB": 8}, *disks]})


@pytest.mark.parametrize(
    ("left", "told"),
    [
        (with_disks({"SizeGiB": 2}), "Web has 3 disks, and 2 of them are declared."),
        (with_disks(), "Web has 3 disks, and 1 of them is declared."),
        (a("Web", "Instance", Vcpus=1, MemoryMiB=512), "Web has 3 disks, and none of them is declared."),
    ],
    ids=["middle", "last", "all"],
)
def test_a_disk_is_never_taken_out_of_a_machine_that_is_there(world: LocalWorld, left: Declaration, told: str) -> None:
    world.run(with_disks({"SizeGiB": 1}, {"SizeGiB": 2}))
    for submit in (world.update, lambda one: world.system.commands.dry_runs.update("shop", world.submitted(one))):
        with pytest.raises(CompileError) as refused:
            submit(left)
        assert f"{told} A disk is never taken out of a machine." in str(refused.value)
    assert "Declare them all in their order" in str(refused.value.diagnostics[0].hint)
    assert len(world.the("Web").desired["Disks"]) == 3


def test_a_disk_that_the_machine_never_got_may_be_taken_back(world: LocalWorld) -> None:
    world.run(with_disks())
    world.system.commands.update("shop", world.submitted(with_disks({"Base": "none"})))
    world.advance(60)
    assert len(world.the("Web").desired["Disks"]) == 2
    world.system.commands.update("shop", world.submitted(with_disks()))
    world.system.commands.resume("shop")
    world.settled()
    assert (len(world.the("Web").desired["Disks"]), world.the("Web").state) == (1, "created")


def test_a_disk_that_was_never_made_may_be_declared_smaller(world: LocalWorld) -> None:
    world.run(web(SizeGiB=4096))
    assert world.the("Web").state != "created"
    world.advance(600)
    world.update(web(SizeGiB=6))
    world.system.commands.resume("shop")
    world.advance(600)
    assert world.the("Web").state == "created"


def test_a_copy_of_an_image_counts_with_the_size_of_the_image(world: LocalWorld) -> None:
    world.run(web())
    account = world.the("Web").partition.account
    limits = Limits(world.store)
    assert limits.used(account)["disk_gib"] == 5
    world.system.commands.kill("shop")
    world.advance(60)
    assert limits.used(account)["disk_gib"] == 0


def test_copies_fill_the_limit_of_a_namespace(world: LocalWorld) -> None:
    world.system.objects.create("Namespace", "red", fields={"Limits": {"disk_gib": 9}})
    world.run(a("Own", "Artifact", Name="base", Kind="image", Source={"Url": URL}), alias="own", account="red")
    world.run(web(), alias="one", account="red")
    with pytest.raises(NoRoomError, match="others in it have 5, and this composition asks for 5"):
        world.run(web(SizeGiB=5), alias="two", account="red")


class TestLimited:
    """A namespace whose disks may have 10 GiB together."""

    @pytest.fixture
    def world(self) -> LocalWorld:
        made = LocalWorld()
        made.sources.contents = {URL: qcow2_of(5 * GIB)}
        made.system.objects.create("Namespace", "red", fields={"Limits": {"disk_gib": 10}})
        base = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL}, RefreshSeconds=60)
        made.run(base, alias="images", account="red")
        return made

    def test_images_of_undeclared_size_count_before_anything_is_made(self, world: LocalWorld) -> None:
        with pytest.raises(NoRoomError, match=r"may have 10 GiB of disks .* asks for 15 \(A at .*, B at .*, C at"):
            world.run(web("A"), web("B"), web("C"), account="red")
        assert [one.alias for one in world.store.processes()] == ["images"]
        world.run(web("A"), web("B"), account="red")
        with pytest.raises(NoRoomError, match="others in it have 10, and this composition asks for 5"):
            world.run(web("C"), alias="second", account="red")

    def test_a_larger_version_counts_for_new_machines_and_not_for_those_that_are_there(self, world: LocalWorld) -> None:
        world.run(web("A"), web("B"), account="red")
        world.sources.contents = {URL: qcow2_of(9 * GIB)}
        world.advance(200)
        world.update(web("A"), replace(web("B"), properties={**web("B").properties, "MemoryMiB": 256}))
        assert (world.the("B").desired["MemoryMiB"], world.the("B").attributes["DiskGiB"]) == (256, 5)
        assert world.the("Base", "images").attributes["VirtualSizeGiB"] == 9
        with pytest.raises(NoRoomError, match="asks for 14"):
            world.update(web("A"), web("C"))


def test_a_plan_says_that_a_machine_may_be_interrupted_for_another_size(world: LocalWorld) -> None:
    world.run(web())
    larger = replace(web(), properties={**web().properties, "MemoryMiB": 1024, "Restart": "always"})
    told = plan_text(plan_document(world.system.commands.dry_runs.update("shop", world.submitted(larger))))
    assert "MemoryMiB: 512 → 1024  # may interrupt it" in told
    assert "Restart" in told
    assert told.count("may interrupt") == 1
