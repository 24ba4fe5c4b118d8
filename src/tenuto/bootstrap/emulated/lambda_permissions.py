"""Conditions of permissions of Lambda functions that moto keeps beside the statement instead of in it."""

from typing import Any

from moto.awslambda.policy import Policy

_CONDITIONS = {
    "EventSourceToken": ("StringEquals", "lambda:EventSourceToken"),
    "FunctionUrlAuthType": ("StringEquals", "lambda:FunctionUrlAuthType"),
    "InvokedViaFunctionUrl": ("Bool", "lambda:InvokedViaFunctionUrl"),
}
_decode_policy = Policy.decode_policy


def _decoded(self: Policy, asked: dict[str, Any]) -> Policy:
    given = {name: asked.pop(name) for name in _CONDITIONS if name in asked}
    policy = _decode_policy(self, asked)
    for name, value in given.items():
        operator, key = _CONDITIONS[name]
        told = str(value).lower() if isinstance(value, bool) else value
        policy.statements[-1].setdefault("Condition", {}).setdefault(operator, {})[key] = told
    return policy


def add() -> None:
    """Keep them in the statement."""
    Policy.decode_policy = _decoded  # type: ignore[method-assign, assignment]
