"""Disks in placement, and machines that leave a host on which they do not fit any more before they are made there."""

from collections.abc import Callable, Sequence

import pytest
from local_world import LocalWorld, a, submission

from tenuto.model.command import ProcessState
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.rules.machines.placement import Assigned, Host, Machine, PlacementRules, Placing
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
WEB = a("Web", "Instance", Vcpus=1, MemoryMiB=1024, Disks=[{"SizeGiB": 60}])


class ChangingDriver(SimulatedDriver):
    """Hosts of which the first one changes once it was given to a machine, before anything is ordered there."""

    change: Callable[[str], None] | None = None
    first = ""

    def assign(self, zone: str, machines: Sequence[Machine], rules: PlacementRules) -> Placing:
        found = super().assign(zone, machines, rules)
        given = [one.host for one in found.values() if isinstance(one, Assigned)]
        if given and self.change is not None:
            change, self.change, self.first = self.change, None, given[0]
            change(given[0])
        return found


class ChangingWorld(LocalWorld):
    """A zone of exactly these hosts, each of which has 80 GiB for machines."""

    def __init__(self, *names: str) -> None:
        self.changing: ChangingDriver | None = None
        super().__init__()
        for name in names:
            self.hosts.add_host(ZONE, Host(name=name, cores=8, memory_mib=16384, disk_gib=88))
        for name in sorted({"h1", "h2"} - {*names}):
            self.hosts.dismiss(ZONE, name, for_good=True)
        self.advance(30)

    def _providers(self, ops: OpSink, clock: Clock) -> list[Provider]:
        self.changing = self.changing or ChangingDriver(self.clock)
        self.driver = self.changing
        return super()._providers(ops, clock)

    def begun(self, change: Callable[["ChangingWorld", str], None]) -> None:
        """Run the machine; its first host changes as soon as it is given."""
        assert self.changing is not None
        self.changing.change = lambda name: change(self, name)
        self.system.commands.run(submission((WEB,)), alias="shop")

    @property
    def first(self) -> str:
        assert self.changing is not None
        assert self.changing.first
        return self.changing.first


def test_behaviour_32_disks_that_fit_on_no_host_are_told_with_the_room_of_each() -> None:
    world = ChangingWorld("h1", "h2")
    world.run(WEB, a("Two", "Instance", Vcpus=1, MemoryMiB=64, Disks=[{"SizeGiB": 70}]))
    assert {world.the("Web").attributes["Host"], world.the("Two").attributes["Host"]} == {"h1", "h2"}
    process = world.run(a("Big", "Instance", Vcpus=1, MemoryMiB=64, Disks=[{"SizeGiB": 81}]), alias="big")
    assert "h1: 80 GiB of its disk are for machines; h2: 80 GiB of its disk are for machines" in process.last_message
    process = world.run(a("More", "Instance", Vcpus=1, MemoryMiB=64, Disks=[{"SizeGiB": 30}]), alias="more")
    assert process.state is ProcessState.SUSPENDED
    assert "GiB of its disk are free" in process.last_message
    hosts = {one["name"]: (one["committed_disk_gib"], one["disk_gib"]) for one in world.nodes.all()["hosts"]}
    assert sorted(hosts.values()) == [(60, 88), (70, 88)]


def cordoned(world: ChangingWorld, name: str) -> None:
    world.nodes.cordon(name, zone=ZONE, is_cordoned=True, actor="ann")


def filled(world: ChangingWorld, name: str) -> None:
    world.hosts.fill(ZONE, name)


def smaller(world: ChangingWorld, name: str) -> None:
    world.hosts.add_host(ZONE, Host(name=name, cores=8, memory_mib=2500, disk_gib=88))


@pytest.mark.parametrize("change", [cordoned, filled, smaller])
def test_behaviour_35_a_host_that_no_longer_fits_is_left_for_another(
    change: Callable[[ChangingWorld, str], None],
) -> None:
    world = ChangingWorld("h1", "h2")
    world.begun(change)
    assert world.settled().state is ProcessState.RUNNING
    web = world.the("Web")
    [other] = {"h1", "h2"} - {world.first}
    assert (web.attributes["Host"], web.incarnation, web.state) == (other, 1, "created")
    [(_, things)] = world.hosts.everything().values()
    assert [spec.host for spec, _ in things] == [web.attributes["Host"]]


def test_behaviour_35_three_hosts_are_left_and_then_it_is_an_error_with_each_reason() -> None:
    world = ChangingWorld("h1", "h2", "h3", "h4", "h5")
    for name in ("h1", "h2", "h3", "h4", "h5"):
        world.hosts.fill(ZONE, name)
    process = world.run(WEB)
    assert (process.state, world.the("Web").state) == (ProcessState.SUSPENDED, "error")
    assert "it left 4 hosts: on h" in process.last_message
    assert process.last_message.count("no space is left on the disk") == 4
    for name in ("h1", "h2", "h3", "h4", "h5"):
        world.hosts.fill(ZONE, name, is_full=False)
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING


def test_a_host_that_does_not_answer_just_now_is_waited_for() -> None:
    world = ChangingWorld("h1", "h2")
    world.begun(lambda world, name: world.hosts.set_host(ZONE, name, is_up=False))
    world.advance(20)
    assert world.things() == {}
    world.hosts.set_host(ZONE, world.first, is_up=True)
    world.settled()
    assert world.the("Web").attributes["Host"] == world.first


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("count", range(1, 7))
def test_nothing_is_left_on_a_host_whenever_the_conductor_dies(count: int, is_after: bool) -> None:
    world = ChangingWorld("h1", "h2")
    world.begun(filled)
    world.fate.arm(Blow(operation="commit", is_after=is_after, count=count))
    assert world.settled().state is ProcessState.RUNNING
    assert world.crashes
    [other] = {"h1", "h2"} - {world.first}
    assert list(world.hosts.running(ZONE).values()) == [other]
    assert world.the("Web").attributes["Host"] == other
