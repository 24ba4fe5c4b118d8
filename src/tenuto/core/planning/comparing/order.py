"""Order: the dependencies between resources and between their types.

Waves are by type (DECISIONS 23): everything of one type is done before a type that depends on it begins, and types
that do not depend on each other run side by side. Real templates have circles between types although none between
resources (a NAT gateway needs a route, another route needs the NAT gateway). Types of such a circle share a wave, and
inside it the resources' own dependencies decide.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Protocol, TypeVar

from tenuto.model.composition import Declaration
from tenuto.model.ids import LogicalId, ObjectId, TypeName

Node = TypeVar("Node", bound=Hashable)


def dependency_order(declarations: Sequence[Declaration]) -> tuple[Declaration, ...]:
    """Declarations so that each comes after the ones that it depends on; otherwise in their own order."""
    by_id = {declaration.logical_id: declaration for declaration in declarations}
    sorter = TopologicalSorter(
        {
            declaration.logical_id: [name for name in declaration.depends_on if name in by_id]
            for declaration in declarations
        }
    )
    return tuple(by_id[name] for name in sorter.static_order())


def circles(edges: Mapping[Node, Iterable[Node]]) -> tuple[tuple[Node, ...], ...]:
    """The strongly connected components, each after those it has edges to (Tarjan's algorithm, without recursion: a
    chain of resources may be longer than the interpreter's stack is deep)."""
    index: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    stack: list[Node] = []
    place: dict[Node, int] = {}
    found: list[tuple[Node, ...]] = []
    path: list[tuple[Node, Iterator[Node]]] = []

    def enter(node: Node) -> None:
        index[node] = lowest[node] = len(index)
        place[node] = len(stack)
        stack.append(node)
        path.append((node, iter(edges.get(node, ()))))

    def leave(node: Node) -> None:
        path.pop()
        if path:
            above, _ = path[-1]
            lowest[above] = min(lowest[above], lowest[node])
        if lowest[node] == index[node]:
            component = stack[place[node] :]
            del stack[place[node] :]
            for member in component:
                del place[member]
            found.append(tuple(component))

    for root in edges:
        if root not in index:
            enter(root)
        while path:
            node, others = path[-1]
            for other in others:
                if other not in index:
                    enter(other)
                    break
                if other in place:
                    lowest[node] = min(lowest[node], index[other])
            else:
                leave(node)
    return tuple(found)


class Built(Protocol):
    """A member at an address, built on members at other addresses: a step of a plan, or an incarnation."""

    @property
    def object_id(self) -> ObjectId: ...
    @property
    def logical_id(self) -> LogicalId: ...
    @property
    def depends_on(self) -> tuple[LogicalId, ...]: ...


def with_dependants(first: frozenset[ObjectId], members: Iterable[Built]) -> frozenset[ObjectId]:
    """Return the members that are `first`, and all that were built on their addresses, directly or not."""
    built_on: dict[LogicalId, list[Built]] = {}
    todo: list[Built] = []
    for member in members:
        for address in member.depends_on:
            built_on.setdefault(address, []).append(member)
        if member.object_id in first:
            todo.append(member)
    found = {member.object_id for member in todo}
    while todo:
        # An address is followed once: the members built on it are the same for all its incarnations.
        for member in built_on.pop(todo.pop().logical_id, ()):
            if member.object_id not in found:
                found.add(member.object_id)
                todo.append(member)
    return frozenset(found)


def reached(first: Iterable[Node], edges: Mapping[Node, Iterable[Node]]) -> set[Node]:
    """Return the `first`, and all that the edges lead to from them, directly or not."""
    found = set(first)
    todo = list(found)
    while todo:
        more = set(edges.get(todo.pop(), ())) - found
        found |= more
        todo += more
    return found


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
