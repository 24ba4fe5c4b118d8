"""The text about hosts: their states in words, and check-ins that the clock of the Conductor does not explain."""

from typing import Any

import pytest

from tenuto.cli.render.nodes import render_host, render_hosts
from tenuto.lifecycles.node import NODE
from tenuto.model.host_node import HostNode
from tenuto.model.ids import Instant, LogicalId, ObjectId
from tenuto.model.node import HOST_TYPE, host_place
from tenuto.model.resource import ManagedObject
from tenuto.ports.host_keeper import HostKeeper
from tenuto.providers.local.types import PROVIDER
from tenuto.service.objects.hosts import Hosts
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock

ZONE = "rack-1"


def test_a_check_in_after_the_present_is_told_without_a_duration() -> None:
    """The clock of the Conductor went back by a day: 'node list' said that the host was heard -86339 s ago."""
    shown = _shown(heard_after_s=86_339)
    assert shown["silent_s"] is None
    for text in (render_hosts({"hosts": [shown]}), render_host(shown)):
        assert " ago" not in text
        assert "-86339" not in text
    assert _shown(heard_after_s=-7)["silent_s"] == 7.0


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("created", "is created since"),
        ("missing", "is missing since"),
        ("error", "is in error since"),
        ("deleted", "is deleted since"),
    ],
)
def test_a_host_is_in_its_state_in_words(state: str, told: str) -> None:
    text = render_host(_shown(state))
    assert told in text
    assert ("It counts as lost" in text) is (state == "error")
    assert ("It gets nothing new" in text) is (state in ("created", "missing"))


def test_a_machine_that_is_to_be_removed_waits_for_nobody() -> None:
    """It was acknowledged while its host was silent, and both was told: it is removed, and it stays."""
    shown = _shown("error")
    assert (shown["left_behind"], shown["isolated"]) == (["m1"], ["m2"])


def _shown(state: str = "missing", *, heard_after_s: float = -7) -> dict[str, Any]:
    clock, store = VirtualClock(), MemoryStore()
    now = clock.now()
    node = ManagedObject(
        object_id=ObjectId("host:rack-1/h1"),
        lifecycle=NODE.name,
        type=HOST_TYPE,
        provider=PROVIDER,
        partition=host_place(ZONE),
        fid=None,
        logical_id=LogicalId("h1"),
        state=state,
        target=state,
        created_at=now,
        moved_at=now,
        touched_at=now,
        attributes={"Cordoned": True, "LeftBehind": ["m1"], "Isolated": ["m1", "m2"]},
    )
    host = HostNode(zone=ZONE, name="h1", node=node, heard_at=Instant(now + heard_after_s))
    try:
        return dict(Hosts(store=store, clock=clock, keeper=_Keeper(host)).show("h1"))
    finally:
        store.close()


class _Keeper(HostKeeper):
    """The keeper of one host."""

    def __init__(self, host: HostNode) -> None:
        self._host = host

    def zones(self) -> list[str]:
        return [self._host.zone]

    def nodes(self, zone: str) -> list[HostNode]:
        return [self._host]
