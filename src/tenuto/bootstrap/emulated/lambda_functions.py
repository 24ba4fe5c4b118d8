"""Facts of functions of Lambda that moto loses: settings, conditions of permissions, one asynchronous setting.

It forgets some settings when a function is made, and more when it is changed. It keeps a condition beside the statement
of the policy instead of in it. Of a function it knows one setting of asynchronous calls, where each version and each
alias has its own.
"""

from typing import Any
from urllib.parse import unquote

from moto.awslambda.exceptions import UnknownEventConfig
from moto.awslambda.models import EventInvokeConfig, LambdaFunction
from moto.awslambda.policy import Policy
from moto.awslambda.responses import LambdaResponse
from moto.core.responses import ActionResult

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
_ASKED, _LATEST = "/event-invoke-config", "$LATEST"
_decode_policy = Policy.decode_policy
_init = LambdaFunction.__init__
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
    """A setting as it is shown. Lambda completes the members of logging, and says whether a start is optimised."""
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


def _configurations(self: Any, ending: str) -> tuple[Any, dict[str, Any]]:
    """The function that an address with this ending is about, and its settings of asynchronous calls, by qualifier."""
    name = unquote(self.path.rpartition("/functions/")[2].removesuffix(ending))
    found = self.backend.get_function(name)
    return found, vars(found).setdefault("tenuto_configurations", {})


def _configure(self: Any) -> ActionResult:
    found, kept = _configurations(self, _ASKED)
    qualifier = self._get_param("Qualifier") or _LATEST
    arn = f"{found.function_arn.removesuffix(f':{found.version}')}:{qualifier}"
    kept[qualifier] = EventInvokeConfig(arn, found.last_modified, self.json_body)
    return ActionResult(kept[qualifier].response())


def _configuration(self: Any) -> ActionResult:
    found, kept = _configurations(self, _ASKED)
    qualifier = self._get_param("Qualifier") or _LATEST
    if qualifier not in kept:
        raise UnknownEventConfig(found.function_arn)
    return ActionResult(kept[qualifier].response())


def _unconfigure(self: Any) -> Any:
    _configuration(self)
    _, kept = _configurations(self, _ASKED)
    del kept[self._get_param("Qualifier") or _LATEST]
    return 204, {"status": 204}, "{}"


def _every_configuration(self: Any) -> ActionResult:
    _, kept = _configurations(self, f"{_ASKED}/list")
    return ActionResult({"FunctionEventInvokeConfigs": [one.response() for one in kept.values()]})


def add() -> None:
    """Keep them."""
    Policy.decode_policy = _decoded  # type: ignore[method-assign, assignment]
    setattr(LambdaFunction, "__init__", _made)  # noqa: B010
    LambdaFunction.get_configuration = _shown  # type: ignore[method-assign]
    LambdaFunction.update_configuration = _changed  # type: ignore[method-assign]
    for name, call in (
        ("put_function_event_invoke_config", _configure),
        ("update_function_event_invoke_config", _configure),
        ("get_function_event_invoke_config", _configuration),
        ("delete_function_event_invoke_config", _unconfigure),
        ("list_function_event_invoke_configs", _every_configuration),
    ):
        setattr(LambdaResponse, name, call)
