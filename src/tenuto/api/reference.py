"""The reference page of the API, made from the table of routes.

`python -m tenuto.api.reference > docs/reference/api.md` writes it; a test compares it.
"""

import sys
from collections.abc import Iterator

from tenuto.api.answers.plans import PLAN
from tenuto.api.answers.words import PLACE
from tenuto.api.openapi import answer_schemas
from tenuto.api.routes.every import ROUTES
from tenuto.api.transport.bodies import (
    BYTES,
    FREE_VALUES,
    LEAST_CHARACTERS,
    MAXIMUM_BODY_BYTES,
    MAXIMUM_COMPOSITION_BODY_BYTES,
    PATIENCE_S,
    ROOM_BYTES,
    SMALL_BODY_BYTES,
    WAIT_FOR_ROOM_S,
)
from tenuto.model.ids import JsonMap


def reference_page() -> str:
    """Return the page docs/reference/api.md."""
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
    yield "* Bodies are JSON objects (`Content-Type: application/json`); fields that are not listed are refused."
    yield "  `{process}` is an alias or a FID. A parameter of a query is given once; a list may be repeated."
    yield '  Half of a surrogate pair (`"\\ud800"`) in a text or a name is refused with its place (400, `user`).'
    largest, composition = _mib(MAXIMUM_BODY_BYTES), _mib(MAXIMUM_COMPOSITION_BODY_BYTES)
    yield f"* A body has at most {largest}, or {composition} where it holds a composition or a plan (413, `too-large`)."
    yield f"  Beyond {FREE_VALUES:,} values it has at least {LEAST_CHARACTERS} characters for each on average."
    yield f"  Bodies of more than {SMALL_BODY_BYTES // 1024} KiB are read only for callers whom a grant could allow the"
    yield f"  request, and have {_mib(ROOM_BYTES)} together at one time: others wait, and get 503, `busy`, with"
    yield f"  `Retry-After`, after {WAIT_FOR_ROOM_S:g} seconds. Give the length of a body (`Content-Length`):"
    yield "  one without it takes the room of the largest. A large body that is not complete after"
    yield f"  {PATIENCE_S:g} seconds gives way when another one waits (408, `slow`)."
    yield "* Errors are problem documents (RFC 9457, `application/problem+json`) with a stable `code`:"
    yield "  `compile` (422, with `diagnostics`), `not-found` (404), `not-allowed` and `conflict` (409), `permission`"
    yield "  (401, 403), `user` (400), `provider-unavailable` and `store-unavailable` (503), `provider-refused` (502),"
    yield "  `stopping` (503: the Conductor stopped, and the request may be carried out or not), `bug` (500, with the"
    yield "  `incident` that the Conductor's log explains)."
    yield "* One caller may ask so much and no more (429, `too-many`, with the name of the `limit`, `retry_after_s` and"
    yield "  `Retry-After`; [limits of callers](../guide/limits.md)). Nothing was done: wait, then send it again."
    yield "* `GET /v1/events?follow=true` answers with server-sent events; `id` is the number of the event, and"
    yield "  `Last-Event-ID` (or `after`) goes on behind it."
    yield "* The head of a request has 10 seconds, and 30 seconds may pass between two bytes of a body, or"
    yield "  in all without a valid secret; then the connection is closed. Answers take the time they need"
    yield "  ([connections](../guide/configuration.md#connections-to-the-api))."
    for route in ROUTES:
        yield ""
        yield f"## `{route.method} {route.path}`"
        yield ""
        yield f"{route.summary} {route.needs}"
        if route.takes_bytes:
            yield ""
            yield f"The body is bytes (`{BYTES}`)."
        if route.sends_file:
            yield ""
            yield f"The answer is bytes (`{BYTES}`), as a whole or the range that `Range` asks for."
        for title, fields in (("Query", route.query), ("Body", route.body)):
            if fields:
                yield ""
                yield f"{title}:"
                yield ""
                for one in fields:
                    yield f"* `{one.name}` ({one.kind}{', required' if one.is_required else ''}): {one.summary}"
        if route.answer is not None:
            rehearsal = f"; to a dry run {_link(PLAN.name)}" if route.has_dry_run else ""
            yield ""
            yield f"Answer: {_link(route.answer.name)}{rehearsal}"
    yield from _documents()


def _documents() -> Iterator[str]:
    schemas = answer_schemas()
    yield ""
    yield "## Documents"
    yield ""
    yield "The answers of this API. Their JSON schemas are in `GET /v1/openapi.json`, which `tenuto schema api` prints."
    yield "A document has exactly the members that are listed: those that are marked optional may be missing, every"
    yield "other one is always there, and null where its kind says so. Times are texts in ISO 8601, in UTC. A program"
    yield "should pass over members that it does not know, since later versions of Tenuto may have more."
    for name, schema in schemas.items():
        yield ""
        yield f"### {name}"
        yield ""
        yield str(schema["description"])
        yield ""
        for member, shape in schema["properties"].items():
            is_optional = member not in schema["required"]
            yield f"* `{member}` ({_kind(shape)}{', optional' if is_optional else ''}){_about(shape)}"


def _about(shape: JsonMap) -> str:
    about = shape.get("description", "")
    words = f": {about}" if about else ""
    values = [f"`{one}`" for one in shape.get("enum", ()) if one is not None]
    values += [f"`{one}`" for one in shape.get("items", {}).get("enum", ())]
    return f"{words}: {', '.join(values)}" if values else words


def _kind(shape: JsonMap) -> str:
    """The kind of a value in words, with a link to the document that it is."""
    if "$ref" in shape:
        return _link(str(shape["$ref"]).removeprefix(PLACE))
    if "anyOf" in shape:
        return " or ".join(_kind(one) for one in shape["anyOf"])
    kinds = shape.get("type", "any value")
    if isinstance(kinds, list):
        return " or ".join(_kind({**shape, "type": one}) for one in kinds)
    if kinds == "array":
        return f"array of {_kind(shape['items'])}"
    more = shape.get("additionalProperties")
    return f"{kinds} of {_kind(more)}" if isinstance(more, dict) else str(kinds)


def _link(name: str) -> str:
    return f"[{name}](#{name.lower()})"


def _mib(size: int) -> str:
    return f"{size // 1024**2} MiB"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
