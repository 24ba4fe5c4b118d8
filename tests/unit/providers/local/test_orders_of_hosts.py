"""The part of a network that a host holds, by all orders that it has."""

from pathlib import Path

from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import ObjectId
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.drivers.ns.orders import Orders
from tenuto.providers.local.drivers.ns.powering import PowerOperations
from tenuto.providers.local.executor.requests import Kept
from tenuto.providers.local.types import INSTANCE, NETWORK

VNI = 5000
WIRE = Wire(
    interface=ObjectId("if-a"),
    vni=VNI,
    cidr="10.1.0.0/24",
    mac="02:11:11:11:11:11",
    address="10.1.0.10",
    gateway_host="h1",
)


def order(type_name: str, name: str, **more: object) -> Spec:
    fields = {"account": "red", "owner": None, "host": "h1", "properties": {}, "attributes": {}, **more}
    return Spec(type=type_name, object_id=ObjectId(name), **fields)  # type: ignore[arg-type]


def orders_of(folder: Path) -> Orders:
    made = Orders(StateFolder(folder), host="h1", address="10.0.0.11", mtu=1450, there=Kept())
    made.meet({"h2": "10.0.0.12"})
    return made


def test_a_host_without_the_order_for_a_network_is_not_its_gateway_whatever_its_machines_say(tmp_path: Path) -> None:
    """A machine that stays on a lost host for a person has an order from before the gateway went elsewhere."""
    orders = orders_of(tmp_path)
    orders.keep([order(INSTANCE, "web", wiring=(WIRE,))])
    left = orders.network(VNI).rendered()
    assert (left.addresses, left.server_options) == ((), ())
    orders.keep([order(NETWORK, "net", properties={"CidrBlock": "10.1.0.0/24", "Nat": False}, attributes={"Vni": VNI})])
    held = orders.network(VNI).rendered()
    assert held.addresses == (("br0", "10.1.0.1/24"),)


def test_a_host_sends_from_the_address_that_its_agent_has_told_last(tmp_path: Path) -> None:
    orders = orders_of(tmp_path)
    orders.keep([order(INSTANCE, "web", wiring=(WIRE,))])
    assert orders.network(VNI).ends().mesh_address == "10.0.0.11"
    orders.meet({"h1": "10.0.0.21", "h2": "10.0.0.12"})
    assert orders.network(VNI).ends().mesh_address == "10.0.0.21"


def test_a_network_is_kept_from_the_addresses_of_the_conductor(tmp_path: Path) -> None:
    orders = Orders(
        StateFolder(tmp_path), host="h1", address="10.0.0.11", mtu=1450, there=Kept(), conductor=["10.0.0.5"]
    )
    orders.keep([order(INSTANCE, "web", wiring=(WIRE,))])
    assert orders.network(VNI).conductor == ("10.0.0.5",)


def test_a_machine_that_is_isolated_has_no_part_in_its_network_also_after_a_restart(tmp_path: Path) -> None:
    orders = orders_of(tmp_path)
    orders.keep([order(INSTANCE, "web", wiring=(WIRE,))])
    assert orders.is_needed(VNI)
    assert orders.isolate(frozenset({ObjectId("web")})) == {VNI}
    assert not orders.is_needed(VNI)
    assert not orders.isolate(frozenset({ObjectId("web")})), "twice is once"
    again = orders_of(tmp_path)
    assert again.is_needed(VNI), "an agent that died before the host did it has it to do"
    orders.note_isolated()
    again = orders_of(tmp_path)
    assert not again.is_needed(VNI)
    found = again.get(ObjectId("web"))
    assert found is not None
    assert found.wiring == ()
    assert again.isolate(frozenset()) == {VNI}
    again.note_isolated()
    assert orders_of(tmp_path).is_needed(VNI)


def test_an_order_for_an_isolated_machine_leaves_it_off_its_network(tmp_path: Path) -> None:
    orders = orders_of(tmp_path)
    orders.isolate(frozenset({ObjectId("web")}))
    orders.keep([order(INSTANCE, "web", wiring=(WIRE,))])
    assert not orders.is_needed(VNI)
    spec = orders.get(ObjectId("web"))
    assert spec is not None
    orders.set_aside(spec)
    orders.put_back(spec)
    orders.isolate(frozenset())
    assert orders.is_needed(VNI), "the order itself is kept as it was given"


GARBAGE = b"\xff\x00{"


def spoil(folder: Path, *files: str) -> None:
    for file in files:
        (folder / "specs/web" / file).write_bytes(GARBAGE)


def test_an_order_of_which_one_file_is_damaged_is_read_from_the_other_one(tmp_path: Path) -> None:
    web = order(INSTANCE, "web", wiring=(WIRE,))
    orders_of(tmp_path).keep([web])
    for file in ("specs", "specs-copy"):
        spoil(tmp_path, file)
        found = orders_of(tmp_path)
        assert (found.all(), found.lost) == ((web,), frozenset())
        assert GARBAGE not in [one.read_bytes() for one in (tmp_path / "specs/web").iterdir()], "it is kept twice again"


def test_an_order_of_which_no_file_can_be_read_is_lost_until_it_is_kept_again(tmp_path: Path) -> None:
    web, net = order(INSTANCE, "web"), order(NETWORK, "net", attributes={"Vni": VNI})
    orders = orders_of(tmp_path)
    orders.keep([web])
    orders.keep([net])
    orders.note_made(web)
    spoil(tmp_path, "specs", "specs-copy")
    found = orders_of(tmp_path)
    assert (found.all(), found.lost) == ((net,), {"web"})
    for file in ("specs", "specs-copy"):
        (tmp_path / "specs/web" / file).unlink()
    found = orders_of(tmp_path)
    assert found.lost == {"web"}, "it was made, so it may run"
    found.keep([web])
    assert found.lost == frozenset()
    assert orders_of(tmp_path).lost == frozenset()


def test_the_number_of_a_way_out_that_cannot_be_read_is_chosen_again(tmp_path: Path) -> None:
    orders = orders_of(tmp_path)
    orders.keep([order(NETWORK, "net", properties={"CidrBlock": "10.1.0.0/24"}, attributes={"Vni": VNI})])
    assert orders.network_to_make(VNI).uplink >= 0
    (tmp_path / "uplinks" / str(VNI) / "uplinks").write_bytes(GARBAGE)
    assert orders.network(VNI).uplink == -1
    assert orders.network_to_make(VNI).uplink >= 0


def test_the_damaged_result_of_an_operation_is_an_error_of_that_operation_alone(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path)
    folder.write("operations", "one", "outcome", "{")
    folder.write("operations", "two", "outcome", '{"Account": "red", "Results": [1], "Error": ""}')

    def never(*_: object) -> str:
        raise AssertionError

    kept = PowerOperations(folder, never, never, never)
    assert [(one.condition, one.attributes["Results"]) for one in kept.seen()] == [
        (Condition.BROKEN, []),
        (Condition.READY, [1]),
    ]
