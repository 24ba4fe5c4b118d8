"""Copies of blobs on hosts: as many as the policy says, verified, and made up again (behaviours 61 and 62)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from images import digest, disk
from local_world import LocalWorld, a

from tenuto.model.event import EventType
from tenuto.model.ids import ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_claims import ObjectQuery
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.driver import Problem, Spec
from tenuto.providers.local.objects import BLOB
from tenuto.providers.local.rules.machines.placement import Host
from tenuto.providers.local.rules.replication import ReplicationRules, replica_id
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
URL = "http://images.test/base.img"
BASE = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL})
MINUTE = 60.0


def a_world(hosts: int = 3, **rules: Any) -> LocalWorld:
    made = LocalWorld(replication=ReplicationRules(left_out=(), **rules))
    for number in range(hosts):
        made.hosts.add_host(ZONE, Host(name=f"h{number + 1}", cores=8, memory_mib=16384))
    made.sources.contents = {URL: disk("base")}
    made.run(BASE)
    made.advance(3 * MINUTE)
    return made


@pytest.fixture
def world() -> LocalWorld:
    return a_world()


def blob(world: LocalWorld) -> ManagedObject:
    [found] = world.store.object_page(ObjectQuery(types=(BLOB,), live=True))
    return found


def replicas(world: LocalWorld) -> Mapping[str, Any]:
    found: Mapping[str, Any] = blob(world).attributes["Replicas"]
    return found


def good(world: LocalWorld) -> list[str]:
    """The hosts that have a good copy by the record."""
    return [key.partition("/")[2] for key, facts in replicas(world).items() if facts["State"] == "good"]


def held(world: LocalWorld) -> list[str]:
    """The hosts that really have a copy."""
    return sorted(
        spec.host for _, things in world.hosts.everything().values() for spec, _ in things if spec.type == BLOB
    )


def told(world: LocalWorld) -> list[tuple[str | None, str]]:
    return [(one.after, one.reason) for one in world.store.events(EventQuery(types=(EventType.BLOB_REPLICA,)))]


def test_behaviour_61_a_blob_has_as_many_replicas_as_the_policy_says(world: LocalWorld) -> None:
    assert len(good(world)) == 2
    assert held(world) == good(world)
    assert [after for after, _ in told(world)] == ["made", "made"]
    assert all("VerifiedAt" in facts for facts in replicas(world).values())
    world.advance(10 * MINUTE)
    assert held(world) == good(world)


def test_behaviour_61_there_are_never_more_replicas_than_hosts() -> None:
    assert good(a_world(hosts=2, factor=5)) == ["h1", "h2"]


def test_behaviour_61_a_lost_host_lowers_the_count_and_it_is_made_up_again(world: LocalWorld) -> None:
    first, second = good(world)
    [other] = {"h1", "h2", "h3"} - {first, second}
    world.hosts.set_host(ZONE, first, is_up=False)
    # As long as it is only missing, nothing is made up for: it will be back with all that it has.
    world.advance(world.deadlines.missing_s + 2 * MINUTE)
    assert set(good(world)) == {first, second}
    world.advance(world.deadlines.lost_s + 3 * MINUTE)
    assert set(good(world)) == {second, other}
    assert any(after == "lost" and "its host is lost" in reason for after, reason in told(world))
    # When it is back, it is cleared of what is not expected there any more.
    world.hosts.set_host(ZONE, first, is_up=True)
    world.advance(5 * MINUTE)
    assert held(world) == sorted([second, other])


def test_behaviour_61_a_host_that_may_get_nothing_new_gets_no_replica() -> None:
    made = LocalWorld(replication=ReplicationRules(left_out=()))
    made.sources.contents = {URL: disk("base")}
    made.hosts.add_host(ZONE, Host(name="h3", cores=8, memory_mib=16384))
    made.advance(MINUTE)
    made.nodes.cordon("h1", ZONE, is_cordoned=True, actor="ada")
    made.run(BASE)
    made.advance(3 * MINUTE)
    assert good(made) == ["h2", "h3"]


def test_behaviour_62_a_corrupted_replica_is_found_told_and_replaced(world: LocalWorld) -> None:
    first, second = good(world)
    name = replica_id(blob(world).object_id, f"{ZONE}/{first}")
    world.hosts.break_thing(name, "its bytes were not what they had been")
    world.advance(3 * MINUTE)
    assert good(world) == [first, second]
    assert any(after == "lost" and "its bytes were not" in reason for after, reason in told(world))
    assert told(world)[-1][0] == "made"


def test_behaviour_62_a_replica_that_is_removed_behind_the_back_comes_again(world: LocalWorld) -> None:
    first, second = good(world)
    world.hosts.destroy(replica_id(blob(world).object_id, f"{ZONE}/{second}"))
    assert held(world) == [first]
    world.advance(3 * MINUTE)
    assert held(world) == good(world) == [first, second]


def test_a_machine_keeps_its_replica_where_it_is(world: LocalWorld) -> None:
    world.run(a("Web", "Instance", Vcpus=1, MemoryMiB=512, Disks=[{"Base": "base"}]), alias="web")
    before = good(world)
    world.advance(10 * MINUTE)
    assert good(world) == before


def test_a_blob_that_goes_takes_its_replicas_with_it(world: LocalWorld) -> None:
    world.system.commands.kill("shop")
    world.advance(3 * 3600)
    assert held(world) == []
    assert not list(world.store.object_page(ObjectQuery(types=(BLOB,), live=True)))
    assert world.files.stamp(digest(disk("base"))) is None


def test_a_stopped_host_keeps_no_blob_from_going_and_its_content_from_coming_again(world: LocalWorld) -> None:
    stopped, name = good(world)[0], blob(world).object_id
    world.nodes.stop(stopped, ZONE, actor="ada")
    world.advance(3 * MINUTE)
    assert (world.states()[stopped], stopped in good(world)) == ("stopped", True)
    world.system.commands.kill("shop")
    world.settled()
    world.system.objects.delete(name)
    world.advance(3 * MINUTE)
    assert held(world) == []
    world.run(BASE, alias="again")
    assert (world.the("Base", "again").state, blob(world).object_id != name) == ("created", True)
    world.advance(3 * MINUTE)
    assert stopped not in good(world)
    # Its agent is started again, and is cleared of the copy that was given up.
    world.hosts.set_host(ZONE, stopped, is_up=True)
    assert world.hosts.unwanted(ZONE, stopped) == [replica_id(name, f"{ZONE}/{stopped}")]
    world.advance(5 * MINUTE)
    assert world.states()[stopped] == "created"
    assert world.hosts.unwanted(ZONE, stopped) == []


def test_simulated_hosts_have_no_replicas_unless_they_are_asked_for() -> None:
    made = LocalWorld()
    made.sources.contents = {URL: disk("base")}
    made.run(BASE, a("Web", "Instance", "Base", Vcpus=1, MemoryMiB=512, Disks=[{"Base": {"Ref": "Base"}}]))
    made.advance(5 * MINUTE)
    assert held(made) == []


@pytest.mark.parametrize("count", range(1, 8))
def test_replicas_are_made_once_whenever_the_conductor_dies(count: int) -> None:
    made = LocalWorld(replication=ReplicationRules(left_out=()))
    made.sources.contents = {URL: disk("base")}
    made.hosts.add_host(ZONE, Host(name="h3", cores=8, memory_mib=16384))
    made.run(BASE)
    made.fate.arm(Blow(operation="commit", is_after=bool(count % 2), count=count))
    made.advance(5 * MINUTE)
    assert len(good(made)) == 2
    assert held(made) == good(made)


def test_a_damaged_copy_that_does_not_come_again_does_not_hold_up_that_of_another_host() -> None:
    """Its host shows the damage until the copy is there again; the content may be good on the other host alone."""
    made = a_world(hosts=2)
    first, second = good(made)
    ensure, orders = made.hosts.ensure, list[str]()

    def refusing(zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        orders.extend(one.host for one in specs if one.type == BLOB)
        wrong = {
            one.object_id: Problem(message="what came has other bytes")
            for one in specs
            if one.type == BLOB and one.host == first
        }
        return {**ensure(zone, [one for one in specs if one.object_id not in wrong]), **wrong}

    made.hosts.ensure = refusing  # type: ignore[method-assign]
    names = {host: replica_id(blob(made).object_id, f"{ZONE}/{host}") for host in (first, second)}
    made.hosts.break_thing(names[first], "its bytes were not what they had been")
    made.hosts.destroy(names[second])
    made.advance(3 * MINUTE)
    assert (second in orders, good(made)) == (True, [second])
    made.hosts.ensure = ensure  # type: ignore[method-assign]
    made.advance(15 * MINUTE)
    assert good(made) == [first, second]


@pytest.mark.parametrize("why", [{"is_final": True}, {"is_full": True}], ids=["final", "full"])
def test_a_host_that_cannot_take_a_copy_is_passed_over_and_that_is_said(why: dict[str, bool]) -> None:
    made = LocalWorld(replication=ReplicationRules(left_out=()))
    made.sources.contents = {URL: disk("base")}
    for name in ("h3", "h4"):
        made.hosts.add_host(ZONE, Host(name=name, cores=8, memory_mib=16384))
    ensure, full, asked = made.hosts.ensure, {"h1", "h2"}, list[ObjectId]()

    def refusing(zone: str, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        wrong = {
            one.object_id: Problem(message="its disk is full", **why)
            for one in specs
            if one.type == BLOB and one.host in full
        }
        asked.extend(wrong)
        return {**ensure(zone, [one for one in specs if one.object_id not in wrong]), **wrong}

    made.hosts.ensure = refusing  # type: ignore[method-assign]
    made.run(BASE)
    made.advance(5 * MINUTE)
    assert good(made) == held(made) == ["h3", "h4"]
    assert all("its disk is full" in reason for after, reason in told(made) if after == "lost")
    assert len(asked) == len(set(asked)), "a full host is not asked again for a while"
    # A host that has room again counts again.
    full.clear()
    made.nodes.cordon("h4", ZONE, is_cordoned=True, actor="ada")
    made.hosts.set_host(ZONE, "h3", is_up=False)
    made.advance(made.deadlines.lost_s + 5 * MINUTE)
    assert len(good(made)) == 2
    assert "h3" not in good(made)
