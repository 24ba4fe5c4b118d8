"""Keys and private networks of connections, which moto's connections do not have; changes and logs of event buses."""

import json
from collections.abc import Callable
from typing import Any

from moto.events.models import Connection
from moto.events.responses import EventsHandler

from tenuto.bootstrap.emulated.added import added

_MORE = ("KmsKeyIdentifier", "InvocationConnectivityParameters")
_OF_BUSES = {
    "DeadLetterConfig": "dead_letter_config",
    "Description": "description",
    "KmsKeyIdentifier": "kms_key_identifier",
    "LogConfig": "tenuto_log_config",
}
_describe = Connection.describe
_create_bus: Any = EventsHandler.create_event_bus
_describe_bus: Any = EventsHandler.describe_event_bus


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


def _created_bus(self: Any) -> Any:
    answer = _create_bus(self)
    bus = self.events_backend.describe_event_bus(self._get_param("Name"))
    bus.tenuto_log_config = self._get_param("LogConfig")
    return answer


def _described_bus(self: Any) -> Any:
    shown, headers = _describe_bus(self)
    bus = self.events_backend.describe_event_bus(self._get_param("Name"))
    logs = getattr(bus, "tenuto_log_config", None)
    return json.dumps({**json.loads(shown), **({"LogConfig": logs} if logs else {})}), headers


def _update_bus(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """The change of a bus, which keeps the properties that the call does not name."""
    bus = self.events_backend.describe_event_bus(sent["Name"])
    for name, attribute in _OF_BUSES.items():
        if name in sent:
            setattr(bus, attribute, sent[name])
    return {"Arn": bus.arn, "Name": bus.name}


def add() -> None:
    """Add them to moto, in this process."""
    added(EventsHandler, update_event_bus=_update_bus)
    setattr(EventsHandler, "create_event_bus", _created_bus)  # noqa: B010
    setattr(EventsHandler, "describe_event_bus", _described_bus)  # noqa: B010
    Connection.describe = _described  # type: ignore[method-assign]
    for name in ("create_connection", "update_connection"):
        setattr(EventsHandler, name, _keeping(getattr(EventsHandler, name)))
