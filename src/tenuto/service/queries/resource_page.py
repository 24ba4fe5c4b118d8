"""The resources of a process a page at a time: as a tree of their dependencies, or sorted by a column.

In the tree a resource stands below the one of its needs that is deepest, so that each has one place. A page begins
after a name, in the order that was asked for.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tenuto.errors import UserError
from tenuto.model.composition import Composition
from tenuto.model.ids import JsonMap
from tenuto.service.common.finding import check_words
from tenuto.service.views.process_view import AT_WORK, ResourceView, view_message

SORTS = ("tree", "need", "name", "type")
DEFAULT_PAGE = 200
LARGEST_PAGE = 1000
_RANKS: Mapping[str, int] = {"failed": 0, "held": 1, "drift": 2, "planned": 8, "resting": 8, "ready": 9, "gone": 10}
_AT_WORK = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceQuery:
    """The resources that are asked for. `text` is a part of a name, a type or a physical id."""

    statuses: tuple[str, ...] = ()
    type: str = ""
    text: str = ""
    sort: str = "tree"
    after: str = ""
    limit: int = DEFAULT_PAGE


def resources_document(
    views: Sequence[ResourceView], composition: Composition | None, marked: Mapping[str, str], query: ResourceQuery
) -> JsonMap:
    """A page of resources, with counts of all. `marked` says which of them drifted or are held. Raises UserError."""
    check_words("status", query.statuses, {**_RANKS, **dict.fromkeys(AT_WORK)})
    if query.sort not in SORTS:
        raise UserError(f"Resources cannot be sorted by {query.sort!r}. There are {', '.join(SORTS)}.")
    status = {str(one.logical_id): marked.get(one.logical_id, one.status) for one in views}
    chosen = [one for one in views if _matches(one, status[one.logical_id], query)]
    ordered = _ordered(chosen, composition, status, query.sort)
    if query.after and query.after not in status:
        raise UserError(f"There is no resource {query.after!r} to go on after: leave 'after' out to begin again.")
    start = next((at + 1 for at, (one, _) in enumerate(ordered) if one.logical_id == query.after), 0)
    limit = max(1, min(query.limit, LARGEST_PAGE))
    page = ordered[start : start + limit]
    return {
        "total": len(views),
        "matching": len(ordered),
        "counts": dict(sorted(Counter(status.values()).items(), key=lambda item: (_rank(item[0]), item[0]))),
        "types": dict(sorted(Counter(one.type for one in views).items())),
        "resources": [_row(one, status[one.logical_id], depth) for one, depth in page],
        "next": page[-1][0].logical_id if start + limit < len(ordered) else None,
    }


def _matches(view: ResourceView, status: str, query: ResourceQuery) -> bool:
    text = query.text.casefold()
    physical_id = (view.current.physical_id or "") if view.current else ""
    return (
        (not query.statuses or status in query.statuses)
        and query.type in ("", view.type)
        and (
            not text
            or text in view.logical_id.casefold()
            or text in view.type.casefold()
            or text in physical_id.casefold()
        )
    )


def _ordered(
    views: Sequence[ResourceView], composition: Composition | None, status: Mapping[str, str], sort: str
) -> list[tuple[ResourceView, int]]:
    match sort:
        case "tree":
            return _tree(views, composition)
        case "need":
            return [(one, 0) for one in sorted(views, key=lambda one: (_rank(status[one.logical_id]), one.logical_id))]
        case "type":
            return [(one, 0) for one in sorted(views, key=lambda one: (one.type, one.logical_id))]
        case _:
            return [(one, 0) for one in sorted(views, key=lambda one: one.logical_id)]


def _tree(views: Sequence[ResourceView], composition: Composition | None) -> list[tuple[ResourceView, int]]:
    """The views with their depth, each below the deepest of those that it needs."""
    declared = {str(one.logical_id): one.depends_on for one in composition.resources} if composition else {}
    known = {str(one.logical_id): one for one in views}
    needs = {
        name: [
            other for other in (declared.get(name) or (one.current.depends_on if one.current else ())) if other in known
        ]
        for name, one in known.items()
    }
    depth: dict[str, int] = {}
    pending = list(known)
    while pending:
        left = [name for name in pending if any(one not in depth for one in needs[name])]
        if len(left) == len(pending):  # A circle cannot be declared; a stored one must not hang a page.
            left = []
        for name in pending:
            if name not in left:
                depth[name] = max((depth[one] + 1 for one in needs[name] if one in depth), default=0)
        pending = left
    children: dict[str, list[str]] = {}
    roots: list[str] = []
    for name in known:
        above = sorted((one for one in needs[name] if depth[one] < depth[name]), key=lambda one: (-depth[one], one))
        (children.setdefault(above[0], []) if above else roots).append(name)
    found: list[tuple[ResourceView, int]] = []
    stack = [(name, 0) for name in sorted(roots, reverse=True)]
    while stack:
        name, level = stack.pop()
        found.append((known[name], level))
        stack += [(one, level + 1) for one in sorted(children.get(name, ()), reverse=True)]
    return found


def _row(view: ResourceView, status: str, depth: int) -> JsonMap:
    found = view.current
    return {
        "logical_id": view.logical_id,
        "type": view.type,
        "id": found.physical_id if found else None,
        "state": found.state if found else None,
        "target": found.target if found else None,
        "status": status,
        "message": view_message(view) or None,
        "depth": depth,
        "leaving": [{"id": one.physical_id, "state": one.state} for one in view.leaving],
        "duplicates": list(view.duplicates),
        "phase_failed": bool(found and found.is_phase_failed),
    }


def _rank(status: str) -> int:
    return _RANKS.get(status, _AT_WORK)
