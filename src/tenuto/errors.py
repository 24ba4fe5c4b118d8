"""The error families of Tenuto, by who must act.

    TenutoError
    ├── UserError                the caller must change the intent; the message says how
    │   ├── CompileError         the composition has errors; carries every diagnostic (exit 3)
    │   │   └── ViolationError       a rule is violated (exit 3)
    │   ├── NotFoundError        no such process, resource or job (exit 4)
    │   │   └── NoProcessError       no process of that name
    │   ├── NotAllowedError      the command is not allowed in this state, or the process is locked (exit 5)
    │   │   ├── ExportInUseError     another process imports the export that would go (exit 5)
    │   │   └── OvertakenError       another user has decided about the proposal first (exit 5)
    │   ├── NoRoomError          a disk is full, or a limit is reached; nothing was changed
    │   ├── PlanMovedError       a saved plan does not fit any more; nothing was changed (exit 1)
    │   ├── TooManyError         the caller asks too much at a time; nothing was done; wait, then try again
    │   ├── ForbiddenError     no secret, or not permitted (exit 6)
    │   ├── NotAdoptableError    the thing cannot be adopted; nothing was changed
    │   │   ├── NotThereError            no such thing exists
    │   │   ├── MismatchError            it is something else
    │   │   ├── NotDeclarableError       no composition can declare it
    │   │   ├── NotReadableError         the provider does not show it
    │   │   └── ManagedElsewhereError    another process manages it
    │   ├── NotLeadingError      another Conductor leads this store; nothing was changed
    │   └── PluginError          a plugin was refused at load; names the plugin and the reason
    ├── ProviderError            the outside said no
    │   ├── TransientError       worth trying again: throttled, timed out, not consistent yet
    │   │   └── DeferredError        the other side says when to try again
    │   └── PermanentError       trying again cannot help before a person changes something
    │       ├── TakenError           the thing to make stands already: it was asked for first, and nothing was sent
    │       └── UnconfirmedError     credentials lead to another account, or nowhere: nothing was sent; work waits
    │           └── NoWayError           the name of the way into an account, such as a profile, names nothing
    ├── StoreError               the store could not answer or write
    │   ├── ConflictError        another writer was faster: read again, decide again
    │   └── StoreUnavailableError   disk full, locked, unreachable: nothing was written
    │       ├── LeaseLostError       another Conductor leads now: this one must end
    │       └── StoreLostError       the database file was moved, deleted or replaced: this Conductor must end
    └── BugError                 ours: an invariant does not hold
        └── IllegalTransitionError  a move that the lifecycle table does not list

A message says what happened, why, and what to do next. Causes are chained with `from`, never repeated.
"""

from collections.abc import Sequence
from itertools import pairwise


class TenutoError(Exception):
    """The base of everything that Tenuto raises on purpose."""


class UserError(TenutoError):
    """The caller must change the intent. `code` is stable; it appears in problem documents and in `--json`."""

    code = "user"


class CompileError(UserError):
    """The composition has errors. `diagnostics` holds every one of them, in the order of the file. `waits` are the keys
    of the parameter store whose values would have decided more of it.
    """

    code = "compile"

    def __init__(self, message: str, diagnostics: Sequence[object] = (), *, waits: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)
        self.waits = tuple(waits)


class ViolationError(CompileError):
    """A composition, or a running process, violates a rule. Nothing was changed."""

    code = "validation"


class NotFoundError(UserError):
    """A reference to a process, resource or job that does not exist."""

    code = "not-found"


SECRET_NAME = "of that name"
"""The words in place of a name that is not repeated."""
SECRET_HINT = " What was given looks like a secret and is not repeated; a process is named by its alias or its FID."


def repeated_name(text: str) -> str:
    """The name as a refusal repeats it. A slip of the clipboard gives a secret for a name, and a refusal is logged and
    shown: a text that is too long for a name, or is mixed like a secret, is not repeated.
    """
    if len(text) > _LONGEST_NAME or text.startswith(_SECRET_BEGINNINGS):
        return SECRET_NAME
    is_cased = any(map(str.isupper, text)) and any(map(str.islower, text))
    digits = sum(one.isdecimal() != other.isdecimal() for one, other in pairwise(text))
    kinds = sum(_kind(one) != _kind(other) for one, other in pairwise(text))
    is_short_random = len(text) >= _SECRET_LENGTH and digits >= _SECRET_CHANGES
    is_long_random = len(text) >= 2 * _SECRET_LENGTH and 5 * kinds >= 2 * len(text)
    return SECRET_NAME if is_cased and (is_short_random or is_long_random) else repr(text)


def _kind(letter: str) -> tuple[bool, bool]:
    return letter.isdecimal(), letter.isupper()


_LONGEST_NAME = 63
"""The longest alias. FIDs are shorter."""
_SECRET_BEGINNINGS = ("AKIA", "ASIA", "ghp_", "glpat-", "tnt_", "tenuto.", "code.", "-----BEGIN")
"""Secrets that name their own kind."""
_SECRET_LENGTH, _SECRET_CHANGES = 20, 4
"""Random letters and digits of this length change between the two more often than names that people choose. Of a long
one with few digits, two of five letters have a neighbour of another kind."""


class NoProcessError(NotFoundError):
    """A FID or alias that no process has. `guess` is a sentence about the one that was probably meant, for a reader who
    may know of it.
    """

    def __init__(self, reference: str, guess: str = "") -> None:
        hint = SECRET_HINT if repeated_name(reference) == SECRET_NAME else ""
        super().__init__(
            f"There is no process {repeated_name(reference)}.{hint or guess} 'tenuto status' lists the processes."
        )
        self.reference = reference


class NotAllowedError(UserError):
    """The state of the process, or its lock, does not allow the command. Nothing was changed."""

    code = "not-allowed"


class ExportInUseError(NotAllowedError):
    """The command would take away an export that another process imports. Nothing was changed."""

    code = "export-in-use"


class OvertakenError(NotAllowedError):
    """A decision about a proposal that came after that of another user. Nothing was changed."""


class NoRoomError(UserError):
    """The disk of the Conductor is full, or a limit of a namespace is reached. Nothing was changed."""

    code = "no-room"


class TooManyError(UserError):
    """A caller asks more at a time than its limits allow. Nothing was done. `limit` is the name of the limit, and
    `retry_after_s` the whole seconds after which another try may succeed.
    """

    code = "too-many"

    def __init__(self, message: str, *, limit: str, retry_after_s: int) -> None:
        super().__init__(message)
        self.limit = limit
        self.retry_after_s = retry_after_s


class PlanMovedError(UserError):
    """A saved plan is not the plan of now. `moved` has a line for each difference. Nothing was changed."""

    code = "plan-moved"

    def __init__(self, message: str, moved: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.moved = tuple(moved)


class PlanBusyError(PlanMovedError):
    """A saved plan cannot be executed while a job executes. Nothing was changed."""

    code = "plan-busy"


class ForbiddenError(UserError):
    """A request without a secret, or with the secret of a user who may not do this."""

    code = "permission"


class NotAdoptableError(UserError):
    """A thing that exists, was to be adopted, and cannot be. Nothing was changed."""

    code = "import"


class NotThereError(NotAdoptableError):
    """A thing to be adopted that is not in the account and region of the process."""

    code = "import-not-found"


class MismatchError(NotAdoptableError):
    """A thing to be adopted that is of another type than the declared one."""

    code = "import-mismatch"


class NotDeclarableError(NotAdoptableError):
    """A thing to be adopted that no composition can declare: it comes and goes with something else."""

    code = "import-not-declarable"


class NotReadableError(NotAdoptableError):
    """A thing to be adopted that may exist, and that the provider does not show."""

    code = "import-unreadable"


class ManagedElsewhereError(NotAdoptableError):
    """A thing to be adopted that another process manages."""

    code = "import-managed"


class NotLeadingError(UserError):
    """A refusal by a Conductor while another one leads on this store. Nothing was changed."""

    code = "not-leading"


class PluginError(UserError):
    """A plugin was refused at load. The plugins that were loaded before keep working."""

    code = "plugin"


class ProviderError(TenutoError):
    """A provider refused or failed. `code` and `request_id` are the provider's own.

    `is_throttled` is the provider's word that this was one call too many, and that nothing else is wrong with it.
    """

    def __init__(self, message: str, *, code: str = "", request_id: str = "", is_throttled: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id
        self.is_throttled = is_throttled


class TransientError(ProviderError):
    """A failure that may pass: throttling, time-outs, 5xx, eventual consistency. Trying again later may help."""


class DeferredError(TransientError):
    """A failure that passes, of which the other side says that it is not to be asked again for `after_s` seconds."""

    def __init__(self, message: str, *, code: str = "", after_s: float) -> None:
        super().__init__(message, code=code)
        self.after_s = after_s


class PermanentError(ProviderError):
    """A failure that lasts until a person changes something: trying again cannot help."""


class TakenError(PermanentError):
    """A thing that is to be made stands already, as a question before the creating call has shown. Nothing was sent."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="ResourceAlreadyExists")


class UnconfirmedError(PermanentError):
    """The credentials of an account lead to another one, or to none that is known. Nothing was signed with them.

    It says nothing of the thing that the call was about, so it fails no phase: work waits until the credentials are
    right.
    """


class NoWayError(UnconfirmedError):
    """The way into an account leads nowhere: there is no profile of that name."""


class StoreError(TenutoError):
    """The store could not do its work; nothing of the commit was written."""


class ConflictError(StoreError):
    """A compare-and-set lost: the object is not as the caller believed. Read again, then decide again."""


class StoreUnavailableError(StoreError):
    """The store cannot be written or reached now: disk full, locked, connection lost."""


class StoreLostError(StoreUnavailableError):
    """The file that is open is not the one that the next Conductor would find: nothing may be written any more."""


class LeaseLostError(StoreUnavailableError):
    """The loss of the lease to another Conductor. Nothing was written, and nothing this one writes ever will be."""


class BugError(TenutoError):
    """An invariant of Tenuto itself does not hold. Please report it."""


class IllegalTransitionError(BugError):
    """A move that the lifecycle does not list. The object is unchanged."""

    def __init__(self, *, object_type: str, object_id: str, before: str, after: str, allowed: Sequence[str]) -> None:
        options = ", ".join(sorted(allowed)) or "none, it is final"
        super().__init__(
            f"{object_type} {object_id} cannot go from {before} to {after}; allowed from {before}: {options}"
        )
        self.object_type = object_type
        self.object_id = object_id
        self.before = before
        self.after = after
        self.allowed = tuple(sorted(allowed))
