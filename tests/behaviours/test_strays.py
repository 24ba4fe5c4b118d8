"""Things on hosts that belong to no object: found, told in each place, left alone, and removed by a command."""

import pytest
from local_world import LocalWorld, a, shop

from tenuto.errors import NotAllowedError
from tenuto.model.event import EventType
from tenuto.model.ids import ObjectId
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.rules.deadlines import Deadlines

ZONE = "us-east-1"
LOST = ObjectId("3f0c9c1e-0000-4000-8000-000000000001")


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld(Deadlines(missing_s=10))
    made.run(*shop())
    made.advance(10)
    return made


def stranded(world: LocalWorld, host: str = "h1") -> None:
    world.hosts.strand(ZONE, host, LOST)
    world.advance(20)


def test_behaviour_39_a_machine_of_no_object_is_found_and_told_in_each_place_and_left_alone(world: LocalWorld) -> None:
    stranded(world)
    world.advance(3600)
    assert world.nodes.show("h1")["strays"] == [LOST]
    [event] = world.store.events(EventQuery(types=(EventType.STRAY_FOUND,)))
    assert (event.subject, event.data["thing"]) == ("h1", LOST), "it is told once"
    [problem] = world.system.doctor.examine().problems
    assert (problem.diagnostic.code, problem.diagnostic.subject) == ("A208", "h1")
    assert LOST in problem.diagnostic.detail
    assert "'tenuto node purge HOST'" in problem.diagnostic.hint
    assert world.hosts.running(ZONE)[LOST] == "h1", "a restored database does not know its newest machines"


def test_behaviour_39_a_purge_removes_it_and_nothing_that_is_known(world: LocalWorld) -> None:
    stranded(world)
    known = world.things()
    assert world.nodes.purge("h1", actor="ann")["purged"] == [LOST]
    world.advance(20)
    assert (world.nodes.show("h1")["strays"], LOST in world.hosts.running(ZONE)) == ([], False)
    assert world.things() == known
    told = [one["after"] for one in world.nodes.show("h1")["events"]]
    assert f"node purge {LOST}" in told
    assert world.system.doctor.examine().problems == ()
    assert world.nodes.purge("h1", actor="ann")["purged"] == []


def test_a_host_that_does_not_answer_is_not_purged(world: LocalWorld) -> None:
    stranded(world)
    world.hosts.set_host(ZONE, "h1", is_up=False)
    world.advance(30)
    with pytest.raises(NotAllowedError, match="nothing can be removed there now"):
        world.nodes.purge("h1", actor="ann")


@pytest.mark.parametrize("pause_s", [0, 20, 7200])
def test_behaviour_39_a_deleted_machine_that_is_there_again_is_removed(world: LocalWorld, pause_s: float) -> None:
    web = world.the("Web")
    world.system.commands.kill("shop")
    world.settled()
    world.run(a("Else", "Instance", Vcpus=1, MemoryMiB=64), alias="else")
    world.hosts.strand(ZONE, str(web.attributes["Host"]), web.object_id)
    assert web.object_id in world.hosts.running(ZONE)
    world.advance(20)
    assert web.object_id not in world.hosts.running(ZONE)
    world.advance(pause_s)
    assert world.store.events(EventQuery(types=(EventType.STRAY_FOUND,))) == (), "it is known to have been deleted"
