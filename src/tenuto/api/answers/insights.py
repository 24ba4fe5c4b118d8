"""The shapes of the detailed views: resources, properties, graphs, phases, rates, sweeps, findings, sessions."""

from tenuto.api.answers.plans import SOURCE, TYPE
from tenuto.api.answers.processes import (
    ACCOUNT,
    ALIAS,
    FID,
    LEAVING,
    LIFECYCLE_STATE,
    LIFECYCLE_TARGET,
    LOGICAL_ID,
    MESSAGE,
    PHYSICAL_ID,
    REGION,
    RESOURCE_STATUS,
)
from tenuto.api.answers.words import (
    NEXT_PAGE,
    anything,
    counts,
    flag,
    free,
    listed,
    maybe,
    moment,
    number,
    record,
    text,
    texts,
    whole,
)
from tenuto.model.composition import DeletionPolicy
from tenuto.model.observation import Presence
from tenuto.model.phase_map import PhaseActivity, PhaseStatus

_SHOWN_STATUS = text("its status; `drift` and `held` stand before what its phases say")

RESOURCES = record(
    "Resources",
    "A page of the resources of a process.",
    {
        "fid": FID,
        "alias": ALIAS,
        "total": whole("all resources"),
        "matching": whole("those that were asked for"),
        "counts": counts("the number of all by status"),
        "types": counts("the number of all by type"),
        "resources": listed(
            record(
                "ResourceRow",
                "One resource in a list.",
                {
                    "logical_id": LOGICAL_ID,
                    "type": TYPE,
                    "id": PHYSICAL_ID,
                    "state": LIFECYCLE_STATE,
                    "target": LIFECYCLE_TARGET,
                    "status": _SHOWN_STATUS,
                    "message": MESSAGE,
                    "depth": whole("how deep it stands in the tree, from 0"),
                    "leaving": listed(LEAVING, "earlier incarnations that are not deleted yet"),
                    "duplicates": texts("ids of things that a repeated creation made beside it"),
                    "phase_failed": flag("whether a phase of it failed"),
                },
            ),
            "one page",
        ),
        "next": NEXT_PAGE,
    },
)

PROPERTIES = record(
    "ResourceProperties",
    "One resource property by property.",
    {
        "fid": FID,
        "alias": ALIAS,
        "logical_id": LOGICAL_ID,
        "type": TYPE,
        "id": PHYSICAL_ID,
        "state": LIFECYCLE_STATE,
        "target": LIFECYCLE_TARGET,
        "status": RESOURCE_STATUS,
        "source": SOURCE,
        "depends_on": texts("the resources that it needs, by logical id"),
        "deletion_policy": maybe(text("what becomes of it when it is deleted", DeletionPolicy)),
        "observed_at": maybe(moment("when a sweep last saw it; null before")),
        "presence": maybe(text("what that sweep says", Presence)),
        "observation": maybe(text("a remark of that sweep")),
        "properties": listed(
            record(
                "Property",
                "One property.",
                {
                    "path": text("its name"),
                    "declared": anything("the value that the composition declares; a secret is `****`"),
                    "is_declared": flag("whether it is declared"),
                    "live": anything("the value that the last sweep saw; a secret is `****`"),
                    "is_live": flag("whether the sweep saw it"),
                    "applied": anything("the value that was applied last; a secret is `****`"),
                    "is_applied": flag("whether it was applied"),
                    "verdict": text(
                        "what Tenuto makes of it",
                        ("drift", "pending", "same", "ignored", "not-shown", "not-observed", "not-declared"),
                    ),
                    "note": maybe(text("why, and what follows")),
                    "paths": texts("the paths in it that differ"),
                    "difference": texts("the difference as lines of text"),
                },
            ),
            "drift first, what is not declared last",
        ),
        "verdicts": counts("the number of properties by verdict"),
        "attributes": free("what the provider tells of it, by name; secrets are masked"),
        "incarnations": listed(
            record(
                "Incarnation",
                "One thing that stands or stood at this address.",
                {
                    "incarnation": whole("which one, from 1"),
                    "id": PHYSICAL_ID,
                    "state": text("its state"),
                    "status": RESOURCE_STATUS,
                    "created": moment("when Tenuto began it"),
                    "moved": moment("when its state last changed"),
                    "message": MESSAGE,
                },
            ),
            "all that stand or stood at this address",
        ),
    },
)

GRAPH = record(
    "Graph",
    "The resources of a process as boxes in layers, with what needs what.",
    {
        "fid": FID,
        "alias": ALIAS,
        "resources": whole("the number of resources that were asked for"),
        "boxes": whole("the number of boxes that they make"),
        "left_out": whole("the boxes that are too many and not in `nodes`"),
        "focus": maybe(text("the resource that was asked for, with its neighbours")),
        "nodes": listed(
            record(
                "GraphNode",
                "One box: a resource, or several of one type, layer and status.",
                {
                    "name": text("the logical id, or the name of the group"),
                    "type": TYPE,
                    "status": _SHOWN_STATUS,
                    "id": maybe(text("the provider's id; null for a group")),
                    "message": MESSAGE,
                    "count": whole("the number of resources in it"),
                    "members": texts("their logical ids"),
                    "layer": whole("its layer, from 0; it needs only what is in layers above"),
                    "place": whole("its place in the layer, from 0"),
                    "needs": texts("the boxes that it needs"),
                    "needed_by": texts("the boxes that need it"),
                },
            ),
            "the boxes, layer by layer",
        ),
        "edges": listed(
            record(
                "GraphEdge",
                "One need, when no longer way says it too.",
                {"from": text("the box that needs"), "to": text("the box that is needed")},
            ),
            "the edges to be drawn",
        ),
    },
)

PHASES = record(
    "Phases",
    "The phases of the loaded plugins.",
    {
        "phases": listed(
            record(
                "Phase",
                "One phase.",
                {
                    "name": text("its name"),
                    "loaded": flag("whether its plugin is loaded"),
                    "message": MESSAGE,
                    "activity": text("whether it runs now", PhaseActivity),
                    "counts": counts("the number of objects in it by status"),
                    "states": texts("the states of objects in which it runs"),
                    "types": texts("the types of which it runs; empty for all"),
                    "provider": maybe(text("the provider it belongs to; null for all")),
                    "dependencies": texts("the phases that must be done before it"),
                    "description": text("what it does"),
                    "delay_s": number("seconds from the state until its first run"),
                    "timeout_s": maybe(number("seconds after which a run has failed")),
                    "every_s": maybe(number("seconds between two runs while the object is ready; null for one run")),
                    "failing": whole("the number of objects for which it failed"),
                    "batch": whole("the most objects of one run"),
                    "warnings": texts("what it is for and this Conductor does not know, each in a sentence"),
                    "extra": free("more, as the plugin says it"),
                },
            ),
            "in the order of their states",
        )
    },
)
PHASE_OBJECTS = record(
    "PhaseObjects",
    "The objects that a phase still has to do with: the failed ones first, then the oldest.",
    {
        "phase": text("the name of the phase"),
        "counts": counts("the number of all by status"),
        "causes": listed(
            record(
                "PhaseCause",
                "A reason that more than five objects share.",
                {
                    "key": text("the `cause` that asks for them"),
                    "status": text("the status of the phase", PhaseStatus),
                    "code": maybe(text("the provider's error code")),
                    "message": maybe(text("the message of the oldest")),
                    "since": maybe(moment("since when the oldest has it")),
                    "count": whole("how many objects"),
                    "process_count": whole("of how many processes"),
                    "processes": listed(
                        record(
                            "PhaseCauseProcess",
                            "One of the processes.",
                            {
                                "fid": FID,
                                "name": maybe(text("its name; null when it is gone")),
                                "count": whole("how many objects of it"),
                            },
                        ),
                        "the five with the most",
                    ),
                },
            ),
            "at most 50",
        ),
        "matching": whole("those that were asked for"),
        "objects": listed(
            record(
                "ObjectInPhase",
                "One object.",
                {
                    "fid": maybe(text("its process, by the id")),
                    "process": maybe(text("its process, by the name; null when it is gone")),
                    "logical_id": LOGICAL_ID,
                    "type": TYPE,
                    "id": PHYSICAL_ID,
                    "status": text("the status of the phase", PhaseStatus),
                    "state": text("the state of the object"),
                    "since": maybe(moment("since when")),
                    "wake": maybe(moment("when the phase runs again")),
                    "attempt": whole("which attempt this is, from 1"),
                    "runs": whole("the number of runs in this attempt"),
                    "message": MESSAGE,
                    "code": maybe(text("the provider's error code")),
                    "request_id": maybe(text("the provider's request id")),
                },
            ),
            "the page",
        ),
        "next": NEXT_PAGE,
    },
)

RATES = record(
    "Rates",
    "How fast each API may be called, the slowest pace first.",
    {
        "as_of": moment("when it was read"),
        "rates": listed(
            record(
                "ApiRate",
                "One API in one place.",
                {
                    "api": text("the API, such as `ec2:CreateVpc`"),
                    "account": ACCOUNT,
                    "region": REGION,
                    "level": number("the calls that may be made now at once"),
                    "burst": maybe(number("the most calls at once; null when no type tells it")),
                    "per_second": maybe(number("calls a second at full pace")),
                    "pace": number("the part of the full pace, from 0 to 1"),
                    "slowed_at": maybe(moment("when the provider last asked for less")),
                    "at": moment("when it was last called"),
                },
            ),
            "those in accounts that the caller may see",
        ),
    },
)
SWEEPS = record(
    "Sweeps",
    "How old the last sweep of each source is: the idle ones last, of the others the failed and the oldest ones first.",
    {
        "as_of": moment("when it was read"),
        "sweeps": listed(
            record(
                "Sweep",
                "The last sweep of one source.",
                {
                    "provider": text("the provider"),
                    "account": ACCOUNT,
                    "region": REGION,
                    "source": text("the source, such as `ec2.DescribeVpcs`"),
                    "things": whole("the number of things that it saw"),
                    "at": maybe(moment("when it was; null before the first")),
                    "age_s": maybe(number("how long ago, in seconds")),
                    "failure": maybe(text("why the newest try failed; null when it worked")),
                    "failed_at": maybe(moment("when it failed")),
                    "is_idle": flag("whether no process has asked for it for ten minutes, so that its age is no fault"),
                },
            ),
            "those in accounts that the caller may see",
        ),
    },
)

FINDINGS = record(
    "Findings",
    "What a name or an id means.",
    {
        "query": text("the text that was asked for"),
        "findings": listed(
            record(
                "Finding",
                "One meaning.",
                {
                    "kind": text("what it is, such as `process`, `resource`, `host`, `request` or `unknown thing`"),
                    "name": text("its name"),
                    "fid": maybe(text("its process, by the id")),
                    "process": maybe(text("its process, by the name")),
                    "logical_id": maybe(text("the name of the resource in the composition")),
                    "type": text("its type"),
                    "id": maybe(text("its id")),
                    "state": maybe(text("its state")),
                    "account": maybe(text("the target account")),
                    "at": maybe(moment("when it was made, or happened")),
                },
            ),
            "at most 50, processes first",
        ),
        "matching": whole("all that was found; of very many, those that were read"),
        "message": maybe(text("what to do when nothing was found, or more than is shown")),
    },
)

WEB_CODE = record("WebCode", "A way into the dashboard.", {"code": text("a code that signs in once, for 60 seconds")})
SESSIONS = record(
    "Sessions",
    "The sessions of the dashboard that the caller may see.",
    {
        "sessions": listed(
            record(
                "Session",
                "One session.",
                {
                    "id": text("the id of the session, which signs no one in"),
                    "user": text("the user"),
                    "made": moment("when they signed in"),
                    "seen": moment("when they last did something"),
                },
            ),
            "these",
        )
    },
)
ENDED_SESSION = record("EndedSession", "The end of a session.", {"ended": text("the id of the session")})
