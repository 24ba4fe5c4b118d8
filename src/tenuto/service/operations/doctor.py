"""The doctor: the errors in the stored state, process by process, in pages.

Theory of operation. A page of processes is read and audited (`core.reports.store_audit`) at a time, so that neither an
answer nor the memory grows with the store; the caller goes on where a page ends. Errors that no single process shows
come with the first page. Jobs run meanwhile, and the parts of a process are read one after the other: a process in
which anything is wrong is read again, and counts only when it did not change while it was read.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tenuto.core.reports.audit import name_of
from tenuto.core.reports.store_audit import (
    Stored,
    audit_blobs,
    audit_claims,
    audit_holdings,
    audit_hosts,
    audit_lease,
    audit_process,
    audit_troubles,
)
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.diagnostic import Diagnostic
from tenuto.model.ids import Fid, JsonMap
from tenuto.model.image import BLOB_TYPE
from tenuto.model.node import HOST_TYPE
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.host_keeper import HostKeeper
from tenuto.ports.store import Store
from tenuto.ports.store_claims import ObjectQuery, live_objects
from tenuto.service.common.finding import any_process

PAGE = 200
"""Processes in one page: half a second of reading where each has a hundred resources."""
MOST_PROBLEMS = 200
"""The most problems in one page. Where there are more, the first ones tell the cause."""
_ATTEMPTS = 3
"""A job changes its process a few times a minute; to meet that three times in a row is no coincidence."""

IsSeen = Callable[[Fid | None], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One diagnostic, and the process that it is about; None for the store as a whole."""

    process: Process | None
    diagnostic: Diagnostic


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The findings of one page of processes. `next` is the FID to go on after; None at the end."""

    problems: tuple[Problem, ...] = ()
    left_out: int = 0
    """The number of problems of the page are not listed."""
    examined: int = 0
    next: Fid | None = None


class Doctor:
    """Changes nothing. Every method may raise StoreError."""

    def __init__(self, *, store: Store, clock: Clock, keeper: HostKeeper | None = None) -> None:
        """`keeper` is None without a provider that has hosts of its own, and without a Conductor that hears them."""
        self._store = store
        self._clock = clock
        self._keeper = keeper

    def examine(
        self, reference: str | None = None, *, after: str = "", limit: int = PAGE, is_seen: IsSeen = lambda _: True
    ) -> Examination:
        """One process, also one that is gone, or the page of all processes after a FID.

        `is_seen` says of which processes the caller may know; of the store as a whole when it is asked with None.
        Raises NotFoundError.
        """
        if reference is not None:
            process = any_process(self._store, reference)
            return _examination(self._of_process(process), examined=1)
        size = max(1, min(limit, PAGE))
        page = self._store.process_page(after, size)
        seen = [process for process in page if is_seen(process.fid)]
        problems = [] if after or not is_seen(None) else self._of_store()
        for process in seen:
            problems += self._of_process(process)
        is_last = len(page) < size
        return _examination(problems, examined=len(seen), following=None if is_last else page[-1].fid)

    def _of_store(self) -> list[Problem]:
        """The problems that concern several processes, or none."""
        claimed = self._store.claimed_twice(MOST_PROBLEMS)
        fids = sorted({one.fid for one in claimed if one.fid is not None})
        owners = {fid: process for fid in fids if (process := self._store.process(fid)) is not None}
        problems = [
            Problem(process=owners.get(fid) if fid else None, diagnostic=diagnostic)
            for fid, diagnostic in audit_claims(claimed, owners)
        ]
        lease = audit_lease(self._store.lease(), self._clock.now())
        dangling = self._store.dangling(MOST_PROBLEMS)
        held = audit_holdings(dangling.claims, dangling.relations)
        hosts = audit_hosts(self._store.object_page(ObjectQuery(types=(HOST_TYPE,), live=True, limit=MOST_PROBLEMS)))
        blobs = audit_blobs(live_objects(self._store, BLOB_TYPE))
        found = (*lease, *held, *hosts, *self._troubles(), *blobs)
        return [*problems, *(Problem(process=None, diagnostic=one) for one in found)]

    def _troubles(self) -> Sequence[Diagnostic]:
        """The troubles of hosts, which are not stored: their agents tell them to the Conductor that answers."""
        if self._keeper is None:
            return ()
        nodes = [one for zone in self._keeper.zones() for one in self._keeper.nodes(zone, with_machines=False)]
        return audit_troubles(nodes)

    def _of_process(self, process: Process) -> list[Problem]:
        found: Sequence[Diagnostic] = ()
        for _ in range(_ATTEMPTS):
            found = audit_process(self._read(process), CATALOGUE, self._clock.now())
            now = self._store.process(process.fid)
            if not found or now is None or now.generation == process.generation:
                break
            process = now
        return [Problem(process=process, diagnostic=one) for one in found]

    def _read(self, process: Process) -> Stored:
        job = self._store.job(process.job_id) if process.job_id else None
        return Stored(
            process=process,
            objects=self._store.objects(process.fid),
            has_composition=self._store.composition(process.composition_digest) is not None,
            job=job,
            plan=self._store.plan(job.plan_id) if job is not None and job.plan_id else None,
        )


def examination_document(found: Examination) -> JsonMap:
    """A page as JSON."""
    return {
        "examined": found.examined,
        "problems": [_problem_document(one) for one in found.problems],
        "problems_left_out": found.left_out,
        "next": found.next,
    }


def _problem_document(found: Problem) -> JsonMap:
    one, process = found.diagnostic, found.process
    return {
        "code": one.code,
        "severity": one.severity.value,
        "summary": one.summary,
        "detail": one.detail,
        "process": None if process is None else {"fid": process.fid, "alias": process.alias},
        "name": None if process is None else name_of(process),
        "subject": one.subject,
        "advice": one.hint,
    }


def _examination(problems: Iterable[Problem], *, examined: int, following: Fid | None = None) -> Examination:
    found = tuple(problems)
    return Examination(
        problems=found[:MOST_PROBLEMS],
        left_out=max(0, len(found) - MOST_PROBLEMS),
        examined=examined,
        next=following,
    )
