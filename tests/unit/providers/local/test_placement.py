"""Placement: nobody gets more than there is, and the same question has the same answer."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.machines.placement import (
    Assigned,
    Host,
    Machine,
    Placed,
    PlacementRules,
    Unplaced,
    misfits,
    never_placed,
    place,
)

RULES = PlacementRules()
HOSTS = st.lists(
    st.builds(
        Host,
        name=st.sampled_from(["h1", "h2", "h3", "h4"]),
        cores=st.integers(1, 4),
        memory_mib=st.integers(1024, 8192),
        is_up=st.booleans(),
        is_cordoned=st.booleans(),
        disk_gib=st.none() | st.integers(1, 400),
    ),
    max_size=4,
    unique_by=lambda host: host.name,
)
MACHINES = st.lists(
    st.builds(
        Machine,
        object_id=st.uuids().map(str).map(ObjectId),
        namespace=st.sampled_from(["red", "blue"]),
        vcpus=st.integers(1, 80),
        memory_mib=st.integers(64, 8000),
        host=st.sampled_from(["", "", "h1", "h9"]),
        disk_gib=st.integers(0, 200),
    ),
    max_size=12,
    unique_by=lambda machine: machine.object_id,
)


def machine(name: str, **facts: object) -> Machine:
    plain: dict[str, object] = {"namespace": "red", "vcpus": 1, "memory_mib": 1024}
    return Machine(object_id=ObjectId(name), **{**plain, **facts})  # type: ignore[arg-type]


def host(name: str, **facts: object) -> Host:
    plain: dict[str, object] = {"cores": 4, "memory_mib": 8192}
    return Host(name=name, **{**plain, **facts})  # type: ignore[arg-type]


@given(MACHINES, HOSTS)
def test_no_host_is_given_more_than_it_has(machines: list[Machine], hosts: list[Host]) -> None:
    placing = place(machines, hosts, (), RULES)
    assert set(placing) == {one.object_id for one in machines}
    for one in hosts:
        there = [m for m in machines if isinstance(a := placing[m.object_id], Assigned) and a.host == one.name]
        assert sum(m.memory_mib for m in there) <= max(0, one.memory_mib - RULES.kept_mib)
        assert sum(m.vcpus for m in there) <= one.cores * RULES.vcpus_per_core
        assert one.disk_gib is None or sum(m.disk_gib for m in there) <= one.disk_gib
        assert not there or (one.is_up and not one.is_cordoned)
        assert all(m.host in ("", one.name) for m in there)


@given(MACHINES, HOSTS)
def test_the_order_of_the_hosts_does_not_matter(machines: list[Machine], hosts: list[Host]) -> None:
    assert _hosts(place(machines, hosts, (), RULES)) == _hosts(place(machines, hosts[::-1], (), RULES))


@given(MACHINES, HOSTS)
def test_only_what_no_present_host_could_ever_hold_is_refused_for_good(
    machines: list[Machine], hosts: list[Host]
) -> None:
    for one in machines:
        answer = place((one,), hosts, (), RULES)[one.object_id]
        if isinstance(answer, Unplaced) and answer.is_final and one.host in {"", *(each.name for each in hosts)}:
            emptied = [
                host(each.name, cores=each.cores, memory_mib=each.memory_mib, disk_gib=each.disk_gib) for each in hosts
            ]
            assert isinstance(place((one,), emptied, (), RULES)[one.object_id], Unplaced)


def test_the_least_committed_host_is_taken_and_affinity_goes_before() -> None:
    there = Placed(host="h1", machine=machine("a", tags=frozenset({"app=db"})))
    hosts = (host("h1"), host("h2"))
    beside = machine("c", affinity={"app=db": 5})
    apart = machine("d", affinity={"app=db": -5}, memory_mib=64)
    found = _hosts(place((machine("b"), beside, apart), hosts, (there,), RULES))
    assert found == {"b": "h2", "c": "h1", "d": "h2"}


def test_the_tags_of_another_namespace_do_not_count() -> None:
    there = Placed(host="h1", machine=machine("a", namespace="blue", tags=frozenset({"app=db"})))
    found = _hosts(place((machine("b", affinity={"app=db": 5}),), (host("h1"), host("h2")), (there,), RULES))
    assert found == {"b": "h2"}


def test_the_trail_says_why_each_host_was_left_out() -> None:
    hosts = (host("h1", is_up=False), host("h2", is_cordoned=True), host("h3", memory_mib=2560), host("h4"))
    answer = place((machine("a"),), hosts, (), RULES)[ObjectId("a")]
    assert isinstance(answer, Assigned)
    assert answer.trail == ("h1: it does not answer", "h2: it is cordoned", "h3: 512 MiB of it are for machines")


def test_a_host_that_is_not_there_is_to_be_corrected_and_not_asked_for_less() -> None:
    hosts = (host("h2"),)
    (lost,) = place((replace(machine("a"), host="h1"),), hosts, (), RULES).values()
    (large,) = place((replace(machine("a"), memory_mib=10**9),), hosts, (), RULES).values()
    assert isinstance(lost, Unplaced)
    assert isinstance(large, Unplaced)
    assert (lost.advice, large.advice) == ("Correct Host, or leave it out", "Ask for less, or add a host")


def test_behaviour_32_each_limit_of_a_host_filters_it_out_and_the_trail_says_so() -> None:
    taken = machine("there", disk_gib=60, vcpus=60)
    limits = {
        "h1: it does not answer": host("h1", is_up=False),
        "h2: it is cordoned": host("h2", is_cordoned=True),
        "h3: it is missing": host("h3"),
        "h4: 512 MiB of it are for machines": host("h4", memory_mib=2560),
        "h5: 36 GiB of its disk are for machines": host("h5", disk_gib=40),
        "h6: 30 GiB of its disk are free": host("h6", disk_gib=100, cores=8),
        "h7: 4 vcpus are free": host("h7"),
        "h8: it has 0 cores": host("h8", cores=0),
        "h9: 0 MiB are free": host("h9", memory_mib=3072),
    }
    there = [Placed(host=name, machine=taken) for name in ("h6", "h7")]
    there.append(Placed(host="h9", machine=machine("small")))
    rules = replace(RULES, closed={"h3": "it is missing"})
    wanted = machine("a", vcpus=5, disk_gib=41)
    answer = place((wanted,), (*limits.values(), host("last")), there, rules)[ObjectId("a")]
    assert answer == Assigned(host="last", trail=tuple(limits))
    refused = place((wanted,), (host("h5", disk_gib=40),), (), RULES)[ObjectId("a")]
    assert isinstance(refused, Unplaced)
    assert refused.is_final, "no emptied host of the zone could hold it"
    assert "5 vcpus and 1024 MiB and 41 GiB of disk: h5: 36 GiB of its disk are for machines" in refused.message


def test_a_machine_that_its_host_does_not_hold_any_more_is_told_with_the_reason() -> None:
    there = {ObjectId(name): Placed(host="h1", machine=machine(name, memory_mib=3000)) for name in ("a", "b")}
    own = [machine("a", memory_mib=3000)]
    assert misfits(own, (host("h1"),), there, RULES) == {}
    assert misfits(own, (host("h1", is_up=False),), there, RULES) == {}, "it is waited for"
    assert misfits(own, (host("h1", is_cordoned=True),), there, RULES) == {"a": "it is cordoned"}
    assert misfits(own, (host("h1", memory_mib=5000),), there, RULES) == {"a": "2952 MiB of it are for machines"}
    assert misfits(own, (host("h2"),), there, RULES) == {"a": "it is not in the zone any more"}


def test_a_machine_that_asks_for_a_silent_host_is_told_about_that_host() -> None:
    hosts = (host("h1"), host("h2", is_up=False))
    answer = place((machine("a", host="h2"),), hosts, (), RULES)[ObjectId("a")]
    assert answer == Unplaced(
        message="the host h2 does not answer, and the machine asks for it",
        is_final=False,
        advice="Bring h2 back, or leave Host out",
    )


@pytest.mark.parametrize("name", ["h1", "h2"])
def test_the_room_of_other_hosts_is_no_hope_for_a_machine_that_asks_for_one(name: str) -> None:
    hosts = (host("h1", memory_mib=2560), host("h2", memory_mib=9000))
    answer = place((machine("a", host=name),), hosts, (), RULES)[ObjectId("a")]
    assert (isinstance(answer, Unplaced) and answer.is_final) is (name == "h1")


def test_a_machine_is_never_placed_only_where_the_size_of_each_host_forbids_it() -> None:
    silent, small = host("h1", is_up=False, is_cordoned=True), host("h2", memory_mib=2560)
    assert never_placed(machine("a"), (silent, small), RULES) is None
    assert never_placed(machine("a"), (), RULES) is None
    never = never_placed(machine("a"), (replace(small, is_up=False),), RULES)
    assert never is not None
    assert never.message == "no host has 1 vcpus and 1024 MiB: h2: 512 MiB of it are for machines"


def test_a_zone_without_hosts_is_waited_for() -> None:
    answer = place((machine("a"),), (), (), RULES)[ObjectId("a")]
    assert answer == Unplaced(message="no host has 1 vcpus and 1024 MiB: the zone has no hosts", is_final=False)


def _hosts(placing: object) -> dict[str, str]:
    assert isinstance(placing, dict)
    return {name: one.host for name, one in placing.items() if isinstance(one, Assigned)}
