"""The cloud without sockets: a botocore session whose every client talks to it in the same process.

botocore builds, signs and parses as ever; only the sending is left out, by its own `before-send` event. A failure of
the network raises the same errors as urllib3's, so that the handler cannot tell the difference.
"""

from io import BytesIO
from typing import Any, Protocol
from urllib.parse import urlsplit

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError

from tenuto.ports.clock import Clock
from tenuto_testing.cloud.cloud import Reply
from tenuto_testing.cloud.sessions import ClosedSession
from tenuto_testing.cloud.wire.messages import HttpAnswer, HttpRequest


class Answering(Protocol):
    """A cloud, or something around one."""

    clock: Clock

    def handle(self, request: HttpRequest) -> Reply: ...


class InProcessSession(ClosedSession):
    """A session in front of a cloud in this process. `timeout_s` is how slow an answer may be."""

    def __init__(self, cloud: Answering, *, access_key: str = "test", timeout_s: float = 30.0) -> None:
        super().__init__(access_key)
        self._cloud = cloud
        self._timeout_s = timeout_s

    def create_client(self, service_name: str, region_name: str | None = None, **options: Any) -> Any:
        given = options.pop("config", None) or Config()
        if service_name == "s3":
            given = given.merge(Config(s3={"addressing_style": "path"}))
        client = super().create_client(service_name, region_name, config=given, **options)
        client.meta.events.register("before-send", self._send)
        return client

    def _send(self, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        reply = self._cloud.handle(plain(request))
        if reply.answer is None:
            raise ConnectionClosedError(endpoint_url=request.url)
        if reply.delay_s:
            self._cloud.clock.sleep(min(reply.delay_s, self._timeout_s))
            if reply.delay_s > self._timeout_s:
                raise ReadTimeoutError(endpoint_url=request.url)
        if reply.is_cut:
            raise ConnectionClosedError(endpoint_url=request.url)
        return answered(request.url, reply.answer, is_head=request.method == "HEAD")


def plain(request: AWSPreparedRequest) -> HttpRequest:
    """A request of the SDK as a value."""
    parts = urlsplit(request.url)
    body = request.body or b""
    if hasattr(body, "read"):
        body = body.read()
    headers = {
        str(name).lower(): value.decode() if isinstance(value, bytes) else str(value)
        for name, value in request.headers.items()
    }
    return HttpRequest(
        method=request.method,
        target=f"{parts.path}?{parts.query}" if parts.query else parts.path,
        headers=headers,
        body=body.encode() if isinstance(body, str) else bytes(body),
    )


class _Raw(BytesIO):
    """A body that can be read like one of urllib3."""

    def stream(self, **_: Any) -> Any:
        content = self.read()
        while content:
            yield content
            content = self.read()


def answered(url: str, answer: HttpAnswer, *, is_head: bool) -> AWSResponse:
    """An answer as the SDK takes it from the network."""
    return AWSResponse(url, answer.status, dict(answer.headers), _Raw(b"" if is_head else answer.body))
