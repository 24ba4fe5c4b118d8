"""Limits of a namespace on what processes declare in it: refused at the intake, before anything is made."""

from dataclasses import replace

import pytest
from local_world import LocalWorld, a, submission

from tenuto.errors import NoRoomError
from tenuto.model.composition import Declaration
from tenuto.model.process import ProcessState
from tenuto.ports.store_changes import SaveObject


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.system.objects.create("Namespace", "red", fields={"Limits": {"instances": 2, "vcpus": 4}})
    return made


def machines(count: int, vcpus: int = 1) -> list[Declaration]:
    return [a(f"M{number}", "Instance", Vcpus=vcpus, MemoryMiB=64) for number in range(count)]


def test_a_composition_beyond_a_limit_is_refused_and_nothing_is_there(world: LocalWorld) -> None:
    with pytest.raises(NoRoomError, match="may have 2 machines: others in it have 0, and this composition asks for 3"):
        world.run(*machines(3), account="red")
    assert world.store.process("shop") is None
    assert world.run(*machines(2), account="red").state is ProcessState.RUNNING


def test_what_other_processes_have_counts_and_what_other_namespaces_have_does_not(world: LocalWorld) -> None:
    world.run(*machines(2), alias="elsewhere")
    world.run(*machines(1), alias="first", account="red")
    with pytest.raises(NoRoomError, match="others in it have 1"):
        world.run(*machines(2), account="red")
    world.system.commands.kill("first")
    assert world.settle()
    assert world.run(*machines(2), account="red").state is ProcessState.RUNNING


def test_the_sum_of_a_property_is_limited_too_and_an_update_is_held_against_it(world: LocalWorld) -> None:
    world.run(*machines(2, vcpus=2), account="red")
    with pytest.raises(NoRoomError, match="may have 4 virtual processors"):
        world.system.commands.update("shop", submission(tuple(machines(2, vcpus=3))))
    assert {one.desired["Vcpus"] for one in world.objects()} == {2}


def test_what_is_there_stays_when_the_limit_falls_and_may_become_less(world: LocalWorld) -> None:
    world.run(*machines(2), account="red")
    namespaces = world.system.objects
    namespace = namespaces.find("red", "Namespace")
    world.store.commit(
        (
            SaveObject(
                object=replace(namespace, desired={**namespace.desired, "Limits": {"instances": 0}}),
                expected_generation=namespace.generation,
                documents=True,
            ),
        )
    )
    assert world.update(*machines(1)).state is ProcessState.RUNNING
    assert len([one for one in world.objects() if one.state == "created"]) == 1
    with pytest.raises(NoRoomError):
        world.system.commands.update("shop", submission(tuple(machines(2))))
