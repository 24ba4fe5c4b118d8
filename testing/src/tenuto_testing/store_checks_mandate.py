"""The answers of every store about mandates: on which objects work may begin now (`core.planning.intents`)."""

from dataclasses import replace

from tenuto.errors import ConflictError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant, ObjectId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, ExpectMandate, SaveObject, SaveProcess
from tenuto_testing.store_bench import born, raises
from tenuto_testing.store_samples import HERE, PHASE, WEB, a_move, a_process, an_entry, an_object, entries

NOW = Instant(1000.0)
MINE, FREE = ObjectId("mine"), ObjectId("free")


def a_command_takes_the_mandate_from_the_objects_of_its_process_and_from_no_other(store: Store) -> None:
    _built(store)
    assert store.without_mandate([MINE, FREE]) == ()
    assert _waiting(store) == [FREE, MINE]
    _given_another_command(store)
    assert store.without_mandate([MINE, FREE]) == (MINE,)
    assert _waiting(store) == [FREE]


def a_plan_gives_the_mandate_back(store: Store) -> None:
    _built(store)
    process = _given_another_command(store)
    _save(store, mandate=process.mandate)
    assert store.without_mandate([MINE]) == ()
    assert _waiting(store) == [FREE, MINE]


def a_suspended_process_has_no_object_with_a_mandate(store: Store) -> None:
    _built(store)
    process = store.process("web")
    assert process is not None
    suspended = replace(process, state=ProcessState.SUSPENDED)
    move = a_move(ProcessState.RUNNING, ProcessState.SUSPENDED)
    store.commit([SaveProcess(process=suspended, expected_generation=process.generation, moves=(move,))])
    assert store.without_mandate([MINE, FREE]) == (MINE,)
    assert _waiting(store) == [FREE]


def an_object_that_leaves_its_state_has_no_mandate(store: Store) -> None:
    """A canceled run must not call any more."""
    _built(store)
    _save(store, phases=entries(an_entry(PhaseStatus.CANCELING)))
    assert store.without_mandate([MINE]) == (MINE,)


def a_commit_that_expects_a_mandate_is_refused_whole_without_one(store: Store) -> None:
    _built(store)
    found = store.object(MINE)
    assert found is not None
    save = SaveObject(object=replace(found, message="begun"), expected_generation=found.generation)
    store.commit([ExpectMandate(object_ids=(MINE, FREE))])
    _given_another_command(store)
    raises((ConflictError,), store, [ExpectMandate(object_ids=(MINE,)), save])
    assert store.object(MINE) == found


def _built(store: Store) -> None:
    """A process with an object that waits in a phase, and an object without a process that does the same."""
    waiting = entries(an_entry(PhaseStatus.WAITING))
    mine = an_object(MINE, phases=waiting)
    free = an_object(FREE, fid=None, phases=waiting)
    store.commit([born(a_process(alias="web"))])
    store.commit([CreateObject(object=one, actor="tester") for one in (mine, free)])


def _waiting(store: Store) -> list[ObjectId]:
    found = sorted(one.object_id for one in store.waiting(PHASE, HERE, NOW, 10))
    assert bool(found) == any(one.phase == PHASE for one in store.ready(NOW))
    return found


def _given_another_command(store: Store) -> Process:
    process = store.process(WEB)
    assert process is not None
    changed = replace(process, mandate=process.mandate + 1)
    store.commit([SaveProcess(process=changed, expected_generation=process.generation)])
    return changed


def _save(store: Store, **changes: object) -> ManagedObject:
    found = store.object(MINE)
    assert found is not None
    changed = replace(found, **changes)  # type: ignore[arg-type]
    named = (PHASE,) if "phases" in changes else ()
    store.commit([SaveObject(object=changed, expected_generation=found.generation, entries=named)])
    return changed
