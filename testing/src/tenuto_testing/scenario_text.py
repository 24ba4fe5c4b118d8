"""The output of the commands of a scenario: the views that people see elsewhere, in fixed columns and relative
times."""

from collections.abc import Iterable, Sequence

from tenuto.core.planning.marked import owner_text
from tenuto.core.reports.explain import Explanation
from tenuto.core.reports.unknown_things import unknown_text
from tenuto.model.event import Event
from tenuto.model.ids import Instant
from tenuto.model.job import JobKind
from tenuto.model.process import Process
from tenuto.providers.simulated.faults import Fault
from tenuto.providers.simulated.things import Thing
from tenuto.service.commands.causes import CauseView
from tenuto.service.commands.plan_view import PlanView, plan_document
from tenuto.service.common.value_diff import WIDTH
from tenuto.service.common.values import time_text
from tenuto.service.existing.unknown_things import Listing
from tenuto.service.operations.doctor import Examination, examination_document
from tenuto.service.views.history_view import HistoryView
from tenuto.service.views.plan_text import plan_lines, summary_text
from tenuto.service.views.process_view import ProcessView, ResourceView, is_converged, resume_by_cause, view_message


def seconds(since: float) -> str:
    """Seconds since the world began, to a tenth."""
    return f"+{since:.1f}s"


def process_line(process: Process) -> str:
    """One process in one line."""
    parts = [process.alias or process.name, process.state.value]
    parts += ["converged"] if is_converged(process) else []
    parts += ["locked"] if process.is_locked else []
    until = f" until {time_text(process.enforcement_until)}" if process.enforcement_until else ""
    parts += [] if process.is_enforced else [f"enforcement off{until}"]
    parts += [f"next: {process.intent.waiting}"] if process.intent.waiting else []
    message = f": {process.last_message}" if process.last_message else ""
    return ", ".join(parts) + message


def status(view: ProcessView) -> list[str]:
    rows = [_resource_row(resource) for resource in view.resources]
    outputs = [f"output {name} = {value}" for name, value in sorted(view.outputs.items())]
    by_cause = resume_by_cause(view.process)
    cause = [f"cause {', '.join(view.process.causes)}: '{by_cause}' resumes all that it suspended"] if by_cause else []
    unknown = [unknown_text(view.unknown_things)] if view.unknown_things else []
    return [process_line(view.process), *unknown, *cause, *columns(rows), *outputs]


def causes(view: CauseView, *, is_done: bool) -> list[str]:
    """The processes that one cause suspended: each that is resumed, or would be, and why others are left out."""
    verb = "is resumed" if is_done else "would be resumed"
    return [
        *(f"{process.alias or process.fid} {verb}" for process in view.processes),
        *(f"left out: {one.process.alias or one.process.fid}: {one.why}" for one in view.left_out),
    ]


def _resource_row(resource: ResourceView) -> tuple[str, ...]:
    found = resource.current
    leaving = "".join(f" (leaving: {old.physical_id} {old.state})" for old in resource.leaving)
    drift = f" drift: {', '.join(resource.drift)}" if resource.drift else ""
    drift += f" ignored: {', '.join(resource.ignored)}" if resource.ignored else ""
    drift += "".join(f" (made twice: {one})" for one in resource.duplicates)
    message = view_message(resource)
    return (
        resource.logical_id,
        (found.physical_id or "-") if found else "-",
        f"#{found.incarnation}" if found else "",
        found.state if found else "",
        resource.status,
        f"{message}{drift}{leaving}".strip(),
    )


def plan(view: PlanView) -> list[str]:
    """The lines of a plan, without the places in files: these hold the folder in which the scenario is played."""
    return [line.text for line in plan_lines(plan_document(view, lambda _: True), WIDTH, is_folded=False)]


def explanation(found: Explanation) -> list[str]:
    lines = list(found.process)
    for name, told in found.resources.items():
        lines += [f"{name}:", *(f"  {line}" for line in told)]
    return lines


def history(view: HistoryView, began_at: Instant) -> list[str]:
    """Commands and jobs in the order of their beginning."""
    told: list[tuple[float, str]] = []
    for record in view.history.commands:
        detail = f" ({record.detail})" if record.detail else ""
        told.append((record.at, f"{record.actor}: {record.command.value}{detail}"))
    for job in sorted(view.history.jobs, key=lambda one: (one.started_at, one.finished_at or float("inf"))):
        message = f": {job.message}" if job.message else ""
        done = f", until {seconds(job.finished_at - began_at)}" if job.finished_at is not None else ""
        summary = f" [{summary_text(job.plan_summary)}]" if job.plan_id else ""
        kind = "dry run of" if job.kind is JobKind.DRY_RUN else "job"
        told.append((job.started_at, f"{kind} {job.command} {job.status.value}{summary}{done}{message}"))
    return [f"{seconds(at - began_at):>9} {text}" for at, text in sorted(told, key=lambda one: one[0])]


def ops(view: HistoryView, began_at: Instant) -> list[str]:
    rows = [
        (
            seconds(op.at - began_at),
            op.operation,
            ", ".join(view.names.get(object_id, "?") for object_id in op.object_ids),
            op.code or "ok",
        )
        for op in view.history.ops
    ]
    return columns(rows)


def events(found: Sequence[Event], began_at: Instant) -> list[str]:
    rows = [
        (
            seconds(event.at - began_at),
            event.type.value,
            event.subject,
            f"{event.before} → {event.after}" if event.before else event.after,
            event.reason,
        )
        for event in found
    ]
    return columns(rows)


def faults(waiting: Iterable[Fault]) -> list[str]:
    return [f"{fault.operation} {fault.subject} {fault.kind.value} x{fault.times}" for fault in waiting] or ["none"]


def cloud(things: Iterable[Thing], now: Instant) -> list[str]:
    """Everything that exists, with its owner, its condition and its properties."""
    rows = [
        (
            thing.physical_id,
            thing.owner.logical_id if thing.owner else "(nobody's)",
            thing.condition(now)[0].value,
            " ".join(f"{path}={value}" for path, value in sorted(thing.properties.items()) if value not in ([], None)),
        )
        for thing in things
    ]
    return columns(rows) or ["empty"]


def doctor(examined: Examination, found: Listing) -> list[str]:
    """The problems of the store, and the things that are not known."""
    problems = examination_document(examined)["problems"]
    lines = [f"{one['code']} {one['summary']}: {one['subject']}: {one['detail']}" for one in problems]
    for one, process in found.things:
        owner = owner_text(one.owner, process)
        lines.append(f"{one.type} {one.physical_id} ({one.owner.logical_id}, object {one.owner.object_id}) {owner}")
    return [*lines, *found.unseen] or ["nothing is wrong"]


def columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows with aligned columns."""
    if not rows:
        return []
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
