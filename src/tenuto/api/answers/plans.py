"""The shapes of plans, of explanations, and of proposals."""

from tenuto.api.answers.processes import ALIAS, FID, GOES_ON_WITH, LOGICAL_ID, PHYSICAL_ID, PROCESS, STATE
from tenuto.api.answers.words import (
    Shape,
    anything,
    by_name,
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
from tenuto.model.command import Command, ProcessState
from tenuto.model.proposal import ProposalState
from tenuto.model.verb import Verb, WaitKind

TYPE = text("the resource type")
SOURCE = maybe(
    record(
        "Source",
        "A place in a file.",
        {"file": text("its path, as it was given to the compiler"), "line": whole("the line, from 1")},
    ),
    "where the composition declares it; null when that is not known",
)

_BEFORE, _AFTER = "the value before; null when there was none", "the value after; null when there is none"
LEAF = record(
    "Leaf",
    "One leaf of a value that differs.",
    {
        "path": text("its path, such as `Rules[IpProtocol tcp].FromPort`"),
        "before": anything(_BEFORE),
        "after": anything(_AFTER),
    },
)
STORED_CHANGE = record(
    "StoredChange",
    "One property that differs.",
    {
        "path": text("the name of the property"),
        "before": anything(f"{_BEFORE}; a secret is `****`"),
        "after": anything(f"{_AFTER}; a secret is `****`"),
        "forces_replacement": flag("whether the resource must be replaced for it"),
        "may_interrupt": flag("true when the resource may not serve while it is changed"),
        "stays": flag("true when it is no longer declared, and stays as it is"),
    },
    optional=("may_interrupt", "stays"),
)
CHANGE = STORED_CHANGE.with_(
    "Change",
    "One property that differs, with its leaves.",
    {"leaves": listed(LEAF, "what differs in it, where there is a value on both sides")},
    optional=("leaves",),
)


def _operation(change: Shape) -> dict[str, Shape]:
    return {
        "op": text("what is done", Verb),
        "type": TYPE,
        "logical_id": LOGICAL_ID,
        "id": PHYSICAL_ID,
        "destructive": flag("whether it deletes or replaces"),
        "reason": text("why"),
        "changes": listed(change, "the properties that differ"),
        "depends_on": texts("the resources that it needs, by logical id"),
        "source": SOURCE,
    }


STORED_OPERATION = record(
    "StoredOperation",
    "The work of a plan on one resource, as it is stored.",
    _operation(STORED_CHANGE),
)
OPERATION = record("Operation", "The work of a plan on one resource.", _operation(CHANGE))

STORED_PLAN = record(
    "StoredPlan",
    "A plan as it was made.",
    {
        "version": whole("raised when a member changes its meaning or goes; new members do not raise it"),
        "plan_id": text("the id of the plan"),
        "command": text("the command that it serves; `enforce` for a routine job"),
        "observed_at": moment("when the provider was observed for it"),
        "summary": counts("the number of operations by verb"),
        "waves": listed(
            {"type": "array", "items": {"type": "string"}, "description": "the types of one wave"},
            "what is done together, one wave after the other",
        ),
        "operations": listed(STORED_OPERATION, "in the order of the composition"),
    },
)

_OR_MORE = flag("whether it may be more, because a new value is known only once another operation is done")
_NOTE = record(
    "PlanNote",
    "A remark about a plan.",
    {"logical_id": maybe(text("the resource; null for all")), "message": text("the remark")},
)
PLAN = STORED_PLAN.with_(
    "Plan",
    "What the next job would do, or a dry run of a command.",
    {
        "operations": listed(OPERATION, "in the order of the composition"),
        "process": record(
            "PlannedProcess",
            "The process that a plan is for.",
            {
                "fid": maybe(text("its id; null when it is not run yet")),
                "alias": ALIAS,
                "state": maybe(text("its state; null when it is not run yet", ProcessState)),
                "goes_on_with": GOES_ON_WITH,
                "account": text("the account of its resources"),
                "region": text("the region of its resources"),
                "lock": flag("whether commands that change it are refused"),
            },
        ),
        "converged": flag("whether nothing is left to do"),
        "new_composition": flag("whether the plan is for another composition than the process has"),
        "held": maybe(text("why the plan waits for a command; null when it does not")),
        "drift": listed(STORED_OPERATION, "what sets back changes from outside"),
        "ignored": listed(
            record(
                "IgnoredDrift",
                "Drift that the composition ignores.",
                {
                    "type": TYPE,
                    "logical_id": LOGICAL_ID,
                    "id": PHYSICAL_ID,
                    "changes": listed(STORED_CHANGE, "the properties that differ"),
                    "moved_by": texts("the resources of the composition that move them, by logical id"),
                },
            ),
            "drift that the composition ignores",
        ),
        "loses_data": texts("the resources whose deletion or replacement loses data, by logical id"),
        "waits": listed(
            record(
                "Wait",
                "What the plan waits for.",
                {
                    "kind": text("the kind of the wait", WaitKind),
                    "logical_id": maybe(text("the resource; null for all")),
                    "message": text("why it waits"),
                },
            ),
            "what the plan waits for",
        ),
        "errors": listed(_NOTE, "the waits for something that failed"),
        "bill": record(
            "Bill",
            "The calls that change something, and the least time that they take.",
            {
                "calls": whole("the number of calls"),
                "or_more": _OR_MORE,
                "least_s": number("at least so many seconds, by the rates of the APIs"),
                "apis": listed(
                    record(
                        "BillLine",
                        "The calls of one API.",
                        {
                            "api": text("the API, such as `ec2:CreateVpc`"),
                            "calls": whole("the number of calls"),
                            "or_more": _OR_MORE,
                            "least_s": number("at least so many seconds"),
                        },
                    ),
                    "by API, the one that takes longest first",
                ),
            },
        ),
        "through": listed(
            record(
                "Through",
                "Resources that go through a general interface of the provider.",
                {
                    "interface": text("the interface"),
                    "resources": texts("the resources, by logical id"),
                    "message": text("what that means"),
                },
            ),
            "resources whose types have no block of their own",
        ),
        "warnings": listed(_NOTE, "remarks that stop nothing"),
        "needs_approval": maybe(
            text("which approval the command needs, and how to ask for it; only in a dry run about a process")
        ),
        "plan_file": maybe(free("the plan file, which `execute` takes; only where it was asked for")),
    },
    optional=("plan_file", "needs_approval"),
)

EXPLANATION = record(
    "Explanation",
    "Why a process and each of its resources are as they are.",
    {
        "fid": FID,
        "alias": ALIAS,
        "state": STATE,
        "process": texts("sentences about the process"),
        "resources": by_name(texts("sentences"), "sentences about each resource, by logical id"),
    },
)

PROPOSAL = record(
    "Proposal",
    "A command that waits for approvals, bound to one plan.",
    {
        "number": whole("its number, from 1"),
        "state": text("its state", ProposalState),
        "command": text("the command that is proposed", Command),
        "fid": FID,
        "process": text("the name of the process"),
        "digest": text("SHA-256 of the plan, in hexadecimal: what an approval names"),
        "comment": text("the words of the proposer"),
        "proposed_by": text("the user who proposed it"),
        "proposed": moment("when it was proposed"),
        "expires": moment("when it ends without enough approvals"),
        "approvals": listed(
            record(
                "Approval",
                "The approval of one user.",
                {
                    "by": text("the user"),
                    "at": moment("when"),
                    "comment": text("their words"),
                    "counts": flag("false when the policy of now does not accept it any more"),
                },
            ),
            "what was approved",
        ),
        "needed": whole("the number of approvals that it still needs"),
        "why_not": maybe(text("why the caller may not approve it; null when they may, or when it is not Open")),
        "why_not_reject": maybe(
            text("why the caller may neither reject nor withdraw it; null when they may, or it is over")
        ),
        "ended_by": maybe(text("the user who ended it")),
        "ended": maybe(moment("when it ended; null while it is open")),
        "reason": maybe(text("why it ended")),
    },
)
PROPOSALS = record("Proposals", "The proposals that the caller may see.", {"proposals": listed(PROPOSAL, "these")})
PROPOSAL_DETAIL = PROPOSAL.with_(
    "ProposalDetail",
    "A proposal with the operations of its plan.",
    {
        "operations": listed(STORED_OPERATION, "what it would do"),
        "summary": counts("the number of operations by verb"),
    },
)
APPROVED_PROPOSAL = PROPOSAL.with_(
    "ApprovedProposal",
    "A proposal after an approval.",
    {
        "executed": maybe(
            PROCESS,
            "the process, when the command was given; null while approvals are missing or a job is at work",
        )
    },
)
