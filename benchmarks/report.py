"""Rows as a table for people."""

from collections.abc import Sequence
from math import log
from typing import Any

Row = dict[str, Any]
OURS, PEERS = "Tenuto", ("Terraform", "script")
"""How the steps end that are measured of both."""


def with_exponents(rows: Sequence[Row]) -> list[Row]:
    """Rows with the exponent by which the processor seconds of their step grew since the size before: 1 is linear."""
    before: dict[str, Row] = {}
    told: list[Row] = []
    for row in rows:
        step, size, cpu = row.get("step", ""), row.get("resources"), row.get("cpu s")
        earlier = before.get(step)
        if earlier and size and cpu and earlier.get("cpu s") and size > earlier["resources"]:
            exponent = log(cpu / earlier["cpu s"]) / log(size / earlier["resources"])
            told.append(row | {"growth": exponent})
        else:
            told.append(row)
        before[step] = row
    return told


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Each row of Tenuto with how many times less it took than a peer's row of the same step and size, if any."""
    ends = tuple(f", {peer}" for peer in PEERS)
    peers = {(row["step"].rpartition(", ")[0], row["resources"]): row for row in rows if row["step"].endswith(ends)}
    told: list[Row] = []
    for row in rows:
        peer = peers.get((row["step"].rpartition(", ")[0], row["resources"]), {})
        is_ours = row["step"].endswith(f", {OURS}")
        # A peer that was stopped has words for its seconds.
        kinds = [kind for kind in ("cpu", "wall") if is_ours and isinstance(peer.get(f"{kind} s"), float)]
        told.append(row | {f"{kind} ratio": peer[f"{kind} s"] / row[f"{kind} s"] for kind in kinds if row[f"{kind} s"]})
    return told


def table(rows: Sequence[Row]) -> str:
    """Columns in the order of their first use; blank where a row has none."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [names, *([_cell(row.get(name, "")) for name in names] for row in rows)]
    widths = [max(len(line[place]) for line in cells) for place in range(len(names))]
    return "\n".join("  ".join(_set(cell, width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _set(cell: str, width: int) -> str:
    return cell.ljust(width) if cell[:1].isalpha() else cell.rjust(width)
