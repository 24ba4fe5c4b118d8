"""The pictures of the lifecycles, drawn from the tables: `python -m tenuto.lifecycles.diagrams`.

The page docs/reference/lifecycles.md is the output of this module, and a test compares the two: a picture that is drawn
by hand is a second truth. State names lose their hyphens in a picture, because mermaid reads a hyphen as an arrow.
"""

import sys
from collections.abc import Iterable
from enum import StrEnum

from tenuto.lifecycles.catalogue import TABLES
from tenuto.lifecycles.table import Lifecycle

_OUTSIDE = "[*]"
_HEAD = """\
# Lifecycles

Every stored thing is an object of one of these types, and its state moves only along these arrows. The last two tables
are of no object: an attempt is what is known of one act at a provider, such as a creation, and an intent is what a
process was asked to do. Any other move raises an error that names the type, the object, where it is, where it should
have gone and what is allowed; nothing is changed. `[*]` stands for the time before an object exists, and after it is
removed for good.

This page is generated from the tables in `tenuto.lifecycles` by `python -m tenuto.lifecycles.diagrams`; a hyphen in the
name of a state is drawn as an underscore.
"""


def render_mermaid(lifecycle: Lifecycle) -> str:
    """One state diagram. Births first, then the moves in the order of the states, then the ends."""
    order = {state: number for number, state in enumerate(lifecycle.states)}
    lines = ["stateDiagram-v2"]
    lines += [_edge(_OUTSIDE, state) for state in lifecycle.states if state in lifecycle.initial]
    for state in lifecycle.states:
        lines += [_edge(state, target) for target in sorted(lifecycle.rows[state], key=order.__getitem__)]
    if lifecycle.ages_out:
        lines += [_edge(state, _OUTSIDE) for state in lifecycle.states if state in lifecycle.final]
    return "\n".join(lines)


def render_page(lifecycles: Iterable[Lifecycle]) -> str:
    """The whole page as Markdown."""
    return "\n".join([_HEAD, *(render_section(lifecycle) for lifecycle in lifecycles)])


def render_section(lifecycle: Lifecycle) -> str:
    """One table as Markdown: the meaning of its states, and its picture."""
    lines = [f"## {lifecycle.name}", ""]
    lines.append(f"* may be born in: {_names(lifecycle, lifecycle.initial)}")
    lines.append(f"* final: {_names(lifecycle, lifecycle.final)}" + ("" if lifecycle.ages_out else ", kept for ever"))
    if lifecycle.errors:
        lines.append(f"* may carry an error message in: {_names(lifecycle, lifecycle.errors)}")
    if lifecycle.paths:  # The code of the others defines the meaning of their states.
        lines += _roles(lifecycle)
    for target, path in lifecycle.paths.items():
        lines.append(f"* walk to {target}: {' → '.join(path)}")
    return "\n".join([*lines, "", "```mermaid", render_mermaid(lifecycle), "```", ""])


def _roles(lifecycle: Lifecycle) -> list[str]:
    """The meaning of the states to the rest of Tenuto."""
    singles = (
        ("made in", lifecycle.born),
        ("ready in", lifecycle.ready),
        ("deleted in", lifecycle.gone),
        ("released in", lifecycle.released),
        ("at rest, without its machine, in", lifecycle.rested),
        ("failed, and waiting for a person, in", lifecycle.failed),
    )
    lines = [f"* {word}: `{state}`" for word, state in singles if state is not None]
    how = ", without a move" if lifecycle.change_at == lifecycle.ready else ""
    lines.append(f"* a change in place enters: `{lifecycle.change_at}`{how}")
    groups = (
        ("a cancelled deletion or release may be turned back in", lifecycle.turnable),
        ("left out where no phase applies", lifecycle.optional),
    )
    lines += [f"* {word}: {_names(lifecycle, states)}" for word, states in groups if states]
    edges = [f"`{state}` → `{edge}`" for state, edge in lifecycle.failure.items()]
    return [*lines, f"* a failed phase moves it: {', '.join(edges)}"] if edges else lines


def _names(lifecycle: Lifecycle, states: frozenset[StrEnum]) -> str:
    return ", ".join(f"`{state}`" for state in lifecycle.states if state in states)


def _edge(before: str, after: str) -> str:
    return f"  {_drawn(before)} --> {_drawn(after)}"


def _drawn(state: str) -> str:
    return state.replace("-", "_")


if __name__ == "__main__":
    sys.stdout.write(render_page(TABLES.values()))
