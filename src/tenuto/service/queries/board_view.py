"""The board as people and programs see it."""

import shlex

from tenuto.model.ids import JsonMap
from tenuto.ports.store_reads import ObjectCounts
from tenuto.service.common.values import time_text
from tenuto.service.queries.board import NEEDS_A_PERSON, RANKS, BoardPage, BoardRow, Cause
from tenuto.service.views.process_view import process_document

_MOST_NAMES = 5


def board_document(page: BoardPage) -> JsonMap:
    """A page of the board. `whys` counts all processes that the reader may see, also those beyond the filter."""
    return {
        "as_of": time_text(page.as_of),
        "total": sum(page.whys.values()),
        "needs_you": sum(page.whys.get(why, 0) for why in NEEDS_A_PERSON),
        "whys": {why: page.whys.get(why, 0) for why in RANKS},
        "resources": counts_document(page.resources),
        "drift": {
            "found": page.drift.found,
            "held": page.drift.held,
            "hours": list(page.drift.hours),
            "standing": page.whys.get("drift", 0),
        },
        "causes": [_cause(one) for one in page.causes],
        "matching": page.matching,
        "processes": [row_document(one, page.unknown_things.get(one.process.fid, 0)) for one in page.rows],
        "next": page.next or None,
    }


def row_document(row: BoardRow, unknown_things: int = 0) -> JsonMap:
    """One process as in the list of all, with why it is where it is, and the counts of its resources."""
    return dict(process_document(row.process, row.unconverged, unknown_things)) | {
        "why": row.why,
        "since": time_text(row.since),
        "message": _message(row) or None,
        "counts": counts_document(row.counts),
        "drifted": row.drifted,
        "held_plan": row.why == "held",
    }


def counts_document(counts: ObjectCounts) -> JsonMap:
    return {"total": counts.total, "ready": counts.ready, "working": counts.working, "failed": counts.failed}


def _message(row: BoardRow) -> str:
    if row.why == "drift" and not (row.unconverged and row.unconverged.message):
        return f"{row.drifted} resource{'' if row.drifted == 1 else 's'} changed from outside"
    if row.why == "not-enforced":
        until = time_text(row.process.enforcement_until)
        return f"enforcement is off until {until}" if until else "enforcement is off"
    return row.unconverged.message if row.unconverged else ""


def _cause(cause: Cause) -> JsonMap:
    return {
        "why": cause.why,
        "code": cause.code or None,
        "message": cause.text or None,
        "count": len(cause.rows),
        "since": time_text(cause.rows[0].since),
        "processes": [
            {"fid": one.process.fid, "alias": one.process.alias, "name": one.name} for one in cause.rows[:_MOST_NAMES]
        ],
        "command": f"tenuto resume --cause {shlex.quote(cause.code)}" if cause.code and len(cause.rows) > 1 else None,
    }
