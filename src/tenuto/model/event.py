"""A fact about the past, appended and never changed."""

from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.ids import Fid, Instant, JsonMap, ObjectId


class EventType(StrEnum):
    PROCESS_STATE = "process.state"
    PROCESS_PROPERTY = "process.property"
    """A property that changed by itself: no user gave a command then."""
    OBJECT_STATE = "object.state"
    PHASE_FAILED = "phase.failed"
    PHASE_RETRIED = "phase.retried"
    UPKEEP_FAILED = "upkeep.failed"
    """The upkeep of an object failed, for the first time in a row; it is tried again by itself."""
    UPKEEP_RECOVERED = "upkeep.recovered"
    DRIFT_FOUND = "drift.found"
    """A resource differs from its declaration, and no command asked for that. One event for each drift."""
    RESOURCE_HELD = "resource.held"
    """Another writer sets the resource back again and again: it is not corrected any more."""
    BLOB_DAMAGED = "blob.damaged"
    """The file of a blob is damaged or lost."""
    BLOB_MENDED = "blob.mended"
    BLOB_REPLICA = "blob.replica"
    """A copy of a blob on a host was made, or is no more."""
    STRAY_FOUND = "stray.found"
    """A thing on a host belongs to no object. One event for each."""
    UNKNOWN_DELETED = "unknown.deleted"
    """A real thing that carried our marks and that the store did not know was deleted by a command."""
    JOB_FINISHED = "job.finished"
    COMMAND_GIVEN = "command.given"
    COMMAND_REFUSED = "command.refused"
    """The state of the process, or its lock, does not allow it."""
    COMMAND_DENIED = "command.denied"
    """The user has no right to give the command."""
    PROPOSAL_STATE = "proposal.state"
    """A proposal was made, approved, executed, or has ended in another way."""
    APPROVAL_OVERRIDDEN = "approval.overridden"
    """The owner gave a command that the policy lets others approve."""
    ACCESS_CHANGED = "access.changed"
    """The policy, or a user's secret."""
    RUNTIME_CHANGED = "runtime.changed"
    PLUGINS_RELOADED = "plugins.reloaded"
    ACCOUNT_CHANGED = "account.changed"
    VALIDATION_CHANGED = "validation.changed"
    RETENTION = "retention"
    """Rows that nothing needs any more were removed: one event for each kind and round."""
    CONDUCTOR = "conductor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event. `number` is given by the store: later events have higher numbers."""

    number: int = 0
    at: Instant
    type: EventType
    fid: Fid | None = None
    object_id: ObjectId | None = None
    subject: str = ""
    """A logical id or an alias, for people."""
    before: str = ""
    after: str = ""
    actor: str = ""
    request: str = ""
    """The id of the API request that caused it; empty for an event that no request asked for."""
    reason: str = ""
    data: JsonMap = field(default_factory=dict)
