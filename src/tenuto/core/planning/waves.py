"""Putting the steps of a plan into waves.

Five families of waves follow each other: preparations, early removals, makes and changes, last changes, late removals.
*Preparations* are the makes and changes that the successor of an early removal comes after: the old association of a
subnet goes when the new table of routes is there, and not before its creation is tried. A make or change that is under
way already is waited for in the same way. So a creation that fails leaves the thing in service whose removal was to
come after it. A last change empties a property once the things that take its place stand (`ResourceType.cleared_last`).
Second tries come beside them, since each had its turn in the plan that began it: a removal that failed may wait for a
change that failed to let go of the thing to be removed, and neither may wait for anything that waits for the other. A
change that failed is an ordinary one again where it needs a thing that this plan makes, and so is a creation that needs
a value that an early removal frees. Late removals come after second tries too. Inside a family a wave holds the steps
of one type (or of a circle of types), and comes after the waves of the types it depends on; for removals the dependency
is turned round. A release comes last of all, unless a removal needs it: a kill that fails, and is cancelled, then finds
everything that was to stay. A wave without steps does not exist: a wave that would follow it follows those that it
would come after.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from tenuto.core.planning.comparing.order import circles, reached, type_waves, with_dependants
from tenuto.kit.evolve import evolve
from tenuto.lifecycles import roles
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import LogicalId, ObjectId, TypeName
from tenuto.model.plan import Step, StepKind, Wave
from tenuto.model.snapshot import Snapshot


def build_waves(
    steps: Sequence[Step],
    snapshot: Snapshot,
    early: Mapping[ObjectId, frozenset[LogicalId]],
    last: Collection[ObjectId] = (),
) -> tuple[tuple[Step, ...], tuple[Wave, ...]]:
    """The steps with their waves set, in execution order, and the waves.

    The objects in `early` must go before something is made at the addresses beside them. The objects in `last` stand,
    and are changed in place only after everything else is made: nothing waits for that.
    """
    if not steps:
        return (), ()
    steps = [_not_after(step, last) for step in steps] if last else steps
    makes = [step for step in steps if _is_make(step)]
    ends = [step for step in steps if not _is_make(step)]
    forgotten = [step for step in ends if step.kind is StepKind.FORGET]
    retried = [step for step in ends if step.kind is StepKind.RETRY]
    leaving = {step.object_id: step for step in ends if step.kind not in (StepKind.FORGET, StepKind.RETRY)}
    going = with_dependants(frozenset(early), leaving.values())
    before = {object_id: step for object_id, step in leaving.items() if object_id in going}
    needed = _needed_by_successors(makes, snapshot, early, before) if early else set()
    first = reached(needed, {step.object_id: step.after for step in makes})
    early_steps = [_after(step, sorted(needed)) for step in steps if step.object_id in before]
    late = [step for step in steps if step.object_id in leaving and step.object_id not in before]
    dependants = _dependants(leaving.values(), snapshot, makes)
    recorded = _turned(_recorded(snapshot))
    declared = _declared(snapshot)
    again = _second_tries(makes, snapshot, frozenset().union(*early.values()))
    builder = _Waves()
    builder.family(retried, {})
    tried = builder.family([step for step in makes if step.object_id in again], declared)
    ordinary = [step for step in makes if step.object_id not in again]
    gone = builder.family(forgotten, {})
    gone = builder.family([step for step in ordinary if step.object_id in first], declared, gone) or gone
    gone = builder.family([_after(step, dependants[step.object_id]) for step in early_steps], recorded, gone) or gone
    rest = [step for step in ordinary if step.object_id not in first]
    made = builder.family([step for step in rest if step.object_id not in last], declared, gone) or gone
    made = builder.family([step for step in rest if step.object_id in last], declared, made) or made
    late = [_after(step, dependants[step.object_id]) for step in late]
    let_go = _let_go_last(late)
    removals = [step for step in late if step.object_id not in let_go]
    removed = builder.family(removals, recorded, tried + made) or tried + made
    builder.family([step for step in late if step.object_id in let_go], recorded, removed)
    return tuple(builder.steps), tuple(builder.waves)


def _let_go_last(late: Sequence[Step]) -> set[ObjectId]:
    """The objects that are only let go of, and that no removal comes after."""
    removed = [step.object_id for step in late if step.kind is not StepKind.RELEASE]
    return {step.object_id for step in late} - reached(removed, {step.object_id: step.after for step in late})


def _needed_by_successors(
    makes: Sequence[Step],
    snapshot: Snapshot,
    early: Mapping[ObjectId, frozenset[LogicalId]],
    before: Mapping[ObjectId, Step],
) -> set[ObjectId]:
    """The objects on their way that the successors of early removals come after, and that wait for no such removal
    themselves.

    `before` are these removals. The steps that make something at one of the addresses wait for them, and so do the
    steps after those.
    """
    addresses = frozenset().union(*early.values())
    coming = {found.object_id for found in snapshot.objects if not found.is_settled and roles.is_to_stand(found)}
    coming.update(step.object_id for step in makes)
    following: dict[ObjectId, list[ObjectId]] = {}
    for step in makes:
        for other in step.after:
            following.setdefault(other, []).append(step.object_id)
    made_after = [step.object_id for step in makes if step.logical_id in addresses]
    waiting = reached([*before, *made_after], following)
    left = {step.logical_id for step in before.values()}
    successors = [step for step in makes if step.object_id in waiting or step.logical_id in left]
    return coming.intersection(other for step in successors for other in step.after) - waiting


def _second_tries(makes: Sequence[Step], snapshot: Snapshot, freed: Collection[LogicalId]) -> frozenset[ObjectId]:
    """The failed objects that are made or changed in place now, and need nothing else that the plan makes or alters,
    and nothing that it frees for their addresses."""
    failed = {found.object_id for found in snapshot.objects if found.is_phase_failed}
    others: set[ObjectId] = set()
    for step in makes:
        if step.object_id not in failed or step.logical_id in freed or not others.isdisjoint(step.after):
            others.add(step.object_id)
    return frozenset(step.object_id for step in makes).difference(others)


def _is_make(step: Step) -> bool:
    """Whether its object is to stand."""
    table = CATALOGUE[step.lifecycle]
    return step.target in (table.ready, table.rested)


class _Waves:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.waves: list[Wave] = []

    def family(
        self, steps: Sequence[Step], edges: Mapping[TypeName, frozenset[TypeName]], before: tuple[int, ...] = ()
    ) -> tuple[int, ...]:
        """Append the waves of one family, all of them after the waves `before`. `edges` point to the types that come
        first.

        Returns the numbers of the waves.
        """
        if not steps:
            return ()
        none: frozenset[TypeName] = frozenset()
        named = {step.type for step in steps}.union(edges, *edges.values())
        complete = {name: edges.get(name, none) for name in named}
        number: dict[int, tuple[int, ...]] = {}
        mine: list[int] = []
        for position, (types, after) in enumerate(type_waves(complete)):
            needed = tuple(sorted({one for other in after for one in number[other]}))
            members = [step for step in steps if step.type in types]
            if not members:
                number[position] = needed
                continue
            wave = Wave(
                number=len(self.waves),
                types=tuple(name for name in types if any(step.type == name for step in members)),
                after=needed or before,
            )
            self.waves.append(wave)
            self.steps += [evolve(step, wave=wave.number) for step in members]
            number[position] = (wave.number,)
            mine.append(wave.number)
        return tuple(mine)


def _dependants(
    leaving: Iterable[Step], snapshot: Snapshot, makes: Iterable[Step]
) -> dict[ObjectId, tuple[ObjectId, ...]]:
    """Return, for each leaving object, the leaving ones that were built on its address: by this plan, or under way
    already.

    An object that `makes` turn back does not leave: it comes after the objects that it will be built on.

    Addresses outlive incarnations, so two versions of a composition can contradict each other while both are leaving.
    In such a circle only the object that was there first counts as built on.
    """
    objects = {found.object_id: found for found in snapshot.objects}
    turned = {step.object_id for step in makes}
    leavers = {step.object_id: objects[step.object_id] for step in leaving}
    leavers |= {
        found.object_id: found
        for found in snapshot.objects
        if roles.is_being_deleted(found) and not found.is_settled and found.object_id not in turned
    }
    at: dict[LogicalId, list[ObjectId]] = {}
    for found in leavers.values():
        at.setdefault(found.logical_id, []).append(found.object_id)
    after: dict[ObjectId, list[ObjectId]] = {key: [] for key in leavers}
    for found in leavers.values():
        for address in found.depends_on:
            for built_on in at.get(address, ()):
                after[built_on].append(found.object_id)
    circle_of = {key: number for number, circle in enumerate(circles(after)) for key in circle}
    return {
        key: tuple(
            other
            for other in others
            if circle_of[key] != circle_of[other] or leavers[key].created_at < leavers[other].created_at
        )
        for key, others in after.items()
    }


def _after(step: Step, others: Iterable[ObjectId]) -> Step:
    """A removal waits for these others too: for the removals of the objects that were built on its object, or for
    preparations."""
    return evolve(step, after=tuple(dict.fromkeys((*step.after, *others))))


def _not_after(step: Step, last: Collection[ObjectId]) -> Step:
    """Return the same step without the steps of `last` among those that it waits for."""
    return evolve(step, after=tuple(one for one in step.after if one not in last))


def _declared(snapshot: Snapshot) -> dict[TypeName, frozenset[TypeName]]:
    declarations = snapshot.composition.resources if snapshot.composition else ()
    types = {declaration.logical_id: declaration.type for declaration in declarations}
    return _edges((declaration.type, [types[name] for name in declaration.depends_on]) for declaration in declarations)


def _recorded(snapshot: Snapshot) -> dict[TypeName, frozenset[TypeName]]:
    # The incarnations at one address may be of several types: the objects built on the address wait for all of them.
    types: dict[LogicalId, set[TypeName]] = {}
    for found in snapshot.objects:
        types.setdefault(found.logical_id, set()).add(found.type)
    return _edges(
        (found.type, [one for key in found.depends_on for one in types.get(key, ())]) for found in snapshot.objects
    )


def _edges(pairs: Iterable[tuple[TypeName, list[TypeName]]]) -> dict[TypeName, frozenset[TypeName]]:
    edges: dict[TypeName, frozenset[TypeName]] = {}
    for name, others in pairs:
        edges[name] = edges.get(name, frozenset()) | frozenset(others)
    return edges


def _turned(edges: Mapping[TypeName, frozenset[TypeName]]) -> dict[TypeName, frozenset[TypeName]]:
    turned: dict[TypeName, frozenset[TypeName]] = {name: frozenset() for name in edges}
    for name, others in edges.items():
        for other in others:
            turned[other] = turned.get(other, frozenset()) | {name}
    return turned
