"""Ordered faults are met by the calls they are about, as often as ordered, and look like the real ones."""

import gc

import pytest

from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import Fid, LogicalId, ObjectId, Partition
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.simulated import types
from tenuto.providers.simulated.cloud import Cloud
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.providers.simulated.provider import Call, SimulatedProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="sim-1")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def ops() -> RecordedOps:
    return RecordedOps()


@pytest.fixture
def provider(clock: VirtualClock, ops: RecordedOps) -> SimulatedProvider:
    return SimulatedProvider(Cloud(clock), clock=clock, ops=ops)


def network(name: str) -> Request:
    return Request(
        object_id=ObjectId(f"object-{name}"),
        fid=Fid("fid"),
        process_name="web",
        logical_id=LogicalId(name),
        type=types.NETWORK,
        token=f"object-{name}",
        properties={"CidrBlock": "10.0.0.0/16"},
    )


def create(provider: SimulatedProvider, name: str) -> Outcome:
    (outcome,) = provider.create(HERE, [network(name)])
    return outcome


@pytest.mark.parametrize("subject", ["Net", "Network", "Simulated::Network", "*"])
def test_a_fault_names_a_resource_a_type_or_everything(provider: SimulatedProvider, subject: str) -> None:
    provider.faults.add(Fault(kind=FaultKind.DENIED, operation="create", subject=subject))
    assert isinstance(create(provider, "Net"), Refused)


def test_a_fault_is_not_met_by_others(provider: SimulatedProvider) -> None:
    provider.faults.add(Fault(kind=FaultKind.DENIED, operation="create", subject="Other"))
    provider.faults.add(Fault(kind=FaultKind.DENIED, operation="delete", subject="Net"))
    assert isinstance(create(provider, "Net"), Done)
    assert len(provider.faults.waiting()) == 2


def test_a_fault_is_met_as_often_as_ordered(provider: SimulatedProvider) -> None:
    provider.faults.add(Fault(kind=FaultKind.THROTTLED, operation="create", subject="Net", times=2))
    answers = [create(provider, "Net") for _ in range(3)]
    assert [type(answer) for answer in answers] == [Pending, Pending, Done]
    assert isinstance(answers[0], Pending)
    assert answers[0].is_undone
    assert answers[0].request_id


def test_a_lost_answer_hides_a_thing_that_exists(provider: SimulatedProvider) -> None:
    provider.faults.add(Fault(kind=FaultKind.LOST, operation="create"))
    answer = create(provider, "Net")
    assert isinstance(answer, Pending)
    assert not answer.is_undone
    assert answer.physical_id is None
    (found,) = provider.find(HERE, [network("Net")])
    assert found is not None


def test_a_slow_thing_is_ready_later(provider: SimulatedProvider, clock: VirtualClock) -> None:
    provider.faults.add(Fault(kind=FaultKind.SLOW, operation="create", seconds=90.0))
    create(provider, "Net")
    before = provider.sweep(HERE, "networks", {})[types.NETWORK]
    clock.advance(90.0)
    after = provider.sweep(HERE, "networks", {})[types.NETWORK]
    assert [item.condition for sweep in (before, after) for item in sweep.items.values()] == ["pending", "ready"]


@pytest.mark.parametrize(("kind", "error"), [(FaultKind.DOWN, TransientError), (FaultKind.FORBIDDEN, PermanentError)])
@pytest.mark.parametrize("subject", ["networks", "Network", "*"])
def test_a_sweep_fails_as_a_whole(
    provider: SimulatedProvider, kind: FaultKind, error: type[Exception], subject: str
) -> None:
    provider.faults.add(Fault(kind=kind, operation="sweep", subject=subject))
    with pytest.raises(error):
        provider.sweep(HERE, "networks", {})
    assert provider.sweep(HERE, "networks", {})[types.NETWORK].items == {}


def test_every_changing_call_is_reported_with_its_outcome(provider: SimulatedProvider, ops: RecordedOps) -> None:
    provider.faults.add(Fault(kind=FaultKind.UNAVAILABLE, operation="create"))
    create(provider, "Net")
    create(provider, "Net")
    told = [(op.operation, op.code, op.object_ids) for op in ops.all]
    assert told == [
        ("CreateNetwork", "ServiceUnavailable", ("object-Net",)),
        ("CreateNetwork", "", ("object-Net",)),
    ]


def test_looking_is_no_change(clock: VirtualClock, ops: RecordedOps) -> None:
    calls: list[Call] = []
    provider = SimulatedProvider(Cloud(clock), clock=clock, ops=ops, told=calls.append)
    provider.sweep(HERE, "networks", {})
    provider.find(HERE, [network("Net")])
    provider.context(HERE)
    assert ops.all == ()
    assert [call.operation for call in calls] == ["sweep", "find", "context"]
    assert not any(call.is_changing for call in calls)


def test_a_provider_that_nobody_listens_to_keeps_none_of_its_calls(provider: SimulatedProvider) -> None:
    gc.collect()
    before = sum(isinstance(one, Call) for one in gc.get_objects())
    for _ in range(10):
        provider.sweep(HERE, "networks", {})
        provider.context(HERE)
    assert sum(isinstance(one, Call) for one in gc.get_objects()) == before
