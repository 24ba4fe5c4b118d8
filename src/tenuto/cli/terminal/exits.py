"""Exit codes, and the error that ends a command with one of them."""

from collections.abc import Mapping
from enum import IntEnum

from tenuto.errors import TenutoError
from tenuto.model.ids import JsonMap


class Exit(IntEnum):
    """The exit codes of the CLI. Scripts branch on them (docs/reference/cli.md), so none ever changes its meaning."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    COMPILE = 3
    NOT_FOUND = 4
    NOT_ALLOWED = 5
    PERMISSION = 6
    DECLINED = 7
    UNREACHABLE = 8
    CHANGES = 10
    UNSOUND = 11
    INTERRUPTED = 130


MEANINGS: Mapping[Exit, str] = {
    Exit.DONE: "done",
    Exit.FAILED: "the operation failed",
    Exit.USAGE: "wrong usage, or a request that cannot be served",
    Exit.COMPILE: "compile or validation error",
    Exit.NOT_FOUND: "no such process, resource, plan or account",
    Exit.NOT_ALLOWED: "not allowed in this state, or locked",
    Exit.PERMISSION: "permission denied",
    Exit.DECLINED: "declined at the prompt",
    Exit.UNREACHABLE: "time-out, or the Conductor cannot be reached, or takes no more requests of this user",
    Exit.CHANGES: "`--dry-run --detailed-exitcode`: changes are pending",
    Exit.UNSOUND: "`doctor`, `store check`, `audit verify`: something is wrong",
    Exit.INTERRUPTED: "interrupted by Ctrl-C",
}

_BY_CODE: Mapping[str, Exit] = {
    "compile": Exit.COMPILE,
    "validation": Exit.COMPILE,
    "not-found": Exit.NOT_FOUND,
    "import-not-found": Exit.NOT_FOUND,
    "not-allowed": Exit.NOT_ALLOWED,
    "export-in-use": Exit.NOT_ALLOWED,
    "permission": Exit.PERMISSION,
    "user": Exit.USAGE,
    "plugin": Exit.USAGE,
    "too-many": Exit.UNREACHABLE,
}
"""The exit code by the `code` of errors and problem documents; every other one is a failed operation."""


def exit_for(code: str) -> Exit:
    return _BY_CODE.get(code, Exit.FAILED)


class CommandEnd(TenutoError):  # noqa: N818 - an end is not always an error
    """A command ends with this exit code, and with this message on stderr. `details` are for `--json`."""

    def __init__(self, exit_code: Exit, message: str, details: JsonMap | None = None) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        self.details = details or {}


class ApiProblem(TenutoError):  # noqa: N818 - the word of RFC 9457
    """The Conductor answered with a problem document."""

    def __init__(self, document: JsonMap, request: str = "") -> None:
        """`request` is the id of the request that was refused."""
        super().__init__(str(document.get("detail") or document.get("title") or "The Conductor refused the request."))
        self.document = document
        self.request = request
        self.code = str(document.get("code", ""))


class UnreachableError(TenutoError):
    """A failure to reach the Conductor: there is none at the URL, or it does not answer."""
