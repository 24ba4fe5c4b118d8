"""What the command line says when what it is given can be nothing, or what answers is something else."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from terminal import Shell

NAMES = ["", "a/b", "../../etc", "\udcff\udcfe"]
"""What the shell makes of an unset variable, of a path, and of bytes that are not UTF-8."""


@pytest.mark.parametrize("command", ["status", "kill", "suspend", "plan", "explain", "history", "events", "retry"])
@pytest.mark.parametrize("name", NAMES)
def test_what_can_name_no_process_is_no_such_process(tenuto: Shell, command: str, name: str) -> None:
    ended = tenuto("--yes", command, name, "--json")
    assert ended.code == 4
    assert ended.document["error"]["code"] == "not-found"
    assert "There is no process" in ended.err


def test_a_secret_that_cannot_be_one_is_a_matter_of_permission(tenuto: Shell) -> None:
    ended = tenuto("status", environ=tenuto.environ(TENUTO_SECRET="b\udcffd"))
    assert (ended.code, "TENUTO_SECRET" in ended.err) == (6, True)


def test_a_url_that_is_none_is_named_before_its_secret_is_looked_for(tenuto: Shell) -> None:
    ended = tenuto("--url", "shop", "status", environ={"TENUTO_CREDENTIALS": str(tenuto.folder / "credentials")})
    assert (ended.code, "must begin with http" in ended.err) == (2, True)


def test_what_is_no_conductor_counts_as_unreachable(tenuto: Shell) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server gives it
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        ended = tenuto("status", environ=tenuto.environ(TENUTO_URL=f"http://127.0.0.1:{server.server_port}"))
        server.shutdown()
        thread.join()
    assert (ended.code, "no Conductor" in ended.err) == (8, True)
