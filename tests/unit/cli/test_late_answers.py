"""A Conductor that takes connections and does not answer, as one that is stopped by a signal."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO

import pytest
from front import SECRET, Front, served

from tenuto.cli.client.client import Client, Patience
from tenuto.cli.terminal.exits import UnreachableError

SHORT = Patience(quiet_s=0.05, question_s=0.4, command_s=0.8)
BODY = b'{"fid": "x"}'
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


@pytest.fixture
def silent() -> Iterator[str]:
    """The kernel takes the connections; nothing reads from them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def slow(told: threading.Event) -> Iterator[str]:
    """Answers one request, when the user has been told that it is late."""

    def answer() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            told.wait(60)
            connection.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


@contextmanager
def hanging_up(answers: int) -> Iterator[str]:
    """Answers so many requests and closes the connection of one more without a word."""

    def answer() -> None:
        for number in range(answers + 1):
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                if number < answers:
                    connection.sendall(ANSWER.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()


def test_a_connection_that_is_closed_without_an_answer_names_both_causes() -> None:
    with hanging_up(0) as url, pytest.raises(UnreachableError) as end:
        Client(url=url, secret=SECRET).get("processes")
    assert "It is about to restart, or has too many connections: try again in a moment." in str(end.value)
    assert str(end.value).endswith("If it serves TLS, its URL begins with https://.")


def test_a_conductor_that_has_answered_is_not_suspected_to_serve_tls() -> None:
    with hanging_up(1) as url:
        client = Client(url=url, secret=SECRET)
        client.get("processes", "x")
        with pytest.raises(UnreachableError) as end:
            list(client.follow("events"))
    assert "It is about to restart, or has too many connections" in str(end.value)
    assert "TLS" not in str(end.value)


def test_a_late_answer_is_told_once_on_stderr_and_nothing_on_stdout(
    silent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Client(url=silent, secret=SECRET, patience=SHORT)
    for _ in range(2):
        with pytest.raises(UnreachableError):
            client.get("processes")
    told = capsys.readouterr()
    assert told.err == f"tenuto: No answer from {silent} for 0.05 s; still waiting (Ctrl-C ends the wait).\n"
    assert told.out == ""


def test_a_question_is_given_up_earlier_than_a_command(silent: str) -> None:
    client = Client(url=silent, secret=SECRET, patience=SHORT)
    with pytest.raises(
        UnreachableError, match=r"did not answer for 0.4 s. It is stopped, or has too much to do"
    ) as end:
        client.get("processes")
    assert "may have taken the command" not in str(end.value)
    with pytest.raises(UnreachableError, match=r"did not answer for 0.8 s.*ask again.$"):
        client.examine("processes", "shop", "plan")
    with pytest.raises(
        UnreachableError, match=r"did not answer for 0.8 s.*It may have taken the command: 'tenuto history --request"
    ):
        client.post("processes", body={})


class Screen(StringIO):
    """A stderr that knows when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def write(self, text: str) -> int:
        written = super().write(text)
        if text.strip():
            self.told.set()
        return written


def test_an_answer_that_comes_after_all_is_used() -> None:
    screen = Screen()
    with redirect_stderr(screen), slow(screen.told) as url:
        patience = Patience(quiet_s=0.05, question_s=60)
        assert Client(url=url, secret=SECRET, patience=patience).get("processes", "x") == {"fid": "x"}
    assert "No answer from" in screen.getvalue()


def test_an_answer_in_time_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with served(Front()) as url:
        assert Client(url=url, secret=SECRET).get("processes")["processes"] == []
    assert capsys.readouterr().err == ""


def test_a_person_is_told_before_a_question_is_given_up_and_a_question_before_a_command() -> None:
    ordinary = Patience()
    assert ordinary.quiet_s < ordinary.question_s < ordinary.command_s
