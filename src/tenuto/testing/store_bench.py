"""Short words for the checks of a store: common changes, and what must fail or leave no trace."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tenuto.model.ids import Instant
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import Move
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateProcess, SaveObject, SaveProcess, StoreChange
from tenuto.ports.store_reads import EventQuery
from tenuto.testing.store_samples import (
    DB,
    HERE,
    WEB,
    a_move,
    a_process,
    an_object,
)


def born(process: Process) -> CreateProcess:
    return CreateProcess(process=process, actor="tester")


def saved(*, state: str, moves: tuple[Move, ...]) -> SaveObject:
    return SaveObject(object=an_object(state=state), expected_generation=1, moves=moves)


def process_moved(generation: int, before: str, after: str) -> SaveProcess:
    process = a_process(alias="web", state=ProcessState(after))
    return SaveProcess(process=process, expected_generation=generation, moves=(a_move(before, after),))


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
        store.sinks(),
        store.backlogs(),
    )
