"""The answer of the overview: the processes that are not as declared, the reasons, and the decisions that are due."""

from tenuto.api.answers.plans import PROPOSAL
from tenuto.api.answers.processes import MESSAGE, NAMED_PROCESS, PROCESS, RESOURCE_COUNTS
from tenuto.api.answers.words import NEXT_PAGE, counts, flag, listed, maybe, moment, record, text, whole

SUMMARY = record(
    "Summary",
    "The board: why which processes are not as declared, and a page of them.",
    {
        "as_of": moment("when it was read"),
        "total": whole("all processes that the caller may see"),
        "needs_you": whole("those that need a person"),
        "whys": counts("the number of processes by reason, whatever was asked for"),
        "resources": RESOURCE_COUNTS,
        "drift": record(
            "DriftCounts",
            "Drift of the last 24 hours.",
            {
                "found": whole("how often drift was found"),
                "held": whole("how often setting it back was held"),
                "hours": listed({"type": "integer"}, "the number of findings in each hour, the oldest first"),
                "standing": whole("processes with drift now"),
            },
        ),
        "causes": listed(
            record(
                "Cause",
                "One reason that several processes may share.",
                {
                    "why": text("the reason"),
                    "code": maybe(text("the code of the failure, such as `AccessDenied`")),
                    "message": maybe(
                        text("what it says; where the processes say different things, those of one as an example")
                    ),
                    "count": whole("how many processes share it"),
                    "since": moment("since when the first of them has it"),
                    "processes": listed(NAMED_PROCESS, "the first five"),
                    "command": maybe(text("the command that resumes all of them")),
                },
            ),
            "the reasons that need a person, or are shared",
        ),
        "proposals": listed(
            PROPOSAL,
            "those about processes that the caller may see, first what the caller may approve",
        ),
        "matching": whole("the number of processes that were asked for"),
        "processes": listed(
            PROCESS.with_(
                "BoardRow",
                "A process with what stands in its way.",
                {
                    "why": text("one word for the reason; `as-declared` for none"),
                    "since": moment("since when"),
                    "message": MESSAGE,
                    "counts": RESOURCE_COUNTS,
                    "drifted": whole("the number of resources that were changed from outside"),
                    "held_plan": flag("whether a plan is held until a command approves it"),
                },
            ),
            "one page",
        ),
        "next": NEXT_PAGE,
    },
)
