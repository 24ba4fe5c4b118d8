"""Event source mappings of aliases and versions: Lambda shows the ARN that was given, moto that of the version."""

from typing import Any

from moto.awslambda.models import EventSourceMapping, LambdaBackend

_GIVEN = "tenuto_qualifier"
_UNQUALIFIED_PARTS = 7
"""The parts of the ARN of a function without a qualifier."""
_create = LambdaBackend.create_event_source_mapping
_get_configuration = EventSourceMapping.get_configuration
_update = LambdaBackend.update_event_source_mapping


def _qualifier(function: str) -> str:
    """The alias or the version in the text that names a function: an ARN, a part of one, or a name."""
    is_arn = function.startswith("arn:")
    return ":".join(function.split(":")[_UNQUALIFIED_PARTS:]) if is_arn else function.partition(":")[2]


def _created(self: Any, spec: dict[str, Any]) -> EventSourceMapping:
    return _kept(_create(self, spec), spec)


def _updated(self: Any, uuid: str, spec: dict[str, Any]) -> EventSourceMapping | None:
    found = _update(self, uuid, spec)
    return found and _kept(found, spec)


def _kept(mapping: EventSourceMapping, spec: dict[str, Any]) -> EventSourceMapping:
    if "FunctionName" in spec:
        vars(mapping)[_GIVEN] = _qualifier(spec["FunctionName"])
    return mapping


def _shown(self: Any) -> dict[str, Any]:
    shown = _get_configuration(self)
    plain = ":".join(shown["FunctionArn"].split(":")[:_UNQUALIFIED_PARTS])
    given = vars(self).get(_GIVEN, "")
    return {**shown, "FunctionArn": f"{plain}:{given}" if given else plain}


def add() -> None:
    """Show them so. The batches that moto sends go to the version, as before."""
    setattr(LambdaBackend, "create_event_source_mapping", _created)  # noqa: B010
    setattr(LambdaBackend, "update_event_source_mapping", _updated)  # noqa: B010
    setattr(EventSourceMapping, "get_configuration", _shown)  # noqa: B010
