"""The next state on every way of a table, computed once when the table is made."""

from collections import deque
from collections.abc import Mapping
from enum import StrEnum

Ways = Mapping[tuple[str, str], str]
"""The next state, by state and target."""
_Rows = Mapping[StrEnum, frozenset[StrEnum]]
_Edges = Mapping[StrEnum, tuple[StrEnum, ...]]


def ways_of(rows: _Rows, targets: Mapping[StrEnum, tuple[StrEnum, ...]]) -> Ways:
    """The next state from each state to each target; none where there is no way."""
    edges = {state: tuple(one for one in type(state) if one in rows[state]) for state in rows}
    found: dict[tuple[str, str], str] = {}
    for target, path in targets.items():
        for state in rows:
            following = _next(state, path, edges)
            if following is not None:
                found[state, target] = following
    return found


def _next(state: StrEnum, path: tuple[StrEnum, ...], edges: _Edges) -> StrEnum | None:
    """The state after `state` on the way along `path`, or into it."""
    if state in path:
        place = path.index(state) + 1
        return path[place] if place < len(path) else None
    for candidate in path:
        if candidate in edges[state]:
            return candidate
    return _first_hop(state, path, edges)


def _first_hop(state: StrEnum, path: tuple[StrEnum, ...], edges: _Edges) -> StrEnum | None:
    """The first state of the shortest way to any state of the path; None when there is none."""
    todo = deque((one, one) for one in edges[state])
    seen = {state}
    while todo:
        first, here = todo.popleft()
        if here in path:
            return first
        if here not in seen:
            seen.add(here)
            todo.extend((first, one) for one in edges[here])
    return None
