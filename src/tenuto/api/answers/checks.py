"""The shapes of checks: rules, diagnostics, the doctor, stacks of another tool, and problems."""

from tenuto.api.answers.processes import ACCOUNT, ALIAS, FID, LOGICAL_ID, REGION
from tenuto.api.answers.words import NEXT_PAGE, anything, flag, free, listed, maybe, moment, record, text, texts, whole
from tenuto.model.diagnostic import Severity
from tenuto.model.marked import Unknown
from tenuto.model.quotas import Quota

DIAGNOSTIC = record(
    "Diagnostic",
    "One problem in what a user gave.",
    {
        "severity": text("how bad it is", Severity),
        "code": text("its code, such as `T101`"),
        "summary": text("what it is, in fixed words"),
        "detail": text("what is wrong, and why"),
        "subject": text("what it is about, such as a logical id or a path"),
        "hint": text("what to do"),
        "position": maybe(
            record(
                "Position",
                "A place in a file.",
                {
                    "file": text("its path"),
                    "line": whole("the line, from 1"),
                    "column": whole("the column, from 1"),
                    "length": whole("the number of characters"),
                },
            ),
            "where it is; null when that is not known",
        ),
        "source_line": text("the text of that line"),
        "rule": text("the rule that says so; empty for the compiler"),
    },
)
RULE = record(
    "Rule",
    "A rule that every composition is held to.",
    {
        "name": text("its name"),
        "description": text("what it is for"),
        "applies_to": text("the resource type, or `*`"),
        "expression": text("the condition, in CEL"),
        "message": text("what it says when it is violated"),
        "hint": text("what to do then"),
        "severity": text("how bad that is", Severity),
        "added": moment("when it was added"),
        "added_by": text("the user who added it"),
    },
)
RULES = record("Rules", "All rules.", {"validations": listed(RULE, "these")})
CHECKED = record(
    "CheckedComposition",
    "What the rules say of a composition.",
    {"diagnostics": listed(DIAGNOSTIC, "the violations; empty for none")},
)

EXAMINATION = record(
    "Examination",
    "What the doctor finds, a page at a time.",
    {
        "examined": whole("the number of processes that were examined"),
        "problems": listed(
            record(
                "DoctorProblem",
                "One problem.",
                {
                    "code": text("its code, such as `A101`"),
                    "severity": text("how bad it is", Severity),
                    "summary": text("what it is, in fixed words"),
                    "detail": text("what is wrong, and why"),
                    "process": maybe(
                        record("ProcessNames", "A process by its names.", {"fid": FID, "alias": ALIAS}),
                        "its process; null when it is about none",
                    ),
                    "name": maybe(text("the name of the process")),
                    "subject": text("what it is about"),
                    "advice": text("what to do"),
                },
            ),
            "at most one page",
        ),
        "problems_left_out": whole("the problems that are too many for the page"),
        "next": NEXT_PAGE,
    },
)
THING = record(
    "UnknownThing",
    "A real thing with Tenuto's marks that no process knows.",
    {
        "code": text("the code of the problem"),
        "type": text("the resource type"),
        "id": text("the provider's id"),
        "fid": text("the process that its marks name, by the id"),
        "process": maybe(text("that process, by its alias; null without one")),
        "is_known_process": flag("whether this Conductor knows that process"),
        "logical_id": text("the resource that its marks name"),
        "object_id": text("the object that its marks name"),
        "account": ACCOUNT,
        "region": REGION,
        "first_seen": maybe(moment("when a sweep first saw it")),
        "why": text("why it is not known", Unknown),
        "detail": text("what it is"),
        "advice": text("what to do"),
    },
)
THINGS = record(
    "UnknownThings",
    "Real things with Tenuto's marks that no process knows.",
    {
        "things": listed(THING, "these"),
        "things_left_out": whole("those that are too many"),
        "unseen": texts("where it could not be looked, and why"),
        "places": listed(
            record("Place", "An account and a region.", {"account": ACCOUNT, "region": REGION}), "where it was looked"
        ),
    },
)
DELETED_THING = record(
    "DeletedThing",
    "An unknown thing that is deleted.",
    {
        "thing": THING,
        "is_gone": flag("whether it is gone already"),
        "message": maybe(text("what it waits for; null when it is gone")),
    },
)

STACK = record(
    "Stack",
    "A stack of another tool, as an import sees it.",
    {
        "stack": text("its name"),
        "stack_id": text("its id"),
        "status": text("its status there"),
        "account": ACCOUNT,
        "region": REGION,
        "template": text("the template by which Tenuto takes over its resources"),
        "format": text("the form of that template", ("json", "yaml")),
        "parameters": free("its parameters by name"),
        "hidden": texts("the parameters whose values cannot be read"),
        "tags": free("its tags by key, which its tool puts on each of its resources"),
        "tagged": texts("the resources to which the template adds tags of the stack, by logical id"),
        "untagged": texts("the resources whose tags are the result of a function, to which it could add none"),
        "saying_id": texts("the resources with `AWS::StackId` in a property, by logical id: it has another value here"),
        "resources": listed(
            record(
                "StackMember",
                "One resource of it.",
                {
                    "logical_id": LOGICAL_ID,
                    "type": text("the resource type"),
                    "id": maybe(text("the provider's id")),
                    "problem": maybe(text("why it cannot be taken over; null when it can")),
                    "held_by": maybe(text("the process that holds it; null for none")),
                },
            ),
            "its resources",
        ),
        "not_retained": texts("the resources that would be deleted with the stack, by logical id"),
        "exports": listed(
            record(
                "StackExport",
                "A value that it exports.",
                {
                    "name": text("the name of the export"),
                    "value": text("the value"),
                    "importers": texts("the stacks that import it"),
                },
            ),
            "what it exports",
        ),
        "protected": flag("whether it is protected from deletion"),
        "shell": flag("whether it holds nothing but its exports"),
        "problem": maybe(
            text("why it cannot be taken over as a whole; null when only a resource is in the way, or nothing")
        ),
        "unsettled": maybe(text("why it cannot be let go in the state that it is in; null when it can")),
    },
)
STACK_STEP = record(
    "StackStep",
    "How far a change of a stack is.",
    {"done": flag("whether it is done"), "waits_for": maybe(text("what it waits for; null when it is done"))},
)
MISSING = record("MissingThings", "Things that are not there.", {"missing": texts("their ids")})
TEMPLATE = record(
    "ExistingTemplate", "A template of things that exist.", {"template": anything("the template, as a mapping")}
)
LOOKUPS = record(
    "LookedUp", "Values of the parameter store.", {"values": free("by key: a text each, or a list of texts")}
)

PROBLEM = record(
    "Problem",
    "Why a request was refused (RFC 9457).",
    {
        "type": text("a name for the kind of problem; nothing is to be fetched there"),
        "title": text("the kind of problem, in fixed words"),
        "status": whole("the HTTP status"),
        "detail": text("what is wrong, why, and what to do"),
        "code": text("the stable word for the kind"),
        "diagnostics": listed(DIAGNOSTIC, "the problems in a composition, a policy or a rule"),
        "incident": text("what the log of the Conductor has the details under"),
        "moved": texts("what moved since the plan was made"),
        "provider_code": maybe(text("the provider's error code")),
        "request_id": maybe(text("the provider's request id")),
        "limit": text("the limit of callers that was reached", Quota),
        "retry_after_s": whole("seconds after which it may be sent again"),
        "expired": moment("when the secret of the request has expired"),
    },
    optional=("diagnostics", "incident", "moved", "provider_code", "request_id", "limit", "retry_after_s", "expired"),
)
