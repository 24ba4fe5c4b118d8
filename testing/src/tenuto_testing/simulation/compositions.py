"""Random compositions that a cloud can build, and random changes of them.

Theory of operation. Every resource has a slot in one fixed row, and refers only to slots before its own; so a drawn
composition has no circle of resources, though it may have a circle of types (a group that a server guards, a server in
that group). A change draws some slots anew. A value that two resources cannot share is drawn until no other has it, so
that every composition can be built; two compositions may well hand such a value from one resource to another.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random

from tenuto.compositions.documents.canonical import digest
from tenuto.core.language.resolve import open_expressions, referenced_resources
from tenuto.model.composition import Composition, Declaration, DeletionPolicy, Output
from tenuto.model.ids import Json, JsonMap, LogicalId, TypeName
from tenuto.model.resource import MAY_BE_ABSENT

Resources = dict[str, Declaration]
"""Declarations by slot."""
Drawer = Callable[[Random, str, Resources], dict[str, Json] | None]
"""Gets chance, a name that keeps the names of different processes apart, and the resources before its own; answers the
properties, or None when something that the type needs is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repertoire:
    """The parts of compositions in one cloud."""

    region: str
    slots: Mapping[str, tuple[TypeName, ...]]
    """Every slot with the types that it may have, in an order in which they could be made."""
    themes: tuple[frozenset[str], ...]
    """The themes of new compositions: the slots that each draws from."""
    drawers: Mapping[TypeName, Drawer]
    first: tuple[str, TypeName, Mapping[str, Json]]
    """The resource of a composition in which there would be none."""
    fits: Callable[[Declaration, Resources], bool]
    """Whether a resource that is kept still goes with those before it, all of which that it refers to are there."""
    exclusive: Callable[[TypeName], tuple[tuple[str, ...], ...]]
    swaps: tuple[tuple[str, str, str], ...]
    """Pairs of slots, and the property that they exchange."""
    after: Callable[[Random, Resources], Mapping[str, str]]
    """Dependencies that no reference tells."""
    retained: frozenset[TypeName]
    """The types whose things may stay behind: only those that stand alone, and only without a name. Anything else would
    be in the way for ever."""
    name: frozenset[str]
    """The properties that are names."""
    nameless: frozenset[TypeName]
    """The types whose things can have no name. Only where no named one can have been may the old one stay behind a
    replacement: the policy for that is the new one's, and the name would be the old one's."""


EXPORT = "shared-network"
_TRIES = 6
"""How often a slot is drawn before it stays empty because everything is taken."""


def draw(rng: Random, given: Repertoire, owner: str) -> Composition:
    """A new composition. `owner` keeps the names of different processes apart: in a cloud they are unique."""
    share = rng.choice((0.25, 0.5, 0.8))
    theme = rng.choice(given.themes)
    drawn = {slot for slot in given.slots if rng.random() < share and slot in theme}
    return _complete(rng, given, owner, {}, drawn | {given.first[0]})


def redraw(rng: Random, given: Repertoire, owner: str, before: Composition) -> Composition:
    """Another version: some resources gone, some new, some different, some that swapped a value that only one can
    have."""
    kept: Resources = {declaration.logical_id: declaration for declaration in before.resources}
    drawn = set(rng.sample(sorted(given.slots), rng.choice((1, 1, 2, 4))))
    for slot in drawn:
        kept.pop(slot, None)
    if rng.random() < 0.3:
        _swap(rng, given, kept)
    return _complete(rng, given, owner, kept, {slot for slot in sorted(drawn) if rng.random() < 0.8})


def _complete(rng: Random, given: Repertoire, owner: str, kept: Resources, drawn: set[str]) -> Composition:
    """Keep each resource that still has all it refers to, draw the rest, and make a composition of them."""
    found: Resources = {}
    for slot in given.slots:
        declaration = kept.get(slot)
        if declaration is not None and _fits(given, declaration, found):
            found[slot] = declaration
        elif slot in drawn or slot in kept:
            fresh = _draw_slot(rng, given, owner, slot, found, kept)
            if fresh is not None:
                found[slot] = fresh
    found = found or {given.first[0]: _declare(*given.first)}
    return composed(owner, given.region, _with_dependencies(rng, given, found))


def composed(
    name: str, region: str, resources: tuple[Declaration, ...], exports: Mapping[str, Json] | None = None
) -> Composition:
    """A composition with its digest."""
    outputs = tuple(
        Output(name=f"Output{at}", value=one[1], export=one[0]) for at, one in enumerate((exports or {}).items())
    )
    bare = Composition(name=name, digest="", region=region, resources=resources, outputs=outputs)
    return replace(bare, digest=digest(bare))


def exports_of(composition: Composition) -> dict[str, Json]:
    """The exports of a composition, by name."""
    return {str(one.export): one.value for one in composition.outputs}


def imports_of(composition: Composition) -> frozenset[str]:
    """The names that it imports."""
    opened = (one for declaration in composition.resources for one in open_expressions(declaration.properties))
    return frozenset(one.name for one in opened if one.kind == "Fn::ImportValue")


def exporting(composition: Composition, given: Repertoire) -> Composition:
    """The same, with the id of its first resource for others, where it is there."""
    slot = given.first[0]
    is_there = any(one.logical_id == slot for one in composition.resources)
    return composed(
        composition.name, composition.region, composition.resources, {EXPORT: {"Ref": slot}} if is_there else None
    )


def importing(composition: Composition, given: Repertoire) -> Composition:
    """The same composition, with the export of another process in a tag of its first resource."""
    value = [{"Key": "beside", "Value": {"Fn::ImportValue": EXPORT}}]
    resources = (
        replace(one, properties={**one.properties, "Tags": value}) if one.logical_id == given.first[0] else one
        for one in composition.resources
    )
    return composed(composition.name, composition.region, tuple(resources))


def _fits(given: Repertoire, declaration: Declaration, found: Resources) -> bool:
    """Whether it can stay as it is: all it refers to is there, and goes with it."""
    names = referenced_resources(declaration.properties)
    return set(names) <= found.keys() and given.fits(declaration, found)


def _draw_slot(
    rng: Random, given: Repertoire, owner: str, slot: str, found: Resources, kept: Resources
) -> Declaration | None:
    others = [*found.values(), *(one for name, one in kept.items() if name not in found and name != slot)]
    for _ in range(_TRIES):
        type_name = rng.choice(given.slots[slot])
        properties = given.drawers[type_name](rng, owner, found)
        if properties is None:
            return None
        drawn = _declare(slot, type_name, properties, *_policies(rng, given, slot, type_name, properties))
        if not any(_collide(given, drawn, other) for other in others):
            return drawn
    return None


def _declare(
    slot: str,
    type_name: TypeName,
    properties: Mapping[str, Json],
    deletion: DeletionPolicy = DeletionPolicy.DELETE,
    replacement: DeletionPolicy = DeletionPolicy.DELETE,
) -> Declaration:
    return Declaration(
        logical_id=LogicalId(slot),
        type=type_name,
        properties=properties,
        deletion_policy=deletion,
        replace_policy=replacement,
    )


def _policies(
    rng: Random, given: Repertoire, slot: str, type_name: TypeName, properties: Mapping[str, Json]
) -> tuple[DeletionPolicy, DeletionPolicy]:
    if type_name not in given.retained or given.name & properties.keys():
        return DeletionPolicy.DELETE, DeletionPolicy.DELETE
    policies = (DeletionPolicy.DELETE,) * 5 + (DeletionPolicy.RETAIN,)
    deletion, replacement = rng.choice(policies), rng.choice(policies)
    return deletion, replacement if given.nameless.issuperset(given.slots[slot]) else DeletionPolicy.DELETE


def _collide(given: Repertoire, one: Declaration, other: Declaration) -> bool:
    """Whether the cloud would refuse one of the two."""
    return one.type == other.type and any(
        all(_share(one.properties, other.properties, path) for path in group) for group in given.exclusive(one.type)
    )


def _share(one: JsonMap, other: JsonMap, path: str) -> bool:
    plain = path.removesuffix(MAY_BE_ABSENT)
    return (plain in one or plain != path) and one.get(plain) == other.get(plain)


def _swap(rng: Random, given: Repertoire, kept: Resources) -> None:
    """Let two resources of a type exchange a value that only one can have, where no two have the same then."""
    for first, second, path in given.swaps:
        one, other = kept.get(first), kept.get(second)
        if one is None or other is None or rng.random() < 0.5:
            continue
        if path in one.properties and path in other.properties:
            swapped = {
                first: replace(one, properties={**one.properties, path: other.properties[path]}),
                second: replace(other, properties={**other.properties, path: one.properties[path]}),
            }
            rest = [found for name, found in kept.items() if name not in swapped]
            if not any(_collide(given, found, others) for found in swapped.values() for others in rest):
                kept.update(swapped)


def _with_dependencies(rng: Random, given: Repertoire, found: Resources) -> tuple[Declaration, ...]:
    """The resources, each depending on those that it refers to, and on those that it comes after besides."""
    extra = given.after(rng, found)
    return tuple(
        depending(declaration, [extra[slot]] if slot in extra else []) for slot, declaration in sorted(found.items())
    )


def depending(declaration: Declaration, extra: list[str]) -> Declaration:
    """The declaration with all its dependencies: the resources that it refers to, and more."""
    names = sorted({*referenced_resources(declaration.properties), *extra})
    return replace(declaration, depends_on=tuple(LogicalId(name) for name in names))
