"""Which changing calls the Conductor lets through, at the last moment before they are sent."""

from dataclasses import replace
from typing import Any

import pytest

from tenuto.conductor.leading.leadership import LEASE_S, Leadership
from tenuto.conductor.providing.op_log import OpLog
from tenuto.errors import BugError, TransientError
from tenuto.kit.metrics import Meter
from tenuto.model.ids import ObjectId, Partition
from tenuto.model.outcome import Op
from tenuto.ports.provider import NO_MANDATE, NOT_LEADING
from tenuto.ports.store_changes import Append, CreateObject, SaveProcess
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


def written(store: MemoryStore) -> list[Op]:
    """The ops of the process in the store."""
    return list(store.history(WEB).ops)


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")


def an_op(**fields: Any) -> Op:
    right: dict[str, Any] = {
        "at": 1.0,
        "partition": Partition(account="a", region="r"),
        "service": "ec2",
        "operation": "RunInstances",
        "object_ids": (MINE,),
        "request_id": "r-1",
        "duration_s": 0.5,
    }
    return Op(**(right | fields))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"message": None}, ""),
        ({"message": RuntimeError("no room")}, "no room"),
        ({"message": "caf\udce9"}, "caf\ufffd"),
        ({"message": Unshowable()}, "Unshowable"),
        ({"request_id": None, "code": None, "service": 7}, ""),
        ({"duration_s": float("nan"), "at": None}, ""),
        ({"partition": None}, ""),
        ({"object_ids": [MINE, "\ud800"], "partition": Partition(account="\ud800", region="r")}, ""),
    ],
)
def test_an_op_with_a_wrong_field_is_recorded_with_texts_in_place_of_it(
    store: MemoryStore, ops: OpLog, fields: dict[str, Any], message: str
) -> None:
    ops.record(an_op(**fields))
    ops.flush()
    (row,) = written(store)
    assert row.message == message


def test_what_is_no_op_is_left_out_and_the_others_are_recorded(store: MemoryStore, ops: OpLog) -> None:
    ops.record(None)  # type: ignore[arg-type]
    ops.record(an_op(object_ids=None))
    ops.record(an_op(message="after it"))
    ops.flush()
    assert [op.message for op in written(store)] == ["after it"]


def test_an_op_that_the_store_refuses_is_left_out_and_the_others_are_written(clock: VirtualClock) -> None:
    class Picky(MemoryStore):
        def commit(self, changes: Any) -> None:
            if any(op.service == "bad" for one in changes if isinstance(one, Append) for op in one.ops):
                raise BugError("refused")
            super().commit(changes)

    store = Picky()
    store.commit([born(a_process(alias="web"))])
    store.commit([CreateObject(object=an_object(MINE), actor="t")])
    leadership = Leadership(store=store, clock=clock, node="one", is_alone=True, facts={})
    leadership.take()
    ops = OpLog(store, leadership, Meter())
    for service in ("ec2", "bad", "iam"):
        ops.record(an_op(service=service))
    ops.flush()
    assert [op.service for op in written(store)] == ["ec2", "iam"]
