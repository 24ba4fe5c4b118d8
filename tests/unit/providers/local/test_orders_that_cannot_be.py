"""An order that a host cannot carry out, and a thing that it cannot tell of: neither hides the other things there."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tenuto.kit.documents import dumps, to_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.executor.requests import Kept, NetworkAnswer, Request, ShowKept, ShowMany, ShowNetwork
from tenuto.providers.local.types import INTERFACE, NETWORK


class Executor:
    """An executor that does whatever it is asked for, and does not tell of the networks with these numbers."""

    def __init__(self) -> None:
        self.unreadable: set[int] = set()

    def ask(self, request: Request) -> JsonMap:
        if isinstance(request, ShowKept):
            return {"done": to_document(Kept())}
        if isinstance(request, ShowMany):
            return {"done": [self._answer(one) for one in request.questions]}
        return {"done": []}

    def _answer(self, question: Any) -> JsonMap | None:
        if not isinstance(question, ShowNetwork):
            return None
        if question.network.vni in self.unreadable:
            return {"refused": "ip refused: Invalid argument", "is_final": False}
        document: JsonMap = to_document(NetworkAnswer(deviations=(), is_served=None))
        return document


@pytest.fixture
def executor() -> Executor:
    return Executor()


def host(executor: Executor, folder: Path) -> NamespaceHost:
    return NamespaceHost(executor, StateFolder(folder), host="h1", address="10.0.0.11", mtu=1450)


def spec(type_name: TypeName, name: str, account: str, **more: Any) -> Spec:
    common: dict[str, Any] = {"properties": {}, "attributes": {}, **more}
    return Spec(type=type_name, object_id=ObjectId(name), account=account, owner=None, host="h1", **common)


def network(account: str, vni: int, cidr: str) -> Spec:
    block = {"CidrBlock": cidr, "Nat": False, "Dhcp": False}
    return spec(NETWORK, f"{account}-net", account, properties=block, attributes={"Vni": vni})


def wire(name: str, *, floating: str = "") -> Wire:
    number = int(name.rpartition("-")[2])
    return Wire(
        interface=ObjectId(name),
        vni=5001,
        cidr="192.0.2.0/24",
        mac=f"02:00:00:00:00:{number:02x}",
        address=f"192.0.2.{number}",
        gateway_host="h1",
        floating=floating,
    )


BLUE, RED = network("blue", 5000, "10.1.0.0/24"), network("red", 5001, "192.0.2.0/24")
PLAIN = spec(INTERFACE, "red-nic-10", "red", wiring=(wire("red-nic-10"),))
GOOD = spec(INTERFACE, "red-nic-11", "red", wiring=(wire("red-nic-11", floating="198.51.100.7"),))
BAD = replace(PLAIN, wiring=(wire("red-nic-10", floating="192.0.2.203"),))
"""An address outside that is in the block of its own network."""


def told(found: NamespaceHost) -> dict[str, str]:
    """The things that a host shows, with the reasons why it cannot tell of them."""
    return {str(one.object_id): one.silence for one in found.observe()}


@pytest.mark.parametrize(
    "batches", [[[BLUE, RED, BAD, GOOD]], [[BLUE], [RED], [GOOD], [BAD]], [[BAD, RED, BLUE, GOOD]]]
)
def test_an_order_that_cannot_be_is_refused_alone_and_is_not_kept(
    executor: Executor, tmp_path: Path, batches: Sequence[Sequence[Spec]]
) -> None:
    """It was kept, and from then on no tenant's things on the host were told of, also after a start of its agent."""
    found = host(executor, tmp_path)
    problems = {name: one for batch in batches for name, one in found.ensure(batch).items()}
    assert problems.keys() <= {BAD.object_id, RED.object_id}
    assert len(problems) == 1, "of a network and an interface that do not fit, the first one stands"
    (problem,) = problems.values()
    assert problem.is_final
    assert problem.message == "h1 cannot do this: 192.0.2.203 is in the network's own block 192.0.2.0/24"
    for one in (found, host(executor, tmp_path)):
        assert set(told(one).values()) == {""}
        assert BLUE.object_id in told(one)
    assert not host(executor, tmp_path).ensure([PLAIN])


def test_an_order_that_cannot_be_leaves_the_one_before_it(executor: Executor, tmp_path: Path) -> None:
    found = host(executor, tmp_path)
    assert not found.ensure([RED, PLAIN])
    assert found.ensure([BAD]).keys() == {BAD.object_id}
    assert [one.wiring for one in found.specs() if one.object_id == PLAIN.object_id] == [PLAIN.wiring]


def test_an_order_of_an_earlier_release_that_cannot_be_hides_no_other_thing(executor: Executor, tmp_path: Path) -> None:
    host(executor, tmp_path).ensure([BLUE, RED, PLAIN])
    for file in ("specs", "specs-copy"):
        (tmp_path / "specs/red-nic-10" / file).write_text(dumps(BAD))
    found = told(host(executor, tmp_path))
    assert found[BLUE.object_id] == ""
    assert found[RED.object_id] == (
        "the host h1 cannot tell how it is: 192.0.2.203 is in the network's own block 192.0.2.0/24"
    )


def test_a_network_that_the_kernel_does_not_tell_of_hides_no_other(executor: Executor, tmp_path: Path) -> None:
    found = host(executor, tmp_path)
    found.ensure([BLUE, RED])
    executor.unreadable = {5001}
    assert told(found) == {
        "blue-net": "",
        "red-net": "the host h1 cannot tell how it is: ip refused: Invalid argument",
    }
    shown = {one.object_id: one.attributes for one in found.observe()}
    assert shown[RED.object_id] == RED.attributes, "the contents that a machine needs stay by its attributes"
    executor.unreadable = set()
    assert told(found) == {"blue-net": "", "red-net": ""}
