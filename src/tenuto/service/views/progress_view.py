"""The progress of a process in a document that stays small: counts of all its resources, and those that need eyes most.

A wait reads this again and again. The process in detail would cost more than the work it tells of: at 10,000 resources
it is twelve megabytes, and its answers took most of the interpreter while everything was being made.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import nsmallest

from tenuto.model.ids import JsonMap
from tenuto.model.process import Process
from tenuto.service.views.process_view import ResourceView, process_document, view_message

MOST_RESOURCES = 1000
"""The most resources in one document, also when more are asked for."""
_RANKS: Mapping[str, int] = {"failed": 0, "planned": 2, "ready": 3, "gone": 4}
_AT_WORK = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView:
    """A process, the number of its addresses in each status, and some of them: first those that failed, then those at
    work, those with a message before those without."""

    process: Process
    counts: Mapping[str, int]
    resources: tuple[ResourceView, ...]


def progress_view(process: Process, views: tuple[ResourceView, ...], most: int) -> ProgressView:
    """The progress that these addresses are, with at most `most` of them."""
    counts = Counter(one.status for one in views)
    chosen = nsmallest(min(most, MOST_RESOURCES), views, key=_rank)
    return ProgressView(process=process, counts=dict(counts), resources=tuple(chosen))


def progress_document(view: ProgressView) -> JsonMap:
    """A progress as it is sent. `resources` are by logical id, in the order in which they need eyes."""
    return dict(process_document(view.process)) | {
        "counts": {status: view.counts[status] for status in sorted(view.counts)},
        "resources": {one.logical_id: _resource_document(one) for one in view.resources},
    }


def _rank(view: ResourceView) -> tuple[int, bool]:
    status = view.status
    told = bool(view.leaving or view.duplicates or view.unloaded) or _says_something(view)
    return _RANKS.get(status, _AT_WORK), not told


def _says_something(view: ResourceView) -> bool:
    return view.current is not None and any(entry.message for entry in view.current.phases.values())


def _resource_document(view: ResourceView) -> JsonMap:
    return {
        "type": view.type,
        "state": view.current.state if view.current else None,
        "status": view.status,
        "message": view_message(view) or None,
        "leaving": [{"id": one.physical_id, "state": one.state} for one in view.leaving],
        "duplicates": list(view.duplicates),
    }
