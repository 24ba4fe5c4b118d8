"""The audit of the commands of users: a line before each command, and a line with its outcome.

The line before is written first: a command whose line cannot be written is not given. The line after tells the outcome;
when it cannot be written, the command was given all the same, and the Conductor's log says so. Lines hold names and no
values: who, from where, which request, the outcome and the family of its error. Questions leave a line only when they
are denied.

Requests that are denied or refused before they begin are counted: the first of a user, a secret, an address and a
request has its line at once, and equal ones within a minute are a number in the line after it. A reader looks for the
first try, and for how often; a caller who repeats it must not fill the disk, which would end all commands. A command
that has begun gets its second line in any case.

Lines about a plan that a user has seen hold its digest, before and after: the one who proposes, the one who approves
and the one who executes are found by it. An approval is no execution, so its second line tells the new state of the
proposal.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

import structlog

from tenuto.errors import ForbiddenError, StoreError, TenutoError, TooManyError, UserError
from tenuto.kit.counted import Counted
from tenuto.kit.sparse import Sparse
from tenuto.model.ids import JsonMap
from tenuto.model.proposal import ProposalState
from tenuto.ports.audit_log import AuditLog
from tenuto.ports.clock import Clock
from tenuto.service.access.callers import Caller
from tenuto.service.access.user_secrets import without_secrets
from tenuto.service.common.values import time_text

STRANGERS_EVERY_S = 60.0
REFUSALS_EVERY_S = 60.0
_LONGEST = 512
"""The length at which a path is cut: it holds names, which a client may make up."""

_OUTCOMES: Mapping[str, str] = {ProposalState.STALE: "stale", ProposalState.APPROVED: "waits"}
"""The outcomes of an approval that executed nothing, although no other approval is needed."""

_log = structlog.get_logger("tenuto.audit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One request of one caller. `way` is `api` or `web`."""

    way: str
    operation: str
    path: str
    address: str
    caller: Caller | None = None
    request: str = ""
    reason: str = ""
    """The words of the caller for the history: why a rule was overridden, or a proposal decided."""
    plan: str = ""
    """The digest of the plan that the request names: the one that was shown, approved, or saved in a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Became:
    """The outcome of a command, as far as its line tells it. `user` is the one that a sign-in has found."""

    user: str = ""
    plan: str = ""
    """The digest of the plan that it made; empty where the request named one."""
    proposal: str = ""
    """The state of the proposal that it made or decided."""


NOTHING_MORE = Became()


class Audit:
    """Writes the lines of all front ends. Thread-safe; without a log it does nothing."""

    def __init__(self, *, clock: Clock, log: AuditLog | None = None) -> None:
        self._clock = clock
        self._log = log
        self._lock = threading.Lock()
        self._strangers = Sparse(STRANGERS_EVERY_S)
        self._refusals = Counted(REFUSALS_EVERY_S)

    def begun(self, act: Act) -> None:
        """Write that a command is about to be given. Raises StoreUnavailableError; then it must not be."""
        if self._log is not None:
            self._log.append(self._entry(act, "begun"))

    def done(self, act: Act, became: Became = NOTHING_MORE) -> None:
        """Write the second line of a command that was given, with its results."""
        told = {"user": became.user, "proposal": became.proposal}
        act = replace(act, plan=act.plan or became.plan)
        self._ended(act, _OUTCOMES.get(became.proposal, "done"), {name: one for name, one in told.items() if one})

    def failed(self, act: Act, error: Exception) -> None:
        """Write that it was not, and why. A refusal of one who asks too much leaves no line: it could fill the disk."""
        if isinstance(error, TooManyError):
            return
        self._ended(act, _outcome(error), {"error": _family(error)})

    def not_begun(self, act: Act, error: Exception) -> None:
        """Write that a request was denied or refused before it began, or count it. `count` is how many a line stands
        for."""
        if self._log is None or isinstance(error, TooManyError):
            return
        entry = self._entry(act, _outcome(error))
        who = tuple(str(entry[name]) for name in ("actor", "key", "address"))
        kind = tuple(str(entry[name]) for name in ("outcome", "operation", "path"))
        between = self._refusals.count(who, kind, self._clock.now())
        if between is not None:
            is_written = self._append({**entry, "error": _family(error), "count": between.count + 1})
            if not is_written:
                self._refusals.forget(who, kind)

    def stranger(self, path: str, address: str, request: str) -> None:
        """Count a request without a valid secret. A line a minute tells how many they were, and of the last of them:
        a scan must not fill the disk."""
        if self._log is None:
            return
        with self._lock:
            count = self._strangers.count(self._clock.now())
        if count:
            act = Act(way="api", operation="no_secret", path=path, address=address, request=request)
            self._append({**self._entry(act, "denied"), "count": count})

    def _ended(self, act: Act, outcome: str, more: JsonMap) -> None:
        if self._log is not None:
            self._append({**self._entry(act, outcome), **more})

    def _append(self, entry: JsonMap) -> bool:
        """Write a line about a past fact, so that a failure can refuse nothing any more. Whether it was written."""
        assert self._log is not None
        try:
            self._log.append(entry)
        except StoreError as failed:
            _log.error("audit.unwritten", operation=entry["operation"], outcome=entry["outcome"], reason=str(failed))
            return False
        return True

    def _entry(self, act: Act, outcome: str) -> dict[str, object]:
        caller = act.caller
        entry: dict[str, object] = {
            "at": time_text(self._clock.wall()),
            "actor": caller.name if caller else "",
            "key": caller.key if caller else "",
            "address": act.address,
            "way": act.way,
            "operation": act.operation,
            "path": without_secrets(act.path)[:_LONGEST],
            "request": act.request,
            "outcome": outcome,
        }
        more = {"plan": act.plan, "reason": without_secrets(act.reason)[:_LONGEST]}
        return entry | {name: one for name, one in more.items() if one}


def shown_digest(given: object) -> str:
    """The digest that a request names, where it has the shape of one: a client may send anything in its place."""
    return given if isinstance(given, str) and re.fullmatch(r"[0-9a-f]{8,64}", given) else ""


def _outcome(error: Exception) -> str:
    match error:
        case ForbiddenError():
            return "denied"
        case UserError():
            return "refused"
        case _:
            return "failed"


def _family(error: Exception) -> str:
    return type(error).__name__ if isinstance(error, TenutoError) else "BugError"


def audited(entry: JsonMap) -> bool:
    """Whether a line of a chain is one of an audit."""
    return {"at", "actor", "operation", "outcome"} <= entry.keys()
