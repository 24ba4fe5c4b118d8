"""Optimistic writes of requests: read, decide, commit, and all of that again when another write was faster.

Theory of operation. No request holds a lock of the store. It commits what it decided together with the generations that
it read; a store that holds others by then refuses the whole commit with ConflictError. The decision may be another one
now, so the function starts from its first line. Other writers are jobs, phases and people: to lose ten times in a row
needs a fault, and then the caller gets the ConflictError.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from tenuto.errors import ConflictError

_Given = ParamSpec("_Given")
_Kept = TypeVar("_Kept")
_ATTEMPTS = 10


def until_stored(attempt: Callable[_Given, _Kept]) -> Callable[_Given, _Kept]:
    """The function that repeats `attempt` with the same arguments until no ConflictError ends it. All that an attempt
    does before its commit must be free of effects. Raises the ConflictError of the last attempt."""

    @wraps(attempt)
    def repeated(*args: _Given.args, **named: _Given.kwargs) -> _Kept:
        for _ in range(_ATTEMPTS - 1):
            try:
                return attempt(*args, **named)
            except ConflictError:
                continue
        return attempt(*args, **named)

    return repeated
