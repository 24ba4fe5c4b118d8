"""Caches of stored values that never change: compositions, and the things that stored plans destroy.

A digest names one composition for ever, and a stored plan stays as it is; so both are read once. Parsing a large
composition is not free.

*The shown things* are those that the plans of a command replace or delete: a person could see that they would go. The
first plan of a command is the one that its dry run shows. Every later one was held against the things that were shown
before it (`core.planning.hold`), so together they say no more than the first.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice

from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.core.language.resolve import is_importing
from tenuto.core.planning.hold import Thing, destroyed
from tenuto.model.composition import Composition
from tenuto.model.ids import PlanId
from tenuto.model.job import JobKind
from tenuto.model.process import IntentStage, Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_reads import HistoryReads, ProcessReads

_LATEST = 1000
"""Commands, and jobs with dry runs, that are looked through. Of a command that took more, the things that the first
ones showed are forgotten, and approved once more."""
_PLANS = 256
_COMPOSITIONS = 256
"""Compositions kept parsed: a few hundred kilobytes each when large, and processes of one template share one."""


class Compositions:
    """Reads compositions by digest, and remembers whether they import anything. Thread-safe."""

    def __init__(self, store: ProcessReads) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Composition] = OrderedDict()
        self._importing: dict[str, bool] = {}

    def of(self, digest: str) -> Composition | None:
        """The composition with this digest, from memory or the store."""
        with self._lock:
            if digest in self._known:
                return self._known[digest]
        found = self._store.composition(digest)
        if found is not None:
            with self._lock:
                self._known[digest] = found
                if len(self._known) > _COMPOSITIONS:
                    self._known.popitem(last=False)
        return found

    def is_importing(self, composition: Composition) -> bool:
        """Whether any property waits for an export: asking every other process costs, and few compositions need it."""
        with self._lock:
            known = self._importing.get(composition.digest)
        if known is None:
            known = any(is_importing(one.properties) for one in composition.resources)
            with self._lock:
                self._importing = dict(islice(self._importing.items(), _COMPOSITIONS)) | {composition.digest: known}
        return known


class Shown:
    """Reads stored plans, and remembers the things that they destroy: a plan never changes. Thread-safe."""

    def __init__(self, store: HistoryReads, types: ProviderTypes) -> None:
        self._store = store
        self._types = types
        self._lock = threading.Lock()
        self._known: OrderedDict[PlanId, frozenset[Thing]] = OrderedDict()

    def of(self, process: Process, objects: Sequence[ManagedObject]) -> frozenset[Thing]:
        """The things that the jobs of the present command were to destroy; none before its first plan.

        Nothing is read for a process without data.
        """
        is_later_plan = process.intent.stage is IntentStage.SERVED and not process.is_leaving
        if not is_later_plan or not any(self._bears_data(found) for found in objects):
            return frozenset()
        history = self._store.history(process.fid, start=process.intent.given_at, limit=_LATEST)
        jobs = (job for job in history.jobs if job.kind is JobKind.COMMAND)
        return frozenset().union(*(self._destroyed(job.plan_id) for job in jobs if job.plan_id is not None))

    def _bears_data(self, found: ManagedObject) -> bool:
        facts = self._types.of(found.provider).get(found.type)
        return facts is not None and facts.bears_data

    def _destroyed(self, plan_id: PlanId) -> frozenset[Thing]:
        with self._lock:
            if plan_id in self._known:
                return self._known[plan_id]
        plan = self._store.plan(plan_id)
        found = destroyed(plan) if plan is not None else frozenset()
        with self._lock:
            self._known[plan_id] = found
            if len(self._known) > _PLANS:
                self._known.popitem(last=False)
        return found
