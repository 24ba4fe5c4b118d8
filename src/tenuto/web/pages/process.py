"""The pages of one process: its resources as a tree and as a graph, one resource, its plan, and its past."""

from collections.abc import Callable
from datetime import datetime

from tenuto.errors import NotAllowedError, NotFoundError, ProviderError, UserError
from tenuto.model.access import Right
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Instant, JsonMap, PlanId
from tenuto.model.process import Process
from tenuto.service.commands.plan_view import plan_document
from tenuto.service.commands.shown_plans import ShownPlan
from tenuto.service.queries.resource_page import LARGEST_PAGE, SORTS, ResourceQuery
from tenuto.service.views.graph_drawing import drawing_of
from tenuto.service.views.graph_view import LARGEST, MOST_BOXES, GraphQuery
from tenuto.service.views.plan_text import is_grave
from tenuto.service.views.process_view import process_detail_document, process_document
from tenuto.web.command_line import command_line
from tenuto.web.visit import Visit

_ROWS = 100


def process(visit: Visit) -> JsonMap:
    """The resources of a process as a tree table."""
    found = visit.process(Right.STATUS)
    if found.state is not ProcessState.GONE:
        try:
            return _listed(visit, found)
        except NotFoundError:
            # It may have ended since it was read.
            found = visit.process(Right.STATUS)
            if found.state is not ProcessState.GONE:
                raise
    return {**_head(visit, found, "resources"), "listing": None}


def _listed(visit: Visit, found: Process) -> JsonMap:
    """The tree table of a process that stands. Raises NotFoundError when it has ended meanwhile."""
    query = ResourceQuery(
        statuses=visit.texts("status"),
        type=visit.text("type"),
        text=visit.text("q"),
        sort=visit.text("sort") or "tree",
        after=visit.text("after"),
        limit=visit.number("limit", _ROWS, LARGEST_PAGE),
    )
    filters = {name: visit.text(name) for name in ("status", "type", "q")}
    return {
        **_head(visit, found, "resources"),
        "listing": visit.services.insights.resources(found.fid, query),
        "filters": filters,
        "is_filtered": any(filters.values()),
        "command": command_line(
            "show",
            found.alias or found.fid,
            status=visit.text("status"),
            type=query.type,
            name=query.text,
            sort=query.sort if query.sort != "tree" else "",
            after=query.after,
        ),
        "sort": query.sort,
        "sorts": SORTS,
    }


def head_of(right: Right, tab: str) -> Callable[[Visit], JsonMap]:
    """The view of the head of a page alone, for those who have the right of the page."""

    def head(visit: Visit) -> JsonMap:
        return _head(visit, visit.process(right), tab)

    return head


def graph(visit: Visit) -> JsonMap:
    """The resources of a process as a drawing."""
    found = visit.live_process(Right.STATUS)
    query = GraphQuery(
        focus=visit.text("focus"),
        hops=visit.number("hops", 2, 10),
        most=visit.number("most", MOST_BOXES, LARGEST),
    )
    document = visit.services.insights.graph(found.fid, query)
    return {**_head(visit, found, "graph"), "graph": document, "drawing": drawing_of(document), "hops": query.hops}


def resource(visit: Visit) -> JsonMap:
    """One resource, property by property."""
    found = visit.live_process(Right.STATUS)
    name = visit.path["resource"]
    document = visit.services.insights.properties(found.fid, name)
    rights = visit.rights(found)
    explained = visit.services.insights.explained(found.fid, name) if "explain" in rights else ()
    entries = visit.services.insights.timeline(found.fid, limit=200)["entries"]
    phases = visit.services.queries.process(found.fid).resources
    own = next((one for one in phases if one.logical_id == name), None)
    current = own.current if own else None
    return {
        **_head(visit, found, "resources"),
        "resource": document,
        "explained": explained,
        "entries": [one for one in entries if one["resource"] == name][:20] if "history" in rights else [],
        "phases": [
            {
                "name": entry.phase,
                "state": entry.state,
                "status": entry.status.value,
                "message": entry.message,
                "code": entry.code,
                "request_id": entry.request_id,
                "attempt": entry.attempt,
                "runs": entry.runs,
            }
            for entry in sorted((current.phases if current else {}).values(), key=lambda one: one.phase)
        ],
    }


def plan(visit: Visit) -> JsonMap:
    """The plan of the next job; of a suspended process, that of `resume`, with the button."""
    found = visit.live_process(Right.PLAN)
    asks_reason = visit.services.proposals.direct.asks_reason(visit.caller, Right.RESUME, found)
    head = {**_head(visit, found, "plan"), "asks_reason": asks_reason, "wrong": "", "is_grave": False, "needs": ""}
    stored = visit.text("plan")
    try:
        if stored:
            place = visit.services.gatekeeper.place_of_plan(PlanId(stored))
            if place.fid != found.fid:
                raise UserError(f"Plan {stored} belongs to another process.")
            document = {**_BLANK, **visit.services.queries.stored_plan(PlanId(stored))}
            return {**head, "plan": document, "digest": "", "stored": stored, "problem": ""}
        if found.state is ProcessState.SUSPENDED and "resume" in head["rights"] and not found.is_locked:
            with visit.planning():
                shown = visit.plans.show(
                    Command.RESUME, found.fid, actor=visit.caller.name, is_seen=visit.sees(Right.STATUS)
                )
            return {
                **head,
                "plan": shown.document,
                "digest": shown.digest,
                "stored": "",
                "problem": "",
                "is_grave": is_grave(shown.document),
                "needs": _needed(visit, found, Right.RESUME, shown),
            }
        with visit.planning():
            document = dict(plan_document(visit.services.queries.plan(found.fid), visit.sees(Right.STATUS)))
    except (ProviderError, NotAllowedError) as unknown:
        return {**head, "plan": None, "digest": "", "stored": stored, "problem": visit.told(unknown)}
    return {**head, "plan": document, "digest": "", "stored": "", "problem": ""}


def kill(visit: Visit) -> JsonMap:
    """The plan of a kill, and the form that asks for it."""
    found = visit.live_process(Right.KILL)
    return kill_page(visit, found)


def kill_page(visit: Visit, found: Process) -> JsonMap:
    """The context of the page of a kill, also when it is shown again."""
    head = _head(visit, found, "kill")
    is_proved = visit.signed.was_proved(visit.services.sessions.now())
    try:
        with visit.planning():
            shown = visit.plans.show(Command.KILL, found.fid, actor=visit.caller.name, is_seen=visit.sees(Right.STATUS))
    except (ProviderError, NotAllowedError) as unknown:
        return {
            **head, "plan": None, "digest": "", "problem": visit.told(unknown), "moved": (), "wrong": "",
            "is_proved": is_proved, "asks_reason": False, "needs": "",
        }  # fmt: skip
    return {
        **head,
        "plan": shown.document,
        "digest": shown.digest,
        "problem": "",
        "moved": (),
        "wrong": "",
        "is_proved": is_proved,
        "asks_reason": visit.services.proposals.direct.asks_reason(visit.caller, Right.KILL, found),
        "needs": _needed(visit, found, Right.KILL, shown),
    }


def _needed(visit: Visit, found: Process, right: Right, shown: ShownPlan) -> str:
    """The approval that a plan needs, for one who cannot override the rule; empty for the owner, whose reason does."""
    if visit.caller.is_root:
        return ""
    return visit.services.proposals.direct.needs_approval(visit.caller, right, found, shown.file)


def history(visit: Visit) -> JsonMap:
    """Commands, jobs and drift in one list, the newest first."""
    found = visit.process(Right.HISTORY)
    before = visit.text("before")
    document = visit.services.insights.timeline(found.fid, before=_moment(before) if before else None)
    return {**_head(visit, found, "history"), "timeline": document}


def outputs(visit: Visit) -> JsonMap:
    """The values that a process was given, and those that it gives."""
    found = visit.live_process(Right.STATUS)
    view = visit.services.queries.process(found.fid)
    document = process_detail_document(view)
    values = {name: document[name] for name in ("parameters", "outputs", "output_descriptions")}
    return {**_head(visit, found, "outputs"), **values}


def _head(visit: Visit, found: Process, tab: str) -> JsonMap:
    """The head of all pages of a process."""
    unconverged = visit.services.queries.unconverged([found]).get(found.fid)
    unknown = visit.services.queries.unknown_things().get(found.fid, 0)
    document = process_document(found, unconverged, unknown)
    return {
        "process": document,
        "name": found.alias or found.fid,
        "why": visit.services.board.why(found.fid) or "gone",
        "rights": visit.rights(found),
        "tab": tab,
        "intent": found.intent.command.value,
    }


def _moment(text: str) -> Instant:
    try:
        return Instant(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
    except ValueError:
        raise UserError(f"{text!r} is no time such as 2026-01-31T12:00:00Z.") from None


_BLANK: JsonMap = {
    "converged": False, "held": None, "drift": [], "ignored": [], "waits": [], "errors": [], "through": [],
    "warnings": [], "loses_data": [], "bill": {"calls": 0, "or_more": False, "least_s": 0.0, "apis": []},
}  # fmt: skip
"""The parts of a plan that are not stored with it."""
