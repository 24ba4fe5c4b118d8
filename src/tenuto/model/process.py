"""A process: the running instance of a composition, and its `Intent`: the last command that changed its wanted state.

Theory of operation. A user gives a command; the next job makes a plan for it, and is at work on that plan until nothing
is left to do. The need of another approval for a plan, the name of a job, the asker of a change, and the second try of
failed work all follow from the intent (`core.planning.intents`). Its stage moves along the table of `lifecycles.intent`
only; a new command is a new intent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Fid, Instant, JobId, JsonMap, LogicalId, Partition, PhysicalId
from tenuto.model.job import Job


class IntentStage(StrEnum):
    WAITING = "waiting"
    """The command waits for the next job."""
    SERVED = "served"
    """A plan was made for the command, or a suspension has taken it off the next job."""
    DONE = "done"
    """The command has nothing left to do, or it was given up with a process that was suspended by a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The order that a process was given. `by` is the user, and `request` the id of the API request; each is empty
    where that is not known."""

    command: Command
    given_at: Instant
    by: str = ""
    request: str = ""
    stage: IntentStage = IntentStage.WAITING

    @property
    def waiting(self) -> Command | None:
        """The command, while the next job is to serve it."""
        return self.command if self.stage is IntentStage.WAITING else None

    @property
    def corrects(self) -> bool:
        """Whether a plan made now tries failed work again: the user has given the command after the failure."""
        return self.stage is IntentStage.WAITING

    @property
    def stands(self) -> bool:
        """Whether the command stands behind the next plan, so that the plan needs no other approval."""
        return self.stage is not IntentStage.DONE


class ReleaseMode(StrEnum):
    """The way in which a process that is being released lets go of its resources."""

    UNTAG = "untag"
    """Our ownership tags are taken off them."""
    KEEP_TAGS = "keep-tags"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process.

    `name` is the stack name, fixed at run: the alias, or the composition's name and the head of the FID. `updated_at`
    is the user's last command, not the last job. `converged_at` is set while the last job found nothing left to do.
    `lookups` are values that were looked up once, at run or update. `releasing` is set from the `release` to the end of
    the process. `mandate` is the number of the last command that changed the wanted state of the process: nothing is
    done for an object before a plan for that command has set its target, or has agreed with it. `intent` is that
    command. `causes` are the codes of the failures that suspended a Suspended process, by name; there are none when a
    command suspended it, or a plan that is held.
    """

    fid: Fid
    alias: str | None
    name: str
    partition: Partition
    provider: str
    state: ProcessState
    generation: int = 1
    mandate: int = 1
    is_locked: bool = False
    is_enforced: bool = True
    enforcement_until: Instant | None = None
    """The moment when enforcement that is off comes back by itself; None while it is on, and when it stays off."""
    unenforced_at: Instant | None = None
    """The moment when enforcement was switched off; None while it is on."""
    composition_digest: str
    composition_name: str
    lookups: JsonMap = field(default_factory=dict)
    sealed: Mapping[str, str] = field(default_factory=dict)
    """NoEcho values, encrypted."""
    adopting: Mapping[LogicalId, PhysicalId] = field(default_factory=dict)
    """The real things that a command gave to resources; emptied by the job that converges."""
    created_at: Instant
    updated_at: Instant
    intent: Intent
    next_job_at: Instant
    job_id: JobId | None = None
    """The job that is executing now."""
    last_job: Job | None = None
    last_message: str = ""
    converged_at: Instant | None = None
    unconverged_at: Instant | None = None
    suspended_at: Instant | None = None
    """The moment when it became Suspended the last time; None when it never was."""
    ended_at: Instant | None = None
    releasing: ReleaseMode | None = None
    causes: tuple[str, ...] = ()

    @property
    def is_leaving(self) -> bool:
        """Whether the process shall have no resources any more: it runs the null composition instead of its own."""
        return self.state is ProcessState.KILLING or self.releasing is not None

    @property
    def is_killed(self) -> bool:
        """Whether its resources are to be deleted with it, but for those that their policies keep."""
        return self.is_leaving and self.releasing is None

    def is_enforced_at(self, now: Instant) -> bool:
        """Whether drift is corrected at that moment."""
        return self.is_enforced or (self.enforcement_until is not None and now >= self.enforcement_until)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRecord:
    """A command as it was given: part of the history."""

    fid: Fid
    command: Command
    at: Instant
    actor: str
    request: str = ""
    detail: str = ""
