"""A machine that is to become larger is held against the room of its host, before anything of it stops."""

import pytest
from local_world import LocalWorld, a, submission

from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json
from tenuto.providers.local.rules.machines.placement import Host

ZONE = "us-east-1"


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.hosts.add_host(ZONE, Host(name="h1", cores=1, memory_mib=6144, disk_gib=40))
    made.hosts.add_host(ZONE, Host(name="h2", cores=1, memory_mib=6144, disk_gib=40))
    made.run(*machines(1024, 1024))
    return made


def machines(*memory: int, vcpus: int = 1, disk: int = 4) -> list[Declaration]:
    return [
        a(f"M{n}", "Instance", Vcpus=vcpus, MemoryMiB=one, Host="h1", Disks=[{"SizeGiB": disk}])
        for n, one in enumerate(memory)
    ]


def seen(world: LocalWorld, name: str = "M0") -> dict[str, Json]:
    wanted = world.the(name).object_id
    [found] = [
        one for _, things in world.hosts.everything().values() for spec, one in things if spec.object_id == wanted
    ]
    return {**found.properties, "BootedAt": found.attributes["BootedAt"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            machines(4096, 1024),
            "it asks for 1 vcpus and 4096 MiB and 4 GiB of disk, and its host h1 cannot hold that: 3072 MiB are free",
        ),
        (machines(1024, 1024, vcpus=17), "its host h1 cannot hold that: it has 1 cores"),
        (machines(1024, 1024, disk=33), "its host h1 cannot hold that: 32 GiB of its disk are free"),
    ],
)
def test_what_the_host_has_no_room_for_is_refused_and_the_machine_runs_on(
    world: LocalWorld, change: list[Declaration], words: str
) -> None:
    before = seen(world)
    world.advance(3600)
    process = world.update(*change)
    assert process.state is ProcessState.SUSPENDED
    told = {str(entry.message) for name in ("M0", "M1") for entry in world.the(name).phases.values()}
    assert any(words in one for one in told), told
    after = seen(world)
    assert {name: after[name] for name in ("MemoryMiB", "Vcpus", "BootedAt", "PowerState")} == {
        name: before[name] for name in ("MemoryMiB", "Vcpus", "BootedAt", "PowerState")
    }
    assert (world.the("M0").incarnation, world.the("M0").state) == (1, "created")
    world.update(*machines(1024, 1024))
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING


def test_of_two_that_grow_at_once_one_gets_the_room_that_is_there_for_one(world: LocalWorld) -> None:
    assert world.update(*machines(2500, 2500)).state is ProcessState.SUSPENDED
    assert sorted([seen(world, "M0")["MemoryMiB"], seen(world, "M1")["MemoryMiB"]]) == [1024, 2500]


def test_what_was_refused_takes_no_room_also_after_a_restart_of_the_conductor(world: LocalWorld) -> None:
    world.update(*machines(4096, 1024))
    world.crash()
    assert (
        world.run(a("New", "Instance", Vcpus=1, MemoryMiB=2048, Host="h1"), alias="new").state is ProcessState.RUNNING
    )
    world.system.commands.kill("new")
    world.settled("new")
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.SUSPENDED, "there is room for 3072 MiB"
    world.system.commands.update("shop", submission(tuple(machines(3072, 1024))))
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    assert seen(world)["MemoryMiB"] == 3072


def test_a_host_that_takes_nothing_new_or_became_smaller_keeps_what_may_become_less(world: LocalWorld) -> None:
    world.advance(10)
    world.nodes.cordon("h1", ZONE, is_cordoned=True, actor="ann")
    assert world.update(*machines(2048, 1024)).state is ProcessState.RUNNING
    world.hosts.add_host(ZONE, Host(name="h1", cores=1, memory_mib=2048, disk_gib=40))
    assert world.update(*machines(1024, 1024)).state is ProcessState.RUNNING
    assert seen(world)["MemoryMiB"] == 1024
