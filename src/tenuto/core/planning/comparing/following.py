"""Following: whether the importers of an export still use an incarnation that was behind it.

Theory of operation. When the resource behind an export is made anew, the export has another value. An importer follows
by a job of its own, or when it is resumed, and until then its things use the original. So an original goes only after
that, as it goes after all that its own process builds on it. What was built on the original stays with it: a queue
without its policy is of no use to an importer.

*Followed* is decided by values. A resource that imports the name has followed when it is settled, and is desired with
what its declaration gives once the originals are gone: exports have then the values that their successors give. While
one of these has no value yet, no importer has followed. So it does not matter what an importer makes of a value: a
member of a list, or a longer text in Base64. Of an export that several resources make up, every original stays until
its importers have followed. A running job may still make a resource with the value that the export had when its plan
was made.

A process that has not converged may have resources of an earlier composition, too. These use an original that they
hold (`holding`).

A resource that left the composition was behind exports of which no declaration tells any more. An importer uses it when
it has not followed an export, and what it imports by that has an answer of the resource in it.

Rejected: to look for the value as a text in all importers, since a split or a hash hides it. Rejected, too: to compare
all that is desired of a resource, since a difference of another property would keep the original for ever.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from tenuto.core.language import resolve
from tenuto.core.language.expressions import is_list, is_mapping, texts_in
from tenuto.core.planning.comparing.holding import EarlierPlans, Holders, answers_of, behind, texts_of
from tenuto.core.planning.comparing.imports import exports_of
from tenuto.core.planning.comparing.order import reached
from tenuto.core.planning.comparing.references import Addresses, environment, reference_of
from tenuto.lifecycles import roles
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId, ObjectId
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedExport:
    """An export of which some of the incarnations behind it are to go."""

    name: str
    originals: Mapping[ObjectId, frozenset[str]]
    """These incarnations, each with the texts by which it is recognised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The exports of a process of which incarnations are to go."""

    exports: tuple[MovedExport, ...]
    after: Mapping[str, Json]
    """The values of all its exports once they are gone. One is open while a successor has no value."""
    left: tuple[ManagedObject, ...] = ()
    """The incarnations that left the composition."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the exports. Any of them may have been made of a resource that left the composition."""
        return frozenset(self.after if self.left else (one.name for one in self.exports))


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """A process that may use exports of another, with everything that tells whether it has followed."""

    process: Process
    imported: Mapping[str, Mapping[LogicalId, Mapping[str, Json]]]
    """The names that it imports, as `importing_properties` tells them."""
    objects: tuple[ManagedObject, ...]
    context: Context


def moved_exports(
    process: Process,
    composition: Composition,
    objects: Iterable[ManagedObject],
    going: Collection[ObjectId],
    context: Context,
) -> Moved:
    """The exports that are made of incarnations which are `going`."""
    objects = tuple(objects)
    leaving = [one for one in objects if one.object_id in going and one.physical_id is not None]
    staying = Addresses.of(one for one in objects if one.object_id not in going).all_answering
    surroundings = environment(process, staying, context, {})
    exports = exports_of(process, composition, context)
    declared = {one.logical_id for one in composition.resources}
    left = tuple(one for one in leaving if one.logical_id not in declared)
    found = []
    for name, value in exports.items():
        originals = behind(value, leaving)
        if originals:
            others = (*staying, *originals)
            texts = {one.object_id: texts_of(process, value, one, others, context) for one in originals}
            found.append(MovedExport(name=name, originals=texts))
    after = {name: resolve.resolved(value, surroundings) for name, value in exports.items()} if found or left else {}
    return Moved(exports=tuple(found), left=left, after=after)


def used_by(
    importer: Importer, moved: Moved, others: Callable[[], Mapping[str, Json]], plans: EarlierPlans
) -> dict[ObjectId, tuple[str, ...]]:
    """The originals that a process still uses, each with the names of the exports by which it does. `others` gives the
    exports of other processes, and is asked where a property imports from several."""
    known = {name: value for name, value in moved.after.items() if resolve.is_resolved(value)}
    if _is_mixed(importer.imported, moved):
        known = {**others(), **known}
    surroundings = environment(importer.process, Addresses.of(importer.objects).all_answering, importer.context, known)
    holders = Holders(importer.process, importer.objects, plans)
    open_ones = {
        name: [
            logical_id
            for logical_id, told in importer.imported.get(name, {}).items()
            if not _has_followed(importer, logical_id, told, surroundings)
        ]
        for name in moved.names
    }
    found: dict[ObjectId, list[str]] = {}
    for one in moved.exports:
        for object_id, texts in one.originals.items():
            if open_ones[one.name] or holders.of(texts):
                found.setdefault(object_id, []).append(one.name)
    for left in moved.left:
        naming = holders.naming(answers_of(left))
        by = [name for name, users in open_ones.items() if not naming.isdisjoint(users)]
        if by or holders.of(frozenset(texts_in(reference_of(left)))):
            found[left.object_id] = by or sorted(moved.names & importer.imported.keys() or moved.names)
    return {object_id: tuple(names) for object_id, names in found.items()}


def _is_mixed(imported: Mapping[str, Mapping[LogicalId, Mapping[str, Json]]], moved: Moved) -> bool:
    """Whether a property that imports a moved export also imports one of another process."""
    places = {
        name: {(logical_id, path) for logical_id, told in resources.items() for path in told}
        for name, resources in imported.items()
    }
    of_moved = frozenset[tuple[LogicalId, str]]().union(*(places.get(name, ()) for name in moved.names))
    return any(not of_moved.isdisjoint(at) for name, at in places.items() if name not in moved.after)


def _has_followed(
    importer: Importer, name: LogicalId, properties: Mapping[str, Json], surroundings: resolve.Environment
) -> bool:
    """Whether all that stands at an address has these declared properties by now."""
    standing = [one for one in importer.objects if one.logical_id == name and not roles.has_ended(one)]
    if not standing:
        return importer.process.job_id is None
    wanted = {path: resolve.resolved(value, surroundings) for path, value in properties.items()}
    return all(
        (one.is_settled or one.physical_id is None)
        and all(_says(one.desired.get(path), value) for path, value in wanted.items())
        for one in standing
    )


def _says(desired: Json, declared: Json) -> bool:
    """Whether all that is declared is desired. A mapping that is desired may have more members: the defaults of those
    that were taken out of the declaration."""
    if is_mapping(declared) and is_mapping(desired):
        return all(key in desired and _says(desired[key], value) for key, value in declared.items())
    if is_list(declared) and is_list(desired):
        return len(declared) == len(desired) and all(map(_says, desired, declared))
    return bool(desired == declared)


def staying_with(used: Mapping[ObjectId, str], removed: Iterable[ManagedObject]) -> dict[ObjectId, str]:
    """The removed objects that are used, and those that they were built on, or that were built on them, each with the
    words of the first that is used."""
    removed = tuple(removed)
    at: dict[LogicalId, list[ObjectId]] = {}
    for one in removed:
        at.setdefault(one.logical_id, []).append(one.object_id)
    beside: dict[ObjectId, list[ObjectId]] = {one.object_id: [] for one in removed}
    for one in removed:
        for other in (key for name in one.depends_on for key in at.get(name, ())):
            beside[one.object_id].append(other)
            beside[other].append(one.object_id)
    found: dict[ObjectId, str] = {}
    for object_id, words in used.items():
        for other in reached([object_id], beside):
            found.setdefault(other, words)
    return found
