"""Creations of a plan that is older than this Conductor: what carries their marks already is not made again.

A plan is stored before it is executed, and its objects one by one as their steps begin. In a database that was restored
to a moment between the two, a step begins that was done before: the real thing stands, with the id of this very object.
A second one would count as the first, and the first as the duplicate that is deleted. So before anything of such a plan
is made its type is swept once, and a thing that carries the mark of the object is taken for what it is.
"""

from collections.abc import Sequence
from typing import Protocol

from tenuto.conductor.provider_types import place_of
from tenuto.model.ids import Fid, Instant
from tenuto.model.observation import ObservedItem
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.store_reads import HistoryReads, ProcessReads


class _Reads(ProcessReads, HistoryReads, Protocol):
    """The reads that tell which job a process runs, and since when."""


class Resumed:
    """Knows which jobs are older than this Conductor. Thread-safe; keeps nothing."""

    def __init__(self, *, store: _Reads, observations: Observations, began_at: Instant) -> None:
        self._store = store
        self._observations = observations
        self._began_at = began_at

    def standing(
        self, run: PhaseRun, resources: Sequence[PhaseResource]
    ) -> tuple[list[tuple[PhaseResource, ObservedItem]], list[PhaseResource]]:
        """Return the resources that exist already, each with its thing, and those of which only a sweep can tell."""
        found: list[tuple[PhaseResource, ObservedItem]] = []
        unseen: list[PhaseResource] = []
        older: dict[Fid, bool] = {}
        for one in resources:
            fid = one.object.fid
            if fid is None or not older.setdefault(fid, self._is_older(fid)):
                continue
            sweep = self._observations.latest(*place_of(one.object))
            if sweep is None:
                unseen.append(one)
                continue
            item = next((item for item in sweep.marked.get(one.object.object_id, ()) if not item.is_ending), None)
            if item is not None:
                found.append((one, item))
        return found, unseen

    def _is_older(self, fid: Fid) -> bool:
        process = self._store.process(fid)
        job = self._store.job(process.job_id) if process is not None and process.job_id else None
        return job is not None and job.started_at < self._began_at
