"""The table of changes and writes, said once for all stores."""

from typing import Protocol

from tenuto.model.composition import Composition
from tenuto.model.job import Job
from tenuto.model.plan import Plan
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    ExpectMandate,
    SaveComposition,
    SaveDrifts,
    SaveFlips,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.ports.store_claims import ClaimChange, ExpectUnused, SaveClaims, SaveRelations
from tenuto.storage.administration import AdministrationRecords, administer


class Writes(Protocol):
    """The writes of one store, inside a transaction. Each asks `rules` first, and raises what they raise."""

    @property
    def administration(self) -> AdministrationRecords: ...

    def create_process(self, change: CreateProcess) -> None: ...
    def save_process(self, change: SaveProcess) -> None: ...
    def create_object(self, change: CreateObject) -> None: ...
    def save_object(self, change: SaveObject) -> None: ...
    def expect_mandate(self, change: ExpectMandate) -> None: ...
    def save_held(self, change: ClaimChange) -> None:
        """Claims and relations of an object, and whether others need it."""
        ...

    def save_composition(self, composition: Composition) -> None: ...
    def save_job(self, job: Job) -> None: ...
    def save_plan(self, plan: Plan) -> None: ...
    def save_seen(self, change: SaveFlips | SaveDrifts) -> None:
        """What is remembered of differences that were seen."""
        ...

    def append(self, change: Append) -> None:
        """The commands and operations. Events are written for all changes alike."""
        ...

    def save_rates(self, change: SaveRates) -> None: ...


def write(change: StoreChange, writes: Writes) -> None:
    """Check one change and write it. Raises what the checks raise; then the transaction must be given up."""
    match change:
        case CreateProcess():
            writes.create_process(change)
        case SaveProcess():
            writes.save_process(change)
        case CreateObject() | SaveObject() | ExpectMandate() | SaveClaims() | SaveRelations() | ExpectUnused():
            _write_of_object(change, writes)
        case SaveComposition(composition=composition):
            writes.save_composition(composition)
        case SaveJob(job=job):
            writes.save_job(job)
        case SavePlan(plan=plan):
            writes.save_plan(plan)
        case SaveFlips() | SaveDrifts():
            writes.save_seen(change)
        case Append():
            writes.append(change)
        case SaveRates():
            writes.save_rates(change)
        case _:
            administer(change, writes.administration)


def _write_of_object(change: CreateObject | SaveObject | ExpectMandate | ClaimChange, writes: Writes) -> None:
    match change:
        case CreateObject():
            writes.create_object(change)
        case SaveObject():
            writes.save_object(change)
        case ExpectMandate():
            writes.expect_mandate(change)
        case SaveClaims() | SaveRelations() | ExpectUnused():
            writes.save_held(change)
