"""Files of an agent that are damaged: the host goes on with all else, and says what it cannot tell."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.errors import UserError
from tenuto.kit.documents import to_document
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.agent.journal import Journal
from tenuto.providers.local.driver import Spec
from tenuto.providers.local.drivers.ns.driver import NamespaceHost
from tenuto.providers.local.drivers.qemu.driver import VirtualHost
from tenuto.providers.local.executor.requests import Request
from tenuto.providers.local.types import INSTANCE

WEB = ObjectId("web")


class Executor:
    """An executor that shows nothing, and does whatever it is asked for."""

    def __init__(self) -> None:
        self.asked: list[JsonMap] = []

    def ask(self, request: Request) -> JsonMap:
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
    assert "the order for it on the host h1 is damaged" in seen.silence


@pytest.mark.parametrize(("kind", "removals"), [(NamespaceHost, 1), (VirtualHost, 2)])
def test_a_machine_whose_order_is_damaged_is_removed_by_its_id(
    executor: Executor, tmp_path: Path, kind: type[NamespaceHost], removals: int
) -> None:
    found = damaged(executor, tmp_path, kind)
    assert found.remove([WEB]) == {}
    assert [one["object_id"] for one in executor.asked] == [WEB] * removals
    assert found.observe() == []
    assert not (tmp_path / "specs/web").exists()


def test_a_machine_without_any_order_is_removed_by_its_id(executor: Executor, tmp_path: Path) -> None:
    """The Conductor holds it for gone and orders its removal; it may run, since its order alone is gone."""
    found = host(NamespaceHost, executor, tmp_path)
    assert found.remove([WEB]) == {}
    assert [one["object_id"] for one in executor.asked] == [WEB]


def test_the_refusal_of_a_damaged_journal_says_how_the_host_goes_on(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"no database at all" * 500)
    with pytest.raises(UserError, match="It is damaged"):
        Journal(tmp_path)
