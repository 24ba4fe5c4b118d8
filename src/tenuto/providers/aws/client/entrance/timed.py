"""The read timeout of a client is one of the whole answer: an answer that comes drop by drop is as lost as one that
never comes.

Theory of operation. To the SDK a read timeout is the longest silence between two pieces of an answer; each piece, be it
one byte, lets it begin anew. An answer could so keep a call for hours, and with it every resource of its bulk call.
Worse, a Conductor must know when its changing calls are over: another one may lead from then on
(`conductor.leading.leadership`). So the file that an answer is read from counts from its first line on, and waits for
each piece no longer than the rest of the time.

The SDK has no setting for it. The one place that sees every byte, of headers too, is where connections make their
answers, and the classes of those belong to each client alone. Rejected: a watch in another thread, which costs one for
each call, and cannot end the reading.
"""

import socket
import time
from functools import partial
from typing import Any

from tenuto.kit.timed_answers import TimedAnswer
from tenuto.providers.aws.client.botocore_internals import pool_classes


def timed(client: Any) -> Any:
    """Limit each answer of the client to its read timeout: one that takes longer is lost."""
    classes = pool_classes(client)
    for scheme, pool in list(classes.items()):
        classes[scheme] = _timed_pool(pool, client.meta.config.read_timeout)
    return client


def _timed_pool(pool: type[Any], answer_s: float) -> type[Any]:
    connection = type(
        "TimedConnection", (pool.ConnectionCls,), {"response_class": staticmethod(partial(_answer, answer_s))}
    )
    return type("TimedPool", (pool,), {"ConnectionCls": connection})


def _answer(answer_s: float, sock: socket.socket, *args: Any, **kwargs: Any) -> TimedAnswer:
    """An answer whose time begins now."""
    end = time.monotonic() + answer_s

    def left() -> float:
        if (left_s := end - time.monotonic()) > 0:
            return left_s
        raise TimeoutError("the answer was not complete in time")

    return TimedAnswer(left, sock, *args, **kwargs)
