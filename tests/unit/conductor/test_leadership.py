"""Who leads, who must not write or call any more, and what is known of the nodes."""

from collections.abc import Sequence

import pytest
from web_world import HOME, web

from tenuto.bootstrap.system import System, build
from tenuto.cli.render.catalogue import render_nodes
from tenuto.conductor.leading.leadership import CALL_S, LEASE_S, RENEW_S, Leadership
from tenuto.errors import LeaseLostError, NotLeadingError, StoreUnavailableError, TransientError
from tenuto.lifecycles.node import NodeState
from tenuto.model.ids import Fid, JsonMap
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveComposition, StoreChange
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto.service.common.values import time_text
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ids import SeededIds

CHANGE = SaveComposition(composition=web())
FID = Fid("f-1")


class FlakyStore(MemoryStore):
    """Refuses commits while it is away."""

    is_away = False

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.is_away:
            raise StoreUnavailableError("the disk is full")
        super().commit(changes)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def store() -> FlakyStore:
    return FlakyStore()


def leadership(store: Store, clock: VirtualClock, node: str, *, is_alone: bool = False) -> Leadership:
    return Leadership(store=store, clock=clock, node=node, is_alone=is_alone, facts={"version": "1"})


def leader(store: Store, clock: VirtualClock, node: str, *, is_alone: bool = False) -> Leadership:
    found = leadership(store, clock, node, is_alone=is_alone)
    found.take()
    return found


def system(store: Store, clock: VirtualClock, node: str) -> System:
    return build(
        store=store,
        providers=lambda ops, clock: [SimulatedProvider(Cloud(VirtualClock()), clock=clock, ops=ops)],
        clock=clock,
        ids=SeededIds(node),
        secrets=KeyedSecrets(new_keys()),
        period_s=30.0,
        node=node,
        is_alone=False,
    )


def nodes(store: Store, clock: VirtualClock) -> dict[str, JsonMap]:
    asking = system(store, clock, "asking")
    return {one["name"]: one for one in asking.queries.nodes()["nodes"]}


def test_a_second_conductor_is_refused_while_the_first_renews_its_lease(store: FlakyStore, clock: VirtualClock) -> None:
    first = leader(store, clock, "a")
    for _ in range(20):
        clock.advance(RENEW_S)
        first.keep()
        with pytest.raises(NotLeadingError, match="Conductor a leads"):
            leader(store, clock, "b")
    first.check()


def test_who_took_over_leads_and_the_one_before_can_neither_write_nor_call(
    store: FlakyStore, clock: VirtualClock
) -> None:
    first = leader(store, clock, "a")
    clock.advance(LEASE_S)
    second = leader(store, clock, "b")
    with pytest.raises(TransientError):
        first.check()
    with pytest.raises(LeaseLostError, match="b has taken it"):
        first.fenced().commit([CHANGE])
    assert store.composition(web().digest) is None
    assert (first.is_lost, second.is_lost) == (True, False)
    second.check()
    second.fenced().commit([CHANGE])
    assert store.composition(web().digest) is not None


def test_a_call_is_let_through_only_while_the_lease_outlasts_it(store: FlakyStore, clock: VirtualClock) -> None:
    first = leader(store, clock, "a")
    store.is_away = True
    clock.advance(LEASE_S - CALL_S)
    first.keep()
    first.check()
    clock.advance(1.0)
    with pytest.raises(TransientError, match="cannot prove that it still leads"):
        first.check()
    store.is_away = False
    first.keep()
    first.check()


def test_a_lease_that_ran_out_and_that_nobody_took_is_renewed(store: FlakyStore, clock: VirtualClock) -> None:
    first = leader(store, clock, "a")
    clock.advance(10 * LEASE_S)
    first.keep()
    first.check()
    first.fenced().commit([CHANGE])


def test_where_nobody_else_can_be_the_lease_is_taken_at_once(store: FlakyStore, clock: VirtualClock) -> None:
    first = leader(store, clock, "a", is_alone=True)
    second = leader(store, clock, "a", is_alone=True)
    second.check()
    with pytest.raises(LeaseLostError):
        first.fenced().commit([CHANGE])


def test_a_clean_end_lets_the_next_one_lead_at_once(store: FlakyStore, clock: VirtualClock) -> None:
    leader(store, clock, "a").release()
    leader(store, clock, "b").check()


def test_one_who_noticed_that_it_was_deposed_does_not_release_the_lease_of_another(
    store: FlakyStore, clock: VirtualClock
) -> None:
    first = leader(store, clock, "a")
    clock.advance(LEASE_S)
    second = leader(store, clock, "b")
    first.keep()
    first.release()
    second.check()
    with pytest.raises(NotLeadingError):
        leader(store, clock, "c")


def test_a_deposed_conductor_collects_nothing_and_its_commands_change_nothing(
    store: FlakyStore, clock: VirtualClock
) -> None:
    first, second = system(store, clock, "a"), system(store, clock, "b")
    first.conductor.start()
    clock.advance(LEASE_S)
    second.conductor.start()
    with pytest.raises(LeaseLostError):
        first.store.commit([CHANGE])
    assert first.conductor.collect() == []
    assert (first.conductor.is_deposed, second.conductor.is_deposed) == (True, False)
    assert store.process(FID) is None


def renewed(store: FlakyStore, clock: VirtualClock, node: str, times: int) -> tuple[Leadership, str]:
    """A Conductor that has renewed its lease so often, and when it did so last."""
    found = leader(store, clock, node)
    for _ in range(times):
        clock.advance(RENEW_S)
        found.keep()
    return found, time_text(clock.now()) or ""


def test_a_missing_node_has_checked_in_when_it_last_renewed_its_lease(store: FlakyStore, clock: VirtualClock) -> None:
    _, last = renewed(store, clock, "a", 3)
    clock.advance(10 * LEASE_S)
    leader(store, clock, "b")
    found = nodes(store, clock)["a"]
    assert (found["state"], found["checked_in"], found["since"]) == ("missing", last, time_text(clock.now()))


def test_a_node_that_left_has_checked_in_when_it_last_renewed_its_lease(store: FlakyStore, clock: VirtualClock) -> None:
    first, last = renewed(store, clock, "a", 2)
    clock.advance(5.0)
    first.release()
    ended = time_text(clock.now())
    clock.advance(3600.0)
    found = nodes(store, clock)["a"]
    assert (found["state"], found["checked_in"], found["since"]) == ("stopped", last, ended)


def test_a_node_whose_lease_ran_out_has_not_checked_in_since(store: FlakyStore, clock: VirtualClock) -> None:
    _, last = renewed(store, clock, "a", 2)
    clock.advance(10 * LEASE_S)
    found = nodes(store, clock)["a"]
    assert (found["state"], found["leads"], found["checked_in"]) == ("created", False, last)


def test_a_node_that_comes_back_checks_in_then(store: FlakyStore, clock: VirtualClock) -> None:
    renewed(store, clock, "a", 1)
    clock.advance(10 * LEASE_S)
    leader(store, clock, "b").release()
    clock.advance(60.0)
    leader(store, clock, "a")
    found = nodes(store, clock)["a"]
    assert (found["state"], found["checked_in"]) == ("created", time_text(clock.now()))


@pytest.mark.parametrize("ahead_s", [LEASE_S + 1.0, 3600.0, 30 * 86_400.0])
def test_a_lease_from_the_future_is_taken_over_after_the_length_of_a_lease_without_a_renewal(
    store: FlakyStore, clock: VirtualClock, ahead_s: float
) -> None:
    ahead = VirtualClock()
    ahead.advance(ahead_s)
    first = leader(store, ahead, "a")
    began = clock.now()
    leader(store, clock, "b").check()
    assert clock.now() - began == LEASE_S
    with pytest.raises(LeaseLostError):
        first.fenced().commit([CHANGE])


def test_a_lease_that_was_given_up_by_a_clock_that_was_ahead_is_taken_at_once(
    store: FlakyStore, clock: VirtualClock
) -> None:
    ahead = VirtualClock()
    ahead.advance(30 * 86_400.0)
    leader(store, ahead, "a").release()
    began = clock.now()
    leader(store, clock, "b").check()
    assert clock.now() == began


def test_who_leads_by_a_clock_that_is_ahead_is_not_taken_over_from(store: FlakyStore, clock: VirtualClock) -> None:
    ahead = VirtualClock()
    ahead.advance(3600.0)
    first = leader(store, ahead, "a")

    class Passing(VirtualClock):
        """While this one sleeps, the first works."""

        def sleep(self, seconds: float) -> None:
            super().sleep(seconds)
            ahead.advance(seconds)
            first.keep()

    with pytest.raises(NotLeadingError, match="Set them right"):
        leader(store, Passing(), "b")
    first.check()


def test_where_nobody_else_can_be_a_lease_from_the_future_is_taken_at_once(
    store: FlakyStore, clock: VirtualClock
) -> None:
    ahead = VirtualClock()
    ahead.advance(30 * 86_400.0)
    leader(store, ahead, "a")
    began = clock.now()
    leader(store, clock, "b", is_alone=True).check()
    assert clock.now() == began


def test_a_machine_that_was_paused_makes_no_call_before_it_has_renewed_its_lease(
    store: FlakyStore, clock: VirtualClock
) -> None:
    first = leader(store, clock, "a")
    clock.set_wall(LEASE_S)
    with pytest.raises(TransientError, match="cannot prove that it still leads"):
        first.check()
    first.keep()
    first.check()


def test_a_system_clock_that_was_set_back_takes_no_lease_away_and_prolongs_none(
    store: FlakyStore, clock: VirtualClock
) -> None:
    first = leader(store, clock, "a")
    clock.set_wall(-3600.0)
    first.check()
    clock.advance(LEASE_S)
    with pytest.raises(TransientError, match="cannot prove that it still leads"):
        first.check()


def test_nodes_come_and_go_by_their_lifecycle(store: FlakyStore, clock: VirtualClock) -> None:
    first = leader(store, clock, "a")
    shown = nodes(store, clock)["a"]
    assert (shown["state"], shown["leads"], shown["epoch"], shown["version"]) == ("created", True, 1, "1")
    first.release()
    assert (nodes(store, clock)["a"]["state"], nodes(store, clock)["a"]["leads"]) == ("stopped", False)
    leader(store, clock, "a")
    assert nodes(store, clock)["a"]["state"] == NodeState.CREATED
    clock.advance(LEASE_S)
    leader(store, clock, "b")
    after = nodes(store, clock)
    assert {name: one["state"] for name, one in after.items()} == {"a": "missing", "b": "created"}
    assert [name for name, one in after.items() if one["leads"]] == ["b"]
    text = render_nodes({"nodes": list(after.values())})
    assert "missing" in text
    assert "epoch 3" in text
    clock.advance(LEASE_S)
    leader(store, clock, "a")
    assert {name: one["state"] for name, one in nodes(store, clock).items()} == {"a": "created", "b": "missing"}


def test_the_place_of_nodes_is_no_place_of_resources(store: FlakyStore, clock: VirtualClock) -> None:
    leader(store, clock, "a")
    assert store.processes(live=False) == ()
    assert store.ready(clock.now()) == ()
    assert all(found.partition != HOME for found in store.interrupted())
