"""The view of one API request: the commands, jobs and events that it caused, by its id."""

from collections.abc import Callable

from tenuto.core.pacing.retention import complete_since
from tenuto.errors import NotFoundError
from tenuto.model.event import Event
from tenuto.model.ids import Fid, JsonMap
from tenuto.model.resource import ManagedObject
from tenuto.model.retention import Remnant
from tenuto.ports.store import Store
from tenuto.ports.store_reads import EventQuery
from tenuto.service.common.finding import process_names
from tenuto.service.common.values import time_text
from tenuto.service.views.history_view import command_document, event_document
from tenuto.service.views.process_view import job_document

DEFAULT_FACTS = 1000
MOST_FACTS = 10_000
_KINDS = (Remnant.COMMAND, Remnant.JOB, Remnant.EVENT)


def request_document(
    store: Store,
    request: str,
    *,
    limit: int = DEFAULT_FACTS,
    is_seen: Callable[[Fid | None], bool] = lambda _: True,
    sees_object: Callable[[ManagedObject], bool] = lambda _: True,
) -> JsonMap:
    """Return the effects of a request that the reader may see, oldest first; of many events the newest `limit`.

    Raises NotFoundError when there are none. An object of no process is seen by those who may see its account.
    """
    history = store.history_of_request(request, limit)
    found = store.events(EventQuery(request=request, limit=limit))
    alone = store.selected([each.object_id for each in found if each.fid is None and each.object_id])
    objects = {one.object_id: one for one in alone}

    def is_shown(event: Event) -> bool:
        item = objects.get(event.object_id) if event.fid is None and event.object_id else None
        return is_seen(event.fid) or (item is not None and sees_object(item))

    shown = [one for one in found if is_shown(one)]
    names = process_names(store, shown)
    removed = complete_since(store.removed_until(), _KINDS, None, None)
    document = {
        "request": request,
        "commands": [{**command_document(one), "fid": one.fid} for one in history.commands if is_seen(one.fid)],
        "jobs": [{**job_document(one), "fid": one.fid} for one in history.jobs if is_seen(one.fid)],
        "events": [event_document(one, names) for one in shown],
        "complete_since": time_text(removed),
    }
    if not any(document[kind] for kind in ("commands", "jobs", "events")):
        since = f" What happened until {time_text(removed)} may have been removed." if removed else ""
        raise NotFoundError(
            f"Nothing is known of the request {request}: it changed nothing, or you may not see what it changed.{since}"
            " The answer to each request names its id in the header X-Request-Id."
        )
    return document
