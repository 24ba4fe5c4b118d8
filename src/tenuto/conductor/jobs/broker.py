"""The broker: executes a stored plan. It makes no choice of its own.

A step is one change of one object: a new incarnation, new desired properties, another target. The steps that may begin
now are read off the plan and the objects (`core.planning.plan_progress`), so the broker may be asked again at any time,
after a crash too. Steps that begin together are committed together, in groups of a bounded size.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.saves import phase_events
from tenuto.core.language import resolve
from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.progress import Progress
from tenuto.core.planning.comparing.changes import noted
from tenuto.core.planning.comparing.references import environment
from tenuto.core.planning.comparing.secrets import digest_of, without_value
from tenuto.core.planning.intents import asked_by, asker_of_command
from tenuto.core.planning.plan_progress import Advance, StepStatus, advance
from tenuto.errors import PermanentError
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.roles import is_to_rest, is_to_stand, table_of
from tenuto.model.asker import Asker
from tenuto.model.composition import Composition
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.model.outcome import Context
from tenuto.model.plan import Plan, Step, StepKind
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, CreateObject, SaveObject, StoreChange

_COMMIT = 500
"""Objects in one transaction: large enough to be cheap, small enough not to hold up other writers."""


Users = Callable[[Sequence[ManagedObject], Collection[ObjectId]], Mapping[ObjectId, str]]
"""The objects of a process that are to go, and that importers in other processes use, each with these in words."""


class Broker:
    """Begins the steps of plans. Keeps nothing between calls."""

    def __init__(self, *, store: Store, plugins: LoadedPlugins) -> None:
        self._store = store
        self._plugins = plugins

    @property
    def _phases(self) -> PhaseSet:
        return self._plugins.phases

    def execute(
        self,
        plan: Plan,
        process: Process,
        composition: Composition | None,
        context: Context,
        now: Instant,
        users: Users,
    ) -> Advance:
        """Begin every step that may begin now, and say where the plan stands. Steps that are left to begin are not
        begun: importers have come to use what one of them removes.

        Raises PermanentError when a reference of a step has no value although everything it comes after is done, and
        StoreError when a step could not be saved: nothing of its group has begun.
        """
        while True:
            objects = {found.object_id: found for found in self._store.objects(process.fid)}
            where = advance(plan, objects)
            if not where.begin or _is_used(plan, where, objects, users):
                return where
            surroundings = environment(process, _answering(plan, objects), context, {})
            begin = iter(where.begin)
            while group := tuple(islice(begin, _COMMIT)):
                self._begin(group, plan, process, composition, surroundings, objects, now)

    def _begin(
        self,
        group: Sequence[Step],
        plan: Plan,
        process: Process,
        composition: Composition | None,
        surroundings: resolve.Environment,
        objects: Mapping[ObjectId, ManagedObject],
        now: Instant,
    ) -> None:
        changes: list[StoreChange] = []
        for step in group:
            if step.kind in (StepKind.MAKE, StepKind.ADOPT):
                properties = _resolved(step, surroundings, composition)
                changes += self._make(step, plan, process, properties, digest_of(properties, composition), now)
            elif step.kind is StepKind.CHANGE:
                properties = _resolved(step, surroundings, composition)
                digest = digest_of(properties, composition)
                wished = evolve(
                    objects[step.object_id],
                    attributes=noted(objects[step.object_id], properties, digest),
                    desired=properties,
                    desired_digest=digest,
                    depends_on=step.depends_on,
                    deletion_policy=step.deletion_policy,
                    kept=step.kept,
                    plan_id=plan.plan_id,
                    mandate=process.mandate,
                )
                changes.append(_save(self._change(step, wished, plan, now), _asker(plan, process), documents=True))
            elif step.kind is StepKind.RETRY:
                changes += self._retry(objects[step.object_id], plan, process, now)
            else:
                leaving = evolve(
                    objects[step.object_id],
                    deletion_policy=step.deletion_policy,
                    plan_id=plan.plan_id,
                    mandate=process.mandate,
                )
                changes.append(_save(self._leave(step, leaving, plan, now), _asker(plan, process), documents=False))
        self._store.commit(changes)
        self._plugins.publish(changes)

    def _make(
        self, step: Step, plan: Plan, process: Process, properties: JsonMap, digest: str, now: Instant
    ) -> list[StoreChange]:
        table = CATALOGUE[step.lifecycle]
        born = ManagedObject(
            object_id=step.object_id,
            lifecycle=table.name,
            type=step.type,
            provider=process.provider,
            partition=process.partition,
            fid=process.fid,
            logical_id=step.logical_id,
            incarnation=step.incarnation,
            state=table.born,
            target=step.target,
            created_at=now,
            moved_at=now,
            touched_at=now,
            physical_id=step.physical_id,
            kept=step.kept,
            desired=properties,
            desired_digest=digest,
            depends_on=step.depends_on,
            deletion_policy=step.deletion_policy,
            plan_id=plan.plan_id,
            mandate=process.mandate,
        )
        walked = progress.begin_walk(born, self._phases, table, now, _by(plan), step.reason)
        asker = _asker(plan, process)
        return [
            CreateObject(object=born, actor=asker.name, reason=step.reason, by=_by(plan), request=asker.request),
            _save(walked, asker, documents=False),
        ]

    def _retry(self, found: ManagedObject, plan: Plan, process: Process, now: Instant) -> list[StoreChange]:
        tried = progress.retry(replace(found, plan_id=plan.plan_id, mandate=process.mandate), None)
        events = tuple(phase_events(found, tried.object, _asker(plan, process), now, _by(plan)))
        return [_save(tried, _asker(plan, process), documents=False), Append(events=events)]

    def _change(self, step: Step, wished: ManagedObject, plan: Plan, now: Instant) -> Progress:
        table = table_of(wished)
        if wished.target != step.target:
            is_cancelled = wished.target in table.final
            reason = "deletion cancelled" if is_cancelled else f"to be {step.target}"
            return progress.retarget(wished, step.target, self._phases, table, now, _by(plan), reason)
        if step.target != table.ready:
            return Progress(object=wished)  # Nothing is there that could be changed: the wish is for the next machine.
        return progress.revisit(wished, table.change_at, self._phases, table, now, _by(plan))

    def _leave(self, step: Step, leaving: ManagedObject, plan: Plan, now: Instant) -> Progress:
        if step.kind is StepKind.FORGET:
            return progress.vanish(leaving, self._phases, table_of(leaving), now, _by(plan))
        return progress.retarget(leaving, step.target, self._phases, table_of(leaving), now, _by(plan), step.reason)


def _is_used(plan: Plan, where: Advance, objects: Mapping[ObjectId, ManagedObject], users: Users) -> bool:
    """Whether a step would remove an original that importers use by now. All originals that still stand are asked for,
    since one may stay for the sake of another."""
    beginning = {step.object_id for step in where.begin if step.is_original}
    if not beginning:
        return False
    originals = (step.object_id for step in plan.steps if step.is_original)
    going = {one for one in originals if where.status[one] is StepStatus.OPEN}
    return not beginning.isdisjoint(users(tuple(objects.values()), going))


def _answering(plan: Plan, objects: Mapping[ObjectId, ManagedObject]) -> list[ManagedObject]:
    """The incarnations that references mean: those that stay once the plan is done."""
    leaving = {step.object_id for step in plan.steps if CATALOGUE[step.lifecycle].is_final(step.target)}
    return [one for one in objects.values() if one.object_id not in leaving and _stays(one)]


def _stays(found: ManagedObject) -> bool:
    return is_to_stand(found) or is_to_rest(found)


def _resolved(step: Step, surroundings: resolve.Environment, composition: Composition | None) -> JsonMap:
    """The properties of a step without open references, but for secrets."""
    properties: JsonMap = resolve.resolve(step.properties, surroundings)
    if missing := without_value(properties, composition):
        names = ", ".join(
            f"{found.name}.{found.attribute}" if found.attribute else f"{found.kind} {found.name}" for found in missing
        )
        raise PermanentError(f"{step.logical_id} refers to {names}, which has no value although it should by now")
    return properties


def _save(walked: Progress, asker: Asker, *, documents: bool) -> SaveObject:
    return SaveObject(
        object=walked.object,
        expected_generation=walked.object.generation,
        moves=asked_by(walked.moves, asker),
        entries=walked.entries,
        documents=documents or walked.documents,
    )


def _by(plan: Plan) -> str:
    return f"plan {plan.plan_id}"


def _asker(plan: Plan, process: Process) -> Asker:
    return asker_of_command(process, plan.command)
