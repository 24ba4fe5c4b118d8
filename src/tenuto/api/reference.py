"""The reference page of the API, made from the table of routes.

`python -m tenuto.api.reference > docs/reference/api.md` writes it; a test compares it.
"""

import sys
from collections.abc import Iterator

from tenuto.api.routes import ROUTES


def reference_page() -> str:
    """docs/reference/api.md."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# HTTP API"
    yield ""
    yield "The command line is a client of this API; everything it does can be done here. The Conductor serves it on"
    yield "`TENUTO_LISTEN` (default `127.0.0.1:8686`). `GET /v1/openapi.json` is the same as this page for programs."
    yield ""
    yield "* Every request except `GET /healthz` needs `Authorization: Bearer SECRET`. The owner's secret is in the"
    yield "  credentials file that the Conductor wrote at its first start. Users have"
    yield "  [their own](../guide/users-and-policy.md), and may make the requests whose command the policy grants them."
    yield "* Bodies are JSON objects (`Content-Type: application/json`, at most 8 MiB); fields that are not listed are"
    yield "  refused. `{process}` is an alias or a FID."
    yield "* Errors are problem documents (RFC 9457, `application/problem+json`) with a stable `code`:"
    yield "  `compile` (422, with `diagnostics`), `not-found` (404), `not-allowed` and `conflict` (409), `permission`"
    yield "  (401, 403), `user` (400), `provider-unavailable` and `store-unavailable` (503), `provider-refused` (502),"
    yield "  `bug` (500, with the `incident` that the Conductor's log explains)."
    yield "* `GET /v1/events?follow=true` answers with server-sent events; `id` is the number of the event, and"
    yield "  `Last-Event-ID` (or `after`) goes on behind it."
    yield "* The head of a request has 10 seconds, and 30 seconds may pass between two bytes of a body; then the"
    yield "  connection is closed. Answers take the time they need"
    yield "  ([connections](../guide/configuration.md#connections-to-the-api))."
    for route in ROUTES:
        yield ""
        yield f"## `{route.method} {route.path}`"
        yield ""
        yield f"{route.summary} {route.needs}"
        for title, fields in (("Query", route.query), ("Body", route.body)):
            if fields:
                yield ""
                yield f"{title}:"
                yield ""
                for one in fields:
                    yield f"* `{one.name}` ({one.kind}{', required' if one.is_required else ''}): {one.summary}"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
