"""Keys and private networks of connections, which moto's connections do not have."""

from collections.abc import Callable
from typing import Any

from moto.events.models import Connection
from moto.events.responses import EventsHandler

_MORE = ("KmsKeyIdentifier", "InvocationConnectivityParameters")
_describe = Connection.describe


def _keeping(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The creation or the change, of which these are kept."""

    def act(self: Any) -> Any:
        answer = call(self)
        one = self.events_backend.connections[self._get_param("Name")]
        more = {name: value for name in _MORE if (value := self._get_param(name)) is not None}
        vars(one).setdefault("tenuto_more", {}).update(more)
        return answer

    return act


def _described(self: Connection) -> dict[str, Any]:
    return {**_describe(self), **vars(self).get("tenuto_more", {})}


def add() -> None:
    """Add them to moto, in this process."""
    Connection.describe = _described  # type: ignore[method-assign]
    for name in ("create_connection", "update_connection"):
        setattr(EventsHandler, name, _keeping(getattr(EventsHandler, name)))
