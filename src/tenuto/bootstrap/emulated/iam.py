"""The audiences of providers of OpenID Connect, and numbers in conditions of policies.

Moto keeps the audiences of the creation, and has no calls that change them. It refuses a condition with a plain number;
the grammar of policies has texts, numbers and booleans.
"""

from typing import Any

from moto.core.responses import EmptyResult
from moto.iam.policy_validation import IAMPolicyDocumentValidator
from moto.iam.responses import IamResponse

_check: Any = IAMPolicyDocumentValidator._validate_condition_syntax


def _clients(self: Any) -> list[str]:
    clients: list[str] = self.backend.get_open_id_connect_provider(
        self._get_param("OpenIDConnectProviderArn")
    ).client_id_list
    return clients


def _put(self: Any) -> EmptyResult:
    clients, client = _clients(self), self._get_param("ClientID")
    clients += [client] if client not in clients else []
    return EmptyResult()


def _take_out(self: Any) -> EmptyResult:
    clients, client = _clients(self), self._get_param("ClientID")
    clients[:] = [one for one in clients if one != client]
    return EmptyResult()


def _check_condition(statement: dict[str, Any]) -> None:
    condition = statement.get("Condition")
    if isinstance(condition, dict):
        condition = {name: _as_texts(one) if isinstance(one, dict) else one for name, one in condition.items()}
        statement = {**statement, "Condition": condition}
    _check(statement)


def _as_texts(keys: dict[str, Any]) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, int | float) else value for key, value in keys.items()}


def add() -> None:
    """Add the calls, and take the numbers."""
    setattr(IAMPolicyDocumentValidator, "_validate_condition_syntax", staticmethod(_check_condition))  # noqa: B010
    setattr(IamResponse, "add_client_id_to_open_id_connect_provider", _put)  # noqa: B010
    setattr(IamResponse, "remove_client_id_from_open_id_connect_provider", _take_out)  # noqa: B010
