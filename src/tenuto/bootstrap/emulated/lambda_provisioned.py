"""Executions of a version or an alias of a function of Lambda that are kept ready."""

import json
from typing import Any

from moto.awslambda import urls
from moto.awslambda.exceptions import LambdaClientError
from moto.awslambda.responses import LambdaResponse
from moto.core.common_types import TYPE_RESPONSE

from tenuto.bootstrap.emulated.lambda_settings import FUNCTION, kept_of

_PATH = f"{FUNCTION}/provisioned-concurrency/?$"


class _NotFoundError(LambdaClientError):
    code = 404

    def __init__(self) -> None:
        super().__init__("ProvisionedConcurrencyConfigNotFoundException", "No Provisioned Concurrency Config found")


def _kept(self: Any) -> tuple[dict[str, dict[str, Any]], str]:
    """The settings of a function, by version and alias, and the qualifier that is asked for."""
    return kept_of(self, "provisioned"), (self.querystring.get("Qualifier") or [""])[0]


def _put(self: Any) -> TYPE_RESPONSE:
    kept, name = _kept(self)
    number = json.loads(self.body)["ProvisionedConcurrentExecutions"]
    kept[name] = {
        **{f"{one}ProvisionedConcurrentExecutions": number for one in ("Requested", "Allocated", "Available")},
        "Status": "READY",
    }
    return 202, {}, json.dumps(kept[name])


def _get(self: Any) -> TYPE_RESPONSE:
    kept, name = _kept(self)
    if name not in kept:
        raise _NotFoundError
    return 200, {}, json.dumps(kept[name])


def _delete(self: Any) -> TYPE_RESPONSE:
    kept, name = _kept(self)
    kept.pop(name, None)
    return 204, {}, ""


def add() -> None:
    """Add the calls."""
    urls.url_paths[_PATH] = LambdaResponse.dispatch
    for word, call in (("put", _put), ("get", _get), ("delete", _delete)):
        setattr(LambdaResponse, f"{word}_provisioned_concurrency_config", call)
