"""A webhook gets one signed POST for each event, and nothing of it goes anywhere else."""

import hashlib
import hmac
import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import urllib3
from certificates import Authority

from tenuto.errors import DeferredError, PermanentError, ProviderError, TransientError
from tenuto.kit.reach import Reach
from tenuto.model.notification import Notification, SinkKind
from tenuto.ports.secrets import place_of_sink
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto.transports import webhook
from tenuto.transports.webhook import WebhookTransport
from tenuto_testing.clock import VirtualClock
from tenuto_testing.store_samples import a_sink

KEY = "what-only-the-two-of-us-know"
LETTER = Notification(event_id="7-web", type="job.finished", document={"id": "7-web", "ä": [1, None]}, attempt=2)


class Server(ThreadingHTTPServer):
    """Answers as it is told, and keeps what it got."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.status = 204
        self.answer = b""
        self.location = ""
        self.retry_after = ""
        self.raw = b""
        """The whole answer, in place of one of HTTP."""
        self.reply: Callable[[Mapping[str, str]], str] | None = None
        """Makes the answer of the headers that came."""
        self.drip: Callable[[], object] | None = None
        """Called after the beginning of an endless header, or of a body."""
        self.is_body_slow = False
        self.is_silent = False
        """Whether no more comes until the client closes the connection."""

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that refuses the certificate."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        if self.server.reply is not None:
            self.server.answer = self.server.reply(dict(self.headers)).encode()
        if self.server.raw:
            self.wfile.write(self.server.raw)
            return
        if self.server.drip is not None:
            self.drip(self.server.drip)
            return
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        if self.server.retry_after:
            self.send_header("Retry-After", self.server.retry_after)
        self.send_header("Content-Length", str(len(self.server.answer)))
        self.end_headers()
        self.wfile.write(self.server.answer)

    def drip(self, wait: Callable[[], object]) -> None:
        """Send an answer of more bytes than the client buffers, and wait after the first ones."""
        head, piece = b"X-Slow: ", b"x" * 100
        if self.server.is_body_slow:
            head, piece = b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"-" * 90 + b"\r\nx\r\n"
        with suppress(OSError):
            self.wfile.write(f"HTTP/1.1 {self.server.status} Slow\r\n".encode() + head + piece)
            wait()
            if self.server.is_silent:
                self.rfile.read(1)
            self.wfile.write(piece * 2500)

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
    def __init__(self, allowed: str = "127.0.0.1") -> None:
        self.secrets = KeyedSecrets(new_keys())
        self.clock = VirtualClock()
        self.transport = WebhookTransport(secrets=self.secrets, clock=self.clock, reach=Reach.parse(allowed))

    def send(self, url: str, notification: Notification = LETTER) -> None:
        sink = a_sink(
            kind=SinkKind.WEBHOOK,
            place="http://127.0.0.1",
            address=self.secrets.seal(url, place_of_sink("pager", "address")),
            key=self.secrets.seal(KEY, place_of_sink("pager", "key")),
        )
        self.transport.deliver(sink, notification)


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


CITED = [
    ("/404/PATHSECRET?key=QSECRET", "Cannot POST /404/PATHSECRET?key=QSECRET", "Cannot POST ****"),
    ("/404/PATHSECRET?key=QSECRET", "no route 404/PATHSECRET here", "no route **** here"),
    ("/404/PATHSECRET?key=QSECRET", "the key 'QSECRET' is not known", "the key '****' is not known"),
    ("/404/PATHSECRET?key=QSECRET", '{"path":"\\/404\\/PATHSECRET"}', '{"path":"****"}'),
    ("/p/SEC%2FRET%21?k=Q%20SECRET", "no SEC/RET! for Q SECRET", "no **** for ****"),
    ("/p/SEC%2FRET%21?k=Q+SECRET", "no SEC%2FRET%21 for Q SECRET", "no **** for ****"),
    ("/p/../SECRETS/", "nothing at /SECRETS", "nothing at ****"),
    ("/a?QSECRET", "no /a?QSECRET, no QSECRET", "no ****, no ****"),
    ("/", "no page / here", "no page / here"),
    ("", "no page / here", "no page / here"),
    ("/v1/hook", "v1 has no such hook", "v1 has no such hook"),
    ("/PATHSECRET", "x" * 1994 + "PATHSECRET", "x" * 200),
    ("/PATHSECRET", "x" * 190 + " /PATHSECRET", "x" * 190 + " ****"),
]


@pytest.mark.parametrize(("path", "answer", "told"), CITED)
def test_an_answer_is_cited_without_the_path_and_the_query(
    server: Server, sender: Sender, path: str, answer: str, told: str
) -> None:
    server.status, server.answer = 404, answer.encode()
    with pytest.raises(TransientError) as refused:
        sender.send(f"{server.url}{path}")
    assert str(refused.value) == f"http://127.0.0.1 answered HTTP 404: {told}"


@pytest.mark.parametrize("length", [None, 64])
def test_an_answer_is_cited_without_the_signature_and_its_key(
    server: Server, sender: Sender, length: int | None
) -> None:
    """The whole value of the header, and the hexadecimal digits alone."""
    server.status = 401
    server.reply = lambda headers: f"bad signature {headers['Tenuto-Signature'][-(length or 0) :]} of {KEY}"
    with pytest.raises(TransientError) as refused:
        sender.send(server.url)
    assert str(refused.value) == "http://127.0.0.1 answered HTTP 401: bad signature **** of ****"


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("is_date", [False, True])
def test_a_busy_receiver_says_when_it_wants_to_be_asked_again(
    server: Server, sender: Sender, status: int, is_date: bool
) -> None:
    server.status = status
    server.retry_after = formatdate(sender.clock.wall() + 120, usegmt=True) if is_date else "120"
    with pytest.raises(DeferredError) as refused:
        sender.send(server.url)
    assert (refused.value.after_s, refused.value.code) == (120.0, str(status))


@pytest.mark.parametrize(
    ("status", "header"),
    [
        (500, "120"),
        (503, "soon"),
        (503, "-5"),
        (503, "1.5"),
        (503, "0"),
        (503, "9" * 400),
        (503, "Wed, 21 Oct 2015 07:28:00 GMT"),
    ],
)
def test_any_other_answer_is_tried_again_as_ever(server: Server, sender: Sender, status: int, header: str) -> None:
    server.status, server.retry_after = status, header
    with pytest.raises(TransientError) as refused:
        sender.send(server.url)
    assert not isinstance(refused.value, DeferredError)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 500 Odd\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
        b"HTTP/1.1 500 Odd\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\nabc",
        b"HTTP/1.1 500 Odd\r\nContent-Length: 3, 4\r\n\r\nabc",
        b"\x16\x03\x01\x00",
    ],
)
def test_an_answer_that_is_none_of_http_is_a_failed_try(server: Server, sender: Sender, answer: bytes) -> None:
    server.raw = answer
    with pytest.raises(TransientError, match=r"^http://127\.0\.0\.1 could not be reached: the connection failed \("):
        sender.send(f"{server.url}/a-secret-path")


def test_an_answer_that_comes_slowly_is_not_waited_for_beyond_the_time_limit(server: Server, sender: Sender) -> None:
    server.drip = lambda: sender.clock.advance(10.5)
    with pytest.raises(TransientError, match=r"http://127\.0\.0\.1 could not be reached: no answer in time$"):
        sender.send(server.url)


def test_a_refusal_whose_words_come_slowly_is_told_by_its_status(
    server: Server, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_status, beginning = threading.Event(), webhook._beginning

    def begun(response: urllib3.BaseHTTPResponse) -> bytes:
        has_status.set()
        return beginning(response)

    def wait() -> None:
        # The time passes between the status and the words, and not before the status is read.
        assert has_status.wait(60)
        sender.clock.advance(10.5)

    monkeypatch.setattr(webhook, "_beginning", begun)
    server.status, server.is_body_slow, server.drip = 503, True, wait
    with pytest.raises(TransientError, match=r"answered HTTP 503: \(the rest of the answer did not come in time\)"):
        sender.send(server.url)


@pytest.mark.parametrize(("status", "is_told"), [(200, False), (307, True)])
def test_the_body_of_an_answer_that_is_not_cited_is_not_waited_for(
    server: Server, sender: Sender, status: int, is_told: bool
) -> None:
    """A client that waited for it would fail: no more comes until it closes the connection."""
    server.status, server.is_body_slow, server.is_silent, server.drip = status, True, True, lambda: None
    with pytest.raises(PermanentError, match="redirect") if is_told else nullcontext():
        sender.send(server.url)


def test_the_time_limit_also_counts_the_time_before_the_connection(
    server: Server, sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names(monkeypatch, hooks=[["127.0.0.1"]])
    names.wait = lambda: sender.clock.advance(10.5)
    with pytest.raises(TransientError, match="no answer in time"):
        sender.send(f"http://hooks.example:{server.server_port}/x")
    assert server.got == []


def test_a_request_of_many_pieces_arrives_whole(server: Server, sender: Sender) -> None:
    long = replace(LETTER, document={"id": "7-web", "words": "ä" * 300_000})
    sender.send(server.url, long)
    [(_, _, body)] = server.got
    assert json.loads(body) == long.document


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_refused_and_not_followed(server: Server, sender: Sender, status: int) -> None:
    server.status, server.location = status, f"{server.url}/elsewhere"
    with pytest.raises(PermanentError, match="redirect"):
        sender.send(f"{server.url}/hook")
    assert [path for path, _, _ in server.got] == ["/hook"]


def test_nobody_who_listens_is_told_without_the_secret_part_of_the_url(sender: Sender) -> None:
    with Server() as gone:
        url = f"{gone.url}/services/T0KEN"
    with pytest.raises(TransientError, match="no server listens there") as refused:
        sender.send(url)
    assert "T0KEN" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_server_without_a_valid_certificate_is_not_told(server: Server, sender: Sender) -> None:
    with pytest.raises(ProviderError):
        sender.send(server.url.replace("http://", "https://"))
    assert server.got == []


class Names:
    """What names lead to, one answer after the other; numbers lead to themselves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **known: list[list[str]]) -> None:
        self._known = known
        self._real = socket.getaddrinfo
        self.asked: list[str] = []
        self.wait: Callable[[], object] = int
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: str, port: int, *rest: Any, **named: Any) -> list[Any]:
        name = host.partition(".")[0]
        if name not in self._known:
            return self._real(host, port, *rest, **named)
        self.asked.append(host)
        self.wait()
        answers = self._known[name]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [one for address in found for one in self._real(address, port, *rest, **named)]


CLOSED = [
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "10.0.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "169.254.169.254", "224.0.0.1", "255.255.255.255", "198.18.0.1", "[::1]", "[::]",
    "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2001::1]",
    "[fe80::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[::127.0.0.1]", "[2001:db8::1]", "localhost",
]  # fmt: skip


@pytest.mark.parametrize("host", CLOSED)
def test_a_webhook_does_not_lead_to_what_is_not_public(host: str) -> None:
    """Whatever listens there: nothing is sent, and nothing of an answer is told."""
    with pytest.raises(PermanentError, match=r"not public.*--webhook-allow") as refused:
        Sender(allowed="").send(f"https://{host}:9/hook")
    assert refused.value.code == "NotPublic"


@pytest.mark.parametrize(
    ("place", "allowed", "is_told"),
    [
        ("https://10.0.0.1", "", True),
        ("http://localhost:9", "", True),
        ("http://[::1]:9", "", True),
        ("http://localhost:9", "127.0.0.1", False),
        ("https://10.0.0.1:8443", "10.0.0.0/8", False),
        ("https://93.184.215.14", "", False),
        ("https://hooks.internal", "", False),  # Where a name leads is known when it is called.
    ],
)
def test_an_address_that_is_never_called_is_told_before_an_event_waits_for_it(
    place: str, allowed: str, is_told: bool
) -> None:
    told = Sender(allowed).transport.trouble(a_sink(kind=SinkKind.WEBHOOK, place=place))
    assert ("--webhook-allow" in told) == is_told


def test_what_listens_at_an_address_that_is_not_listed_hears_nothing(server: Server) -> None:
    server.status, server.answer = 500, b"internal words"
    for allowed in ("", "10.0.0.0/8", "127.0.0.2", "hooks.example"):
        with pytest.raises(PermanentError) as refused:
            Sender(allowed).send(server.url)
        assert "internal words" not in str(refused.value)
    assert server.got == []


@pytest.mark.parametrize("allowed", ["127.0.0.0/8", "127.0.0.1", "10.0.0.0/8, 127.0.0.1/32", "localhost", "LOCALHOST."])
def test_what_the_administrator_lists_is_reached(server: Server, allowed: str) -> None:
    Sender(allowed).send(server.url if "ocal" not in allowed.lower() else server.url.replace("127.0.0.1", "localhost"))
    assert len(server.got) == 1


def test_the_address_that_was_checked_is_the_one_that_is_called(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads elsewhere at its second question: there is no second question."""
    names = Names(monkeypatch, hooks=[["127.0.0.1"], ["127.0.0.9"]])
    Sender("127.0.0.1").send(f"http://hooks.example:{server.server_port}/x")
    [(path, headers, _)] = server.got
    assert (path, headers["Host"]) == ("/x", f"hooks.example:{server.server_port}")
    assert names.asked == ["hooks.example"]
    with pytest.raises(PermanentError, match="not public"):
        Sender("127.0.0.1").send(f"http://hooks.example:{server.server_port}/x")
    assert len(server.got) == 1


def test_of_several_addresses_only_permitted_ones_are_called(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch, hooks=[["10.255.255.1", "127.0.0.9", "127.0.0.1"]])
    Sender("127.0.0.9 127.0.0.1").send(f"http://hooks.example:{server.server_port}/x")
    assert len(server.got) == 1


def test_a_name_that_is_not_known_is_tried_again(sender: Sender) -> None:
    with pytest.raises(TransientError, match="its name is not known"):
        sender.send("https://hooks.invalid/x")


def test_the_certificate_must_be_for_the_name_and_not_for_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    named = authority.sign("hooks.example", file="named")
    numbered = authority.sign("127.0.0.1", file="numbered")
    Names(monkeypatch, hooks=[["127.0.0.1"]])
    asked: list[str | None] = []
    for pair, is_good in ((named, True), (numbered, False)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pair.certificate, pair.key)
        context.sni_callback = lambda _socket, name, _context: asked.append(name)
        with Server() as made:
            made.socket = context.wrap_socket(made.socket, server_side=True, do_handshake_on_connect=False)
            thread = threading.Thread(target=made.serve_forever)
            thread.start()
            try:
                url = f"https://hooks.example:{made.server_port}/x"
                with pytest.raises(TransientError, match="certificate is not valid"):
                    Sender().send(url)
                monkeypatch.setenv("SSL_CERT_FILE", str(authority.certificate))
                if is_good:
                    Sender().send(url)
                else:
                    with pytest.raises(TransientError, match="certificate is not valid"):
                        Sender().send(url)
                monkeypatch.delenv("SSL_CERT_FILE")
            finally:
                made.shutdown()
                thread.join()
            assert len(made.got) == is_good
    assert set(asked) == {"hooks.example"}
