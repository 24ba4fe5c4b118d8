"""The audiences of providers of OpenID Connect: moto keeps those of the creation, and has no calls that change them."""

from typing import Any

from moto.core.responses import EmptyResult
from moto.iam.responses import IamResponse


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


def add() -> None:
    """Add the calls."""
    setattr(IamResponse, "add_client_id_to_open_id_connect_provider", _put)  # noqa: B010
    setattr(IamResponse, "remove_client_id_from_open_id_connect_provider", _take_out)  # noqa: B010
