"""The frequency of records of Config, which moto does not keep."""

from typing import Any

from moto.config.models import ConfigBackend

_put = ConfigBackend.put_configuration_recorder


def _put_with_mode(self: Any, config_recorder: dict[str, Any]) -> None:
    _put(self, config_recorder)
    if "recordingMode" in config_recorder:
        self.recorders[config_recorder["name"]].recording_mode = config_recorder["recordingMode"]


def add() -> None:
    """Add it."""
    setattr(ConfigBackend, "put_configuration_recorder", _put_with_mode)  # noqa: B010
