"""Settings of a function of Lambda that have calls of their own: who updates its runtime, and whether it may loop."""

import json
from typing import Any

from moto.awslambda import urls
from moto.awslambda.responses import LambdaResponse
from moto.core.common_types import TYPE_RESPONSE

_FUNCTION = r"{0}/(?P<api_version>[^/]+)/functions/(?P<function_name>[\w_:%-]+)"
_CALLS = {
    "runtime_management_config": ("runtime-management-config", {"UpdateRuntimeOn": "Auto"}),
    "function_recursion_config": ("recursion-config", {"RecursiveLoop": "Terminate"}),
}
"""The end of the path of each setting, and its value where nobody set it, by the calls' name in moto."""


def _kept(self: Any) -> dict[str, dict[str, Any]]:
    function = self.backend.get_function(self.path.split("/")[-2])
    kept: dict[str, dict[str, Any]] = vars(function).setdefault("tenuto_own_settings", {})
    return kept


def _add(name: str, default: dict[str, Any]) -> None:
    def put(self: Any) -> TYPE_RESPONSE:
        kept = _kept(self)
        kept[name] = json.loads(self.body)
        return 200, {}, json.dumps(kept[name])

    def get(self: Any) -> TYPE_RESPONSE:
        return 200, {}, json.dumps(_kept(self).get(name, default))

    setattr(LambdaResponse, f"put_{name}", put)
    setattr(LambdaResponse, f"get_{name}", get)


def add() -> None:
    """Add the calls."""
    for name, (end, default) in _CALLS.items():
        urls.url_paths[f"{_FUNCTION}/{end}/?$"] = LambdaResponse.dispatch
        _add(name, default)
