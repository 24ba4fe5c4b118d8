"""Events as a stream of server-sent events.

The stream reads the store again and again after the last number that it sent: a reader that reconnects with
`Last-Event-ID` misses no event, of any writer. A comment now and then keeps proxies from closing a quiet line.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import structlog
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tenuto.api.handlers import history_handlers
from tenuto.api.requests.calls import MAXIMUM_EVENTS, Call
from tenuto.api.requests.problems import problem_response
from tenuto.errors import TenutoError
from tenuto.kit.well_formed import well_formed
from tenuto.model.ids import JsonMap

POLL_S = 1.0
"""Seconds between two reads of events. One indexed read per reader; lower it when the store can notify."""

QUIET_POLLS = 15
"""The number of reads without an event before a comment is sent: well under the minute after which proxies give up."""

_log = structlog.get_logger("tenuto.api")


class HeldStream(StreamingResponse):
    """A stream that counts until it is over. `end` is called once, also where nothing of it was sent."""

    def __init__(self, content: AsyncIterator[str], end: Callable[[], None]) -> None:
        super().__init__(content, media_type="text/event-stream", headers={"Cache-Control": "no-store"})
        self._end = end

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._end()


async def event_stream(call: Call, first: JsonMap, after: int, is_stopping: Callable[[], bool]) -> AsyncIterator[str]:
    """The events of the call, and then new ones, until the reader goes away or the server stops.

    `first` was read already.
    """
    batch, quiet = first["events"], 0
    while not is_stopping():
        for event in batch:
            after = event["number"]
            yield f"id: {after}\nevent: {event['type']}\ndata: {well_formed(json.dumps(event, ensure_ascii=False))}\n\n"
        quiet = 0 if batch else quiet + 1
        if quiet >= QUIET_POLLS:
            quiet = 0
            yield ": still here\n\n"
        await asyncio.sleep(POLL_S)
        values = {**call.query.values, "after": after, "limit": MAXIMUM_EVENTS}
        later = replace(call, query=replace(call.query, values=values))
        try:
            batch = (await run_in_threadpool(history_handlers.events, later))["events"]
        except TenutoError as failed:
            _log.warning("api.stream_ended", reason=str(failed))
            yield f"event: problem\ndata: {bytes(problem_response(failed).body).decode()}\n\n"
            return
