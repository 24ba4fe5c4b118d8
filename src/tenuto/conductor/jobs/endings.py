"""Endings of jobs: the changes that close one, as values.

There are four ends. A job that executed a plan is *finished*. One that had nothing to execute is *closed*; when it was
a routine job and content, it is kept only as the process's last job, so that an idle process does not fill the history.
One that found the same as the job before it is *uneventful*: it is noted, and written every ten minutes only, since
thousands of idle processes would write gigabytes a day to say that nothing happened. *Halted* is the one uncommanded
way to Suspended (DECISIONS 4). *Buried* is the end of a kill or a release, and of the process.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from traceback import extract_tb
from zlib import crc32

from tenuto.core.pacing.visibility import CREATE
from tenuto.core.phases.attempts import made_twice
from tenuto.core.planning import intents
from tenuto.core.planning.comparing.drift import drift_events
from tenuto.kit.evolve import evolve
from tenuto.kit.times import iso_text
from tenuto.model.command import ProcessState
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, JsonMap, ObjectId, PhysicalId
from tenuto.model.job import CONDUCTOR, Job, JobKind, JobStatus
from tenuto.model.plan import Planning, Wait
from tenuto.model.process import Intent, Process
from tenuto.model.resource import ManagedObject, Move
from tenuto.model.verb import WaitKind
from tenuto.ports.store_changes import Append, SaveDrifts, SaveFlips, SaveJob, SaveObject, SaveProcess, StoreChange

ACTOR = CONDUCTOR
_WRITTEN_EVERY_S = 600.0


def finished(
    process: Process, job: Job, status: JobStatus, message: str, now: Instant, period_s: float, report: JsonMap
) -> list[StoreChange]:
    """End a stored job, with the report of its work. The process is checked again at once, to see that it holds.

    But not for ever: if it goes on for longer than a period, another writer changes it back, and the next job comes at
    its regular time.
    """
    done = replace(job, status=status, message=message, finished_at=now)
    is_new = now - (process.unconverged_at or now) < period_s
    at_once = status is JobStatus.SUPERSEDED or job.kind is JobKind.COMMAND or is_new
    after = replace(
        process,
        job_id=None,
        last_job=done,
        last_message=process.last_message if status is JobStatus.SUPERSEDED and not message else message,
        intent=_after(process, status),
        next_job_at=now if at_once and status is not JobStatus.FAILED else Instant(now + period_s),
    )
    return [SaveJob(job=done), saved(after), _told(done, now, report)]


def closed(
    process: Process,
    job: Job,
    status: JobStatus,
    message: str,
    now: Instant,
    next_job_at: Instant,
    *,
    is_converged: bool = False,
) -> list[StoreChange]:
    """End a job that never had anything to execute."""
    done = replace(job, status=status, message=message, finished_at=now)
    last = process.last_job
    is_news = status is not JobStatus.SUCCEEDED and (last is None or (last.status, last.message) != (status, message))
    after = replace(
        process,
        last_job=done,
        last_message=message,
        intent=_after(process, status),
        converged_at=(process.converged_at or now) if is_converged else None,
        unconverged_at=None if is_converged else (process.unconverged_at or now),
        adopting={} if is_converged else process.adopting,
        next_job_at=next_job_at,
    )
    kept: list[StoreChange] = [SaveJob(job=done), _told(done, now)] if job.kind is JobKind.COMMAND or is_news else []
    return [*kept, saved(after)]


def crash_message(error: Exception) -> str:
    """The words about a fault in a job. Those of the error itself may hold secrets, and stay in the log."""
    frames = extract_tb(error.__traceback__)
    place = f" in {PurePath(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return (
        f"A fault of Tenuto, or of a provider or plugin, ended the job: {type(error).__name__}{place}. "
        "Nothing is done for the process until a job gets past it; Tenuto tries again by itself. "
        "The Conductor's log tells more at job.crashed; please report it."
    )


def _after(process: Process, status: JobStatus) -> Intent:
    """The intent after a job: done when the job has succeeded."""
    return intents.done(process.intent) if status is JobStatus.SUCCEEDED else process.intent


def uneventful(before: Process, changes: Sequence[StoreChange], now: Instant) -> Process | None:
    """The process after a job that changed nothing but the times of its last check and of the next.

    None after any other, and where it is its turn to be written. Turns follow from the names of processes, so that not
    all come at once.
    """
    last = before.last_job
    match changes:
        case [SaveProcess(process=after)] if last is not None and after.last_job is not None:
            told = replace(after.last_job, job_id=last.job_id, started_at=last.started_at, finished_at=last.finished_at)
            is_same = told == last and replace(after, last_job=last, next_job_at=before.next_job_at) == before
            return after if is_same and _turn(before, last.finished_at) == _turn(before, now) else None
    return None


def _turn(process: Process, at: Instant | None) -> int:
    return int(((at or 0.0) + crc32(process.fid.encode())) // _WRITTEN_EVERY_S)


def halted(
    process: Process, job: Job, message: str, now: Instant, report: JsonMap, causes: tuple[str, ...] = ()
) -> list[StoreChange]:
    """Suspend the process without a command, with the reason, and with the report of the work until then.

    `causes` are the codes of the failures, when it was failures.
    """
    done = replace(job, status=JobStatus.HALTED, message=message, finished_at=now)
    move = Move(
        before=process.state, after=ProcessState.SUSPENDED, at=now, actor=ACTOR, reason=message, request=job.request
    )
    after = replace(
        process,
        state=ProcessState.SUSPENDED,
        suspended_at=now,
        causes=causes,
        job_id=None,
        last_job=done,
        last_message=message,
        intent=intents.done(process.intent),
        converged_at=None,
        unconverged_at=process.unconverged_at or now,
    )
    return [SaveJob(job=done), saved(after, move), _told(done, now, report)]


def ended_job(process: Process, job: Job, now: Instant) -> list[StoreChange]:
    """The kill or the release is complete: the process is gone, its alias free, its history stays."""
    is_kill = process.state is ProcessState.KILLING
    message = "everything is deleted" if is_kill else "everything is released"
    done = replace(job, status=JobStatus.SUCCEEDED, message=message, finished_at=now)
    reason = "kill completed" if is_kill else "release completed"
    move = Move(before=process.state, after=ProcessState.GONE, at=now, actor=ACTOR, reason=reason, request=job.request)
    after = replace(
        process,
        state=ProcessState.GONE,
        job_id=None,
        last_job=done,
        last_message="killed" if is_kill else "released",
        intent=intents.served(process.intent),
        ended_at=now,
    )
    return [SaveJob(job=done), saved(after, move), _told(done, now)]


def enforced_again(process: Process, now: Instant) -> list[StoreChange]:
    """The time for which enforcement was off is over: drift is corrected again, from the next job on."""
    event = Event(
        at=now,
        type=EventType.PROCESS_PROPERTY,
        fid=process.fid,
        subject="enforcement",
        before="off",
        after="on",
        actor=ACTOR,
        reason="the time for which it was off is over",
    )
    after = replace(
        process, is_enforced=True, enforcement_until=None, unenforced_at=None, next_job_at=now, converged_at=None
    )
    return [saved(after), Append(events=(event,))]


def drift_changes(process: Process, planning: Planning, now: Instant) -> list[StoreChange]:
    """The events of new drifts, and which drifts stand from now on; empty when there is no news."""
    news = planning.news
    if not news.found and not news.over:
        return []
    drifts = SaveDrifts(fid=process.fid, saved=news.found, removed=news.over)
    return [drifts, *([Append(events=drift_events(process, planning, now))] if news.found else [])]


def remembered(process: Process, planning: Planning, now: Instant) -> list[StoreChange]:
    """The drifts that a planning saw, the properties that others set back, and the declarations that ask for nothing;
    with an event for each drift that is new, and for each resource held from now on."""
    given = [SaveObject(object=one, expected_generation=one.generation, documents=True) for one in planning.redeclared]
    drifts = [*given, *drift_changes(process, planning, now)]
    if not planning.flips and not planning.forgotten_flips:
        return drifts
    newly = {flip.logical_id for flip in planning.flips if flip.held_at is not None}
    held = [wait for wait in planning.waits if wait.kind in (WaitKind.FIGHT, WaitKind.IGNORED)]
    flips = SaveFlips(fid=process.fid, saved=planning.flips, removed=planning.forgotten_flips)
    return [*drifts, flips, *_held_events(process, [wait for wait in held if wait.logical_id in newly], now)]


def held_in_place(process: Process, planning: Planning, now: Instant) -> list[StoreChange]:
    """An event for each creation that is held from now on, because a thing stands in its place."""
    held = [wait for wait in planning.waits if wait.kind is WaitKind.MARKED]
    return _held_events(process, [wait for wait in held if wait.message not in process.last_message], now)


def duplicates_noted(
    objects: Sequence[ManagedObject], duplicates: Mapping[ObjectId, Collection[PhysicalId]]
) -> list[StoreChange]:
    """Note the duplicates that were seen with the creation of each object. Only while the object is young is it certain
    that the creation made them, and the Conductor that deletes them may be another one."""
    changes: list[StoreChange] = []
    for found in objects:
        entry = found.phases.get(CREATE)
        if entry is None or found.object_id not in duplicates:
            continue
        noted = evolve(entry, act=made_twice(entry.act, duplicates[found.object_id]))
        if noted != entry:
            after = evolve(found, phases={**found.phases, CREATE: noted})
            changes.append(SaveObject(object=after, expected_generation=found.generation, entries=(CREATE,)))
    return changes


def saved(process: Process, *moves: Move) -> SaveProcess:
    """The new value of a process, against the generation that it was read with."""
    return SaveProcess(process=process, expected_generation=process.generation, moves=moves)


def failed_at(found: ManagedObject, now: Instant) -> Instant:
    """Return the moment when the object failed."""
    return max((entry.ended_at for entry in found.phases.values() if entry.ended_at is not None), default=now)


def _held_events(process: Process, waits: Sequence[Wait], now: Instant) -> list[StoreChange]:
    """The event of each resource that is held from now on; empty when there is none."""
    events = tuple(
        Event(
            at=now,
            type=EventType.RESOURCE_HELD,
            fid=process.fid,
            subject=wait.logical_id or "",
            actor=ACTOR,
            reason=wait.message,
        )
        for wait in waits
    )
    return [Append(events=events)] if events else []


def _told(job: Job, now: Instant, report: JsonMap | None = None) -> Append:
    event = Event(
        at=now,
        type=EventType.JOB_FINISHED,
        fid=job.fid,
        subject=job.command,
        after=job.status,
        actor=job.actor or ACTOR,
        request=job.request,
        reason=job.message,
        data={"job": job.job_id, "started": iso_text(job.started_at), **job.plan_summary, **(report or {})},
    )
    return Append(events=(event,))
