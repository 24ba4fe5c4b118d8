"""The requests of those who watch or look closely: from a call to the document that answers it."""

from tenuto.api.requests.calls import Call
from tenuto.errors import NotFoundError
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap, PhaseName
from tenuto.service.access.sessions import session_document
from tenuto.service.commands.proposal_view import waiting_documents
from tenuto.service.queries.board import DEFAULT_PAGE, LARGEST_PAGE, BoardQuery
from tenuto.service.queries.board_view import board_document
from tenuto.service.queries.insights import DEFAULT_ENTRIES, MOST_ENTRIES
from tenuto.service.queries.phase_page import DEFAULT_PAGE as OBJECTS
from tenuto.service.queries.phase_page import LARGEST_PAGE as MOST_OBJECTS
from tenuto.service.queries.phase_page import PhasePageQuery
from tenuto.service.queries.resource_page import DEFAULT_PAGE as RESOURCES
from tenuto.service.queries.resource_page import LARGEST_PAGE as MOST_RESOURCES
from tenuto.service.queries.resource_page import ResourceQuery
from tenuto.service.views import process_view
from tenuto.service.views.graph_view import LARGEST, MOST_BOXES, GraphQuery
from tenuto.service.views.request_view import DEFAULT_FACTS, MOST_FACTS


def summary(call: Call) -> JsonMap:
    query = call.query
    asked = BoardQuery(
        whys=query.texts("why"),
        states=query.texts("state"),
        account=query.text("account") or "",
        region=query.text("region") or "",
        text=query.text("q") or "",
        cause=query.text("cause") or "",
        sort=query.text("sort") or "need",
        after=query.text("after") or "",
        limit=query.number("limit", DEFAULT_PAGE, LARGEST_PAGE),
    )
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    waiting = waiting_documents(call.services.proposals, call.caller, is_seen)
    return {**board_document(call.services.board.page(asked, is_seen)), "proposals": waiting}


def resources(call: Call) -> JsonMap:
    query = call.query
    asked = ResourceQuery(
        statuses=query.texts("status"),
        type=query.text("type") or "",
        text=query.text("q") or "",
        sort=query.text("sort") or "tree",
        after=query.text("after") or "",
        limit=query.number("limit", RESOURCES, MOST_RESOURCES),
    )
    return call.services.insights.resources(call.path["process"], asked)


def graph(call: Call) -> JsonMap:
    query = call.query
    asked = GraphQuery(
        focus=query.text("focus") or "",
        hops=query.number("hops", 2, 10),
        most=query.number("most", MOST_BOXES, LARGEST),
    )
    return call.services.insights.graph(call.path["process"], asked)


def properties(call: Call) -> JsonMap:
    return call.services.insights.properties(call.path["process"], call.path["resource"])


def timeline(call: Call) -> JsonMap:
    return call.services.insights.timeline(
        call.path["process"],
        before=call.query.instant("before"),
        limit=call.query.number("limit", DEFAULT_ENTRIES, MOST_ENTRIES),
    )


def check(call: Call) -> JsonMap:
    return process_view.process_document(call.commands.check(call.path["process"]))


def rates(call: Call) -> JsonMap:
    return call.services.insights.rates(call.services.gatekeeper.sees_account(call.caller, Right.STATUS))


def sweeps(call: Call) -> JsonMap:
    return call.services.insights.sweeps(call.services.gatekeeper.sees_account(call.caller, Right.STATUS))


def phase_objects(call: Call) -> JsonMap:
    query = call.query
    asked = PhasePageQuery(
        phase=PhaseName(call.path["phase"]),
        status=query.text("status") or "",
        cause=query.text("cause") or "",
        after=query.text("after") or "",
        limit=query.number("limit", OBJECTS, MOST_OBJECTS),
        is_grouped=query.flag("grouped"),
    )
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    return call.services.insights.phase_objects(asked, is_seen)


def request(call: Call) -> JsonMap:
    gatekeeper = call.services.gatekeeper
    return call.services.insights.request(
        call.path["request"],
        limit=call.query.number("limit", DEFAULT_FACTS, MOST_FACTS),
        is_seen=gatekeeper.seen_by(call.caller, Right.HISTORY),
        sees_object=gatekeeper.sees_object(call.caller, Right.HISTORY),
    )


def find(call: Call) -> JsonMap:
    is_seen = call.services.gatekeeper.seen_by(call.caller, Right.STATUS)
    return call.services.insights.find(call.query.required("q"), is_seen)


def web_code(call: Call) -> JsonMap:
    return {"code": call.services.sessions.make_code(call.caller)}


def sessions(call: Call) -> JsonMap:
    return {"sessions": [session_document(one) for one in call.services.sessions.of(call.caller)]}


def end_session(call: Call) -> JsonMap:
    session = call.path["session"]
    if not call.services.sessions.end(session, caller=call.caller):
        raise NotFoundError(
            f"There is no session {session} that {call.actor} may end. 'tenuto user sessions' lists them."
        )
    return {"ended": session}
