"""What the command line says when what it is given can be nothing, or what answers is something else."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click
import pytest
from terminal import Shell

from tenuto.cli.root import root

NAMES = ["", "a/b", "../../etc"]
"""Names of no process: the empty word that a shell makes of an unset variable, and paths."""


@pytest.mark.parametrize("command", ["status", "kill", "suspend", "plan", "explain", "history", "events", "retry"])
@pytest.mark.parametrize("name", NAMES)
def test_what_can_name_no_process_is_no_such_process(tenuto: Shell, command: str, name: str) -> None:
    ended = tenuto("--yes", command, name, "--json")
    assert ended.code == 4
    assert ended.document["error"]["code"] == "not-found"
    assert "There is no process" in ended.err


def _commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            assert found is not None
            yield from _commands(found, *path, name)
    else:
        yield path


def test_an_argument_that_is_not_utf_8_is_wrong_usage_of_every_command(tenuto: Shell) -> None:
    commands = list(_commands(root))
    assert len(commands) > 100
    for path in commands:
        ended = tenuto("-y", *path, "a\udcff")
        assert ended.code == 2, path
        assert "The argument 'a\\xff' is not UTF-8 text." in ended.err, path


@pytest.mark.parametrize("argument", ["\udcff", "--account=\udcff"])
def test_an_argument_that_is_not_utf_8_is_wrong_usage_wherever_it_stands(tenuto: Shell, argument: str) -> None:
    ended = tenuto("-y", "--json", "retry", "small", argument)
    assert (ended.code, ended.document["error"]["exit_code"]) == (2, 2)
    assert "is not UTF-8 text" in ended.document["error"]["message"]
    assert tenuto(argument, "status").code == 2


def test_an_argument_of_utf_8_beyond_ascii_is_taken(tenuto: Shell) -> None:
    assert "UTF-8" not in tenuto("status", "caf\u00e9").err


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
