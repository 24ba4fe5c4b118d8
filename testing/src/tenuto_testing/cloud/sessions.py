"""A botocore session that sees nothing of this machine's AWS settings.

No credentials, profile, endpoint or proxy of the user who runs a test can make it touch a real account.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from botocore.config import Config
from botocore.loaders import Loader
from botocore.session import Session

_CLOSED: Mapping[str, tuple[str | None, None, Any, None]] = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
    "ca_bundle": (None, None, None, None),
}
"""Settings of the SDK that come neither from the environment nor from files: name, variable, default, converter."""


@lru_cache(maxsize=1)
def models() -> Loader:
    """botocore's service models, read once for all sessions: EC2's alone take a third of a second."""
    return Loader()


@lru_cache(maxsize=1)
def published_models() -> Loader:
    """The same models as they are published. When a client of S3 is made, the SDK takes the bucket out of the paths of
    the model that the client was made of, and a server that reads requests by that model would know none of them."""
    return Loader()


class ClosedSession(Session):  # type: ignore[misc] # botocore has no types
    """A session with made-up credentials. Without an endpoint, a derived class must keep it from sending."""

    def __init__(self, access_key: str = "test", endpoint: str | None = None) -> None:
        super().__init__(session_vars=dict(_CLOSED))
        self.register_component("data_loader", models())
        self._endpoint = endpoint
        self.set_credentials(access_key, "test")

    def create_client(self, service_name: str, region_name: str | None = None, **options: Any) -> Any:
        given = options.pop("config", None) or Config()
        if self._endpoint:
            options["endpoint_url"] = self._endpoint
        config = given.merge(Config(proxies={}, ignore_configured_endpoint_urls=True))
        return super().create_client(service_name, region_name, config=config, **options)
