"""Files of an agent that are damaged or older than its host: it goes on with all else, and says what it cannot tell."""

import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tenuto.errors import TransientError, UserError
from tenuto.kit.documents import to_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.drivers.qemu.driver import VirtualHost
from tenuto.providers.local.executor.requests import Kept, NetworkAnswer, Request, ShowKept, ShowMany, ShowNetwork
from tenuto.providers.local.rules.networks.addresses import vni_of
from tenuto.providers.local.types import INSTANCE, INTERFACE, NETWORK

WEB = ObjectId("web")


class Executor:
    """An executor that shows nothing but what it has, and does whatever it is asked for."""

    def __init__(self) -> None:
        self.asked: list[JsonMap] = []
        self.there = Kept()
        self.refusal = ""

    def ask(self, request: Request) -> JsonMap:
        if isinstance(request, ShowKept):
            return {"refused": self.refusal} if self.refusal else {"done": to_document(self.there)}
        if isinstance(request, ShowMany):
            well = to_document(NetworkAnswer(deviations=(), is_served=None))
            return {"done": [well if isinstance(one, ShowNetwork) else None for one in request.questions]}
        document: Any = to_document(request, as_type=Request)
        self.asked.append(document)
        return {"done": []}

    def open(self, request: Request) -> None:
        """Virtual machines have guests, to whom nothing leads here."""


@pytest.fixture
def executor() -> Executor:
    return Executor()


def host(kind: type[NamespaceHost], executor: Any, folder: Path) -> NamespaceHost:
    return kind(executor, StateFolder(folder), host="h1", address="10.0.0.11", mtu=1450)


def removed(executor: Executor, member: str) -> list[object]:
    """The ids of machines, or the numbers of networks (`vni`), whose removal was asked for."""
    return [one[member] for one in executor.asked if member in one]


def damaged(executor: Executor, folder: Path, kind: type[NamespaceHost]) -> NamespaceHost:
    """A host with a machine whose order was damaged while its agent was away."""
    properties = {"Name": "web", "Vcpus": 1, "MemoryMiB": 64, "PowerState": "on"}
    web = Spec(type=INSTANCE, object_id=WEB, account="red", owner=None, host="h1", properties=properties)
    host(NamespaceHost, executor, folder).ensure([web])
    executor.asked.clear()
    for file in ("specs", "specs-copy"):
        (folder / "specs/web" / file).write_bytes(b"")
    return host(kind, executor, folder)


def test_a_host_cannot_tell_of_a_thing_whose_order_is_damaged(executor: Executor, tmp_path: Path) -> None:
    """As one that is gone, it would be made a second time beside the one that runs."""
    (seen,) = damaged(executor, tmp_path, NamespaceHost).observe()
    assert seen.object_id == WEB
    assert "the order for it on the host h1 is lost" in seen.silence


@pytest.mark.parametrize(("kind", "removals"), [(NamespaceHost, 1), (VirtualHost, 2)])
def test_a_machine_whose_order_is_damaged_is_removed_by_its_id(
    executor: Executor, tmp_path: Path, kind: type[NamespaceHost], removals: int
) -> None:
    found = damaged(executor, tmp_path, kind)
    assert found.remove([WEB]) == {}
    assert removed(executor, "object_id") == [WEB] * removals
    assert found.observe() == []
    assert not (tmp_path / "specs/web").exists()


def test_a_machine_without_any_order_is_removed_by_its_id(executor: Executor, tmp_path: Path) -> None:
    """The Conductor holds it for gone and orders its removal; it may run, since its order alone is gone."""
    found = host(NamespaceHost, executor, tmp_path)
    assert found.remove([WEB]) == {}
    assert removed(executor, "object_id") == [WEB]


def network(name: str, vni: int) -> Spec:
    properties, attributes = {"CidrBlock": "10.1.0.0/24", "Nat": False}, {"Vni": vni}
    return Spec(
        type=NETWORK,
        object_id=ObjectId(name),
        account="red",
        owner=None,
        host="h1",
        properties=properties,
        attributes=attributes,
    )


@pytest.mark.parametrize("attempt", [0, 1])
def test_a_network_whose_order_is_damaged_is_removed_by_the_number_of_its_id(
    executor: Executor, tmp_path: Path, attempt: int
) -> None:
    """Its namespace stayed on the host for ever: the number was in the order alone."""
    mine = vni_of("net", attempt)
    host(NamespaceHost, executor, tmp_path).ensure([network("net", mine)])
    for file in ("specs", "specs-copy"):
        (tmp_path / "specs/net" / file).write_bytes(b"")
    executor.asked.clear()
    assert host(NamespaceHost, executor, tmp_path).remove([ObjectId("net")]) == {}
    assert mine in removed(executor, "vni")
    assert not (tmp_path / "specs/net").exists()


def test_a_network_that_is_needed_here_stays_whatever_else_is_removed_by_its_id(
    executor: Executor, tmp_path: Path
) -> None:
    found = host(NamespaceHost, executor, tmp_path)
    found.ensure([network("net", vni_of(WEB, 0))])
    executor.asked.clear()
    assert found.remove([WEB]) == {}
    assert vni_of(WEB, 0) not in removed(executor, "vni")


VNI = vni_of("net", 0)
WIRE = Wire(
    interface=ObjectId("nic"),
    vni=5000,
    cidr="10.1.0.0/24",
    mac="02:11:11:11:11:11",
    address="10.1.0.10",
    gateway_host="h1",
)


def machine_on_a_network() -> dict[str, Spec]:
    """The orders for a network, an interface on it, and a machine with that."""
    properties = {"Name": "web", "Vcpus": 1, "MemoryMiB": 64, "PowerState": "on"}
    net, wire = network("net", VNI), replace(WIRE, vni=VNI)
    common = {"account": "red", "owner": None, "host": "h1", "wiring": (wire,)}
    nic = Spec(type=INTERFACE, object_id=ObjectId("nic"), properties={}, **common)  # type: ignore[arg-type]
    web = Spec(type=INSTANCE, object_id=WEB, properties=properties, **common)  # type: ignore[arg-type]
    return {str(spec.object_id): spec for spec in (net, nic, web)}


def damage(folder: Path, name: str) -> None:
    """Have both files of an order hold nothing."""
    for file in ("specs", "specs-copy"):
        (folder / "specs" / name / file).write_bytes(b"")


def put_back(folder: Path, name: str) -> None:
    """Have the folder of before the order in the place of the one that had it."""
    shutil.rmtree(folder / "specs" / name)


Loss = Callable[[Path, str], None]
losses = pytest.mark.parametrize("lose", [damage, put_back])


def without(
    executor: Executor, folder: Path, orders: Mapping[str, Spec], lost: Iterable[str], lose: Loss
) -> NamespaceHost:
    """A host that carried these orders out, some of which were lost while its agent was away."""
    host(NamespaceHost, executor, folder).ensure([*orders.values()])
    executor.there = Kept(machines=(WEB,), networks={str(VNI): (ObjectId("net"), ObjectId("nic"))})
    for name in lost:
        lose(folder, name)
    found = host(NamespaceHost, executor, folder)
    executor.asked.clear()
    return found


@losses
@pytest.mark.parametrize("name", ["net", "nic", "web"])
def test_a_host_cannot_tell_of_a_thing_whose_order_is_lost(
    executor: Executor, tmp_path: Path, name: str, lose: Loss
) -> None:
    """As one that is gone, it would be made a second time beside the one that runs."""
    found = without(executor, tmp_path, machine_on_a_network(), [name], lose)
    lost = {str(one.object_id) for one in found.observe() if "the order for it on the host h1 is lost" in one.silence}
    assert lost == {name}


@losses
@pytest.mark.parametrize("order", list(permutations(["net", "nic", "web"])), ids="-".join)
def test_networks_are_left_as_they_are_until_the_last_of_several_lost_orders_is_given_again(
    executor: Executor, tmp_path: Path, order: tuple[str, ...], lose: Loss
) -> None:
    """A network that is known again knows nothing of a machine that is not: its port would be one too much."""
    orders = machine_on_a_network()
    found = without(executor, tmp_path, orders, order, lose)
    left = sorted(orders)
    for name in order:
        assert not [one for one in executor.asked if "network" in one]
        assert f"it has lost the orders for {', '.join(left)}, and leaves the networks" in found.doubt()
        found.ensure([orders[name]])
        left.remove(name)
    assert not found.doubt()
    (held,) = [one["network"] for one in executor.asked if "network" in one]
    assert [port["object_id"] for port in held["ports"]] == ["nic"]
    assert held["things"] == ["net", "nic"]


@losses
def test_a_machine_without_its_order_leaves_no_network_when_it_is_removed(
    executor: Executor, tmp_path: Path, lose: Loss
) -> None:
    """Its order alone said on which network it was, and nothing else on this host is there."""
    orders = {"web": machine_on_a_network()["web"]}
    host(NamespaceHost, executor, tmp_path).ensure([*orders.values()])
    executor.there = Kept(machines=(WEB,), networks={str(VNI): ()})
    lose(tmp_path, "web")
    found = host(NamespaceHost, executor, tmp_path)
    executor.asked.clear()
    assert found.remove([WEB]) == {}
    assert VNI in removed(executor, "vni")


def test_the_orders_of_yesterday_count_as_lost_also_where_they_can_be_read(executor: Executor, tmp_path: Path) -> None:
    """By the order of yesterday for its interface, an address outside that came since would be taken away."""
    orders = machine_on_a_network()
    host(NamespaceHost, executor, tmp_path).ensure([*orders.values()])
    (told,) = [one["network"]["turn"] for one in executor.asked if "network" in one]
    executor.there = Kept(machines=(WEB,), networks={str(VNI): (ObjectId("net"), ObjectId("nic"))}, turn=told)
    assert not host(NamespaceHost, executor, tmp_path).doubt(), "they are those that the executor was told of last"

    executor.there = replace(executor.there, turn=told + 1)
    found = host(NamespaceHost, executor, tmp_path)
    assert {str(one.object_id) for one in found.observe() if one.is_order_lost} == {"net", "nic", "web"}
    found.ensure([orders["web"]])
    found = host(NamespaceHost, executor, tmp_path)
    lost = {str(one.object_id) for one in found.observe() if one.is_order_lost}
    assert lost >= {"net", "nic"}, "an agent that ends in the middle has old orders still"
    executor.asked.clear()
    found.ensure([orders["net"], orders["nic"]])
    assert not executor.asked
    found.ensure([orders["web"]])
    assert not found.doubt()
    (held,) = [one["network"] for one in executor.asked if "network" in one]
    assert held["turn"] > told + 1

    executor.there = replace(executor.there, turn=held["turn"])
    assert not host(NamespaceHost, executor, tmp_path).doubt(), "they are given once, and not at each start"


def test_an_executor_that_cannot_tell_what_it_has_is_no_empty_one(executor: Executor, tmp_path: Path) -> None:
    """An agent that went on would show nothing of what runs there."""
    executor.refusal = "this host refused: Input/output error"
    with pytest.raises(TransientError, match="Input/output error"):
        host(NamespaceHost, executor, tmp_path)


@losses
@pytest.mark.parametrize("name", ["net", "nic", "web"])
def test_networks_are_left_as_they_are_until_a_lost_order_is_given_again(
    executor: Executor, tmp_path: Path, name: str, lose: Loss
) -> None:
    """By the orders that are left, the router, an address outside or the port of a machine that serves is too much."""
    orders = machine_on_a_network()
    found = without(executor, tmp_path, orders, [name], lose)

    found.ensure([spec for one, spec in orders.items() if one != name])
    assert not [one for one in executor.asked if "network" in one]
    if name != "web":
        assert "is lost" in found.isolate([WEB]), "what cannot be done yet is tried again"
    found.isolate([])
    found.ensure([orders[name]])
    (held,) = [one["network"] for one in executor.asked if "network" in one]
    assert [port["object_id"] for port in held["ports"]] == ["nic"]


def test_the_refusal_of_a_damaged_journal_says_how_the_host_goes_on(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database at all" * 500)
    with pytest.raises(UserError, match="It is damaged"):
        Journal(tmp_path)


def test_a_host_names_folders_of_others_among_those_of_its_machines_and_is_hindered_by_none(
    executor: Executor, tmp_path: Path
) -> None:
    found = host(NamespaceHost, executor, tmp_path)
    assert not found.foreign()
    for name in ("lost+found", "web.bak", "5000"):
        (tmp_path / "uplinks" / name).mkdir(parents=True)
    executor.there = Kept(foreign=("/x/machines/lost+found", "/x/machines/web.bak", "/x/networks/a", "/x/networks/b"))
    found.observe()
    assert found.foreign() == (
        "others have put /x/machines/lost+found, /x/machines/web.bak, /x/networks/a and 1 more among the folders of "
        "its machines and networks. The host leaves that alone; move it elsewhere"
    )
    executor.refusal = "this host refused: it is busy"
    found.observe()
    assert found.foreign(), "an executor that does not tell has not said that they are gone"
    executor.refusal, executor.there = "", Kept()
    found.observe()
    assert not found.foreign()
