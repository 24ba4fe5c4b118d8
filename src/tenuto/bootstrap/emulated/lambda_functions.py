"""Facts of functions of Lambda that moto loses: settings, conditions of permissions, one asynchronous setting.

It forgets some settings when a function is made, and more when it is changed. It keeps a condition beside the statement
of the policy instead of in it, and each setting of asynchronous calls beside the one before.
"""

from typing import Any

from moto.awslambda.models import LambdaBackend, LambdaFunction
from moto.awslambda.policy import Policy

_CONDITIONS = {
    "EventSourceToken": ("StringEquals", "lambda:EventSourceToken"),
    "FunctionUrlAuthType": ("StringEquals", "lambda:FunctionUrlAuthType"),
    "InvokedViaFunctionUrl": ("Bool", "lambda:InvokedViaFunctionUrl"),
}
_KEPT = "tenuto_settings"
_SETTINGS = (
    "DeadLetterConfig",
    "DurableConfig",
    "EphemeralStorage",
    "FileSystemConfigs",
    "ImageConfig",
    "KMSKeyArn",
    "LoggingConfig",
    "SnapStart",
    "TracingConfig",
)
_EMPTY = {"DeadLetterConfig": {"TargetArn": ""}}
"""A declaration that takes a setting away, beside one of nothing."""
_decode_policy = Policy.decode_policy
_init = LambdaFunction.__init__
_put_config = LambdaBackend.put_function_event_invoke_config
_get_configuration = LambdaFunction.get_configuration
_update_configuration = LambdaFunction.update_configuration


def _decoded(self: Policy, asked: dict[str, Any]) -> Policy:
    given = {name: asked.pop(name) for name in _CONDITIONS if name in asked}
    policy = _decode_policy(self, asked)
    for name, value in given.items():
        operator, key = _CONDITIONS[name]
        told = str(value).lower() if isinstance(value, bool) else value
        policy.statements[-1].setdefault("Condition", {}).setdefault(operator, {})[key] = told
    return policy


def _made(self: Any, *given: Any, **more: Any) -> None:
    _init(self, *given, **more)
    spec = more.get("spec") or next((one for one in given if isinstance(one, dict)), {})
    _keep(self, spec)


def _keep(self: Any, given: dict[str, Any]) -> None:
    vars(self)[_KEPT] = {**vars(self).get(_KEPT, {}), **{one: given[one] for one in _SETTINGS if one in given}}


def _told(self: Any, name: str, value: Any) -> dict[str, Any]:
    """A setting as it is shown. Lambda completes what it is given of logging, and says whether a start is optimised."""
    if not value or value == _EMPTY.get(name):
        return {name: None}
    if name == "LoggingConfig":
        return {name: {"LogFormat": "Text", "LogGroup": f"/aws/lambda/{self.function_name}", **value}}
    if name == "SnapStart":
        return {name: {"OptimizationStatus": "Off", **value}}
    return {"ImageConfigResponse": {name: value}} if name == "ImageConfig" else {name: value}


def _shown(self: Any, on_create: bool = False) -> dict[str, Any]:
    shown = _get_configuration(self, on_create)
    for name, value in vars(self).get(_KEPT, {}).items():
        shown |= _told(self, name, value)
    return {name: value for name, value in shown.items() if value is not None}


def _changed(self: Any, config_updates: dict[str, Any]) -> dict[str, Any]:
    _keep(self, config_updates)
    _update_configuration(self, config_updates)
    return _shown(self)


def _configure(self: Any, function_name: str, config: dict[str, Any]) -> Any:
    self.get_function(function_name).event_invoke_config.clear()
    return _put_config(self, function_name, config)


def add() -> None:
    """Keep them."""
    Policy.decode_policy = _decoded  # type: ignore[method-assign, assignment]
    setattr(LambdaFunction, "__init__", _made)  # noqa: B010
    LambdaFunction.get_configuration = _shown  # type: ignore[method-assign]
    LambdaFunction.update_configuration = _changed  # type: ignore[method-assign]
    setattr(LambdaBackend, "put_function_event_invoke_config", _configure)  # noqa: B010
