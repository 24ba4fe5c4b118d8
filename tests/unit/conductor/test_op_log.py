"""Which changing calls the Conductor lets through, at the last moment before they are sent."""

from dataclasses import replace

import pytest

from tenuto.conductor.leading.leadership import LEASE_S, Leadership
from tenuto.conductor.providing.op_log import OpLog
from tenuto.errors import TransientError
from tenuto.kit.metrics import Meter
from tenuto.model.ids import ObjectId
from tenuto.ports.provider import NO_MANDATE, NOT_LEADING
from tenuto.ports.store_changes import CreateObject, SaveProcess
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import VirtualClock
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import WEB, a_process, an_object

MINE, FREE = ObjectId("mine"), ObjectId("free")


@pytest.fixture
def store() -> MemoryStore:
    found = MemoryStore()
    found.commit([born(a_process(alias="web"))])
    found.commit([CreateObject(object=an_object(MINE), actor="t")])
    found.commit([CreateObject(object=an_object(FREE, fid=None), actor="t")])
    return found


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def ops(store: MemoryStore, clock: VirtualClock) -> OpLog:
    leadership = Leadership(store=store, clock=clock, node="one", is_alone=True, facts={})
    leadership.take()
    return OpLog(store, leadership, Meter())


def test_a_call_for_an_object_with_a_mandate_is_let_through(ops: OpLog) -> None:
    ops.permit([MINE, FREE])
    ops.permit([])


def test_a_call_for_an_object_that_a_command_took_the_mandate_from_is_not_sent(store: MemoryStore, ops: OpLog) -> None:
    process = store.process(WEB)
    assert process is not None
    changed = replace(process, mandate=process.mandate + 1)
    store.commit([SaveProcess(process=changed, expected_generation=process.generation)])
    with pytest.raises(TransientError, match="not sent") as refused:
        ops.permit([FREE, MINE])
    assert refused.value.code == NO_MANDATE
    ops.permit([FREE])


def test_a_conductor_whose_lease_runs_out_sends_nothing(ops: OpLog, clock: VirtualClock) -> None:
    clock.advance(LEASE_S)
    with pytest.raises(TransientError) as refused:
        ops.permit([FREE])
    assert refused.value.code == NOT_LEADING
