"""The removal of old rows from an SQLite store, within a transaction that the caller began.

The queries of `retention.sql` find the rows that are still needed. A removal asks the same query again in its own
transaction, and removes nothing unless the answer is the same: so the condition is written once, and no command can
slip in between.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import replace

from tenuto.errors import ConflictError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import Instant
from tenuto.model.retention import Expired, Remnant, Tally
from tenuto.ports.store_retention import RemoveExpired
from tenuto.storage.rows.statements import Statements

_REMOVAL: Mapping[Remnant, str] = {
    Remnant.DENIED: "remove_events",
    Remnant.EVENT: "remove_events",
    Remnant.OP: "remove_ops",
    Remnant.COMMAND: "remove_commands",
    Remnant.JOB: "remove_jobs",
    Remnant.DRY_RUN: "remove_jobs",
    Remnant.PLAN: "remove_plans",
    Remnant.OBJECT: "remove_objects",
    Remnant.PROCESS: "remove_processes",
    Remnant.COMPOSITION: "remove_compositions",
}
_NUMBERED = frozenset({Remnant.DENIED, Remnant.EVENT, Remnant.OP, Remnant.COMMAND, Remnant.OBJECT})
"""The kinds whose key is the number of a row."""


def expired(statements: Statements, kind: Remnant, before: Instant | None, limit: int) -> Expired:
    """Implements `RetentionReads.expired`."""
    released = sorted({str(table.released) for table in CATALOGUE.values() if table.released is not None})
    parameters = {
        "before": math.inf if before is None else before,
        "limit": max(limit, 0),
        "released": json.dumps(released),
        "kept_lifecycles": json.dumps(sorted(name for name, table in CATALOGUE.items() if not table.ages_out)),
    }
    found = statements.all(f"expired_{_name(kind)}", parameters)
    return Expired(
        keys=tuple(str(row["key"]) for row in found),
        until=Instant(max((row["at"] for row in found), default=0.0)),
        own=sum(row["own"] for row in found),
    )


def remove_expired(statements: Statements, change: RemoveExpired) -> None:
    """Implements `RemoveExpired`."""
    kind, named = change.kind, change.expired
    if expired(statements, kind, change.before, len(named.keys)) != named:
        raise ConflictError(f"other {kind} than those that were named can be removed now; read again")
    keys: list[str] | list[int] = [int(key) for key in named.keys] if kind in _NUMBERED else list(named.keys)
    statements.run(_REMOVAL[kind], {"keys": json.dumps(keys)})
    if kind is Remnant.OBJECT:
        statements.run("remove_free_claims", {"now": change.at})
    note = {"kind": kind.value, "rows": len(keys), "until": named.until, "removed_at": change.at}
    statements.run("note_removed", note)


def removed_until(statements: Statements) -> dict[Remnant, Tally]:
    """Implements `RetentionReads.removed_until`."""
    found = {row["kind"]: row for row in statements.all("removed", {})}
    return {
        kind: Tally(
            kind=kind,
            removed=found[kind]["rows"] if kind in found else 0,
            removed_until=Instant(found[kind]["until"]) if kind in found else None,
        )
        for kind in Remnant
    }


def tallies(statements: Statements) -> dict[Remnant, Tally]:
    """Implements `RetentionReads.tallies`."""
    counted: dict[Remnant, Tally] = {}
    for kind, tally in removed_until(statements).items():
        row = statements.run(f"tally_{_name(kind)}", {}).fetchone()
        oldest = None if row["oldest"] is None else Instant(row["oldest"])
        counted[kind] = replace(tally, rows=row["rows"], oldest=oldest)
    return counted


def _name(kind: Remnant) -> str:
    return kind.value.replace("-", "_")
