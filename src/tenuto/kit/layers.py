"""Layers: the places of the nodes of a graph without cycles, so that every edge goes down and few of them cross.

The layer of a node is the longest way to it. Edges that follow from others are left out (the transitive reduction, on
integers as sets of bits). Within a layer the nodes are ordered by the mean place of their neighbours, in sweeps down
and up. Names break every tie, so one graph has one picture.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SWEEPS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Layered:
    """The nodes of each layer from top to bottom, each from left to right, and the edges (from, to) that are drawn."""

    layers: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[str, str], ...]


def layered(needs: Mapping[str, Sequence[str]]) -> Layered:
    """The places of nodes; `needs` tells for each node the nodes above it. An edge to a node that is not there, or that
    would close a circle, is left out."""
    order = _order(needs)
    place = {name: number for number, name in enumerate(order)}
    above = {name: sorted({one for one in needs[name] if one in place and place[one] < place[name]}) for name in order}
    reach: dict[str, int] = {}
    kept: dict[str, list[str]] = {}
    for name in order:
        below = 0
        kept[name] = []
        for one in sorted(above[name], key=lambda other: -place[other]):
            if not below >> place[one] & 1:
                kept[name].append(one)
            below |= reach[one] | 1 << place[one]
        reach[name] = below
    depth: dict[str, int] = {}
    for name in order:
        depth[name] = max((depth[one] + 1 for one in kept[name]), default=0)
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in order:
        layers[depth[name]].append(name)
    _uncross(layers, kept)
    edges = tuple((one, name) for name in sorted(kept) for one in sorted(kept[name]))
    return Layered(layers=tuple(tuple(layer) for layer in layers), edges=edges)


def _order(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """The nodes, each behind those that it needs; where they go in a circle, by name."""
    left = {name: {one for one in found if one in needs and one != name} for name, found in needs.items()}
    users: dict[str, list[str]] = {name: [] for name in needs}
    for name, found in left.items():
        for one in found:
            users[one].append(name)
    ready = sorted((name for name, found in left.items() if not found), reverse=True)
    order: list[str] = []
    waiting = {name for name, found in left.items() if found}
    while ready or waiting:
        if not ready:
            first = min(waiting)
            waiting.discard(first)
            ready.append(first)
        name = ready.pop()
        order.append(name)
        for user in sorted(users[name], reverse=True):
            left[user].discard(name)
            if not left[user] and user in waiting:
                waiting.discard(user)
                ready.append(user)
    return order


def _uncross(layers: list[list[str]], kept: Mapping[str, Sequence[str]]) -> None:
    below: dict[str, list[str]] = {name: [] for name in kept}
    for name, found in kept.items():
        for one in found:
            below[one].append(name)
    for sweep in range(_SWEEPS):
        neighbours = kept if sweep % 2 == 0 else below
        places = {name: float(number) for layer in layers for number, name in enumerate(layer)}
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            own = {name: number for number, name in enumerate(layer)}
            weights = {name: _mean([places[one] for one in neighbours[name]], own[name]) for name in layer}
            layer.sort(key=lambda name: (weights[name], name))
            places.update((name, float(number)) for number, name in enumerate(layer))


def _mean(places: Sequence[float], default: float) -> float:
    return sum(places) / len(places) if places else float(default)
