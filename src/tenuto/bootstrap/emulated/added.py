"""The way for a service of moto to get more calls."""

import json
from collections.abc import Callable
from typing import Any

Action = Callable[[Any, dict[str, Any]], dict[str, Any]]
"""A call: of moto's response object (which knows the account and the region) and of the parameters that were sent, to
the answer."""


def added(response: type, **actions: Action) -> None:
    """Serve more calls of a service that speaks JSON; the names are moto's own, in small letters."""
    for name, action in actions.items():
        setattr(response, name, _served(action))


def _served(action: Action) -> Callable[[Any], str]:
    return lambda self: json.dumps(action(self, json.loads(self.body or b"{}")))
