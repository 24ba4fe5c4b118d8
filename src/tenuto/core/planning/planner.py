"""plan(snapshot, ids): from the differences to the ordered steps of a plan.

Theory of operation. A snapshot goes through the passes in one direction, and no pass calls an earlier one:

    resolve and compare → operations → steps → waves

Each is a whole pass over the composition and its objects, and leaves a value to the next. *Resolve and compare*
(`Compared`): every declaration is resolved and compared, in the order of dependency. These two are one pass, since a
reference to a resource that is made anew has no value: a declaration can be resolved only when those before it are
compared. *Operations* (`Decided`): every difference becomes an operation that people read, or a wait that says why
nothing is done about it. *Steps*: every operation becomes one or two steps, each of which gives one object a target.
*Waves*: steps are put in groups with an order between the groups:

    preparations       makes and changes that come before the successor of an early removal: the removal waits for them
    early removals     things that must be gone before their successors can be made, with all that was built on them
    makes and changes  by type, in the order of dependency
    last changes       in place: they empty properties whose place other things take
    late removals      by type, in the reverse order: replaced ones after their dependants were rewired

Two of the passes turn until nothing new is found, each by itself: the delta may show one more object that must be
replaced so that a holder can go, and a resource that waits may keep a value that another one needs. The facts that
people are told beside a plan (drift, ignored differences, whether the plan is held) are read off the results, and
change none of them.

A replacement is make-first, unless the new incarnation keeps a property that two resources cannot share (a fixed name,
an address): then it is delete-first. Resources that are on their way already are waited for, not planned again, so that
a plan may be made at any moment and a later plan simply goes on.

First build, drift, update, kill and release are this one function (DECISIONS 26): a kill and a release have the null
composition, and so every resource is surplus; a kill deletes each thing, a release lets it go.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tenuto.core.planning.comparing.adoption import check_candidates
from tenuto.core.planning.comparing.delta import Compared, compare
from tenuto.core.planning.comparing.drift import drift_news, ignored_drift
from tenuto.core.planning.hold import held_reason
from tenuto.core.planning.intents import command_of_process
from tenuto.core.planning.operations import Decided, decide_operations
from tenuto.core.planning.redeclared import redeclared
from tenuto.core.planning.steps import build_steps, changed_last
from tenuto.core.planning.waves import build_waves
from tenuto.lifecycles import roles
from tenuto.model.delta import Delta, DeltaKind
from tenuto.model.ids import IdSource, ObjectId, PlanId
from tenuto.model.plan import Operation, Plan, Planning, Step, StepKind, Wave
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot
from tenuto.model.verb import Verb, WaitKind

_ENDS = (StepKind.REMOVE, StepKind.RELEASE)


def plan(snapshot: Snapshot, ids: IdSource) -> Planning:
    """The plan for one process at one moment, its waits with their reasons, and whether it is held.

    Pure: the same snapshot and the same ids give the same plan. Raises NotAdoptableError when something that is to be
    adopted cannot be.
    """
    check_candidates(snapshot)
    compared = compare(snapshot)
    decided = decide_operations(snapshot, compared, ids)
    steps = build_steps(snapshot, compared, decided)
    steps, waves = build_waves(steps, snapshot, compared.early, changed_last(snapshot, decided))
    made = _plan_of(snapshot, compared.delta, decided.operations, steps, waves, ids)
    return _planning(snapshot, compared, decided, made)


def _plan_of(
    snapshot: Snapshot,
    delta: Delta,
    operations: Iterable[Operation],
    steps: tuple[Step, ...],
    waves: tuple[Wave, ...],
    ids: IdSource,
) -> Plan:
    unchanged = sum(1 for difference in delta.differences if difference.kind is DeltaKind.SAME)
    return Plan(
        plan_id=PlanId(ids.new("plan")),
        fid=snapshot.process.fid,
        partition=snapshot.process.partition,
        command=command_of_process(snapshot.process),
        observed_at=snapshot.now,
        operations=_telling_first(steps, _in_order_of(steps, operations)),
        steps=steps,
        waves=waves,
        unchanged=unchanged,
    )


def _telling_first(steps: Sequence[Step], operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The operations. Those tell it that end a thing before its successor, or another thing that needs its place, is
    made: when that creation fails, there is none."""
    makes = {step.logical_id: number for number, step in enumerate(steps) if step.kind is StepKind.MAKE}
    ends = {step.logical_id: number for number, step in enumerate(steps) if step.kind in _ENDS}
    last = max(makes.values(), default=-1)

    def told(one: Operation) -> Operation:
        is_replaced = one.verb is Verb.REPLACE
        made = makes.get(one.logical_id, -1) if is_replaced else last
        if not one.is_destructive or one.physical_id is None or ends.get(one.logical_id, made) >= made:
            return one
        words = "the old one goes first" if is_replaced else "it goes first"
        return replace(one, reason=f"{one.reason}; {words}" if one.reason else words)

    return tuple(map(told, operations))


def _planning(snapshot: Snapshot, compared: Compared, decided: Decided, made: Plan) -> Planning:
    """The plan with everything that is told or remembered beside it."""
    delta, objects = compared.delta, compared.objects
    return Planning(
        plan=made,
        waits=decided.waits,
        held=held_reason(snapshot, delta, made),
        drift=decided.drift,
        ignored=ignored_drift(delta, objects, snapshot.composition),
        memory=compared.memory,
        flips=decided.flips,
        forgotten_flips=decided.forgotten_flips,
        agreed=_agreed(snapshot, delta, made, decided, objects),
        redeclared=redeclared(snapshot, compared),
        news=drift_news(delta.differences, decided.drifts, snapshot.drifts),
    )


def _agreed(
    snapshot: Snapshot, delta: Delta, made: Plan, decided: Decided, objects: Mapping[ObjectId, ManagedObject]
) -> frozenset[ObjectId]:
    """The objects on their way to where they should be, of which the plan changes nothing.

    One that is to stand is among them while its new wish refers to a resource that has no value yet: the resources that
    are built on it would wait for ever for a thing that rests half made. So is an original that stays for importers:
    its job would not end before they have followed.
    """
    unknown = {wait.logical_id for wait in decided.waits if wait.kind is WaitKind.REFERENCE}
    staying = {one for one in snapshot.followed if one in objects and not objects[one].is_settled}
    moving = {
        found.object_id
        for one in delta.differences
        if one.object_id is not None and (found := objects.get(one.object_id)) is not None
        if one.kind is DeltaKind.MOVING
        or ((one.logical_id in unknown or one.object_id in staying) and roles.is_to_stand(found))
    }
    return frozenset(moving.difference(step.object_id for step in made.steps))


def _in_order_of(steps: Iterable[Step], operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The operations as they will happen: a reader of a kill sees the deletes in the order of deletion."""
    place = {step.object_id: position for position, step in enumerate(steps)}
    return tuple(sorted(operations, key=lambda operation: place[operation.object_id]))
