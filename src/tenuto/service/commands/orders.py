"""Orders: the changes that each command makes to a process, as values.

An order is the process as the command wants it, with the composition that it would run. Carrying it out and rehearsing
it (a dry run) start from the same order, so that a rehearsal cannot show anything else than the performance.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tenuto.core.planning.comparing.drift import drift_events
from tenuto.core.planning.intents import agreed_objects, is_halted_in_kill, served
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition
from tenuto.model.drift import NO_NEWS, DriftNews
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, Instant, JobId, LogicalId
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.marked import MarkedThing
from tenuto.model.plan import Plan, Planning
from tenuto.model.process import CommandRecord, Intent, Process, ReleaseMode
from tenuto.model.resource import ManagedObject, Move
from tenuto.ports.store_administration import ExpectRules
from tenuto.ports.store_changes import (
    Append,
    CreateProcess,
    SaveComposition,
    SaveDrifts,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    StoreChange,
)
from tenuto.service.intake.composition import Accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command and the process that results from it. `before` is None for `run`.

    `composition` is the one that the process is to run: None is the null composition of a kill or a release.
    """

    command: Command
    process: Process
    before: Process | None = None
    composition: Composition | None = None
    is_new_composition: bool = False
    detail: str = ""
    rules: str = ""
    """The fingerprint of the rules that a new composition keeps; they must be the same when it is carried out."""
    plan: Plan | None = None
    """The plan that is executed, and not made by the next job; `job` is its job, running from the start."""
    job: Job | None = None
    agreed: tuple[ManagedObject, ...] = ()
    """The objects that go on as they are under that plan, as they are to be stored."""
    news: DriftNews = NO_NEWS
    """The drift that the sweep of that plan has found, which `drift_events` tell."""
    drift_events: tuple[Event, ...] = ()


def run_order(
    accepted: Accepted,
    *,
    fid: Fid,
    alias: str | None,
    is_enforced: bool = True,
    is_locked: bool = False,
    now: Instant,
) -> Order:
    """A new process."""
    composition = accepted.composition
    process = Process(
        fid=fid,
        alias=alias,
        name=alias or f"{composition.name}-{fid[:8]}",
        partition=accepted.partition,
        provider=accepted.provider,
        state=ProcessState.RUNNING,
        composition_digest=composition.digest,
        composition_name=composition.name,
        lookups=accepted.lookups,
        sealed=accepted.sealed,
        is_enforced=is_enforced,
        unenforced_at=None if is_enforced else now,
        is_locked=is_locked,
        created_at=now,
        updated_at=now,
        intent=Intent(command=Command.RUN, given_at=now),
        next_job_at=now,
    )
    return Order(
        command=Command.RUN,
        process=process,
        composition=composition,
        is_new_composition=True,
        detail=f"composition {composition.name}{', locked' if is_locked else ''}",
        rules=accepted.rules,
    )


def is_held(process: Process, accepted: Accepted) -> bool:
    """Whether the process runs the very composition already, with the same values."""
    return accepted.composition.digest == process.composition_digest and accepted.lookups == process.lookups


def update_order(process: Process, accepted: Accepted, *, now: Instant) -> Order:
    """The process with another composition. A Suspended one applies it when it is resumed."""
    composition = accepted.composition
    changed = replace(
        process,
        composition_digest=composition.digest,
        composition_name=composition.name,
        lookups=accepted.lookups,
        sealed=accepted.sealed,
    )
    return Order(
        command=Command.UPDATE,
        before=process,
        process=_commanded(changed, Command.UPDATE, now),
        composition=composition,
        is_new_composition=True,
        detail=f"composition {composition.name}",
        rules=accepted.rules,
    )


def adopt_order(process: Process, composition: Composition | None, thing: MarkedThing, *, now: Instant) -> Order:
    """The process with a real thing for one of its resources. A Suspended one adopts it when it is resumed."""
    name = thing.owner.logical_id
    changed = replace(process, adopting={**process.adopting, name: thing.physical_id})
    return Order(
        command=Command.UPDATE,
        before=process,
        process=_commanded(changed, Command.UPDATE, now),
        composition=composition,
        detail=f"adopt {thing.type} {thing.physical_id} as {name}",
    )


def suspend_order(process: Process, *, now: Instant) -> Order:
    """Suspend the process: nothing is left that a next job could serve."""
    changed = replace(
        process,
        state=ProcessState.SUSPENDED,
        causes=(),
        intent=served(process.intent),
        updated_at=now,
        suspended_at=now,
    )
    return Order(command=Command.SUSPEND, before=process, process=changed)


def resume_order(process: Process, composition: Composition | None, *, now: Instant) -> Order:
    """Resume the process: it goes on with its work, a release too."""
    changed = replace(process, state=ProcessState.RUNNING)
    return Order(
        command=Command.RESUME,
        before=process,
        process=_commanded(changed, Command.RESUME, now),
        composition=None if process.is_leaving else composition,
    )


def kill_order(process: Process, *, now: Instant) -> Order:
    changed = replace(process, state=ProcessState.KILLING, releasing=None)
    return Order(command=Command.KILL, before=process, process=_commanded(changed, Command.KILL, now))


def release_order(process: Process, mode: ReleaseMode, *, now: Instant) -> Order:
    """The process lets go of its resources and ends. A Suspended one runs again for that: only jobs do work."""
    changed = replace(process, state=ProcessState.RUNNING, releasing=mode)
    return Order(
        command=Command.RELEASE,
        before=process,
        process=_commanded(changed, Command.RELEASE, now),
        detail="tags kept" if mode is ReleaseMode.KEEP_TAGS else "",
    )


def retry_order(process: Process, cleared: Mapping[LogicalId, int], *, now: Instant) -> Order:
    """The order of a retry: a job comes soon, with the same rights to act without a hold (`Intent.stands`)."""
    detail = ", ".join(f"{name} ({count})" for name, count in sorted(cleared.items()) if count)
    changed = replace(process, updated_at=now, next_job_at=now, converged_at=None)
    return Order(command=Command.RETRY, before=process, process=changed, detail=detail or "no failed phases")


def property_order(process: Process, changed: Process, detail: str, *, now: Instant) -> Order:
    since = now if process.is_enforced else process.unenforced_at
    changed = replace(changed, updated_at=now, unenforced_at=None if changed.is_enforced else since)
    if changed.is_enforced and not process.is_enforced:
        changed = replace(changed, next_job_at=now, converged_at=None)
    return Order(command=Command.PROPERTY, before=process, process=changed, detail=detail)


def _commanded(process: Process, command: Command, now: Instant) -> Process:
    """The process under a new mandate: operations under way rest until a plan for this command decides about them."""
    return replace(
        process,
        intent=Intent(command=command, given_at=now),
        next_job_at=now,
        updated_at=now,
        converged_at=None,
        mandate=process.mandate + 1,
    )


def planned_order(
    order: Order, planning: Planning, objects: Iterable[ManagedObject], job_id: JobId, *, now: Instant
) -> Order:
    """The order with the plan that it is to be executed by, exactly. `objects` are those that were planned for."""
    plan = planning.plan
    job = Job(
        job_id=job_id,
        fid=order.process.fid,
        kind=JobKind.COMMAND,
        command=plan.command,
        status=JobStatus.RUNNING,
        plan_id=plan.plan_id,
        plan_summary=plan.summary,
        started_at=now,
    )
    since = order.process.unconverged_at or now
    process = replace(order.process, job_id=job_id, intent=served(order.process.intent), unconverged_at=since)
    detail = ", ".join(part for part in (order.detail, f"plan {plan.plan_id}") if part)
    agreed = agreed_objects(planning, process, objects)
    events = drift_events(order.process, planning, now)
    return replace(
        order,
        process=process,
        plan=plan,
        job=job,
        agreed=agreed,
        detail=detail,
        news=planning.news,
        drift_events=events,
    )


def store_changes(order: Order, *, at: Instant, actor: str, request: str = "") -> tuple[StoreChange, ...]:
    """The whole order as one commit: composition, process, and the command in the history. `request` is the API
    request that gives the command."""
    process, before = _given_by(order.process, order.before, actor, request), order.before
    changes: list[StoreChange] = []
    if order.is_new_composition and order.composition is not None:
        changes += [SaveComposition(composition=order.composition), ExpectRules(fingerprint=order.rules)]
    if order.plan is not None and order.job is not None:
        # The sweep that it was planned by came before the command, and its job does not.
        job = replace(order.job, actor=actor, started_at=at)
        changes += [SavePlan(plan=order.plan), SaveJob(job=job)]
    if before is None:
        changes.append(CreateProcess(process=process, actor=actor))
    else:
        moves = (
            (Move(before=before.state, after=process.state, at=at, actor=actor, reason=order.command),)
            if before.state is not process.state
            else ()
        )
        changes.append(SaveProcess(process=process, expected_generation=before.generation, moves=moves))
        changes += [SaveObject(object=found, expected_generation=found.generation) for found in order.agreed]
    if order.news.found or order.news.over:
        changes.append(SaveDrifts(fid=process.fid, saved=order.news.found, removed=order.news.over))
    changes.append(
        Append(
            commands=(CommandRecord(fid=process.fid, command=order.command, at=at, actor=actor, detail=order.detail),),
            events=(
                *order.drift_events,
                command_event(process, order.command, EventType.COMMAND_GIVEN, order.detail, at=at, actor=actor),
            ),
        )
    )
    return tuple(changes)


def _given_by(process: Process, before: Process | None, actor: str, request: str) -> Process:
    """The process as it is stored: with the intent of the command where it has a mandate, and without the causes of a
    suspension that is over. An update that is only stored in the middle of a kill leaves the intent with the kill."""
    if process.state is not ProcessState.SUSPENDED:
        process = replace(process, causes=())
    if before is None or process.mandate != before.mandate:
        process = replace(process, intent=replace(process.intent, by=actor, request=request))
    if before is not None and is_halted_in_kill(before) and process.state is ProcessState.SUSPENDED:
        process = replace(process, intent=before.intent)
    return process


def command_event(
    process: Process, command: Command, event_type: EventType, reason: str, *, at: Instant, actor: str
) -> Event:
    return Event(
        at=at,
        type=event_type,
        fid=process.fid,
        subject=process.alias or process.fid,
        actor=actor,
        reason=reason,
        data={"command": command.value},
    )
