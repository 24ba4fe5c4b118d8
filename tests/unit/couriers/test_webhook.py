"""A webhook gets one signed POST for each event, and nothing of it goes anywhere else."""

import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tenuto.couriers.webhook import WebhookCourier
from tenuto.errors import PermanentError, ProviderError, TransientError
from tenuto.model.notification import Letter, SinkKind
from tenuto.ports.secrets import place_of_sink
from tenuto.storage.secrets import KeyedSecrets, new_keys
from tenuto.testing.clock import VirtualClock
from tenuto.testing.store_samples import a_sink

KEY = "what-only-the-two-of-us-know"
LETTER = Letter(event_id="7-web", type="job.finished", document={"id": "7-web", "ä": [1, None]}, attempt=2)


class Server(ThreadingHTTPServer):
    """Answers as it is told, and keeps what it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 204
        self.answer = b""
        self.location = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


class Sender:
    def __init__(self) -> None:
        self.secrets = KeyedSecrets(new_keys())
        self.clock = VirtualClock()
        self.courier = WebhookCourier(secrets=self.secrets, clock=self.clock)

    def send(self, url: str) -> None:
        sink = a_sink(
            kind=SinkKind.WEBHOOK,
            place="http://127.0.0.1",
            address=self.secrets.seal(url, place_of_sink("pager", "address")),
            key=self.secrets.seal(KEY, place_of_sink("pager", "key")),
        )
        self.courier.deliver(sink, LETTER)


@pytest.fixture
def sender() -> Sender:
    return Sender()


def test_the_event_arrives_as_json_with_a_signature_that_can_be_checked(server: Server, sender: Sender) -> None:
    sender.send(f"{server.url}/hook?token=1")
    [(path, headers, body)] = server.got
    assert path == "/hook?token=1"
    assert json.loads(body) == LETTER.document
    assert headers["Content-Type"] == "application/json"
    assert (headers["Tenuto-Event-Id"], headers["Tenuto-Event-Type"]) == ("7-web", "job.finished")
    assert headers["Tenuto-Attempt"] == "2"
    moment, _, value = headers["Tenuto-Signature"].partition(",")
    expected = hmac.new(KEY.encode(), f"{moment.removeprefix('t=')}.".encode() + body, hashlib.sha256).hexdigest()
    assert value == f"v1={expected}"
    assert moment == f"t={int(sender.clock.now())}"


def test_the_signature_carries_the_time_of_the_system_clock_also_after_a_step(server: Server, sender: Sender) -> None:
    sender.clock.set_wall(-3600.0)
    sender.send(server.url)
    [(_, headers, _)] = server.got
    assert headers["Tenuto-Signature"].startswith(f"t={int(sender.clock.now()) - 3600},")


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 503])
def test_what_the_receiver_refuses_has_not_arrived(server: Server, sender: Sender, status: int) -> None:
    server.status, server.answer = status, b"not now,\n please " + b"x" * 100_000
    with pytest.raises(TransientError, match=f"answered HTTP {status}: not now, please x") as refused:
        sender.send(server.url)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused_and_not_followed(server: Server, sender: Sender, status: int) -> None:
    server.status, server.location = status, f"{server.url}/elsewhere"
    with pytest.raises(PermanentError, match="redirect"):
        sender.send(f"{server.url}/hook")
    assert [path for path, _, _ in server.got] == ["/hook"]


def test_nobody_who_listens_is_told_without_the_secret_part_of_the_url(sender: Sender) -> None:
    with Server() as gone:
        url = f"{gone.url}/services/T0KEN"
    with pytest.raises(TransientError, match="nobody listens there") as refused:
        sender.send(url)
    assert "T0KEN" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_server_without_a_valid_certificate_is_not_told(server: Server, sender: Sender) -> None:
    with pytest.raises(ProviderError):
        sender.send(server.url.replace("http://", "https://"))
    assert server.got == []
