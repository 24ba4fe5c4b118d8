"""Hosts as nodes, by a whole Conductor on simulated hosts: missing, lost, back, cordoned, stopped and deleted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from local_world import LocalWorld, a, shop, submission

from tenuto.errors import NotAllowedError, NotFoundError
from tenuto.model.command import ProcessState
from tenuto.model.ids import ObjectId, PhaseName
from tenuto.providers.local.driver import Problem
from tenuto.providers.local.leases import FENCED
from tenuto.providers.local.rules.deadlines import Deadlines, Presence

ZONE = "us-east-1"
SHORT = Deadlines(missing_s=5.0)


@pytest.fixture
def world() -> LocalWorld:
    return LocalWorld(SHORT)


def host_of(world: LocalWorld, name: str = "Web") -> str:
    return str(world.the(name).attributes["Host"])


def other(host: str) -> str:
    return {"h1": "h2", "h2": "h1"}[host]


def interfaces(world: LocalWorld, machine: ObjectId) -> object:
    """The interfaces that a machine has on its host."""
    _, things = world.hosts.everything()[ZONE]
    return next(seen.properties["Interfaces"] for spec, seen in things if spec.object_id == machine)


def cut(world: LocalWorld, host: str) -> None:
    world.hosts.set_host(ZONE, host, is_up=False)


def plug(world: LocalWorld, host: str) -> None:
    world.hosts.set_host(ZONE, host, is_up=True)


def test_behaviour_66_a_silent_host_is_missing_gets_no_machine_and_loses_none(world: LocalWorld) -> None:
    world.run(*shop(), a("Db", "Instance", Vcpus=1, MemoryMiB=128))
    world.advance(10)
    assert world.states() == {"h1": "created", "h2": "created"}
    host, before = host_of(world), world.things()
    cut(world, host)
    world.advance(20)
    assert world.states() == {host: "missing", other(host): "created"}
    one = world.nodes.show(host)
    assert one["lost_at"] > one["since"]
    moves = [(event["before"], event["after"]) for event in one["events"]]
    assert moves == [("nothing", "created"), ("created", "missing")]
    world.run(a("New", "Instance", Vcpus=1, MemoryMiB=128), alias="new")
    assert world.the("New", "new").attributes["Host"] == other(host)
    plug(world, host)
    world.advance(10)
    assert world.states()[host] == "created"
    assert before.items() <= world.things().items()
    assert {one.incarnation for one in world.objects()} == {1}


def test_a_lost_host_puts_its_machines_into_error_and_a_person_decides(world: LocalWorld) -> None:
    world.run(*shop())
    host = host_of(world)
    cut(world, host)
    world.advance(120)
    assert world.states()[host] == "error"
    assert world.the("Web").state == "error"
    process = world.store.process("shop")
    assert process is not None
    assert process.state is ProcessState.SUSPENDED
    assert f"its host {host} is lost: it did not check in for 50 s" in process.last_message
    assert list(world.hosts.running(ZONE).values()) == [host], "nothing ends a machine that nobody makes elsewhere"
    web = world.the("Web").object_id
    plug(world, host)
    world.advance(60)
    assert list(world.hosts.running(ZONE).values()) == [host], "its disk may be saved"
    assert interfaces(world, web) == [], "it is on no network"
    assert world.nodes.show(host)["isolated"] == [web]
    world.crash()
    world.advance(60)
    assert world.nodes.show(host)["isolated"] == [web]
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    assert (world.the("Web").incarnation, len(world.hosts.running(ZONE))) == (2, 1)
    assert interfaces(world, world.the("Web").object_id) != []
    world.advance(60)
    assert world.nodes.show(host_of(world))["isolated"] == []


def test_a_host_that_is_silent_was_heard_when_it_was_heard(world: LocalWorld) -> None:
    """Neither the moment at which it was declared lost is a check-in, nor the start of another Conductor."""
    world.run(*shop())
    host = host_of(world)
    world.advance(10)
    heard = world.nodes.show(host)["checked_in"]
    cut(world, host)
    world.advance(120)
    for _ in range(2):
        one = world.nodes.show(host)
        assert one["state"] == "error"
        assert one["checked_in"] == heard < one["since"]
        assert one["silent_s"] >= 120
        world.crash()
        world.advance(1)
    plug(world, host)
    world.advance(10)
    assert world.nodes.show(host)["silent_s"] == 0.0


def test_a_machine_that_may_be_replaced_serves_elsewhere_within_two_minutes_and_never_twice(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    host = host_of(world)
    old = world.the("Web").object_id
    cut(world, host)
    for _ in range(120):
        world.advance(1)
        assert len(world.hosts.running(ZONE)) <= 1
    assert list(world.hosts.running(ZONE).values()) == [other(host)]
    assert (world.the("Web").state, world.the("Web").incarnation) == ("created", 2)
    process = world.store.process("shop")
    assert process is not None
    assert process.state is ProcessState.RUNNING
    assert (world.nodes.show(host)["left_behind"], world.nodes.show(host)["isolated"]) == ([old], [])
    plug(world, host)
    for _ in range(20):
        world.advance(1)
        assert len(world.hosts.running(ZONE)) == 1
    assert world.nodes.show(host)["left_behind"] == []
    assert old not in world.hosts.unwanted(ZONE, host)
    assert world.states()[host] == "created"


def test_a_machine_is_replaced_while_another_one_of_the_lost_host_waits_for_a_person(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    host = host_of(world)
    process = world.store.process("shop")
    assert process is not None
    kept = a("Kept", "Instance", Vcpus=1, MemoryMiB=128, Host=host)
    world.system.commands.update(process.fid, submission((*shop(Replace="on-host-error"), kept)))
    world.advance(30)
    cut(world, host)
    world.advance(120)
    assert (world.the("Web").state, world.the("Web").incarnation, host_of(world)) == ("created", 2, other(host))
    assert (world.the("Kept").state, world.the("Kept").incarnation) == ("error", 1)
    process = world.store.process("shop")
    assert process is not None
    assert process.state is ProcessState.SUSPENDED, "once all else is at rest"
    assert f"its host {host} is lost" in process.last_message


def test_the_loss_of_a_host_with_most_of_a_process_waits_for_no_person(world: LocalWorld) -> None:
    """Three machines of five resources: as many replacements are no mass, since none of the machines serves."""
    machine = {"Vcpus": 1, "MemoryMiB": 128, "Replace": "on-host-error"}
    world.run(*shop(Replace="on-host-error"))
    world.advance(10)
    host = host_of(world)
    world.nodes.cordon(other(host), is_cordoned=True, actor="ann")
    more = (*shop(Replace="on-host-error"), *(a(name, "Instance", **machine) for name in ("Two", "Three")))
    world.system.commands.update("shop", submission(more))
    world.settle()
    assert list(world.hosts.running(ZONE).values()) == [host] * 3
    world.nodes.cordon(other(host), is_cordoned=False, actor="ann")
    world.advance(3600)
    cut(world, host)
    for _ in range(120):
        world.advance(1)
        assert len(world.hosts.running(ZONE)) <= 3
    assert list(world.hosts.running(ZONE).values()) == [other(host)] * 3
    process = world.store.process("shop")
    assert process is not None
    assert process.state is ProcessState.RUNNING


def test_a_host_that_is_back_before_it_is_lost_starts_what_its_lease_ended(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-error"))
    host = host_of(world)
    cut(world, host)
    world.advance(SHORT.lease_s + 2)
    assert world.hosts.running(ZONE) == {}
    plug(world, host)
    assert FENCED in world.things().values()
    world.advance(60)
    assert list(world.hosts.running(ZONE).values()) == [host]
    assert world.the("Web").incarnation == 1


def test_a_conductor_that_hears_no_host_concludes_nothing(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    for host in ("h1", "h2"):
        cut(world, host)
    world.advance(600)
    assert set(world.states().values()) == {"missing"}
    assert world.the("Web").incarnation == 1


def test_a_conductor_that_was_away_makes_no_host_missing(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    host = host_of(world)
    cut(world, host)
    world.advance(40)
    world.crash()
    world.advance(40)
    assert world.states()[host] == "missing", "its silence counts from when this Conductor began to listen"
    world.advance(20)
    assert world.states()[host] == "error"


def test_a_cordoned_host_gets_nothing_new_and_keeps_what_it_has(world: LocalWorld) -> None:
    world.run(*shop())
    world.advance(10)
    host = host_of(world)
    shown = world.nodes.cordon(other(host), is_cordoned=True, actor="ann")
    assert (shown["cordoned"], shown["events"][-1]["after"]) == (True, "node cordon")
    world.run(a("New", "Instance", Vcpus=1, MemoryMiB=128), alias="new")
    assert world.the("New", "new").attributes["Host"] == host
    world.nodes.cordon(host, is_cordoned=True, actor="ann")
    world.system.commands.run(submission((a("Two", "Instance", Vcpus=1, MemoryMiB=128),)), alias="two")
    world.advance(60)
    assert "it is cordoned" in world.the("Two", "two").phases[PhaseName("local.place")].message
    world.nodes.cordon(host, is_cordoned=False, actor="ann")
    assert world.settled("two").state is ProcessState.RUNNING
    assert len(world.hosts.running(ZONE)) == 3


def test_behaviour_69_a_host_that_is_stopped_ends_in_good_order_and_its_machines_run_on(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    world.advance(10)
    host = host_of(world)
    assert world.nodes.stop(host, actor="ann")["state"] == "stopping"
    world.advance(600)
    assert world.states()[host] == "stopped"
    assert list(world.hosts.running(ZONE).values()) == [host]
    assert world.the("Web").incarnation == 1
    plug(world, host)
    world.advance(10)
    assert world.states()[host] == "created"
    moves = [event["after"] for event in world.nodes.show(host)["events"] if event["type"] == "object.state"]
    assert moves == ["created", "stopping", "stopped", "created"]


def test_behaviour_68_a_deleted_host_frees_what_was_on_it_and_its_row_stays() -> None:
    world = LocalWorld()
    world.run(*shop())
    world.advance(10)
    host = host_of(world)
    with pytest.raises(NotAllowedError, match=r"has 1 machine \(shop/Web\)"):
        world.nodes.delete(host, actor="ann")
    node = world.nodes.show(host)["id"]
    world.nodes.delete(host, is_forced=True, actor="ann")
    assert host not in world.states()
    world.settle()
    world.advance(60)
    assert (world.the("Web").incarnation, list(world.hosts.running(ZONE).values())) == (2, [other(host)])
    world.advance(3 * 3600)
    row = world.store.object(node)
    assert row is not None
    assert row.state == "deleted"
    shown = world.nodes.show(host)
    assert (shown["id"], shown["state"], shown["machines"]) == (node, "deleted", [])
    assert shown["checked_in"] == shown["since"], "it answered until it was deleted"
    assert (shown["events"][-1]["before"], shown["events"][-1]["after"]) == ("created", "deleted")
    with pytest.raises(NotFoundError, match="There is no host"):
        world.nodes.show("h9")


@pytest.mark.parametrize("is_resumed", [True, False])
def test_a_host_that_is_deleted_while_it_is_lost_is_rid_of_its_machines_when_its_name_joins_again(
    world: LocalWorld, *, is_resumed: bool
) -> None:
    """Their rows are cleaned away by then, so they were told as strays, and a machine of a dead process ran on."""
    world.run(*shop())
    host, web = host_of(world), world.the("Web").object_id
    means = next(one for one in world.hosts.hosts(ZONE) if one.name == host)
    cut(world, host)
    world.advance(120)
    if is_resumed:
        world.system.commands.resume("shop")
        world.settled()
        world.advance(3 * 3600)
    world.nodes.delete(host, is_forced=True, actor="ann")
    world.settle()
    world.advance(3 * 3600)
    assert world.store.object(web) is None
    assert web in world.nodes.show(host)["left_behind"]
    world.hosts.add_host(ZONE, means)
    world.hosts.strand(ZONE, host, web)
    world.advance(60)
    assert world.states()[host] == "created"
    assert list(world.hosts.running(ZONE).values()) == ([other(host)] if is_resumed else [])
    shown = world.nodes.show(host)
    assert (shown["strays"], shown["left_behind"]) == ([], [])


def test_a_host_that_is_deleted_while_the_watch_looks_at_it_is_not_born_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has checked in a moment before, and what the watch was told then is older than the deletion."""
    world = LocalWorld()
    world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"))
    world.advance(10)
    idle = other(str(world.the("Net").attributes["GatewayHost"]))
    presences, deleted = world.hosts.presences, list[str]()

    def told(zone: str) -> object:
        found = presences(zone)
        if not deleted:
            deleted.append(idle)
            world.nodes.delete(idle, actor="ann")
        return found

    monkeypatch.setattr(world.hosts, "presences", told)
    world.advance(60)
    assert deleted == [idle]
    assert list(world.states()) == [other(idle)]


def test_a_host_that_is_deleted_by_force_takes_nothing_new_while_it_is_emptied(
    world: LocalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.run(*shop())
    host = host_of(world)
    remove = world.hosts.remove

    def busy(zone: str, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        remove(zone, object_ids)
        return {one: Problem(message=f"the host {host} is at work on it") for one in object_ids}

    monkeypatch.setattr(world.hosts, "remove", busy)
    with pytest.raises(NotAllowedError, match="It takes nothing new; give the command again"):
        world.nodes.delete(host, is_forced=True, actor="ann")
    monkeypatch.undo()
    world.settle()
    world.advance(60)
    assert list(world.hosts.running(ZONE).values()) == [other(host)], "it was not made again where it was removed"
    world.nodes.delete(host, is_forced=True, actor="ann")
    assert list(world.states()) == [other(host)]


def test_a_silent_host_is_not_deleted_with_machines_before_it_is_lost(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    host = host_of(world)
    cut(world, host)
    world.advance(15)
    with pytest.raises(NotAllowedError, match="its machines may still run"):
        world.nodes.delete(host, is_forced=True, actor="ann")
    assert host in world.states()


def test_a_network_whose_gateway_is_lost_gets_another_one(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    host = str(world.the("Net").attributes["GatewayHost"])
    cut(world, host)
    world.advance(150)
    assert {str(world.the(name).attributes["GatewayHost"]) for name in ("Net", "Nic")} == {other(host)}
    assert {world.the(name).incarnation for name in ("Net", "Nic")} == {1}
    assert host_of(world) == other(host)
    process = world.store.process("shop")
    assert process is not None
    assert process.converged_at is not None


def test_a_network_whose_idle_gateway_is_deleted_goes_to_another_host_and_stays_the_same(world: LocalWorld) -> None:
    world.run(shop()[0])
    world.advance(10)
    gateway = str(world.the("Net").attributes["GatewayHost"])
    world.update(*shop(Host=other(gateway)))
    network, machine = world.the("Net"), world.the("Web")
    world.nodes.delete(gateway, actor="ann")
    world.advance(60)
    after = world.the("Net")
    assert (after.object_id, after.state, after.attributes["Vni"]) == (
        network.object_id,
        "created",
        network.attributes["Vni"],
    )
    assert after.attributes["GatewayHost"] == other(gateway)
    assert world.the("Web").object_id == machine.object_id
    assert world.hosts.running(ZONE) == {machine.object_id: other(gateway)}


def test_the_last_host_of_a_network_is_deleted_by_force_alone_and_its_network_waits_for_another(
    world: LocalWorld,
) -> None:
    world.run(shop()[0])
    world.advance(10)
    network = world.the("Net")
    gateway = str(network.attributes["GatewayHost"])
    world.nodes.cordon(other(gateway), is_cordoned=True, actor="ann")
    with pytest.raises(NotAllowedError, match=r"is the gateway of 1 network \(Net\), and no other host answers"):
        world.nodes.delete(gateway, actor="ann")
    world.nodes.delete(gateway, is_forced=True, actor="ann")
    world.advance(60)
    assert world.the("Net").object_id == network.object_id
    world.nodes.cordon(other(gateway), is_cordoned=False, actor="ann")
    world.advance(60)
    assert world.the("Net").attributes["GatewayHost"] == other(gateway)


def test_a_machine_that_vanished_gives_its_room_back(world: LocalWorld) -> None:
    """Nothing orders its removal: another one was made in its place."""
    world.run(*shop())
    first = world.the("Web").object_id
    world.hosts.destroy(first)
    for _ in range(60):
        world.advance(1)
        shown = [one for host in ("h1", "h2") for one in world.nodes.show(host)["machines"]]
        assert "deleted" not in [one["state"] for one in shown]
    assert world.the("Web").object_id != first
    world.advance(120)
    there = world.hosts.whereabouts(ZONE)
    assert set(there) == {world.the(name).object_id for name in ("Net", "Nic", "Web")}


def test_what_is_made_again_and_again_waits_for_a_person(world: LocalWorld) -> None:
    """Three times in an hour, each time after a longer wait; the fourth loss is somebody's to decide."""
    world.run(a("Web", "Instance", Vcpus=1, MemoryMiB=128, Replace="on-host-error"))
    began_at = world.clock.now()
    for _ in range(3):
        host = host_of(world)
        cut(world, host)
        world.advance(480)
        assert host_of(world) == other(host)
        plug(world, host)
        world.advance(20)
    assert world.clock.now() - began_at < 3600
    cut(world, host_of(world))
    world.advance(480)
    process = world.store.process("shop")
    assert process is not None
    assert (process.state, world.the("Web").incarnation) == (ProcessState.SUSPENDED, 4)


def test_a_machine_that_waits_for_its_second_replacement_says_since_when_and_until_when(world: LocalWorld) -> None:
    world.run(*shop(Replace="on-host-error"))
    first = host_of(world)
    cut(world, first)
    world.advance(120)
    assert host_of(world) == other(first)
    plug(world, first)
    world.advance(20)
    cut(world, other(first))
    world.advance(80)
    [lost] = [one for one in world.nodes.all()["hosts"] if one["state"] == "error"]
    due_at = datetime.fromisoformat(lost["since"]) + timedelta(minutes=1)
    told = str(world.system.queries.explain("shop"))
    until = due_at.strftime("%Y-%m-%dT%H:%M:%S")
    assert "no change until a sweep can read the state" in told
    assert f"loss number 2 of the machine within an hour, so another one is made from {until}" in told, told
    world.advance(60)
    assert (host_of(world), world.the("Web").incarnation) == (first, 3)


def test_the_doctor_tells_each_trouble_of_a_host_until_it_is_over(
    world: LocalWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said that nothing is wrong, while a host had a full disk."""
    world.run(*shop())
    world.advance(10)
    presences = world.hosts.presences

    def told(zone: str) -> Sequence[Presence]:
        troubles = {"h1": ("others have put /x among its folders", "its disk is full")}
        return [replace(one, troubles=troubles.get(one.name, ())) for one in presences(zone)]

    with monkeypatch.context() as patched:
        patched.setattr(world.hosts, "presences", told)
        found = [one.diagnostic for one in world.system.doctor.examine().problems]
        assert [(one.code, one.subject) for one in found] == [("A210", "h1"), ("A210", "h1")]
        assert found[0].detail == f"the host h1 of {ZONE}: others have put /x among its folders"
    assert world.system.doctor.examine().problems == ()


def test_a_machine_that_fails_is_made_anew_when_its_composition_says_so(world: LocalWorld) -> None:
    """It asks for more than any host has; three replacements later a person is asked."""
    world.system.commands.run(submission((a("Web", "Instance", Vcpus=1, MemoryMiB=64000, Replace="on-error"),)))
    [process] = world.store.processes()
    world.advance(40)
    assert world.the("Web", process.fid).incarnation == 2
    world.advance(80)
    assert world.the("Web", process.fid).incarnation == 3
    world.advance(1200)
    [process] = world.store.processes()
    assert (process.state, world.the("Web", process.fid).incarnation) == (ProcessState.SUSPENDED, 4)
    assert "no host has 1 vcpus and 64000 MiB" in process.last_message
