"""Placement: nobody gets more than there is, and the same question has the same answer."""

from hypothesis import given
from hypothesis import strategies as st

from tenuto.model.ids import ObjectId
from tenuto.providers.local.rules.placement import Assigned, Host, Machine, Placed, PlacementRules, Unplaced, place

RULES = PlacementRules()
HOSTS = st.lists(
    st.builds(
        Host,
        name=st.sampled_from(["h1", "h2", "h3", "h4"]),
        cores=st.integers(1, 4),
        memory_mib=st.integers(1024, 8192),
        is_up=st.booleans(),
        is_cordoned=st.booleans(),
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
            emptied = [host(each.name, cores=each.cores, memory_mib=each.memory_mib) for each in hosts]
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


def test_a_zone_without_hosts_is_waited_for() -> None:
    answer = place((machine("a"),), (), (), RULES)[ObjectId("a")]
    assert answer == Unplaced(message="no host has 1 vcpus and 1024 MiB: the zone has no hosts", is_final=False)


def _hosts(placing: object) -> dict[str, str]:
    assert isinstance(placing, dict)
    return {name: one.host for name, one in placing.items() if isinstance(one, Assigned)}
