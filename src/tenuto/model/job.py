"""A job: one invocation of execute(plan(compare(what_should_be, what_is))) for one process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.ids import Fid, Instant, JobId, PlanId

CONDUCTOR = "conductor"
"""The actor of work that no command asked for, such as the correction of drift."""


class JobStatus(StrEnum):
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    HALTED = "HALTED"
    """A human must look: the process was suspended."""
    FAILED = "FAILED"
    """The job did not work this time; the next job tries again."""
    SUPERSEDED = "SUPERSEDED"
    """A user's command, or a newer plan, took over before it was finished."""


class JobKind(StrEnum):
    ROUTINE = "routine"
    COMMAND = "command"
    DRY_RUN = "dry-run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. Routine jobs that found nothing to do are kept only as the process's `last_job`."""

    job_id: JobId
    fid: Fid
    kind: JobKind
    command: str
    """The command it serves, or `enforce`."""
    actor: str = ""
    """The user who gave that command, or `conductor`. Empty only in jobs that an older Tenuto stored."""
    request: str = ""
    """The API request that gave that command; empty for the Conductor's own jobs."""
    status: JobStatus
    plan_id: PlanId | None = None
    plan_summary: Mapping[str, int] = field(default_factory=dict)
    message: str = ""
    is_throttled: bool = False
    """True when it failed because the provider takes no more calls for now."""
    started_at: Instant
    finished_at: Instant | None = None
