"""Circles in a graph of names: each is found once and named whole."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

MOST = 20
"""Circles that are looked for. Who has more of them has one mistake, made many times."""


def find_circles(edges: Mapping[str, Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Circles with no member in common, each from its smallest name on, in the direction of the edges.

    A member of two circles is shown in one of them: when that is broken, the next compilation shows the other.
    """
    graph = {name: {other for other in others if other in edges} for name, others in edges.items()}
    found: list[tuple[str, ...]] = []
    while len(found) < MOST:
        sorter = TopologicalSorter({name: sorted(graph[name]) for name in sorted(graph)})
        try:
            sorter.prepare()
        except CycleError as error:
            # The sorter lists predecessors first; our edges point the other way.
            circle = tuple(reversed(error.args[1][1:]))
            start = circle.index(min(circle))
            found.append(circle[start:] + circle[:start])
            graph = {name: others - set(circle) for name, others in graph.items() if name not in circle}
        else:
            break
    return tuple(sorted(found))
