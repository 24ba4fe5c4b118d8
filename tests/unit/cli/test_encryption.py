"""Whom the command line sends a secret: real TLS servers on loopback, with certificates of all kinds."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from certificates import Authority, Pair
from terminal import Ended, Shell

HEARD: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """A Conductor without processes, that remembers the secrets that it was sent."""

    def do_GET(self) -> None:
        HEARD.append(self.headers["Authorization"])
        body = json.dumps({"processes": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server gives it
        """Nothing."""


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that refuses the certificate."""


@contextmanager
def serving(pair: Pair | None) -> Iterator[int]:
    HEARD.clear()
    with Quiet(("127.0.0.1", 0), Handler) as server:
        if pair:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pair.certificate, pair.key)
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell("", tmp_path, capsys)


def asked(
    shell: Shell, pair: Pair | None, *options: str, scheme: str = "https", host: str = "localhost", **more: str
) -> Ended:
    with serving(pair) as port:
        url = f"{scheme}://{host}:{port}"
        return shell(*options, "status", environ=shell.environ(TENUTO_URL=url, **more))


def test_a_known_authority_is_believed(shell: Shell, authority: Authority) -> None:
    pair = authority.sign("localhost", "127.0.0.1")
    for ended in (
        asked(shell, pair, "--ca-cert", str(authority.certificate)),
        asked(shell, pair, TENUTO_CA_CERT=str(authority.certificate)),
        asked(shell, pair, host="127.0.0.1", TENUTO_CA_CERT=str(authority.certificate)),
    ):
        assert (ended.code, ended.err) == (0, "")
        assert len(HEARD) == 1


def test_what_is_not_believed_gets_no_secret_and_is_told_plainly(
    shell: Shell, authority: Authority, tmp_path: Path
) -> None:
    other = Authority(tmp_path, "other")
    known = {"TENUTO_CA_CERT": str(authority.certificate)}
    good = authority.sign("localhost", file="good")
    for pair, more, told in (
        (good, {}, "an authority that is not known here"),
        (good, {"TENUTO_CA_CERT": str(other.certificate)}, "not known here"),
        (authority.sign("tenuto.example.org", "127.0.0.9", file="named"), known, "for another name"),
        (authority.sign("localhost", file="old", ends_in_days=-1), known, "has expired"),
        (authority.sign("localhost", file="early", begins_in_days=1), known, "not valid yet"),
        (None, known, "does not speak TLS"),
    ):
        ended = asked(shell, pair, **more)
        assert (ended.code, told in ended.err) == (8, True), ended
        assert HEARD == []


def test_a_number_that_the_certificate_is_not_for_is_another_name(shell: Shell, authority: Authority) -> None:
    ended = asked(shell, authority.sign("localhost"), "--ca-cert", str(authority.certificate), host="127.0.0.1")
    assert (ended.code, "for another name" in ended.err, HEARD) == (8, True, [])


def test_a_file_without_certificates_is_named(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("nothing")
    ended = asked(shell, None, TENUTO_CA_CERT=str(tmp_path / "empty"))
    assert (ended.code, "cannot be used" in ended.err, "--ca-cert" in ended.err) == (2, True, True)
    ended = asked(shell, None, TENUTO_CA_CERT=str(tmp_path / "none"))
    assert (ended.code, "No such file" in ended.err) == (2, True)


@pytest.mark.parametrize("url", ["http://tenuto.invalid:1", "http://10.255.255.1:1", "http://[2001:db8::1]:1"])
def test_no_secret_goes_over_plain_http_to_another_machine(shell: Shell, url: str) -> None:
    ended = shell("status", environ=shell.environ(TENUTO_URL=url))
    assert (ended.code, "everybody on the way" in ended.err, "--insecure" in ended.err) == (6, True, True)


def test_the_word_insecure_lets_it_go(shell: Shell) -> None:
    url = "http://tenuto.invalid:1"
    for words, more in ((("--insecure",), {}), ((), {"TENUTO_INSECURE": "1"})):
        ended = shell(*words, "status", environ=shell.environ(TENUTO_URL=url, **more))
        assert (ended.code, "everybody on the way" in ended.err) == (8, False)


def test_on_this_machine_plain_http_is_enough(shell: Shell) -> None:
    for host in ("localhost", "127.0.0.1"):
        assert asked(shell, None, scheme="http", host=host).code == 0


def test_a_file_in_the_current_directory_does_not_decide_whom_a_secret_is_sent(
    shell: Shell, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tenuto.toml").write_text(f'insecure = true\nca_cert = "{authority.certificate}"\n')
    ended = asked(shell, authority.sign("localhost"))
    assert (ended.code, "'ca_cert' comes from" in ended.err, HEARD) == (6, True, [])
    ended = shell("status", environ=shell.environ(TENUTO_URL="http://tenuto.invalid:1"))
    assert (ended.code, "'insecure' comes from" in ended.err) == (6, True)
    assert asked(shell, None, scheme="http").code == 0
    assert asked(shell, authority.sign("localhost"), "--ca-cert", str(authority.certificate)).code == 0


@pytest.mark.parametrize("url", ["https://", "http://[::1", "https://:8686"])
def test_a_url_without_a_host_is_told(shell: Shell, url: str) -> None:
    ended = shell("status", environ=shell.environ(TENUTO_URL=url))
    assert (ended.code, "names no host" in ended.err) == (2, True)
