"""The answers of every store about the open work of processes: a list of processes asks for no more than that."""

from dataclasses import replace
from typing import Any

from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, SaveFlips, SaveObject
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import (
    DB,
    OTHER_PHASE,
    WEB,
    a_flip,
    a_move,
    a_process,
    an_entry,
    an_object,
    entries,
)


def the_first_object_of_each_kind_of_open_entry_stands_for_its_process(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    sleeping = an_entry(PhaseStatus.SLEEPING, message="asked too often (Throttling)")
    for name, *found in (
        ("w2", an_entry()),
        ("w1", an_entry()),
        ("w3", an_entry(state="Allocation")),
        ("f1", an_entry(PhaseStatus.FAILED), an_entry(PhaseStatus.COMPLETED, OTHER_PHASE)),
        ("s1", replace(sleeping, message="asked for the next refresh")),
        ("s2", sleeping),
        ("s3", replace(sleeping, message="", code="Throttling")),
        ("s4", sleeping),
        ("b1", an_entry(PhaseStatus.COMPLETED), an_entry(PhaseStatus.BLOCKED, OTHER_PHASE)),
        ("c1", an_entry(PhaseStatus.COMPLETED), an_entry(PhaseStatus.CANCELED, OTHER_PHASE)),
    ):
        _add(store, name, *found)
    _add(store, "x1", an_entry(), fid=DB)
    _add(store, "x2", an_entry(), fid=DB, logical_id=LogicalId("Lx1"), incarnation=2)
    assert _ids(store.open_objects([WEB])) == ["b1", "f1", "s1", "s2", "s3", "w1", "w3"]
    assert _ids(store.open_objects([DB])) == ["x1"]
    both = sorted([WEB, DB])
    assert store.open_objects([WEB, Fid("nothing"), DB]) == tuple(
        one for fid in both for one in store.open_objects([fid])
    )
    assert store.open_objects([DB]) == (store.object(ObjectId("x1")),)
    assert store.open_objects([]) == ()


def an_incarnation_that_ended_before_another_is_not_among_the_open_ones(store: Store) -> None:
    store.commit([born(a_process())])
    for incarnation in (1, 2):
        failed = entries(an_entry(PhaseStatus.FAILED))
        made = an_object(f"n{incarnation}", logical_id=LogicalId("Net"), incarnation=incarnation, phases=failed)
        store.commit([CreateObject(object=made, actor="tester")])
        ended = replace(made, state="Terminated")
        move = a_move("Validation", "Terminated")
        store.commit([SaveObject(object=ended, expected_generation=1, moves=(move,))])
    assert _ids(store.open_objects([WEB])) == ["n2"]


def the_processes_with_something_held_are_known(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    store.commit([SaveFlips(fid=WEB, saved=(a_flip("Net", "Tags"), a_flip("Net", held_at=Instant(300.0))))])
    store.commit([SaveFlips(fid=DB, saved=(a_flip("Net", "Tags"),))])
    assert store.held([WEB, DB]) == {WEB}
    assert store.held([DB]) == store.held([]) == frozenset()


def _add(store: Store, name: str, *given: PhaseEntry, **changes: Any) -> None:
    store.commit([CreateObject(object=an_object(name, phases=entries(*given), **changes), actor="tester")])


def _ids(items: Any) -> list[str]:
    return [item.object_id for item in items]
