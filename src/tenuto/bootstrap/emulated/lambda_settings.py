"""Settings of a function of Lambda that have calls of their own: updates of its runtime, and whether it may loop."""

import json
from typing import Any

from moto.awslambda import urls
from moto.awslambda.responses import LambdaResponse
from moto.core.common_types import TYPE_RESPONSE

FUNCTION = r"{0}/(?P<api_version>[^/]+)/functions/(?P<function_name>[\w_:%-]+)"
"""The path of a function, before that of a setting."""
_CALLS = {
    "runtime_management_config": ("runtime-management-config", {"UpdateRuntimeOn": "Auto"}),
    "function_recursion_config": ("recursion-config", {"RecursiveLoop": "Terminate"}),
}
"""The end of the path of each setting, and its value where it is not set, by the calls' name in moto."""


def kept_of(self: Any, name: str) -> dict[str, dict[str, Any]]:
    """The values that are kept with the function of a request under a name of ours."""
    function = self.backend.get_function(self.path.split("/")[-2])
    kept: dict[str, dict[str, Any]] = vars(function).setdefault(f"tenuto_{name}", {})
    return kept


def _add(name: str, default: dict[str, Any]) -> None:
    def put(self: Any) -> TYPE_RESPONSE:
        kept = kept_of(self, "settings_of_its_own")
        kept[name] = json.loads(self.body)
        return 200, {}, json.dumps(kept[name])

    def get(self: Any) -> TYPE_RESPONSE:
        return 200, {}, json.dumps(kept_of(self, "settings_of_its_own").get(name, default))

    setattr(LambdaResponse, f"put_{name}", put)
    setattr(LambdaResponse, f"get_{name}", get)


def add() -> None:
    """Add the calls."""
    for name, (end, default) in _CALLS.items():
        urls.url_paths[f"{FUNCTION}/{end}/?$"] = LambdaResponse.dispatch
        _add(name, default)
