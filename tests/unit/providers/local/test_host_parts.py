"""The contents that hosts send: from the host of the machine alone, for a snapshot that is under way alone."""

import pytest
from local_world import LocalWorld, a

from tenuto.errors import NotAllowedError, NotFoundError
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import ObjectId
from tenuto.providers.local.hosts.parts import HostParts

ZONE = "us-east-1"


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.run(a("Web", "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"SizeGiB": 1}, {"SizeGiB": 1}]))
    return made


def waiting(world: LocalWorld, *commands: object) -> ObjectId:
    """An operation whose host does not answer, so that it is under way."""
    fields = {"Instance": world.the("Web").object_id, "Commands": list(commands)}
    world.hosts.set_host(ZONE, where(world), is_up=False)
    made = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    world.advance(3)
    assert world.system.objects.find(made).state == "executing"
    return made


def where(world: LocalWorld) -> str:
    return str(world.the("Web").attributes["Host"])


def host(name: str, zone: str = ZONE) -> EnrolledHost:
    return EnrolledHost(zone=zone, name=name, enrolled_at=0.0, enrolled_by="ada")  # type: ignore[arg-type]


def test_the_host_of_the_machine_sends_in_order(world: LocalWorld) -> None:
    parts, own = HostParts(world.store, world.files, world.clock), host(where(world))
    name = f"{waiting(world, {'Exec': ['true']}, {'Snapshot': 'golden', 'Disks': [1]})}-1-1"
    assert parts.size(own, name) == 0
    assert parts.append(own, name, 0, b"abc") == 3
    with pytest.raises(NotAllowedError, match="number 3, and not 0"):
        parts.append(own, name, 0, b"abc")
    assert parts.append(own, name, 3, b"d") == parts.size(own, name) == 4


def test_nobody_else_and_nothing_else_is_sent(world: LocalWorld) -> None:
    parts, own = HostParts(world.store, world.files, world.clock), host(where(world))
    operation = waiting(world, {"Exec": ["true"]}, {"Snapshot": "golden", "Disks": [1]})
    other = "h1" if where(world) == "h2" else "h2"
    for asking, name in (
        (host(other), f"{operation}-1-1"),
        (host(where(world), "elsewhere"), f"{operation}-1-1"),
        (own, f"{operation}-1-0"),
        (own, f"{operation}-0-1"),
        (own, f"{operation}-7-1"),
        (own, f"{operation}"),
        (own, f"{world.the('Web').object_id}-1-1"),
        (own, "../../x-1-1"),
    ):
        with pytest.raises(NotFoundError, match="There is no snapshot"):
            parts.append(asking, name, 0, b"x")
    assert not world.files.parts()


def test_a_snapshot_that_has_ended_takes_no_bytes(world: LocalWorld) -> None:
    parts, own = HostParts(world.store, world.files, world.clock), host(where(world))
    operation = waiting(world, {"Snapshot": "golden"})
    world.system.objects.delete(operation)
    world.hosts.set_host(ZONE, where(world), is_up=True)
    world.advance(10)
    with pytest.raises(NotFoundError):
        parts.append(own, f"{operation}-0-0", 0, b"x")
