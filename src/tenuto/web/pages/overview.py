"""The overview and the list of all processes."""

from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.service.commands.proposal_view import waiting_documents
from tenuto.service.queries.board import DEFAULT_PAGE, LARGEST_PAGE, NEEDS_A_PERSON, RANKS, SORTS, BoardQuery
from tenuto.service.queries.board_view import board_document
from tenuto.web.command_line import command_line
from tenuto.web.pages import nodes
from tenuto.web.visit import Visit

_AT_WORK = ("drift", "throttled", "waiting")
"""The reasons of the tile, which are those of the list behind it: also drift that nothing sets back."""
_ROWS = 12


def overview(visit: Visit) -> JsonMap:
    """The processes that are not as declared, those first that need a person, and the age of the observations.

    Processes that need a person are told by their causes, of which there are few. The rows below are of the others
    alone: many that wait for a person would else take all of them.
    """
    sees = visit.sees(Right.STATUS)
    others = tuple(why for why in RANKS if why not in (*NEEDS_A_PERSON, "as-declared"))
    query = BoardQuery(whys=others, limit=_ROWS)
    page = visit.services.board.page(query, sees)
    board = board_document(page)
    at_work = {why: board["whys"][why] for why in _AT_WORK}
    sweeps = [one for one in visit.services.insights.sweeps(sees.account)["sweeps"] if not one["is_idle"]]
    rates = [one for one in visit.services.insights.rates(sees.account)["rates"] if one["pace"] < 1]
    return {
        "board": board,
        "proposals": waiting_documents(visit.services.proposals, visit.caller, sees),
        "at_work": at_work,
        "working": sum(at_work.values()),
        "left_alone": page.left_alone,
        "sweeps": sweeps[:1],
        "failed_sweeps": [one for one in sweeps if one["failure"]][:3],
        "rates": rates[:4],
        "nodes": visit.services.queries.nodes()["nodes"],
        "hosts": nodes.needing(visit),
        "may_run": visit.services.gatekeeper.allows(visit.caller, Right.RUN),
    }


def processes(visit: Visit) -> JsonMap:
    """A page of processes: filtered, sorted and cut on the server."""
    query = BoardQuery(
        whys=visit.texts("why"),
        states=visit.texts("state"),
        account=visit.text("account"),
        region=visit.text("region"),
        text=visit.text("q"),
        cause=visit.text("cause"),
        sort=visit.text("sort") or "need",
        after=visit.text("after"),
        limit=visit.number("limit", DEFAULT_PAGE, LARGEST_PAGE),
    )
    board = board_document(visit.services.board.page(query, visit.sees(Right.STATUS)))
    filters = ("why", "state", "account", "region", "q", "cause")
    return {
        "board": board,
        "whys": list(RANKS),
        "needs": NEEDS_A_PERSON,
        "sorts": SORTS,
        "filters": {name: visit.text(name) for name in filters},
        "sort": query.sort,
        "is_filtered": any(visit.text(name) for name in filters),
        "command": command_line(
            "status",
            why=visit.text("why"),
            state=visit.text("state"),
            account=visit.text("account"),
            region=visit.text("region"),
            name=visit.text("q"),
            cause=visit.text("cause"),
            sort=query.sort if query.sort != "need" else "",
            after=query.after,
        ),
    }
