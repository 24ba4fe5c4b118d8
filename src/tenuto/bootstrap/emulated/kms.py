"""The days between two rotations of a key, which moto does not keep."""

import json
from typing import Any

from moto.kms.responses import KmsResponse

_enable = KmsResponse.enable_key_rotation
_status = KmsResponse.get_key_rotation_status
_DAYS = 365
"""The days of a key that was given none."""


def _key(self: Any) -> Any:
    return self.kms_backend.describe_key(self._get_param("KeyId"))


def _enable_for(self: Any) -> str:
    answer = _enable(self)
    _key(self).rotation_days = self._get_param("RotationPeriodInDays") or _DAYS
    return answer


def _shown(self: Any) -> str:
    found = json.loads(_status(self))
    days = {"RotationPeriodInDays": getattr(_key(self), "rotation_days", _DAYS)} if found["KeyRotationEnabled"] else {}
    return json.dumps({**found, **days})


def add() -> None:
    """Add them to the calls."""
    for name, call in (("enable_key_rotation", _enable_for), ("get_key_rotation_status", _shown)):
        setattr(KmsResponse, name, call)
