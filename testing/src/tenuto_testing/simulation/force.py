"""The plan in force: which plan a process follows at a moment, and whether an act agrees with it.

Theory of operation. A command takes the plan before it out of force, in its own commit; the plan that is stored for the
command, or with it, comes into force. The order of a superseded plan is no excuse for an act. An act agrees with the
plan in force when a step of that plan gave the object its target; or when no step is about the object, which then goes
on with the order of an earlier plan, and the process still wants that: nothing is deleted that the last command keeps,
nothing is made that it does not declare, and a release deletes nothing at all. A thing that an earlier plan of the same
command took out of the way is deleted even where the plan in force has no step for it: the wish is the same, and a
deletion that is being carried out is waited for before anything is made in its place.

All of this is read off commands, jobs and plans as they are stored, and not off the mandates by which the product
holds the same rule.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tenuto.lifecycles.cloud_node import CloudNodeState
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Fid, PlanId
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.plan import Plan, Step
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, SaveJob, StoreChange

_CHANGES_WHAT_IS_WANTED = frozenset({Command.RUN, Command.UPDATE, Command.RESUME, Command.KILL, Command.RELEASE})
_TARGETS: Mapping[str, tuple[str, ...]] = {
    "create": (ResourceState.STARTED,),
    "modify": (ResourceState.STARTED,),
    "claim": (ResourceState.STARTED,),
    "delete": (ResourceState.TERMINATED, CloudNodeState.DEALLOCATED),
    "disclaim": (ResourceState.RELEASED,),
}
"""The states that an act serves. Others (a look-up, the deletion of a duplicate) serve either end."""

_ENDS = (ResourceState.TERMINATED, ResourceState.RELEASED)


@dataclass(slots=True, kw_only=True)
class _Force:
    """The last command of a process, the plan that is in force since, and the plans of the same command before it."""

    command: Command
    plan_id: PlanId | None = None
    before: tuple[PlanId, ...] = ()


class PlansInForce:
    """The plans and commands that each process follows, as they were stored."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_fid: dict[Fid, _Force] = {}

    def after_commit(self, changes: Sequence[StoreChange]) -> None:
        for change in changes:
            if isinstance(change, Append):
                for given in change.commands:
                    if given.command in _CHANGES_WHAT_IS_WANTED:
                        self._by_fid[given.fid] = _Force(command=given.command)
        for change in changes:
            if isinstance(change, SaveJob) and change.job.kind is not JobKind.DRY_RUN:
                job = change.job
                if job.status is JobStatus.RUNNING and job.fid in self._by_fid:
                    force = self._by_fid[job.fid]
                    if force.plan_id is not None and force.plan_id != job.plan_id:
                        force.before += (force.plan_id,)
                    force.plan_id = job.plan_id

    def disagreements(self, act: str, found: ManagedObject) -> Iterable[str]:
        """How an act that is about to be done to an object disagrees with the plan in force."""
        process = self._store.process(found.fid) if found.fid else None
        force = self._by_fid.get(found.fid) if found.fid else None
        if process is None or force is None:
            yield "no command ever asked for it"
            return
        if process.state is ProcessState.SUSPENDED:
            yield "the process is suspended"
        plan = self._store.plan(force.plan_id) if force.plan_id else None
        if plan is None:
            yield f"'{force.command}' was given, and there is no plan for it yet"
            return
        targets = _TARGETS.get(act)
        step = next((one for one in plan.steps if one.object_id == found.object_id), None)
        if step is not None:
            if found.plan_id != plan.plan_id:
                yield f"the plan in force has a step '{step.kind}' for it, which has not begun"
            if targets is not None and step.target not in targets:
                yield f"the plan in force wants it {step.target}"
        elif targets is not None and found.plan_id not in force.before:
            target = found.target if found.target in targets else targets[0]
            yield from self._against_the_wish(target, found, process, plan)

    def _against_the_wish(self, target: str, found: ManagedObject, process: Process, plan: Plan) -> Iterable[str]:
        """The reasons why the process does not want that an object goes on towards a target."""
        composition = None if process.is_leaving else self._store.composition(process.composition_digest)
        is_declared = composition is not None and any(
            one.logical_id == found.logical_id for one in composition.resources
        )
        if target == ResourceState.STARTED and not is_declared:
            yield "it is not declared any more"
        if target == ResourceState.TERMINATED and process.releasing is not None:
            yield "its process is being released"
        if target in _ENDS and is_declared and not self._has_another(found, plan):
            yield "it is declared, and nothing else is at its address"

    def _has_another(self, found: ManagedObject, plan: Plan) -> bool:
        """Whether another incarnation stands at the address, or is to stand there by the plan."""
        others: tuple[Step | ManagedObject, ...] = (*plan.steps, *self._store.objects(process_of(found)))
        return any(
            one.logical_id == found.logical_id
            and one.object_id != found.object_id
            and one.target == ResourceState.STARTED
            for one in others
        )


def process_of(found: ManagedObject) -> Fid:
    """The process of an object that has one."""
    assert found.fid is not None, "objects of the simulator belong to processes"
    return found.fid
