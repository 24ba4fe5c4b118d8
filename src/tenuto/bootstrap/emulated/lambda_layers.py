"""The question of Lambda after a version of a layer by its ARN, which moto answers with the list of all layers."""

import json
from typing import Any

from moto.awslambda.responses import LambdaResponse

_list_layers = LambdaResponse.list_layers


def _by_arn(self: Any) -> str:
    arn = (self.querystring.get("Arn") or [""])[0]
    if not arn:
        return _list_layers(self)
    *_, name, number = arn.split(":")
    return json.dumps(self.backend.get_layer_version(name, number).get_layer_version())


def add() -> None:
    """Add the calls."""
    LambdaResponse.list_layers = _by_arn  # type: ignore[method-assign]
    setattr(LambdaResponse, "get_layer_version_by_arn", _by_arn)  # noqa: B010
