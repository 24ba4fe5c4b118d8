"""plan(snapshot, ids): from what differs to what will be done, and in which order.

Theory of operation. A snapshot goes through the passes in one direction, and no pass calls an earlier one:

    resolve → compare → operations → steps → waves

`plan` runs them in three calls, since two pairs take turns, one resource at a time. *Resolve and compare*: every
declaration is resolved and compared, in the order of dependency, because a reference to what is made anew has no value.
This is repeated while the delta shows one more object that must be replaced so that its holder can go. *Operations and
steps*: every difference becomes at most one operation of one or two steps, each of which gives one object a target, or
a wait that says why nothing is done about it. This is repeated while one more resource must wait for what another one
keeps. What people are told beside a plan (drift, what is ignored, whether the plan is held) is read off the results,
and changes none of them. *Waves*: steps are put in groups with an order between the groups:

    early removals     what must be gone before its successor can be made, with all that was built on it
    makes and changes  by type, in the order of dependency
    last changes       in place, of what is emptied because something else takes its place
    late removals      by type, in the reverse order: replaced ones after their dependants were rewired

A replacement is make-first, unless the new incarnation keeps a property that two resources cannot share (a fixed name,
an address): then it is delete-first. Resources that are on their way already are waited for, not planned again, so that
a plan may be made at any moment and a later plan simply goes on.

First build, drift, update, kill and release are this one function (DECISIONS 26): a kill and a release have the null
composition, and so every resource is surplus; a kill deletes what is, a release lets it go.
"""

from collections.abc import Iterable

from tenuto.core.planning.adoption import check_candidates
from tenuto.core.planning.compare import Compared
from tenuto.core.planning.draft import Draft
from tenuto.core.planning.drift import drift_news, ignored_drift
from tenuto.core.planning.exclusive import DepartingObjects, blocked_by, compare_with_holders
from tenuto.core.planning.hold import held_reason
from tenuto.core.planning.intents import command_of_process
from tenuto.core.planning.waves import build_waves
from tenuto.lifecycles import roles
from tenuto.model.delta import Delta, DeltaKind
from tenuto.model.ids import IdSource, LogicalId, ObjectId, PlanId
from tenuto.model.plan import Operation, Plan, Planning, Step, WaitKind, Wave
from tenuto.model.snapshot import Snapshot


def plan(snapshot: Snapshot, ids: IdSource) -> Planning:
    """The plan for one process at one moment, what it waits for and why, and whether it is held.

    Pure: the same snapshot and the same ids give the same plan. Raises NotAdoptableError when something that is to be
    adopted cannot be.
    """
    check_candidates(snapshot)
    under_way = DepartingObjects(snapshot)
    compared, early = compare_with_holders(snapshot, under_way)
    draft = _drafted(snapshot, compared, under_way, ids)
    steps, waves = build_waves(draft.steps, snapshot, early, draft.last)
    return _planning(snapshot, compared, draft, _plan_of(snapshot, compared.delta, draft, steps, waves, ids))


def _plan_of(
    snapshot: Snapshot, delta: Delta, draft: Draft, steps: tuple[Step, ...], waves: tuple[Wave, ...], ids: IdSource
) -> Plan:
    unchanged = sum(1 for difference in delta.differences if difference.kind is DeltaKind.SAME)
    return Plan(
        plan_id=PlanId(ids.new("plan")),
        fid=snapshot.process.fid,
        partition=snapshot.process.partition,
        command=command_of_process(snapshot.process),
        observed_at=snapshot.now,
        operations=_in_order_of(steps, draft.operations),
        steps=steps,
        waves=waves,
        unchanged=unchanged,
    )


def _planning(snapshot: Snapshot, compared: Compared, draft: Draft, made: Plan) -> Planning:
    """The plan with everything that is told or remembered beside it."""
    delta = compared.delta
    return Planning(
        plan=made,
        waits=tuple(draft.waits),
        held=held_reason(snapshot, delta, made),
        drift=tuple(draft.drift),
        ignored=ignored_drift(delta, draft.objects),
        memory=compared.memory,
        flips=tuple(draft.flips),
        forgotten_flips=tuple(draft.forgotten_flips),
        agreed=_agreed(delta, made, draft),
        news=drift_news(delta.differences, draft.drifts, snapshot.drifts),
    )


def _agreed(delta: Delta, made: Plan, draft: Draft) -> frozenset[ObjectId]:
    """The objects on their way to where they should be, of which the plan changes nothing.

    One that is to stand is among them while its new wish refers to what has no value yet: what is built on it would
    wait for ever for a thing that rests half made.
    """
    unknown = {wait.logical_id for wait in draft.waits if wait.kind is WaitKind.REFERENCE}
    moving = {
        found.object_id
        for one in delta.differences
        if one.object_id is not None and (found := draft.objects.get(one.object_id)) is not None
        if one.kind is DeltaKind.MOVING or (one.logical_id in unknown and roles.is_to_stand(found))
    }
    return frozenset(moving.difference(step.object_id for step in made.steps))


def _drafted(snapshot: Snapshot, compared: Compared, under_way: DepartingObjects, ids: IdSource) -> Draft:
    """The draft of all that can be done now. A waiting resource keeps what it holds; those that need that wait too."""
    blocked: dict[LogicalId, LogicalId] = {}
    while True:
        draft = Draft(snapshot, compared, under_way, ids, blocked)
        for difference in compared.delta.differences:
            draft.consider(difference)
        more = blocked_by(snapshot, compared, draft.steps)
        if not more:
            return draft
        blocked |= more


def _in_order_of(steps: Iterable[Step], operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The operations as they will happen: a reader of a kill sees the deletes in the order of deletion."""
    place = {step.object_id: position for position, step in enumerate(steps)}
    return tuple(sorted(operations, key=lambda operation: place[operation.object_id]))
