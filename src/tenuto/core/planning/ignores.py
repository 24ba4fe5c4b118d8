"""Property paths that a composition sets once and then leaves to others: `Metadata: {Tenuto: {ignore: [PATH, …]}}`.

Theory of operation. An ignored property is set when its resource is made, and by an update that changes what is
declared for it. At any other time whatever is found there is right. That is said in one place: the found value takes
the place of the declared one (`as_found`) before anything is compared, and before a provider is asked to change
something else of the same resource, so that a change next door does not put it back either.

A path is a property, or a nested one with dots; `*` is every property. Paths do not lead into lists: a list is ignored
as a whole.
"""

from collections.abc import Iterable, Mapping

from tenuto.core.language import resolve
from tenuto.core.planning.adoption import SECTION
from tenuto.core.planning.equality import means_same
from tenuto.model.composition import Declaration
from tenuto.model.delta import Change, Delta
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.naming import Names
from tenuto.model.plan import IgnoredDrift
from tenuto.model.resource import ManagedObject, ResourceType

IGNORE = "ignore"
"""The key of our metadata that names the paths."""
EVERYTHING = "*"
_MISSING = object()


def ignored_paths(declaration: Declaration) -> tuple[str, ...]:
    """The paths that the metadata of a declaration names, sorted. The compiler has checked their shape."""
    ours = declaration.metadata.get(SECTION)
    listed = ours.get(IGNORE, ()) if isinstance(ours, Mapping) else ()
    return tuple(sorted({listed} if isinstance(listed, str) else set(listed)))


def kept_paths(
    ignored: Iterable[str], desired: JsonMap, before: JsonMap, resource_type: ResourceType
) -> tuple[str, ...]:
    """The ignored paths at which nothing new is declared: `before` is what was desired until now.

    A value that is secret or not known yet counts as new: it cannot be held against the one before.
    """
    paths = set(ignored)
    if EVERYTHING in paths:
        paths = {*desired, *resource_type.when_absent}
    return tuple(path for path in sorted(paths) if _is_old_wish(path, desired, before, resource_type))


def as_found(properties: JsonMap, observed: JsonMap, kept: Iterable[str]) -> JsonMap:
    """The properties with what is observed at the kept paths; a path at which nothing is observed is left out."""
    for path in kept:
        properties = _with(properties, path.split("."), _at(observed, path))
    return properties


def ignored_changes(
    desired: JsonMap, observed: JsonMap, kept: Iterable[str], resource_type: ResourceType, names: Names
) -> tuple[Change, ...]:
    """Return how the kept paths differ from what is declared: seen, told, and left alone."""
    declared = dict(resource_type.when_absent) | dict(desired)
    changes: list[Change] = []
    for path in kept:
        before, after = _at(observed, path), _at(declared, path)
        if resource_type.is_unseen(path) or after is _MISSING or not resolve.is_resolved(after):
            continue
        seen: Json = None if before is _MISSING else before
        if not means_same(after, seen, resource_type.compare_as, path, names):
            changes.append(Change(path=path, before=seen, after=after, has_before=seen is not None))
    return tuple(changes)


def ignored_drift(delta: Delta, objects: Mapping[ObjectId, ManagedObject]) -> tuple[IgnoredDrift, ...]:
    """The drift at ignored paths that a planning reports."""
    told: list[IgnoredDrift] = []
    for difference in delta.differences:
        if difference.object_id is not None and difference.ignored:
            found = objects[difference.object_id]
            told.append(
                IgnoredDrift(
                    type=found.type,
                    logical_id=found.logical_id,
                    object_id=found.object_id,
                    physical_id=found.physical_id,
                    changes=difference.ignored,
                )
            )
    return tuple(told)


def _is_old_wish(path: str, desired: JsonMap, before: JsonMap, resource_type: ResourceType) -> bool:
    now, then = _at(desired, path), _at(before, path)
    if now is _MISSING or then is _MISSING:
        return now is then
    return resolve.is_resolved(now) and (now == then or means_same(now, then, resource_type.compare_as, path))


def _at(properties: Json, path: str) -> Json:
    for key in path.split("."):
        if not isinstance(properties, Mapping) or key not in properties:
            return _MISSING
        properties = properties[key]
    return properties


def _with(properties: JsonMap, keys: list[str], value: Json) -> JsonMap:
    key, *rest = keys
    changed = dict(properties)
    if rest:
        inner = changed.get(key, {})
        if isinstance(inner, Mapping) and (key in changed or value is not _MISSING):
            changed[key] = _with(inner, rest, value)
    elif value is _MISSING:
        changed.pop(key, None)
    else:
        changed[key] = value
    return changed
