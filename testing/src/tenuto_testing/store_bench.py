"""Short words for the checks of a store: common changes, and commits that must fail or leave no trace."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant
from tenuto.model.phase_map import PhaseEntry
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveObject, SaveProcess, StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.store_samples import (
    DB,
    HERE,
    WEB,
    a_move,
    an_object,
    entries,
)


def born(process: Process) -> CreateProcess:
    return CreateProcess(process=process, actor="tester")


def moved(process: Process, before: str, after: str, generation: int = 1, **changes: Any) -> SaveProcess:
    """The move of a process to another state."""
    there = replace(process, state=ProcessState(after), **changes)
    return SaveProcess(process=there, expected_generation=generation, moves=(a_move(before, after),))


def saved(*, state: str, moves: tuple[Move, ...]) -> SaveObject:
    return SaveObject(object=an_object(state=state), expected_generation=1, moves=moves)


def add(store: Store, name: str, *given: PhaseEntry, **changes: Any) -> None:
    """Store a sample object with these entries."""
    item = an_object(name, **{"phases": entries(*given), **changes})
    store.commit([CreateObject(object=item, actor="tester")])


def ended(item: ManagedObject, state: str = "Terminated") -> SaveObject:
    """The move of an object from its state to a final one."""
    return SaveObject(object=replace(item, state=state), expected_generation=1, moves=(a_move(item.state, state),))


def raises(kinds: tuple[type[Exception], ...], store: Store, changes: Sequence[StoreChange]) -> Exception:
    """The error of a commit that must fail with one of these kinds."""
    try:
        store.commit(changes)
    except kinds as error:
        return error
    raise AssertionError(
        f"{changes[-1]} was stored, and should have raised {' or '.join(kind.__name__ for kind in kinds)}"
    )


@contextmanager
def unchanged(store: Store) -> Iterator[None]:
    """The store answers the same before and after."""
    before = _everything(store)
    yield
    assert _everything(store) == before


def _everything(store: Store) -> tuple[object, ...]:
    processes = store.processes(live=False)
    return (
        processes,
        tuple(store.objects(process.fid) for process in processes),
        tuple(store.history(fid) for fid in (WEB, DB)),
        store.events(EventQuery(limit=10**6)),
        store.ready(Instant(10**9)),
        store.tracked(HERE, an_object().type),
        (store.policy(), store.user_secrets(), store.runtime_settings(), store.rules()),
        (store.accounts(), store.sinks()),
        store.backlogs(),
    )
