"""Updates that would replace a machine that runs by one that cannot exist: refused, before anything is deleted."""

from collections.abc import Mapping, Sequence

import pytest
from images import disk, qcow2_of
from local_world import LocalWorld, a, shop

from tenuto.errors import CompileError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, LogicalId
from tenuto.model.image import GIB

URL = "https://images.example/base.raw"
NO_IMAGE = (
    "Web cannot begin: disk 0 has the base bsae, and there is no artifact with a version, and no blob, of this id or "
    "name that default may see."
)
SMALL = "no host has 1 vcpus and 512000 MiB and 4 GiB of disk: h1: 14336 MiB of it are for machines; h2: 14336 MiB"
INSTANCES: Sequence[tuple[dict[str, Json], str, str]] = (
    (
        {"Driver": "qemu"},
        "Driver",
        "asks for the driver qemu, and the hosts of the zone us-east-1 have the driver simul",
    ),
    ({"MemoryMiB": 512000}, "MemoryMiB", SMALL),
    ({"Vcpus": 200}, "Vcpus", "h1: it has 8 cores"),
    ({"Host": "h1", "MemoryMiB": 20000}, "MemoryMiB", "h1: 14336 MiB of it are for machines; h2: h1 is asked for"),
    ({"Disks": [{"Base": "base", "SizeGiB": 4000}]}, "Disks", "h1: 90 GiB of its disk are for machines"),
    ({"Disks": [{"Base": "bsae"}]}, "Disks", NO_IMAGE),
    ({"Disks": [{"Base": "notes"}]}, "Disks", "whose content is no image for a machine"),
    ({"Disks": [{"Base": "large", "SizeGiB": 4}]}, "Disks", "has 4 GiB, and its base large is a disk of 5 GiB"),
)
NODES: Sequence[tuple[dict[str, Json], str, str]] = (
    ({"Image": "bsae"}, "Image", NO_IMAGE),
    ({"Image": "notes"}, "Image", "whose content is no image for a machine"),
    ({"Image": "large", "MachineType": "1x512000"}, "MachineType", SMALL.replace("4 GiB of", "5 GiB of")),
)


def node(**properties: Json) -> list[Declaration]:
    """A node in the place of the machine of the shop."""
    net, nic, _ = shop()
    declared = {"MachineType": "1x512", "Network": {"Ref": "Nic"}, "Image": "base", **properties}
    return [
        net,
        nic,
        Declaration(logical_id=LogicalId("Web"), type=CLOUD_NODE, properties=declared, depends_on=(LogicalId("Nic"),)),
    ]


def web(**properties: Json) -> list[Declaration]:
    return shop(**{"Name": "other", "Disks": [{"Base": "base", "SizeGiB": 4}], **properties})


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    contents = {"base": disk(), "notes": b"notes", "large": qcow2_of(5 * GIB)}
    made.sources.contents = {f"{URL}/{name}": content for name, content in contents.items()}
    made.run(
        *(
            a(name.title(), "Artifact", Name=name, Kind="other" if name == "notes" else "image", Source={"Url": url})
            for url, name in ((url, url.rpartition("/")[2]) for url in made.sources.contents)
        ),
        alias="images",
    )
    return made


def refused(world: LocalWorld, wanted: Sequence[Declaration], path: str, words: str) -> None:
    """The update and its dry run are refused, and the machine runs on."""
    before = world.the("Web").object_id
    submitted = world.submitted(*wanted)
    for submit in (
        lambda: world.system.commands.dry_runs.update("shop", submitted),
        lambda: world.system.commands.update("shop", submitted),
    ):
        with pytest.raises(CompileError) as told:
            submit()
        [problem] = told.value.diagnostics
        assert (problem.code, problem.subject) == ("T714", f"Resources.Web.Properties.{path}")
        assert words in problem.detail
        assert problem.detail.endswith("The update would delete the present machine with its disks first.")
    world.advance(120)
    assert (world.the("Web").object_id, world.things()[before]) == (before, "on")


@pytest.mark.parametrize(("changes", "path", "words"), INSTANCES)
def test_an_instance_is_not_replaced_by_one_that_cannot_exist(
    world: LocalWorld, changes: Mapping[str, Json], path: str, words: str
) -> None:
    world.run(*web(Name="web"))
    refused(world, web(**changes), path, words)


@pytest.mark.parametrize(("changes", "path", "words"), NODES)
def test_a_node_is_not_replaced_by_one_that_cannot_exist(
    world: LocalWorld, changes: Mapping[str, Json], path: str, words: str
) -> None:
    world.run(*node())
    refused(world, node(**changes), path, words)


def test_an_instance_is_not_replaced_by_a_node_that_cannot_exist(world: LocalWorld) -> None:
    world.run(*web())
    refused(world, node(Image="bsae"), "Image", NO_IMAGE)


def test_a_base_that_is_gone_since_the_machine_began_refuses_its_replacement(world: LocalWorld) -> None:
    world.run(*web(Name="web"))
    world.update(*web(Name="web", Vcpus=2))
    world.system.commands.kill("images")
    world.settled("images")
    refused(world, web(), "Disks", NO_IMAGE.replace("bsae", "base"))
    assert world.update(*web(Name="web", Vcpus=1)).last_message == "", "it keeps the content that it began with"


def test_a_new_version_that_is_too_large_for_the_declared_disk_refuses_a_replacement(world: LocalWorld) -> None:
    world.run(*web(Name="web"))
    world.sources.contents[f"{URL}/base"] = qcow2_of(5 * GIB)
    artifact = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": f"{URL}/base"}, RefreshSeconds=60)
    world.update(artifact, alias="images")
    world.advance(200)
    refused(world, web(), "Disks", "has 4 GiB, and its base base is a disk of 5 GiB")


def test_room_that_another_machine_has_for_now_refuses_no_replacement(world: LocalWorld) -> None:
    world.run(*web(Name="web"))
    world.run(*(a(f"Big{n}", "Instance", Vcpus=1, MemoryMiB=13000, Host=f"h{n}") for n in (1, 2)), alias="big")
    before = world.the("Web").object_id
    world.system.commands.update("shop", world.submitted(*web(MemoryMiB=4000)))
    world.advance(60)
    assert (world.the("Web").state, world.the("Web").object_id != before) == ("preflight", True)
    world.system.commands.kill("big")
    world.settled("big")
    assert world.settled().last_message == ""
    assert world.the("Web").state == "created"


def test_an_image_that_the_same_composition_makes_refuses_no_replacement(world: LocalWorld) -> None:
    world.run(*web(Name="web"))
    new = a("New", "Artifact", Name="new", Kind="image", Source={"Url": f"{URL}/large"})
    net, nic, machine = web(Disks=[{"Base": "new"}])
    world.update(net, nic, new, a("Web", "Instance", "Nic", "New", **machine.properties))
    assert world.the("Web").desired["Disks"] == [{"Base": "new"}]
    assert world.the("Web").state == "created"


def test_a_machine_that_was_never_made_may_be_corrected_in_steps(world: LocalWorld) -> None:
    world.run(*web(Disks=[{"Base": "bsae"}]))
    assert world.the("Web").state == "error"
    world.update(*web(Disks=[{"Base": "baes"}], Name="web"))
    world.system.commands.resume("shop")
    assert world.settled().last_message
    world.update(*web(Name="web"))
    world.system.commands.resume("shop")
    assert world.settled().last_message == ""


def test_an_image_in_the_folder_of_a_host_is_known_only_by_the_machine_that_began_with_it(world: LocalWorld) -> None:
    world.hosts.name = "qemu"
    world.run(*web(Name="web", Disks=[{"Base": "tiny"}]))
    refused(world, web(Disks=[{"Base": "tyni"}]), "Disks", "It is not known here whether a host has an image of this")
    before = world.the("Web").object_id
    world.update(*web(Disks=[{"Base": "tiny"}]))
    assert (world.the("Web").state, world.the("Web").object_id != before) == ("created", True)
