"""The state of an object that fails.

A type whose clean-up takes time has a state of its own for it, `s-error` for a failure in `s`: the object goes there at
once, and to `error` when the clean-up has run. The other types go straight to `error` (DECISIONS 13).
"""

from tenuto.errors import BugError
from tenuto.lifecycles.table import Lifecycle

ERROR = "error"


def error_state_of(lifecycle: Lifecycle, state: str) -> str:
    """The state for a failure in `state`. Raises BugError when the type knows no error."""
    for candidate in (f"{state}-{ERROR}", ERROR):
        if candidate in lifecycle.errors:
            return candidate
    raise BugError(f"lifecycle {lifecycle.name} has no error state; it cannot fail in {state}")
