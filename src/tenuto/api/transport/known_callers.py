"""The mark of a request whose caller has proved who they are. Connections with a mark keep their place and their time.

The server hands the application a scope of the request, and middlewares may copy it; its `state` is the same in every
copy, so the mark is there.
"""

from collections.abc import Mapping, MutableMapping
from typing import Any

_MARK = "tenuto.known"


def mark_known(scope: MutableMapping[str, Any]) -> None:
    """Mark the request: its caller has a valid secret."""
    scope.setdefault("state", {})[_MARK] = True


def is_known(scope: Mapping[str, object]) -> bool:
    """Whether the caller of the request has a valid secret, as far as the application has looked by now."""
    state = scope.get("state")
    return isinstance(state, dict) and bool(state.get(_MARK))
