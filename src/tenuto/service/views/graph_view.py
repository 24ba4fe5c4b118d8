"""The resources of a process as a graph: boxes in layers, and the edges of their dependencies.

Theory of operation. A large process is a picture that no person can read, so boxes of one type, layer and status become
one, with their number. The resources that a person looks for stay apart, with their direct neighbours: those that
failed, drifted, are held or under way. Hundreds of these that are alike are one thing to look for, so they are one box,
too, which leads to their list. Around one resource that is asked for, more than twenty alike are one box in every case.
The places follow from the composition alone (`kit.layers`); the status comes apart from them, so the picture stands
still while colours change.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tenuto.kit.layers import layered
from tenuto.model.composition import Composition
from tenuto.model.ids import JsonMap
from tenuto.model.process import Process
from tenuto.service.views.process_view import ResourceView, view_message

ALL_UP_TO = 150
MOST_BOXES = 400
LARGEST = 2000
ALIKE_UP_TO = 20
"""More resources than this of one type, layer and status are a number, also where they failed: a screen of a desk has
room for seven boxes beside each other."""
_CALM = frozenset({"ready", "gone", "planned", "resting"})


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphQuery:
    """The part of a graph that is asked for. `focus` is a resource, with its neighbours up to so many `hops`."""

    focus: str = ""
    hops: int = 2
    most: int = MOST_BOXES


def graph_document(
    process: Process,
    composition: Composition | None,
    views: Sequence[ResourceView],
    marked: Mapping[str, str],
    query: GraphQuery,
) -> JsonMap:
    """The graph. `marked` says of resources that they drifted or are held, which no phase of theirs tells."""
    needs = _needs(composition, views)
    by_name = {str(one.logical_id): one for one in views}
    total = len(needs)
    if query.focus:
        needs = _around(needs, query.focus, query.hops)
    status = {name: marked.get(name, by_name[name].status) for name in needs}
    groups = _groups(needs, status, by_name, query)
    boxes = _merged(needs, groups)
    picture = layered(boxes)
    shown = [name for layer in picture.layers for name in layer][: max(1, min(query.most, LARGEST))]
    kept = set(shown)
    members: dict[str, list[str]] = {}
    for name, group in groups.items():
        members.setdefault(group, []).append(name)
    place = {name: (depth, at) for depth, layer in enumerate(picture.layers) for at, name in enumerate(layer)}
    users: dict[str, list[str]] = {name: [] for name in boxes}
    for name, found in boxes.items():
        for one in found:
            users[one].append(name)
    nodes = []
    for name in shown:
        own = sorted(members.get(name, [name]))
        view = by_name[own[0]]
        nodes.append(
            {
                "name": name,
                "type": view.type,
                "status": status[own[0]],
                "id": view.current.physical_id if view.current and len(own) == 1 else None,
                "message": (view_message(view) or None) if len(own) == 1 else None,
                "count": len(own),
                "members": own,
                "layer": place[name][0],
                "place": place[name][1],
                "needs": sorted(boxes[name]),
                "needed_by": sorted(users[name]),
            }
        )
    return {
        "fid": process.fid,
        "alias": process.alias,
        "resources": total,
        "boxes": len(boxes),
        "left_out": len(boxes) - len(shown),
        "focus": query.focus or None,
        "nodes": nodes,
        "edges": [{"from": one, "to": other} for one, other in picture.edges if one in kept and other in kept],
    }


def graph_dot(document: JsonMap) -> str:
    """The graph in the language of Graphviz."""
    lines = ["digraph process {", "  rankdir=TB; node [shape=box, fontname=sans-serif];"]
    for node in document["nodes"]:
        label = f"{_label(node)}\\n{node['type']}\\n{node['status']}"
        lines.append(f"  {_quoted(node['name'])} [label={_quoted(label)}];")
    lines += [f"  {_quoted(edge['from'])} -> {_quoted(edge['to'])};" for edge in document["edges"]]
    return "\n".join((*lines, "}"))


def graph_mermaid(document: JsonMap) -> str:
    """The graph in the language of Mermaid."""
    keys = {node["name"]: f"n{number}" for number, node in enumerate(document["nodes"])}
    lines = ["graph TD"]
    for node in document["nodes"]:
        text = f"{_label(node)}<br/>{node['type']}<br/>{node['status']}".replace('"', "#quot;")
        lines.append(f'  {keys[node["name"]]}["{text}"]')
    lines += [f"  {keys[edge['from']]} --> {keys[edge['to']]}" for edge in document["edges"]]
    return "\n".join(lines)


def _label(node: JsonMap) -> str:
    return node["name"] if node["count"] == 1 else f"{node['count']} × {node['type'].rpartition('::')[2]}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def _needs(composition: Composition | None, views: Sequence[ResourceView]) -> dict[str, tuple[str, ...]]:
    declared = {one.logical_id: one.depends_on for one in composition.resources} if composition else {}
    names = {one.logical_id for one in views}
    found: dict[str, tuple[str, ...]] = {}
    for view in views:
        above = declared.get(view.logical_id) or (view.current.depends_on if view.current else ())
        found[view.logical_id] = tuple(one for one in above if one in names)
    return found


def _around(needs: Mapping[str, Sequence[str]], focus: str, hops: int) -> dict[str, tuple[str, ...]]:
    """The part of a graph within so many edges of one node; nothing when it is not there."""
    neighbours: dict[str, set[str]] = {name: set(found) for name, found in needs.items()}
    for name, found in needs.items():
        for one in found:
            neighbours[one].add(name)
    near = {focus} & needs.keys()
    for _ in range(max(0, min(hops, 10))):
        near |= {one for name in near for one in neighbours[name]}
    return {name: tuple(one for one in found if one in near) for name, found in needs.items() if name in near}


def _groups(
    needs: Mapping[str, Sequence[str]],
    status: Mapping[str, str],
    views: Mapping[str, ResourceView],
    query: GraphQuery,
) -> dict[str, str]:
    """The box of each resource that shares one with others."""
    if len(needs) <= (ALIKE_UP_TO if query.focus else ALL_UP_TO):
        return {}
    most_apart = 1 if len(needs) > ALL_UP_TO else ALIKE_UP_TO
    depth = {name: at for at, layer in enumerate(layered(needs).layers) for name in layer}
    kind = {name: (views[name].type, depth[name], status[name]) for name in needs}
    sizes = Counter(kind.values())
    acting = {name for name in needs if status[name] not in _CALM and sizes[kind[name]] <= ALIKE_UP_TO}
    loud = _loud(needs, acting, status) | {query.focus}
    kinds: dict[tuple[str, int, str], list[str]] = {}
    for name in needs:
        if name not in loud:
            kinds.setdefault(kind[name], []).append(name)
    return {
        name: f"{type_name} · {layer} · {state}"
        for (type_name, layer, state), members in sorted(kinds.items())
        if len(members) > most_apart
        for name in members
    }


def _loud(needs: Mapping[str, Sequence[str]], acting: set[str], status: Mapping[str, str]) -> set[str]:
    """The resources that a person looks for, with their direct neighbours."""
    if len(acting) > MOST_BOXES:
        return {name for name in acting if status[name] in ("failed", "held", "drift")}
    near = {one for name in acting for one in needs[name]}
    near |= {name for name, found in needs.items() if acting.intersection(found)}
    return acting | near


def _merged(needs: Mapping[str, Collection[str]], groups: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    boxes: dict[str, set[str]] = {}
    for name, found in needs.items():
        box = groups.get(name, name)
        boxes.setdefault(box, set()).update(groups.get(one, one) for one in found)
    return {box: tuple(sorted(found - {box})) for box, found in boxes.items()}
