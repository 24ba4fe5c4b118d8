"""The frequency at which a recorder of Config records, and the tag that chooses the things of a rule.

Moto keeps neither of them.
"""

from typing import Any

from moto.config.models import ConfigBackend, Scope

_put = ConfigBackend.put_configuration_recorder
_make_scope: Any = Scope.__init__


def _put_with_mode(self: Any, config_recorder: dict[str, Any]) -> None:
    _put(self, config_recorder)
    if "recordingMode" in config_recorder:
        self.recorders[config_recorder["name"]].recording_mode = config_recorder["recordingMode"]


def _scope_with_tags(self: Any, **given: Any) -> None:
    _make_scope(self, **given)
    self.tag_key, self.tag_value = given.get("tag_key"), given.get("tag_value")


def add() -> None:
    """Add it."""
    setattr(Scope, "__init__", _scope_with_tags)  # noqa: B010
    setattr(ConfigBackend, "put_configuration_recorder", _put_with_mode)  # noqa: B010
