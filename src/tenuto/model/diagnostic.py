"""A problem in the input of a user: collected, not thrown one by one (DECISIONS 29)."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Position:
    """A place in a file. Lines and columns start at 1; `length` is how many characters to underline."""

    file: str
    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One problem.

    `code` is stable (`T` and three digits; `P` in policies, `A` in the audit). `summary` is fixed text without names,
    so that people learn to recognise it. `detail` is full sentences: the fault and its reason. `hint` says what to do.
    `subject` names the thing (a logical id, a path such as `Resources.Vpc.Properties.CidrBlock`). `source_line` is the
    text at `position`.
    """

    severity: Severity
    code: str
    summary: str
    detail: str
    subject: str = ""
    hint: str = ""
    position: Position | None = None
    source_line: str = ""
    rule: str = ""
    """The name of the validation that says so; empty for a diagnostic of the compiler itself."""
