"""Every check of the audit: its code, its fixed summary, and the advice that goes with it.

The first digit is that of the audited thing: 0 the objects of one process, 1 a plan, 2 the whole store, 3 the cloud. A
code is never given another meaning. docs/reference/commands/doctor.md lists them; a test compares.
"""

from dataclasses import dataclass

from tenuto.model.diagnostic import Diagnostic, Severity

_REPORT = (
    "'tenuto suspend {process}' keeps Tenuto from acting on the process. Report it as a fault of Tenuto with the "
    "output of 'tenuto doctor {process} --json', or restore a backup of the database."
)
_REPORT_PLAN = (
    "'tenuto plan {process}' shows the plan. Report it as a fault of Tenuto with that output; "
    "'tenuto suspend {process}' stops the jobs until then."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that can be wrong. `{process}` in the advice stands for the alias or FID of the process."""

    code: str
    summary: str
    advice: str
    severity: Severity = Severity.ERROR

    def found(self, subject: str, detail: str, *, process: str, advice: str = "") -> Diagnostic:
        """The diagnostic of one case. `process` is its alias or FID; `advice` replaces that of the check."""
        return Diagnostic(
            severity=self.severity,
            code=self.code,
            summary=self.summary,
            detail=detail,
            subject=subject,
            hint=advice or self.advice.format(process=process),
        )


LIVE_WITHOUT_PROCESS = Check(
    code="A001",
    summary="A process that is gone has live resources",
    advice="Tenuto does nothing for them any more. 'tenuto ops {process}' tells what was done. Delete them at the "
    "provider, or let 'tenuto import' write a composition of them.",
)
DOUBLE_INCARNATION = Check(
    code="A002", summary="Several objects are the same incarnation of a resource", advice=_REPORT
)
DOUBLE_OWNER = Check(code="A003", summary="Several objects of a process stand for one real thing", advice=_REPORT)
UNKNOWN_STATE = Check(
    code="A004", summary="An object is in a state that no lifecycle of this Tenuto has", advice=_REPORT
)
PHASE_OF_OTHER_STATE = Check(code="A005", summary="A phase is open that belongs to another state", advice=_REPORT)
ENDED_BEFORE_START = Check(
    code="A006",
    summary="A phase ended before it started",
    advice="The system clock was set back while the phase ran. Nothing depends on the two times; check the clock of "
    "the Conductor's machine.",
    severity=Severity.WARNING,
)
NO_WAKE_TIME = Check(code="A007", summary="A phase sleeps and has no time to wake", advice=_REPORT)
OPEN_AT_REST = Check(code="A008", summary="A phase is open, and its object is at rest", advice=_REPORT)
FUTURE_TIME = Check(
    code="A009",
    summary="A stored time lies in the future",
    advice="The system clock was ahead, or is behind now. Compare it with a time server, then restart the Conductor: "
    "it corrects such times at its start.",
    severity=Severity.WARNING,
)
MANDATE_AHEAD = Check(
    code="A010", summary="An object follows a command that its process was never given", advice=_REPORT
)
CONTRADICTORY_ATTEMPT = Check(
    code="A011", summary="The record of a call to the provider contradicts itself", advice=_REPORT
)

TWO_STEPS = Check(code="A101", summary="The plan has two steps for one object", advice=_REPORT_PLAN)
TWO_MAKES = Check(code="A102", summary="The plan creates two resources at one address", advice=_REPORT_PLAN)
NO_STEP = Check(code="A103", summary="The plan has no step for one of its operations", advice=_REPORT_PLAN)
WAVE_ORDER = Check(code="A104", summary="A wave stands before one that it waits for", advice=_REPORT_PLAN)
WAIT_FOR_NOTHING = Check(code="A105", summary="A step waits for an unknown object", advice=_REPORT_PLAN)
MAKE_OF_EXISTING = Check(code="A106", summary="The plan creates an object that exists", advice=_REPORT_PLAN)
CHANGE_OF_UNKNOWN = Check(code="A107", summary="The plan changes an object that does not exist", advice=_REPORT_PLAN)
REMOVED_TOO_EARLY = Check(
    code="A108", summary="The plan removes a resource before those that depend on it", advice=_REPORT_PLAN
)
NO_WAVE = Check(code="A109", summary="A step is in no wave of the plan", advice=_REPORT_PLAN)
ENDLESS_WAIT = Check(code="A110", summary="Steps of the plan wait for each other", advice=_REPORT_PLAN)

SHARED_THING = Check(
    code="A201",
    summary="Several processes manage one real thing",
    advice="Two processes change the same thing in turn. 'tenuto release {process}' ends one of them and leaves its "
    "resources as they are; or take the resource out of one composition with DeletionPolicy Retain and "
    "'tenuto update'.",
)
LEASE_IN_FUTURE = Check(
    code="A202",
    summary="The lease of the leader was renewed in the future",
    advice="The system clock was ahead when a Conductor took the lease. Another Conductor cannot lead before the lease "
    "ends. 'tenuto nodes' shows the leader; compare the clocks of the machines.",
)
NO_COMPOSITION = Check(
    code="A203",
    summary="A process has lost its composition",
    advice="'tenuto update {process} FILE' gives the process its composition again; 'tenuto release {process}' ends it "
    "and leaves its resources as they are.",
)
NO_JOB = Check(code="A204", summary="A process names a job that does not run", advice=_REPORT)
NO_PLAN = Check(code="A205", summary="A job runs and its plan is not stored", advice=_REPORT)
_REPORT_HELD = (
    "Nothing frees it by itself. Report it as a fault of Tenuto with the output of 'tenuto doctor --json', or restore "
    "a backup of the database."
)
DANGLING_CLAIM = Check(code="A206", summary="An object that is gone still holds a claim", advice=_REPORT_HELD)
DANGLING_RELATION = Check(
    code="A207",
    summary="An object is related to one that is gone",
    advice="One of the two objects was found gone while the other needed it. 'tenuto object show' tells of the one "
    "that is left; delete it, or make what it needs again.",
    severity=Severity.WARNING,
)

HOST_STRAYS = Check(
    code="A208",
    summary="A host has things that no object stands for",
    advice="They are left alone: a restored database does not know its newest machines. 'tenuto node show HOST' tells "
    "of them; 'tenuto node purge HOST' removes them with their data.",
    severity=Severity.WARNING,
)

BLOB_DAMAGED = Check(
    code="A209",
    summary="The file of a blob is damaged or lost",
    advice="No content is given out. It comes back from a host that has a copy; where none has one, an upload of the "
    "same file mends it. 'tenuto blob show BLOB' names what needs it, 'tenuto blob verify BLOB' reads it again.",
    severity=Severity.ERROR,
)

HOST_TROUBLE = Check(
    code="A210",
    summary="The agent of a host tells of a trouble there",
    advice="The trouble says what is wrong on the host, and what to do there. 'tenuto node show HOST' tells it until "
    "it is over.",
    severity=Severity.WARNING,
)

UNKNOWN_THING = Check(
    code="A301",
    summary="A real thing carries marks of Tenuto, and the database does not know it",
    advice="'tenuto doctor {process} --adopt ID' gives it to its resource; 'tenuto doctor {process} --delete ID' "
    "deletes it.",
    severity=Severity.WARNING,
)

CHECKS = tuple(value for value in list(globals().values()) if isinstance(value, Check))
"""The whole table, in the order above."""
