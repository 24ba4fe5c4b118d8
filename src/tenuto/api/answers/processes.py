"""The shapes of processes: in lists, in detail, on the board, and by the cause that suspended them."""

from tenuto.api.answers.words import (
    anything,
    by_name,
    counts,
    flag,
    free,
    listed,
    maybe,
    moment,
    record,
    text,
    texts,
    whole,
)
from tenuto.model.command import Command, ProcessState
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.phase_map import PhaseStatus

FID = text("the id of the process, which never changes")
ALIAS = maybe(text("its name, unique among live processes; null without one"))
ACCOUNT = text("the target account")
REGION = text("the region")
LOGICAL_ID = text("the name of the resource in the composition")
PHYSICAL_ID = maybe(text("the provider's id; null before there is one"))
RESOURCE_STATUS = text(
    "one word: `ready`, `gone`, `planned`, `resting`, `failed`, or the most telling status of its phases"
)
STATE = text("the state of the process", ProcessState)
LIFECYCLE_STATE = maybe(text("its state in the lifecycle of its type; null before the first incarnation"))
LIFECYCLE_TARGET = maybe(text("the state that it goes to"))
MESSAGE = maybe(text("the text that says most about it now"))

JOB = record(
    "Job",
    "One job: a comparison, its plan, and the execution of it.",
    {
        "id": text("the id of the job"),
        "kind": text("what the job was for", JobKind),
        "command": text("the command that it served; `enforce` for a routine job"),
        "actor": maybe(text("who asked for it; null when it is not known")),
        "request": maybe(text("the id of the API request behind it")),
        "status": text("how far it is, or how it ended", JobStatus),
        "message": maybe(text("why it ended like that")),
        "started": moment("when it began"),
        "finished": maybe(moment("when it ended; null while it runs")),
        "plan_id": maybe(text("the plan that it made; `GET /v1/plans/{plan}` shows it")),
        "plan_summary": counts("the number of operations of the plan by verb"),
    },
)

UNCONVERGED = record(
    "Unconverged",
    "Why a process is not as it is declared.",
    {
        "since": moment("since when"),
        "why": text("one word for the reason, such as `failed`, `held` or `waiting`"),
        "message": MESSAGE,
    },
)

GOES_ON_WITH = maybe(
    text("the command that goes on with a Suspended process: `kill` in the middle of its kill; else null", Command)
)

PROCESS = record(
    "Process",
    "A process.",
    {
        "fid": FID,
        "alias": ALIAS,
        "account": ACCOUNT,
        "region": REGION,
        "state": STATE,
        "enforcement": flag("whether drift is set back"),
        "enforcement_until": maybe(moment("when enforcement goes on again by itself; null without an end")),
        "lock": flag("whether commands that change it are refused"),
        "composition": record(
            "CompositionName",
            "The composition of a process.",
            {"name": text("its name"), "digest": text("SHA-256 of its canonical document, in hexadecimal")},
        ),
        "created": moment("when it was run"),
        "updated": moment("when a command last changed it"),
        "ended": maybe(moment("when it was gone; null while it lives")),
        "last_job": maybe(JOB, "the newest job; null before the first"),
        "last_message": maybe(text("the message of the last job")),
        "next_command": maybe(text("the command that waits to be served", Command)),
        "goes_on_with": GOES_ON_WITH,
        "causes": texts("the codes of the failures that suspended it"),
        "resume_by_cause": maybe(text("the command that resumes all processes that the same cause suspended")),
        "converged": flag("whether the last job found nothing left to do, and no command came since"),
        "unconverged": maybe(UNCONVERGED, "why it is not as declared; null when it is, or in the answer to a command"),
        "unknown_things": whole("the number of real things that carry its marks and are not known"),
    },
)
PROCESSES = record(
    "Processes",
    "All live processes that the caller may see.",
    {
        "processes": listed(PROCESS, "these"),
        "proposals": whole("the number of proposals about them that are still to be decided or executed"),
        "approved_proposals": whole("how many of these are approved, and wait until a user has them executed"),
    },
)
RETRIED = PROCESS.with_(
    "RetriedProcess",
    "A process whose failed phases were cleared.",
    {"cleared": counts("cleared phases by resource")},
)
NAMES = record("Names", "Names that begin with a text.", {"names": texts("in alphabetical order, at most 1000")})

LEAVING = record(
    "LeavingThing",
    "An earlier incarnation of a resource that is not deleted yet.",
    {"id": PHYSICAL_ID, "state": text("its state")},
)

PHASE_ENTRY = record(
    "PhaseEntry",
    "What one phase has done with a resource, and what it waits for.",
    {
        "status": text("its status", PhaseStatus),
        "loaded": flag("whether the plugin of the phase is loaded"),
        "state": text("the state of the resource in which the phase runs"),
        "message": MESSAGE,
        "code": maybe(text("the provider's error code")),
        "request_id": maybe(text("the provider's request id")),
        "started": maybe(moment("when it first ran")),
        "ended": maybe(moment("when it was done")),
        "wake": maybe(moment("when it runs again; null when nothing is to be waited for")),
        "attempt": whole("which attempt this is, from 1; `retry` begins another"),
        "runs": whole("the number of runs in this attempt"),
        "upkeep": flag("whether it is repeated while the resource is ready"),
        "failures": whole("the number of failed runs in a row"),
        "data": anything("what the phase keeps for its next run; secrets are masked"),
    },
)

RESOURCE = record(
    "Resource",
    "One resource of a process.",
    {
        "type": text("the resource type"),
        "id": PHYSICAL_ID,
        "incarnation": whole("how many things have stood at this address; 0 before the first"),
        "state": LIFECYCLE_STATE,
        "target": LIFECYCLE_TARGET,
        "status": RESOURCE_STATUS,
        "message": MESSAGE,
        "drift": texts("the paths of properties that were changed from outside"),
        "ignored_drift": texts("the paths of properties that differ and that the composition ignores"),
        "phase_failed": flag("whether a phase failed, so that it waits for a person or for a next try"),
        "phases": by_name(PHASE_ENTRY, "its phases by their names"),
        "attributes": free("what the provider tells of it, by name; secrets are masked"),
        "leaving": listed(
            LEAVING.with_(
                "LeavingIncarnation",
                "An earlier incarnation that is not deleted yet, with its status.",
                {"incarnation": whole("which one, from 1"), "status": RESOURCE_STATUS},
            ),
            "earlier incarnations that are not deleted yet",
        ),
        "duplicates": texts("ids of things that a repeated creation made beside it"),
    },
)

PROCESS_DETAIL = PROCESS.with_(
    "ProcessDetail",
    "A process with its resources, parameters and outputs.",
    {
        "resources": by_name(RESOURCE, "by logical id"),
        "parameters": free("the values of its parameters by name, as texts or lists of texts; null for NoEcho ones"),
        "outputs": free("the outputs of the composition by name"),
        "output_descriptions": free("what the composition says of its outputs, by name"),
    },
)

PROGRESS = PROCESS.with_(
    "Progress",
    "How far a process is.",
    {
        "counts": counts("the number of all its resources by status"),
        "resources": by_name(
            record(
                "ResourceProgress",
                "How far a resource is.",
                {
                    "type": text("the resource type"),
                    "state": LIFECYCLE_STATE,
                    "status": RESOURCE_STATUS,
                    "message": MESSAGE,
                    "leaving": listed(LEAVING, "earlier incarnations that are not deleted yet"),
                    "duplicates": texts("ids of things that a repeated creation made beside it"),
                },
            ),
            "those that need eyes most, by logical id",
        ),
    },
)

RESOURCE_COUNTS = record(
    "ResourceCounts",
    "Numbers of resources.",
    {
        "total": whole("all"),
        "ready": whole("those that are as declared"),
        "working": whole("those under way"),
        "failed": whole("those that failed"),
    },
)

NAMED_PROCESS = record(
    "NamedProcess",
    "A process by its names.",
    {"fid": FID, "alias": ALIAS, "name": text("the alias, or the FID without one")},
)

_SUSPENDED = record(
    "SuspendedProcess",
    "A process that one of the causes suspended.",
    {
        "fid": FID,
        "alias": ALIAS,
        "account": ACCOUNT,
        "region": REGION,
        "state": STATE,
        "causes": texts("the codes of the failures that suspended it"),
        "last_message": maybe(text("the message of its last job")),
    },
)
CAUSES = record(
    "ResumedByCause",
    "The processes that causes suspended.",
    {
        "causes": texts("the codes that were asked for"),
        "resumed": flag("true when they are resumed; false in a dry run"),
        "processes": listed(_SUSPENDED, "those that are resumed, or would be"),
        "left_out": listed(
            _SUSPENDED.with_(
                "LeftSuspended", "A process that stays suspended.", {"why": text("why it is left as it is")}
            ),
            "those that are not resumed",
        ),
        "hidden": whole("the number of processes that the caller may not see"),
    },
)

PROPERTY = record(
    "ProcessProperty",
    "One property of a process: of the last four members, those of the property that was asked for.",
    {
        "fid": FID,
        "alias": ALIAS,
        "lock": flag("whether commands that change it are refused"),
        "enforcement": flag("whether drift is set back"),
        "enforcement_until": maybe(moment("when enforcement goes on again by itself")),
    },
    optional=("alias", "lock", "enforcement", "enforcement_until"),
)
