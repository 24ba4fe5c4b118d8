"""The text about hosts: their states in words, and check-ins that the clock of the Conductor does not explain."""

from typing import Any

import pytest
from kept_hosts import KeptHosts, host_of

from tenuto.cli.render.nodes import render_host, render_hosts
from tenuto.service.objects.hosts import Hosts
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock


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


def test_a_copy_is_told_by_the_blob_that_it_is_of() -> None:
    told = render_host({**_shown(), "strays": ["m1", "4711@zone/h1"]})
    assert "not known to this Conductor: m1, the copy of the blob 4711." in " ".join(told.split())


def _shown(state: str = "missing", *, heard_after_s: float = -7) -> dict[str, Any]:
    clock, store = VirtualClock(), MemoryStore()
    attributes = {"Cordoned": True, "LeftBehind": ["m1"], "Isolated": ["m1", "m2"]}
    host = host_of("h1", state, clock.now(), heard_after_s=heard_after_s, **attributes)
    try:
        return dict(Hosts(store=store, clock=clock, keeper=KeptHosts(host)).show("h1"))
    finally:
        store.close()
