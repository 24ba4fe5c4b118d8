"""Order: what must come before what, between resources and between their types.

Waves are by type (DECISIONS 23): everything of one type is done before a type that depends on it begins, and types
that do not depend on each other run side by side. Real templates have circles between types although none between
resources (a NAT gateway needs a route, another route needs the NAT gateway). Types of such a circle share a wave, and
inside it the resources' own dependencies decide.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import TypeVar

from tenuto.model.composition import Declaration
from tenuto.model.ids import TypeName

Node = TypeVar("Node", bound=Hashable)


def dependency_order(declarations: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """Declarations so that each comes after what it depends on; otherwise in their own order."""
    by_id = {declaration.logical_id: declaration for declaration in declarations}
    sorter = TopologicalSorter(
        {
            declaration.logical_id: [name for name in declaration.depends_on if name in by_id]
            for declaration in declarations
        }
    )
    return tuple(by_id[name] for name in sorter.static_order())


def circles(edges: Mapping[Node, Iterable[Node]]) -> tuple[tuple[Node, ...], ...]:
    """The strongly connected components, each after those it has edges to (Tarjan's algorithm)."""
    index: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    found: list[tuple[Node, ...]] = []

    def visit(node: Node) -> None:
        index[node] = lowest[node] = len(index)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in index:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in stack:
                lowest[node] = min(lowest[node], index[other])
        if lowest[node] == index[node]:
            cut = stack.index(node)
            found.append(tuple(stack[cut:]))
            del stack[cut:]

    for node in edges:
        if node not in index:
            visit(node)
    return tuple(found)


def type_waves(
    edges: Mapping[TypeName, Iterable[TypeName]],
) -> tuple[tuple[tuple[TypeName, ...], tuple[int, ...]], ...]:
    """Types in waves: the types of each wave, sorted, and the numbers of the waves it comes right after."""
    ordered = {name: sorted(set(edges[name])) for name in sorted(edges)}
    components = [tuple(sorted(component)) for component in circles(ordered)]
    number = {name: position for position, component in enumerate(components) for name in component}
    return tuple(
        (
            component,
            tuple(sorted({number[other] for name in component for other in ordered[name]} - {position})),
        )
        for position, component in enumerate(components)
    )
