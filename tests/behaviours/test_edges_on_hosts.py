"""The edges of the tables of objects on the provider `local`: each is walked here, or told on the page with its reason.

The page `docs/reference/local-edges.md` names for every edge the command or the event that shows it.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import images
import pytest
from images import disk
from local_world import LocalWorld, a, shop, submission
from test_stopped_hosts import BusyWorld
from town import Town, a_town

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.composition import Declaration
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.rules.deadlines import Deadlines

PAGE = Path(__file__).parents[2] / "docs/reference/local-edges.md"
TABLES = (
    "instance",
    "network",
    "network_interface",
    "artifact",
    "blob",
    "upload",
    "agent_operation",
    "namespace",
    "node",
)
Edge = tuple[str, str, str]
BORN = "nothing"
ROW = re.compile(r"^\| `(.+)` → `(.+)` \| (.+) \|$")
NOT_WALKED = "**not reached**"


def edges(table: str) -> set[Edge]:
    found = CATALOGUE[table]
    rows = {(table, str(state), str(after)) for state, row in found.rows.items() for after in row}
    return rows | {(table, BORN, str(state)) for state in found.initial}


def told() -> dict[Edge, str]:
    """The edges of the page, each with what shows it."""
    found: dict[Edge, str] = {}
    table = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            table = line[3:].lower().replace(" ", "_").removesuffix("s")
        elif row := ROW.match(line):
            edge = (table, row[1], row[2])
            assert edge not in found, edge
            found[edge] = row[3]
    return found


class Walk:
    """The moves of the objects of one Conductor, of short deadlines."""

    def __init__(self, world: LocalWorld) -> None:
        self.world = world
        self.tables: dict[str, str] = {}
        self.elsewhere: set[Edge] = set()
        """The moves in other worlds that the walk has made."""

    def note(self) -> set[Edge]:
        """The moves so far, by the events."""
        moves: set[Edge] = set(self.elsewhere)
        for one in self.world.store.events(EventQuery(types=(EventType.OBJECT_STATE,), limit=1000)):
            if one.object_id is not None and (found := self.world.store.object(one.object_id)) is not None:
                self.tables[one.object_id] = found.lifecycle
            table = "node" if str(one.object_id).startswith("host:") else self.tables.get(str(one.object_id), "")
            moves.add((table, str(one.before), str(one.after)))
        return moves

    def kill(self, alias: str = "shop") -> None:
        self.world.system.commands.kill(alias)
        self.world.advance(60)

    def begin(self, *resources: Declaration, state: str, name: str, seconds: float = 0.5) -> None:
        """Run resources until one of them is in a state."""
        self.world.system.commands.run(submission(resources), alias="shop")
        while not any(one.logical_id == name and one.state == state for one in self.world.objects()):
            self.world.advance(seconds)

    def host(self) -> str:
        return str(self.world.the("Web").attributes["Host"])

    def plug(self, host: str, *, is_up: bool = True) -> None:
        self.world.hosts.set_host(ZONE, host, is_up=is_up)

    def ask(self, *commands: JsonMap) -> ObjectId:
        fields = {"Instance": self.world.the("Web").object_id, "Commands": list(commands)}
        return self.world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id

    def delete(self, *objects: ObjectId) -> None:
        for one in objects:
            self.world.system.objects.delete(one)
        self.world.advance(10)


def other(host: str) -> str:
    return {"h1": "h2", "h2": "h1"}[host]


def run_and_kill(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.kill()


def no_host_ever_has_room(walk: Walk) -> None:
    walk.world.run(*shop(MemoryMiB=10**7))
    walk.kill()


def an_interface_that_is_none(walk: Walk) -> None:
    walk.world.run(a("Web", "Instance", Vcpus=1, MemoryMiB=64, Interfaces=["nothing"]))
    walk.kill()


def killed_while_it_is_made(walk: Walk) -> None:
    walk.begin(*shop(), state="creating", name="Web")
    walk.kill()


def killed_while_it_waits_for_room(walk: Walk) -> None:
    for number in (1, 2):
        walk.plug(f"h{number}", is_up=False)
    walk.begin(a("Web", "Instance", Vcpus=1, MemoryMiB=64), state="preflight", name="Web")
    walk.kill()


def no_host_for_a_network(walk: Walk) -> None:
    for number in (1, 2):
        walk.plug(f"h{number}", is_up=False)
    walk.begin(*shop(), state="initial", name="Net")
    walk.kill()


def a_block_of_another_resource_that_is_none(walk: Walk) -> None:
    wrong = {"Fn::GetAtt": ["Net", "Router"]}
    walk.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), a("Other", "Network", "Net", CidrBlock=wrong))
    walk.kill()


def an_address_that_is_none(walk: Walk) -> None:
    nic = a("Nic", "NetworkInterface", "Net", Network={"Ref": "Net"}, Address="10.9.0.1")
    walk.world.run(a("Net", "Network", CidrBlock="10.1.0.0/24"), nic)
    walk.kill()


def an_address_that_is_waited_for(walk: Walk) -> None:
    net = a("Net", "Network", CidrBlock="10.1.0.0/24")
    one, two = (a(name, "NetworkInterface", "Net", Network={"Ref": "Net"}, Address="10.1.0.9") for name in "AB")
    walk.world.run(net, one)
    walk.world.update(net)
    walk.world.system.commands.update("shop", submission((net, two)))
    walk.world.advance(20)
    walk.kill()


def a_lost_host(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    host = walk.host()
    walk.plug(host, is_up=False)
    walk.world.advance(20)
    walk.plug(host)
    walk.world.advance(20)
    walk.plug(host, is_up=False)
    walk.world.advance(120)
    walk.plug(host)
    walk.world.advance(60)


def a_host_that_is_stopped_and_started(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    idle = other(walk.host())
    walk.world.nodes.stop(idle, zone=ZONE, actor="ann")
    walk.world.advance(20)
    walk.plug(idle)
    walk.world.advance(20)


def a_host_that_is_stopped_and_deleted(walk: Walk) -> None:
    a_host_that_is_stopped_and_started(walk)
    idle = other(walk.host())
    walk.world.nodes.stop(idle, zone=ZONE, actor="ann")
    walk.world.advance(20)
    walk.world.nodes.delete(idle, zone=ZONE, is_forced=False, actor="ann")
    walk.world.advance(20)


def a_host_that_is_deleted_with_its_machine(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    walk.world.nodes.delete(walk.host(), zone=ZONE, is_forced=True, actor="ann")
    walk.world.advance(60)


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> frozenset[Edge]:
    """Every edge that the walks reach."""
    found: set[Edge] = set()
    for act in WALKS:
        walk = Walk(LocalWorld(Deadlines(missing_s=5.0)))
        act(walk)
        found |= walk.note()
    return frozenset(found)


def a_missing_host_is_deleted(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    idle = other(walk.host())
    walk.plug(idle, is_up=False)
    walk.world.advance(12)
    walk.world.nodes.delete(idle, zone=ZONE, is_forced=True, actor="ann")
    walk.world.advance(20)


def a_lost_host_is_deleted(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    idle = other(walk.host())
    walk.plug(idle, is_up=False)
    walk.world.advance(120)
    walk.world.nodes.delete(idle, zone=ZONE, is_forced=True, actor="ann")
    walk.world.advance(20)


def a_host_is_deleted_while_it_makes_a_machine(walk: Walk) -> None:
    walk.begin(*shop(), state="creating", name="Web")
    host = walk.host()
    while walk.world.states().get(host) != "created":
        walk.world.advance(0.1)
    walk.world.nodes.delete(host, zone=ZONE, is_forced=True, actor="ann")
    walk.world.advance(60)


def a_lost_host_is_deleted_with_its_machine(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.world.advance(10)
    host = walk.host()
    walk.plug(host, is_up=False)
    walk.world.advance(120)
    walk.world.nodes.delete(host, zone=ZONE, is_forced=True, actor="ann")
    walk.world.advance(60)


def a_host_whose_agent_is_slow_to_end(walk: Walk) -> None:
    for is_deleted in (False, True):
        busy = BusyWorld()
        busy.run(*shop())
        busy.advance(10)
        idle = other(Walk(busy).host())
        busy.nodes.stop(idle, zone=ZONE, actor="ann")
        busy.advance(10)
        assert busy.agents is not None
        if is_deleted:
            busy.nodes.delete(idle, zone=ZONE, is_forced=False, actor="ann")
        else:
            busy.agents.run = "second"
            busy.followed()
        busy.advance(20)
        walk.elsewhere |= Walk(busy).note()


def a_machine_that_goes_before_its_operation(walk: Walk) -> None:
    walk.world.run(*shop())
    walk.plug(walk.host(), is_up=False)
    for _ in range(2):
        walk.ask({"Exec": ["true"]})
    walk.world.advance(5)
    walk.plug(walk.host())
    walk.kill()


def operations(walk: Walk) -> None:
    walk.world.run(*shop())
    good, bad = walk.ask({"Exec": ["true"]}), walk.ask({"Get": "/nothing"})
    walk.world.advance(10)
    none = walk.ask({"Put": "/x", "Blob": "none"})
    walk.world.advance(10)
    walk.delete(good, bad, none, walk.ask({"Exec": ["true"]}))
    host = walk.host()
    walk.plug(host, is_up=False)
    first, second = walk.ask({"Exec": ["true"]}), walk.ask({"Exec": ["true"]})
    walk.world.advance(5)
    walk.delete(second, first)
    walk.plug(host)
    walk.world.advance(30)


WALKS = (
    run_and_kill,
    no_host_ever_has_room,
    an_interface_that_is_none,
    killed_while_it_is_made,
    killed_while_it_waits_for_room,
    no_host_for_a_network,
    a_block_of_another_resource_that_is_none,
    an_address_that_is_none,
    an_address_that_is_waited_for,
    a_lost_host,
    a_host_that_is_stopped_and_started,
    a_host_that_is_stopped_and_deleted,
    a_host_that_is_deleted_with_its_machine,
    a_missing_host_is_deleted,
    a_lost_host_is_deleted,
    a_host_is_deleted_while_it_makes_a_machine,
    a_lost_host_is_deleted_with_its_machine,
    a_host_whose_agent_is_slow_to_end,
    a_machine_that_goes_before_its_operation,
    operations,
)
ZONE = "us-east-1"
URL = "http://images.example.org/base.img"


@pytest.fixture
def town(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Town]:
    with a_town(tmp_path, capsys) as made:
        yield made


def test_every_edge_of_every_object_is_on_the_page_once() -> None:
    assert set(told()) == {edge for table in TABLES for edge in edges(table)}


def of_images(town: Town) -> set[Edge]:
    """The moves of what requests make in a namespace."""
    walk = Walk(town.world)
    town("-y", "namespace", "create", "red")
    begun = images.begun(town.root, "gone", disk("gone"))["id"]
    town("-y", "upload", "delete", begun)
    images.uploaded(town.root, "base", disk())
    town.world.sources.contents[URL] = disk("web")
    town("artifact", "fetch", "--account", "red", "web", URL)
    town("artifact", "fetch", "--account", "red", "none", f"{URL}-none")
    town.world.sources.slow.add(f"{URL}-slow")
    town("artifact", "fetch", "--account", "red", "slow", f"{URL}-slow")
    town.world.advance(120)
    net, nic, web = shop()
    town.world.run(net, nic, web, account="red")
    operation = {"Instance": town.world.the("Web").object_id, "Commands": [{"Put": "/x", "Blob": "base"}]}
    put = town.world.system.objects.create("AgentOperation", account="red", fields=operation, region=ZONE).item
    town.world.advance(10)
    moves = walk.note()
    town("-y", "operation", "delete", put.object_id)
    walk.plug(walk.host(), is_up=False)
    late = [
        town.world.system.objects.create("AgentOperation", account="red", fields=more, region=ZONE).item.object_id
        for more in (operation, {**operation, "DeadlineSeconds": 20})
    ]
    town.world.advance(10)
    town("-y", "operation", "delete", late[0])
    town.world.advance(60)
    moves |= walk.note()
    walk.plug(walk.host())
    town("-y", "operation", "delete", late[1])
    town("-y", "kill", "shop")
    town.world.advance(60)
    for name in ("base", "web", "none", "slow"):
        town("-y", "artifact", "delete", name)
    town.world.advance(3600)
    moves |= walk.note()
    town.world.advance(3600)
    moves |= walk.note()
    town("-y", "namespace", "delete", "red")
    return moves | walk.note()


def test_what_the_page_says_is_reached_is_reached_and_nothing_else(reached: frozenset[Edge], town: Town) -> None:
    found = {edge for edge in reached | of_images(town) if edge[0] in TABLES}
    page = told()
    said = {edge for edge, by in page.items() if not by.startswith(NOT_WALKED)}
    assert (sorted(said - found), sorted(found - said)) == ([], [])
