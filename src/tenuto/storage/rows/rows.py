"""Rows of processes, of their objects and history, and the values they hold."""

import json
from collections.abc import Mapping
from typing import Any

from tenuto.kit.canonical import to_text
from tenuto.kit.documents import dumps, loads
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import DeletionPolicy
from tenuto.model.event import Event, EventType
from tenuto.model.ids import PhaseName
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.process import CommandRecord, Intent, IntentStage, Process, ReleaseMode
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject
from tenuto.storage.rows.acts import act_of, act_text
from tenuto.storage.rows.columns import Row, fields_of, partition_of, same_fields
from tenuto.storage.rules.rules import Standing, lifecycle_of

# The fields that are a column of the same name and need no translation. Enums of texts need none on the way in.
_PROCESS = (
    "fid",
    "alias",
    "name",
    "provider",
    "generation",
    "mandate",
    "enforcement_until",
    "composition_digest",
    "composition_name",
    "created_at",
    "updated_at",
    "next_job_at",
    "job_id",
    "last_message",
    "converged_at",
    "unconverged_at",
    "suspended_at",
    "unenforced_at",
    "ended_at",
)
_PROCESS_TRANSLATED = ("state", "is_locked", "is_enforced", "releasing")
_OBJECT = (
    "object_id",
    "lifecycle",
    "type",
    "provider",
    "fid",
    "logical_id",
    "incarnation",
    "state",
    "target",
    "generation",
    "message",
    "created_at",
    "moved_at",
    "touched_at",
    "physical_id",
    "desired_digest",
    "plan_id",
    "mandate",
    "request",
)
_ENTRY = (
    "phase",
    "state",
    "message",
    "code",
    "request_id",
    "first_started_at",
    "started_at",
    "ended_at",
    "wake_at",
    "attempt",
    "runs",
    "failures",
)
_JOB = ("job_id", "fid", "command", "actor", "request", "plan_id", "message", "started_at", "finished_at")
_COMMAND = ("fid", "at", "actor", "request", "detail")
_EVENT = ("at", "fid", "object_id", "subject", "before", "after", "actor", "request", "reason")
_OP = ("at", "service", "operation", "request_id", "duration_s", "code", "message")


def process_row(process: Process, generation: int) -> dict[str, Any]:
    return {
        **fields_of(process, _PROCESS + _PROCESS_TRANSLATED),
        "account": process.partition.account,
        "region": process.partition.region,
        "generation": generation,
        "intent": process.intent.stage,
        "command": process.intent.command,
        "given_at": process.intent.given_at,
        "commanded_by": process.intent.by,
        "request": process.intent.request,
        "lookups": to_text(process.lookups),
        "sealed": to_text(process.sealed),
        "causes": to_text(process.causes),
        "adopting": to_text(process.adopting),
        "last_job": None if process.last_job is None else dumps(process.last_job),
    }


def process_of(row: Row) -> Process:
    return Process(
        partition=partition_of(row),
        state=ProcessState(row["state"]),
        is_locked=bool(row["is_locked"]),
        is_enforced=bool(row["is_enforced"]),
        lookups=json.loads(row["lookups"]),
        sealed=json.loads(row["sealed"]),
        causes=tuple(json.loads(row["causes"])),
        adopting=json.loads(row["adopting"]),
        intent=Intent(
            command=Command(row["command"]),
            given_at=row["given_at"],
            by=row["commanded_by"],
            request=row["request"],
            stage=IntentStage(row["intent"]),
        ),
        releasing=None if row["releasing"] is None else ReleaseMode(row["releasing"]),
        last_job=None if row["last_job"] is None else loads(Job, row["last_job"]),
        **same_fields(row, _PROCESS),
    )


def process_standing(row: Row) -> Standing:
    """Return the result of `rules.standing_of_process`, from the few columns that decide it."""
    return Standing(
        state=row["state"],
        generation=row["generation"],
        identity=(partition_of(row), row["provider"], row["created_at"]),
    )


def object_row(item: ManagedObject, generation: int) -> dict[str, Any]:
    """The narrow row."""
    return {
        **fields_of(item, (*_OBJECT, "deletion_policy", "has_stood")),
        "account": item.partition.account,
        "region": item.partition.region,
        "is_final": lifecycle_of(item).is_final(item.state),
        "generation": generation,
    }


def object_documents(item: ManagedObject, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "desired": to_text(item.desired),
        "attributes": to_text(item.attributes),
        "depends_on": to_text(item.depends_on),
        "kept": to_text(item.kept),
    }


def object_of(row: Row, phases: Mapping[PhaseName, PhaseEntry]) -> ManagedObject:
    return ManagedObject(
        partition=partition_of(row),
        desired=json.loads(row["desired"]),
        attributes=json.loads(row["attributes"]),
        depends_on=tuple(json.loads(row["depends_on"])),
        kept=tuple(json.loads(row["kept"])),
        deletion_policy=DeletionPolicy(row["deletion_policy"]),
        has_stood=bool(row["has_stood"]),
        phases=phases,
        **same_fields(row, _OBJECT),
    )


def object_standing(row: Row) -> Standing:
    """Return the result of `rules.standing_of_object`, from the few columns that decide it."""
    identity = (
        row["lifecycle"],
        row["type"],
        row["provider"],
        partition_of(row),
        row["fid"],
        row["logical_id"],
        row["incarnation"],
        row["created_at"],
    )
    return Standing(state=row["state"], generation=row["generation"], identity=identity)


def entry_row(entry: PhaseEntry, number: int) -> dict[str, Any]:
    return {
        **fields_of(entry, (*_ENTRY, "status", "is_upkeep")),
        "number": number,
        "data": to_text(entry.data),
        "act": act_text(entry.act),
    }


def entry_of(row: Row) -> PhaseEntry:
    return PhaseEntry(
        status=PhaseStatus(row["status"]),
        is_upkeep=bool(row["is_upkeep"]),
        data=json.loads(row["data"]),
        act=act_of(row["act"]),
        **same_fields(row, _ENTRY),
    )


def job_row(job: Job) -> dict[str, Any]:
    return {**fields_of(job, (*_JOB, "kind", "status", "is_throttled")), "plan_summary": to_text(job.plan_summary)}


def job_of(row: Row) -> Job:
    return Job(
        kind=JobKind(row["kind"]),
        status=JobStatus(row["status"]),
        plan_summary=json.loads(row["plan_summary"]),
        is_throttled=bool(row["is_throttled"]),
        **same_fields(row, _JOB),
    )


def command_row(command: CommandRecord) -> dict[str, Any]:
    return fields_of(command, (*_COMMAND, "command"))


def command_of(row: Row) -> CommandRecord:
    return CommandRecord(command=Command(row["command"]), **same_fields(row, _COMMAND))


def event_row(event: Event) -> dict[str, Any]:
    return {**fields_of(event, (*_EVENT, "type")), "data": to_text(event.data)}


def event_of(row: Row) -> Event:
    return Event(
        number=row["number"], type=EventType(row["type"]), data=json.loads(row["data"]), **same_fields(row, _EVENT)
    )


def op_row(op: Op) -> dict[str, Any]:
    return {
        **fields_of(op, _OP),
        "account": op.partition.account,
        "region": op.partition.region,
        "object_ids": to_text(op.object_ids),
    }


def op_of(row: Row) -> Op:
    return Op(partition=partition_of(row), object_ids=tuple(json.loads(row["object_ids"])), **same_fields(row, _OP))


def rate_row(api: Api, bucket: Bucket) -> dict[str, Any]:
    place = {"account": api.partition.account, "region": api.partition.region, "name": api.name}
    return place | {"level": bucket.level, "at": bucket.at, "pace": bucket.pace}


def rate_of(row: Row) -> tuple[Api, Bucket]:
    bucket = Bucket(level=row["level"], at=row["at"], pace=row["pace"])
    return Api(partition=partition_of(row), name=row["name"]), bucket
