"""Creations of what exists already: the provider refuses them, or a plan older than this Conductor begins them again.

*Refusals.* A request can arrive twice: something between repeats what it believes to be lost. The first is carried out,
the second is refused because of the first, and that is the answer that comes back. So what exists is looked up before
the refusal is believed. What carries our mark is ours. What cannot carry one (a route, an attachment) is ours when the
last sweep before the call did not show it: it came up after that, and the call is all we know of that could have made
it.

*Older plans.* A plan is stored before it is executed, and its objects one by one as their steps begin. In a database
that was restored to a moment between the two, a step begins that was done before: the real thing stands, with the id of
this very object. A second one would count as the first, and the first as the duplicate that is deleted. So before
anything of such a plan is made its type is swept once, and a thing that carries the mark of the object is taken for
what it is.
"""

from collections.abc import Sequence
from typing import Protocol

from tenuto.conductor.provider_phases.calls import Call, claimed
from tenuto.conductor.provider_types import place_of
from tenuto.conductor.requests import MaskedProvider
from tenuto.errors import PermanentError, TransientError
from tenuto.model.ids import Fid, Instant, Partition
from tenuto.model.observation import ObservedItem, Sweep
from tenuto.model.outcome import Outcome, Pending, Refused, Request
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.store_reads import HistoryReads, ProcessReads

TAKEN = "ResourceAlreadyExists"
"""The code that every provider gives such a refusal."""
_TRIES = 3
"""The number of tries: a request that is sent again can arrive twice again, and leave a thing half made again."""


def creating(provider: MaskedProvider, observations: Observations) -> Call:
    """The provider's creation, with such refusals looked into."""

    def create(partition: Partition, requests: Sequence[Request]) -> list[Outcome]:
        # A sweep that goes on beside the call may show what the call has made.
        names = {request.type for request in requests}
        before = {name: observations.latest(provider.name, partition, name) for name in names}
        outcomes = list(provider.create(partition, requests))
        for _ in range(_TRIES):
            taken = [at for at, one in enumerate(outcomes) if isinstance(one, Refused) and one.code == TAKEN]
            if not taken:
                break
            try:
                items = provider.find(partition, [requests[at] for at in taken])
            except TransientError as error:
                doubt = Pending(
                    message=str(error), code=error.code, request_id=error.request_id, is_throttled=error.is_throttled
                )
                return [doubt if at in taken else one for at, one in enumerate(outcomes)]
            except PermanentError:
                break
            for at, item in zip(taken, items, strict=True):
                if item is not None and _is_ours(requests[at], item, before[requests[at].type]):
                    outcomes[at] = claimed(provider, partition, requests[at], item)
            # What was half made is gone now that it was looked up, and may be made; another's is refused again.
            missing = [at for at, item in zip(taken, items, strict=True) if item is None]
            if not missing:
                break
            again = provider.create(partition, [requests[at] for at in missing])
            for at, outcome in zip(missing, again, strict=True):
                outcomes[at] = outcome
        return outcomes

    return create


def _is_ours(request: Request, item: ObservedItem, before: Sweep | None) -> bool:
    if item.owner is not None:
        return item.owner.object_id == request.object_id
    return before is not None and item.physical_id not in before.items


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
