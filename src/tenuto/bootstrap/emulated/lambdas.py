"""The question of Lambda after a version of a layer by its ARN, and its one configuration of asynchronous calls.

Moto answers the question with the list of all layers, and keeps each configuration beside the first.
"""

import json
from typing import Any

from moto.awslambda.models import LambdaBackend
from moto.awslambda.responses import LambdaResponse

_put_config = LambdaBackend.put_function_event_invoke_config
_list_layers = LambdaResponse.list_layers


def _by_arn(self: Any) -> str:
    arn = (self.querystring.get("Arn") or [""])[0]
    if not arn:
        return _list_layers(self)
    *_, name, number = arn.split(":")
    return json.dumps(self.backend.get_layer_version(name, number).get_layer_version())


def _configure(self: Any, function_name: str, config: dict[str, Any]) -> Any:
    self.get_function(function_name).event_invoke_config.clear()
    return _put_config(self, function_name, config)


def add() -> None:
    """Add the calls."""
    setattr(LambdaBackend, "put_function_event_invoke_config", _configure)  # noqa: B010
    LambdaResponse.list_layers = _by_arn  # type: ignore[method-assign]
    setattr(LambdaResponse, "get_layer_version_by_arn", _by_arn)  # noqa: B010
