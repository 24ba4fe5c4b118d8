"""The store: everything that outlives a Conductor.

A transaction is a value. A writer builds a sequence of changes and gives it to `commit`, which applies
all of them or none. The store, not the caller, refuses a move that the lifecycle does not list and a write whose
`expected_generation` is not the stored one; and it writes one event for every state that changes, in the same
transaction (DECISIONS 9). Rejected: a session object with a begin and an end; it invites work between the two, and it
cannot be logged, compared or replayed.

All methods are safe to call from several threads. All may raise StoreUnavailableError (disk full, locked, connection
lost): then nothing was written. Reads see every commit that returned before them.
"""

from collections.abc import Sequence
from typing import Protocol

from tenuto.model.process import Process
from tenuto.ports.administration_reads import AccessReads, AccountReads, NotificationReads, RuleReads, SealedReads
from tenuto.ports.store_changes import StoreChange
from tenuto.ports.store_claims import ClaimReads
from tenuto.ports.store_reads import (
    BoardReads,
    HistoryReads,
    LeaseReads,
    ObjectReads,
    ProcessReads,
    RateReads,
    TimeReads,
    WorkReads,
)
from tenuto.ports.store_retention import RetentionReads


class Store(
    ProcessReads,
    ObjectReads,
    ClaimReads,
    WorkReads,
    HistoryReads,
    AccessReads,
    RateReads,
    LeaseReads,
    RuleReads,
    AccountReads,
    NotificationReads,
    TimeReads,
    RetentionReads,
    SealedReads,
    BoardReads,
    Protocol,
):
    """The whole store. Each face above has at most eight methods; a reader should ask for the face it needs."""

    def commit(self, changes: Sequence[StoreChange]) -> None:
        """Apply all changes in order, or none.

        Raises ConflictError (a generation, a unique alias, an address or id given twice, a second running job),
        IllegalTransitionError (a move), BugError (a value that must not be stored), StoreUnavailableError. Not
        idempotent: after a StoreUnavailableError the caller reads before it tries again.
        """
        ...

    def note(self, process: Process) -> None:
        """Let reads see another value of a process, of the same generation, without writing it.

        It lasts until the process is written next, at most for as long as the store is open: it is for facts that may
        be forgotten, such as when an idle process was last checked. Changes nothing where the stored generation is
        another one.
        """
        ...

    def check(self) -> None:
        """Raise StoreLostError when the next program that opens the store would not find the writes of now.

        Cheap: it may be asked with every turn of a loop. `commit` and all reads ask it by themselves.
        """
        ...

    def close(self) -> None:
        """Release files and connections. A second call does nothing."""
        ...
