"""A server of HTTP whose connections are bounded, for the API and for the hosts."""

import asyncio
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from tenuto.api.transport.connections import ConnectionLimits, Connections
from tenuto.api.transport.ending import Ending
from tenuto.api.transport.entrance import Entrance
from tenuto.bootstrap.serving.descriptors import ACCEPTED_AT_ONCE
from tenuto.bootstrap.serving.tls import ServerTls
from tenuto.kit.reach import Networks

API_GRACE_S = 3
"""Seconds that open requests (followers of events) may go on when the Conductor stops."""


def http_server(
    app: ASGIApp, limits: ConnectionLimits, tls: ServerTls | None, trusted_proxies: Networks = ()
) -> uvicorn.Server:
    """The HTTP server. No WebSockets: a connection that becomes one would leave the bounds.

    A request counts as one of the address in `X-Forwarded-For` only where it comes from a trusted proxy. Bounds for
    each address would else be no bounds, and the audit log would tell an address that an attacker wrote.
    """
    connections = Connections(limits)

    def enter(*arguments: Any, **named: Any) -> asyncio.Protocol:
        make = partial(connections.make, *arguments, **named)
        return Entrance(connections, tls, make) if tls else make()

    server = uvicorn.Server(
        uvicorn.Config(
            Ending(app, lambda: server.should_exit),
            http=cast(type[asyncio.Protocol], enter),
            ws="none",
            backlog=ACCEPTED_AT_ONCE,
            timeout_keep_alive=limits.keep_alive_s,
            log_config=None,
            # uvicorn warns of each request that is no HTTP, which needs no secret: its errors alone are logged.
            log_level="error",
            access_log=False,
            timeout_graceful_shutdown=API_GRACE_S,
            lifespan="off",
            # Without these two, uvicorn trusts every program of this machine, or the addresses that a variable names.
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=[str(one) for one in trusted_proxies],
            # The name of the library tells an attacker where to look, and a person nothing.
            server_header=False,
        )
    )
    return server
