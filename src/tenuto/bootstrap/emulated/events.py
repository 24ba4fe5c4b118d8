"""Keys and private networks of connections, which moto's connections do not have."""

from typing import Any

from moto.events.models import Connection
from moto.events.responses import EventsHandler

_MORE = ("KmsKeyIdentifier", "InvocationConnectivityParameters")
_describe = Connection.describe
_create = EventsHandler.create_connection
_update = EventsHandler.update_connection


def _kept(self: Any) -> None:
    one = self.events_backend.connections[self._get_param("Name")]
    more = {name: value for name in _MORE if (value := self._get_param(name)) is not None}
    vars(one).setdefault("tenuto_more", {}).update(more)


def _created(self: Any) -> tuple[str, dict[str, Any]]:
    answer = _create(self)
    _kept(self)
    return answer


def _updated(self: Any) -> tuple[str, dict[str, Any]]:
    answer = _update(self)
    _kept(self)
    return answer


def _described(self: Connection) -> dict[str, Any]:
    return {**_describe(self), **vars(self).get("tenuto_more", {})}


def add() -> None:
    """Add them to moto, in this process."""
    Connection.describe = _described  # type: ignore[method-assign]
    EventsHandler.create_connection = _created  # type: ignore[method-assign]
    EventsHandler.update_connection = _updated  # type: ignore[method-assign]
