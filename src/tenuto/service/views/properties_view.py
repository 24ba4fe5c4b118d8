"""One resource property by property: the declared value, the live one, the one applied last, and the verdict.

The comparison is that of planning (`core.planning.comparing.changes`), of the value applied last with the one that the
last sweep showed. Properties that are not compared are told as well, with the reason: a reader asks as often why
something is no drift.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tenuto.core.language.resolve import is_resolved
from tenuto.core.planning.comparing.changes import changes_of, with_defaults
from tenuto.core.planning.comparing.ignores import ignored_paths, kept_paths
from tenuto.core.planning.comparing.secrets import Desired, secret_properties
from tenuto.model.composition import Composition, Declaration
from tenuto.model.delta import Change, Unknown
from tenuto.model.ids import Instant, JsonMap, TypeName
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.sights import Sight
from tenuto.service.common.value_diff import diff_lines
from tenuto.service.common.values import masked, mentions, secret_names, shown_attributes, time_text
from tenuto.service.views.process_view import status_of

SAME = "same"
DRIFT = "drift"
IGNORED = "ignored"
PENDING = "pending"
UNSEEN = "not-shown"
UNDECLARED = "not-declared"
UNKNOWN = "not-observed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertiesView:
    """One address of a process. `current` is None before its first incarnation, `sight` is that of the last sweep,
    and `evaluated` are the declared properties with the answers of other resources in them."""

    process: Process
    composition: Composition | None
    declaration: Declaration | None
    evaluated: JsonMap
    current: ManagedObject | None
    incarnations: tuple[ManagedObject, ...]
    sight: Sight | None
    type: ResourceType | None
    type_name: TypeName
    now: Instant


def properties_document(view: PropertiesView) -> JsonMap:
    """The view as one document."""
    found, declaration = view.current, view.declaration
    secrets = secret_names(view.composition)
    item = view.sight.observation.item if view.sight else None
    position = declaration.position if declaration else None
    rows = _rows(view, secrets)
    return {
        "fid": view.process.fid,
        "alias": view.process.alias,
        "logical_id": declaration.logical_id if declaration else found.logical_id if found else None,
        "type": view.type_name,
        "id": found.physical_id if found else None,
        "state": found.state if found else None,
        "target": found.target if found else None,
        "status": status_of(found),
        "source": {"file": position.file, "line": position.line} if position else None,
        "depends_on": list(declaration.depends_on) if declaration else list(found.depends_on) if found else [],
        "deletion_policy": declaration.deletion_policy.value if declaration else None,
        "observed_at": time_text(view.sight.at) if view.sight else None,
        "presence": view.sight.observation.presence.value if view.sight else None,
        "observation": (view.sight.observation.message or (item.message if item else "") or None)
        if view.sight
        else None,
        "properties": rows,
        "verdicts": {verdict: sum(1 for row in rows if row["verdict"] == verdict) for verdict in _ORDER},
        "attributes": shown_attributes(found, secrets) if found else {},
        "incarnations": [
            {
                "incarnation": one.incarnation,
                "id": one.physical_id,
                "state": one.state,
                "status": status_of(one),
                "created": time_text(one.created_at),
                "moved": time_text(one.moved_at),
                "message": one.message or None,
            }
            for one in view.incarnations
        ],
    }


_AHEAD = "declared by an update that no job has applied yet"
_ORDER = (DRIFT, PENDING, SAME, IGNORED, UNSEEN, UNKNOWN, UNDECLARED)


def _rows(view: PropertiesView, secrets: Collection[str]) -> list[JsonMap]:
    found, declaration = view.current, view.declaration
    item = view.sight.observation.item if view.sight else None
    declared = dict(declaration.properties) if declaration else {}
    wished = _wished(view)
    applied = dict(found.desired) if found else {}
    live = dict(item.seen_by(applied)) if item else {}
    changes = _changes(view)
    ignored = ignored_paths(declaration) if declaration else ()
    rows = []
    for path in sorted({*declared, *applied, *live}):
        differing = [one for one in changes if one.path == path or one.path.startswith(f"{path}.")]
        verdict, note = _verdict(view, path, differing, ignored, wished)
        is_secret = mentions(applied.get(path), secrets) or mentions(declared.get(path), secrets)
        before, after = masked(applied.get(path), secrets), live.get(path)
        if is_secret and path in live:
            after = Unknown.SECRET.value
        lines: list[str] = []
        if not is_secret and differing:
            lines = list(diff_lines(path, before, after))
        elif not is_secret and verdict == PENDING and path in applied and path in wished:
            lines = list(diff_lines(path, before, masked(wished[path], secrets)))
        rows.append(
            {
                "path": path,
                "declared": masked(declared[path], secrets) if path in declared else None,
                "is_declared": path in declared,
                "live": after,
                "is_live": path in live,
                "applied": before,
                "is_applied": path in applied,
                "verdict": verdict,
                "note": note or None,
                "paths": [one.path for one in differing],
                "difference": lines,
            }
        )
    ranks = {DRIFT: 0, PENDING: 1, UNDECLARED: 3}
    return sorted(rows, key=lambda row: (ranks.get(row["verdict"], 2), row["path"]))


def _wished(view: PropertiesView) -> JsonMap:
    """The properties as a plan would wish for them now: evaluated, and with the defaults of those taken out."""
    if view.declaration is None or view.type is None:
        return view.evaluated
    return with_defaults(view.evaluated, view.current, view.type, ignored_paths(view.declaration))


def _changes(view: PropertiesView) -> tuple[Change, ...]:
    """The differences between the properties applied last and the live ones. A masked secret is judged by the sweep."""
    found, sight = view.current, view.sight
    item = sight.observation.item if sight else None
    if found is None or sight is None or item is None or view.type is None or not found.desired:
        return ()
    kept: tuple[str, ...] = ()
    if view.declaration is not None:
        kept = kept_paths(ignored_paths(view.declaration), found.desired, found.desired, view.type)
    desired = Desired(properties=found.desired, digest=found.desired_digest)
    changes = changes_of(desired, item.seen_by(found.desired), found, view.type, view.composition, kept)
    secret = secret_properties(found)
    return tuple(one for one in changes if one.path not in secret or one.path in sight.drifted)


def _verdict(
    view: PropertiesView, path: str, differing: Collection[Change], ignored: Collection[str], wished: JsonMap
) -> tuple[str, str]:
    found, declaration, facts = view.current, view.declaration, view.type
    item = view.sight.observation.item if view.sight else None
    if found is None:
        return PENDING, "not made yet"
    if path not in found.desired:
        return (PENDING, _AHEAD) if path in wished else (UNDECLARED, "left alone")
    if path not in wished and declaration is not None:
        return PENDING, "no longer declared; the next job lets it go"
    if "*" in ignored or any(one == path or one.startswith(f"{path}.") for one in ignored):
        return IGNORED, "the composition ignores what others make of it"
    if not differing and path in wished and is_resolved(wished[path]) and wished[path] != found.desired[path]:
        return PENDING, _AHEAD
    if facts is not None and facts.is_unseen(path):
        return UNSEEN, "the provider does not show it; compared with what was applied last"
    if item is None:
        return UNKNOWN, (view.sight.observation.message if view.sight else "") or "no sweep has shown it yet"
    if differing:
        return DRIFT, _drift_note(view, differing)
    return SAME, "a change would replace the resource" if facts and path in facts.create_only else ""


def _drift_note(view: PropertiesView, differing: Collection[Change]) -> str:
    found = view.current
    if found is not None and not found.is_settled:
        return "being set back now"
    if not view.process.is_enforced_at(view.now):
        return "left alone while enforcement is off"
    if any(one.forces_replacement for one in differing):
        return "only a replacement sets it back, and that waits for a command"
    if any(one.may_interrupt for one in differing):
        return "the next job sets it back, and may interrupt it"
    return "the next job sets it back"
