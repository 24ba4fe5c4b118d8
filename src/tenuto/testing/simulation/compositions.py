"""Random compositions that the simulated cloud can build, and random changes of them.

Theory of operation. Every resource has a slot in one fixed row, and refers only to slots before its own; so whatever is
drawn has no circle of resources, though it may have a circle of types (a group that a server guards, a server in that
group). A change draws some slots anew. What two resources cannot share is drawn until nobody else has it, so that every
composition can be built; two compositions may well hand such a thing from one resource to another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from tenuto.compositions.canonical import digest
from tenuto.core.resolve import referenced_resources
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.providers.simulated.types import ADDRESS, BUCKET, GROUP, NETWORK, RELAY, RULE, SERVER, SUBNET, TYPES
from tenuto.testing.simulation.properties import DRAWERS, Resources, second_part

REGION = "sim-1"
SLOTS: Mapping[str, tuple[TypeName, ...]] = {
    "Net1": (NETWORK,),
    "Net2": (NETWORK,),
    "Sub1": (SUBNET,),
    "Sub2": (SUBNET,),
    "Sub3": (SUBNET,),
    "Grp1": (GROUP,),
    "Grp2": (GROUP,),
    "Srv1": (SERVER,),
    "Srv2": (SERVER,),
    "Grp3": (GROUP,),
    "Srv3": (SERVER,),
    "Rul1": (RULE,),
    "Rul2": (RULE,),
    "Adr1": (ADDRESS,),
    "Adr2": (ADDRESS,),
    "Rel1": (RELAY,),
    "Rel2": (RELAY,),
    "Bkt1": (BUCKET,),
    "Bkt2": (BUCKET,),
    "Any1": (BUCKET, NETWORK),
}
"""Every slot with the types that it may have, in an order in which they could be made."""
_TRIES = 6
"""How often a slot is drawn before it stays empty because everything is taken."""


def draw(rng: Random, owner: str) -> Composition:
    """A new composition. `owner` keeps the names of different processes apart: in a cloud they are unique."""
    share = rng.choice((0.25, 0.5, 0.8))
    return _complete(rng, owner, {}, {slot for slot in SLOTS if rng.random() < share} | {"Net1"})


def redraw(rng: Random, owner: str, before: Composition) -> Composition:
    """Another version: some resources gone, some new, some different, some that swapped what only one can have."""
    kept: Resources = {declaration.logical_id: declaration for declaration in before.resources}
    drawn = set(rng.sample(sorted(SLOTS), rng.choice((1, 1, 2, 4))))
    for slot in drawn:
        kept.pop(slot, None)
    if rng.random() < 0.3:
        _swap(rng, kept)
    return _complete(rng, owner, kept, {slot for slot in sorted(drawn) if rng.random() < 0.8})


def _complete(rng: Random, owner: str, kept: Resources, drawn: set[str]) -> Composition:
    """Keep what still has all it refers to, draw the rest, and make a composition of it."""
    found: Resources = {}
    for slot in SLOTS:
        declaration = kept.get(slot)
        if declaration is not None and _fits(declaration, found):
            found[slot] = declaration
        elif slot in drawn or slot in kept:
            fresh = _draw_slot(rng, owner, slot, found, kept)
            if fresh is not None:
                found[slot] = fresh
    found = found or {"Net1": _declare("Net1", NETWORK, {"CidrBlock": "10.1.0.0/16"})}
    bare = Composition(name=owner, digest="", region=REGION, resources=_with_dependencies(rng, found))
    return replace(bare, digest=digest(bare))


def _fits(declaration: Declaration, found: Resources) -> bool:
    """Whether it can stay as it is: all it refers to is there, and a subnet is within its network."""
    names = referenced_resources(declaration.properties)
    if not set(names) <= found.keys():
        return False
    if declaration.type != SUBNET:
        return True
    network = found[names[0]].properties["CidrBlock"]
    return second_part(declaration.properties["CidrBlock"]) == second_part(network)


def _draw_slot(rng: Random, owner: str, slot: str, found: Resources, kept: Resources) -> Declaration | None:
    others = [*found.values(), *(one for name, one in kept.items() if name not in found and name != slot)]
    for _ in range(_TRIES):
        type_name = rng.choice(SLOTS[slot])
        properties = DRAWERS[type_name](rng, owner, found)
        if properties is None:
            return None
        drawn = _declare(slot, type_name, properties, *_policies(rng, type_name, properties))
        if not any(_collide(drawn, other) for other in others):
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
    rng: Random, type_name: TypeName, properties: Mapping[str, Json]
) -> tuple[DeletionPolicy, DeletionPolicy]:
    """Only what stands alone and has no name may stay behind: anything else would be in the way for ever."""
    if type_name not in (NETWORK, BUCKET) or "Name" in properties:
        return DeletionPolicy.DELETE, DeletionPolicy.DELETE
    policies = (DeletionPolicy.DELETE,) * 5 + (DeletionPolicy.RETAIN,)
    return rng.choice(policies), rng.choice(policies)


def _collide(one: Declaration, other: Declaration) -> bool:
    """Whether the cloud would refuse one of the two."""
    return one.type == other.type and any(
        all(path in one.properties and one.properties[path] == other.properties.get(path) for path in group)
        for group in TYPES[one.type].facts.exclusive
    )


def _swap(rng: Random, kept: Resources) -> None:
    """Two resources of a type exchange what only one can have, where that leaves nobody with the same."""
    for first, second, path in (("Bkt1", "Bkt2", "Name"), ("Sub1", "Sub2", "CidrBlock"), ("Rel1", "Rel2", "AddressId")):
        one, other = kept.get(first), kept.get(second)
        if one is None or other is None or rng.random() < 0.5:
            continue
        if path in one.properties and path in other.properties:
            swapped = {
                first: replace(one, properties={**one.properties, path: other.properties[path]}),
                second: replace(other, properties={**other.properties, path: one.properties[path]}),
            }
            rest = [found for name, found in kept.items() if name not in swapped]
            if not any(_collide(found, others) for found in swapped.values() for others in rest):
                kept.update(swapped)


def _with_dependencies(rng: Random, found: Resources) -> tuple[Declaration, ...]:
    """What each refers to, and now and then a dependency that only a person knows of, in either direction."""
    buckets = [slot for slot in ("Bkt1", "Bkt2", "Any1") if slot in found]
    extra: dict[str, str] = {}
    if len(buckets) > 1 and rng.random() < 0.5:
        first, second = rng.sample(buckets, 2)
        extra[first] = second
    if "Srv1" in found and buckets and rng.random() < 0.3:
        extra["Srv1"] = buckets[0]
    return tuple(
        replace(
            declaration,
            depends_on=tuple(
                LogicalId(name)
                for name in sorted(
                    {*referenced_resources(declaration.properties), *([extra[slot]] if slot in extra else [])}
                )
            ),
        )
        for slot, declaration in sorted(found.items())
    )


def render(composition: Composition) -> Sequence[str]:
    """One line for each resource, for people."""
    lines: list[str] = []
    for one in composition.resources:
        properties = " ".join(f"{path}={_short(value)}" for path, value in sorted(one.properties.items()))
        extra = sorted(set(one.depends_on) - set(referenced_resources(one.properties)))
        after = f" after {', '.join(extra)}" if extra else ""
        policies = {"deletion": one.deletion_policy, "replacement": one.replace_policy}
        kept = "".join(f" retained at {when}" for when, one in policies.items() if one is DeletionPolicy.RETAIN)
        lines.append(f"{one.logical_id} {one.type.rpartition('::')[2]} {properties}{after}{kept}".replace("  ", " "))
    return lines


def _short(value: Json) -> str:
    if isinstance(value, Mapping) and len(value) == 1:
        name, argument = next(iter(value.items()))
        if name == "Ref":
            return f"!{argument}"
        if name == "Fn::GetAtt":
            return f"!{argument[0]}.{argument[1]}"
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    return str(value)
