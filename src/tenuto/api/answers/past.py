"""The shapes of the past: history, provider operations, events, timelines, and the effects of one request."""

from tenuto.api.answers.processes import ALIAS, FID, JOB, STATE
from tenuto.api.answers.words import free, listed, maybe, moment, number, record, text, texts, whole
from tenuto.model.event import EventType

_COMPLETE = maybe(
    moment(
        "the moment after which nothing was removed, when the question goes further back than what is kept; else null"
    )
)
_HEAD = record(
    "HistoryHead",
    "The process of a history.",
    {"fid": FID, "alias": ALIAS, "state": STATE, "complete_since": _COMPLETE},
)

COMMAND = record(
    "CommandRecord",
    "A command, or one that was refused or denied.",
    {
        "at": moment("when it came"),
        "command": text("the command"),
        "status": text("what became of it", ("given", "refused", "denied")),
        "actor": maybe(text("the user")),
        "request": maybe(text("the id of the API request")),
        "detail": maybe(text("its reason, or why it was refused")),
    },
)
_PLACE = {"place": whole("its place among commands and jobs of this answer, from 0")}
HISTORY = _HEAD.with_(
    "History",
    "The commands and jobs of a process, the oldest first.",
    {
        "commands": listed(COMMAND.with_("PlacedCommand", "A command with its place.", _PLACE), "the commands"),
        "jobs": listed(JOB.with_("PlacedJob", "A job with its place.", _PLACE), "the jobs"),
    },
)
OPS = _HEAD.with_(
    "Operations",
    "The calls that changed something at the provider, the oldest first.",
    {
        "ops": listed(
            record(
                "ProviderOperation",
                "One call.",
                {
                    "at": moment("when it was made"),
                    "service": text("the service, such as `ec2`"),
                    "operation": text("the operation, such as `CreateVpc`"),
                    "resources": texts("the resources that it was for"),
                    "actor": maybe(text("who stands behind the job that made it; null when it is not known")),
                    "account": text("the target account"),
                    "region": text("the region"),
                    "request_id": maybe(text("the provider's request id")),
                    "duration_s": number("how long it took, in seconds"),
                    "code": maybe(text("the provider's error code; null when it worked")),
                    "message": maybe(text("what the provider said")),
                },
            ),
            "the calls",
        )
    },
)

EVENT = record(
    "Event",
    "One thing that happened.",
    {
        "number": whole("its number; later events have higher ones"),
        "at": moment("when"),
        "type": text("what happened", EventType),
        "fid": maybe(text("the process, by its id; null for an event of no process")),
        "process": maybe(text("the process, by its name now")),
        "object_id": maybe(text("the object, by its id")),
        "subject": text("what it is about, such as a logical id or a user"),
        "before": maybe(text("the state or value before")),
        "after": maybe(text("the state or value after")),
        "actor": maybe(text("the user, or `Conductor`")),
        "request": maybe(text("the id of the API request behind it")),
        "reason": maybe(text("why")),
        "data": free("more of it, by event type"),
    },
)
EVENTS = record(
    "Events",
    "Events, the oldest first.",
    {
        "events": listed(EVENT, "the events"),
        "older": maybe(whole("the `before` of the page with older ones; null when there are none")),
        "complete_since": _COMPLETE,
    },
)

TIMELINE = record(
    "Timeline",
    "Commands, jobs, refusals, drift and failures of a process, the newest first.",
    {
        "fid": FID,
        "alias": ALIAS,
        "state": STATE,
        "entries": listed(
            record(
                "TimelineEntry",
                "One of them. A text that is not said is empty.",
                {
                    "at": moment("when it was, or began"),
                    "kind": text(
                        "what it is",
                        (
                            "command",
                            "job",
                            "dry-run",
                            "refused",
                            "denied",
                            "drift",
                            "held",
                            "failure",
                            "state",
                            "deleted",
                            "override",
                        ),
                    ),
                    "title": text("the command, the resource, or both states"),
                    "status": text("how it ended"),
                    "actor": text("the user, or `Conductor`"),
                    "message": text("what is to be said"),
                    "summary": text("the operations of the plan, counted in words"),
                    "duration_s": maybe(number("how long a job took, in seconds; null while it runs")),
                    "plan_id": maybe(text("the plan of the job")),
                    "calls": whole("the number of calls to the provider while it ran"),
                    "failed_calls": whole("those of them that failed"),
                    "resource": text("the resource that it is about"),
                    "healed_s": maybe(number("seconds from a drift to the end of the job that set it back")),
                },
            ),
            "one page",
        ),
        "next": maybe(moment("the `before` of the next page; null at the end")),
    },
)

_OF_PROCESS = {"fid": FID}
REQUEST = record(
    "RequestEffects",
    "What one request of the API caused.",
    {
        "request": text("its id"),
        "commands": listed(COMMAND.with_("CommandOfProcess", "A command with its process.", _OF_PROCESS), "commands"),
        "jobs": listed(JOB.with_("JobOfProcess", "A job with its process.", _OF_PROCESS), "jobs"),
        "events": listed(EVENT, "events, the oldest first"),
        "complete_since": _COMPLETE,
    },
)
