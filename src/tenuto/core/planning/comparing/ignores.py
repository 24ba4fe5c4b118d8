"""Ignored properties: set once, and then left to others.

Theory of operation. A composition may set a property once and then leave it to others:
`Metadata: {Tenuto: {ignore: [PATH, …]}}`. Such a property is set when its resource is made, and by an update that
changes its declaration. At any other time every found value is right. That is said in one place: the found value takes
the place of the declared one (`as_found`) before anything is compared, and before a provider is asked to change
something else of the same resource, so that a change next door does not put it back either. A path is a property, or a
nested one with dots; `*` is every property. Paths do not lead into lists: a list is ignored as a whole.
"""

from collections.abc import Iterable

from tenuto.core.language import resolve
from tenuto.core.planning.comparing.adoption import section_of
from tenuto.core.planning.comparing.paths import MISSING, at, with_value
from tenuto.core.planning.equality.values import means_same
from tenuto.model.composition import Declaration
from tenuto.model.delta import Change
from tenuto.model.ids import Json, JsonMap, LogicalId
from tenuto.model.naming import Names
from tenuto.model.resource import ResourceType

IGNORE = "ignore"
"""The key of our metadata that names the paths."""
MOVED_BY = "moved_by"
"""The key beside it that names the resources for which the compiler wrote the paths down."""
EVERYTHING = "*"


def ignored_paths(declaration: Declaration) -> tuple[str, ...]:
    """The paths that the metadata of a declaration names, sorted. The compiler has checked their shape."""
    listed = section_of(declaration).get(IGNORE, ())
    return tuple(sorted({listed} if isinstance(listed, str) else set(listed)))


def movers(declaration: Declaration) -> tuple[LogicalId, ...]:
    """The resources that move the properties that the compiler made the declaration ignore; none where its author
    did."""
    return tuple(LogicalId(str(one)) for one in section_of(declaration).get(MOVED_BY, ()))


def kept_paths(
    ignored: Iterable[str], desired: JsonMap, before: JsonMap, resource_type: ResourceType
) -> tuple[str, ...]:
    """The ignored paths at which nothing new is declared: `before` are the properties that were desired until now.

    A value that is secret or not known yet counts as new: it cannot be held against the one before.
    """
    paths = set(ignored)
    if EVERYTHING in paths:
        paths = {*desired, *resource_type.when_absent}
    return tuple(path for path in sorted(paths) if _is_old_wish(path, desired, before, resource_type))


def as_found(properties: JsonMap, observed: JsonMap, kept: Iterable[str]) -> JsonMap:
    """The properties with the observed values at the kept paths; a path without an observed value is left out."""
    for path in kept:
        properties = with_value(properties, path.split("."), at(observed, path))
    return properties


def ignored_changes(
    desired: JsonMap, observed: JsonMap, kept: Iterable[str], resource_type: ResourceType, names: Names
) -> tuple[Change, ...]:
    """Return how the kept paths differ from their declaration: seen, told, and left alone."""
    declared = dict(resource_type.when_absent) | dict(desired)
    changes: list[Change] = []
    for path in kept:
        before, after = at(observed, path), at(declared, path)
        if resource_type.is_unseen(path) or after is MISSING or not resolve.is_resolved(after):
            continue
        seen: Json = None if before is MISSING else before
        if not means_same(after, seen, resource_type.compare_as, path, names):
            changes.append(Change(path=path, before=seen, after=after, has_before=seen is not None))
    return tuple(changes)


def _is_old_wish(path: str, desired: JsonMap, before: JsonMap, resource_type: ResourceType) -> bool:
    now, then = at(desired, path), at(before, path)
    if now is MISSING or then is MISSING:
        return now is then
    return resolve.is_resolved(now) and (now == then or means_same(now, then, resource_type.compare_as, path))
