"""The client of the guest agent against guests that answer well, late, badly, or without end."""

import base64
import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tenuto.errors import TransientError
from tenuto.model.ids import ObjectId
from tenuto.providers.local.drivers.qemu import guest_agent
from tenuto.providers.local.drivers.qemu.guest_agent import GuestAgent, GuestRefusedError, GuestSilentError
from tenuto.providers.local.drivers.qemu.guests import RING, Guest, waited
from tenuto.providers.local.executor.requests import OpenChannel

Answer = Callable[[dict[str, Any]], bytes]


def line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


@contextmanager
def guest(answer: Answer, before: bytes = b"") -> Iterator[GuestAgent]:
    """A guest that answers each command; `before` is what it had sent to an earlier client."""
    mine, its = socket.socketpair()

    def run() -> None:
        with suppress(OSError), its, its.makefile("rb") as lines:
            its.sendall(before)
            for one in lines:
                its.sendall(answer(json.loads(one.lstrip(b"\xff"))))

    thread = threading.Thread(target=run)
    thread.start()
    agent = GuestAgent(mine)
    yield agent
    agent.close()
    thread.join()


def good(command: dict[str, Any]) -> bytes:
    given = command["arguments"]
    match command["execute"]:
        case "guest-sync-delimited":
            return b"\xff" + line({"return": given["id"]})
        case "guest-exec-status":
            return line({"return": {"exited": True, "exitcode": 3, "out-data": base64.b64encode(b"hi").decode()}})
        case "guest-exec":
            return line({"return": {"pid": 42}})
        case "guest-file-open":
            return line({"return": 7})
        case "guest-file-read":
            return line({"return": {"count": 3, "buf-b64": base64.b64encode(b"abc").decode(), "eof": True}})
    return line({"return": {}})


def test_what_an_earlier_client_was_sent_is_dropped() -> None:
    with guest(good, before=b'{"return": "old"}\n{"half": ') as agent:
        agent.sync(2.0)
        assert agent.start("sh", ["-c", "x"]) == 42
        ended = agent.ended(42)
        assert ended is not None
        assert (ended.code, ended.out) == (3, b"hi")
        assert agent.read_file("/x", 10) == b"abc"


def test_a_file_that_is_too_large_is_refused() -> None:
    with guest(good) as agent, pytest.raises(GuestRefusedError, match="more than 2 bytes"):
        agent.read_file("/x", 2)


def test_a_refusal_is_told_in_the_words_of_the_guest() -> None:
    with (
        guest(lambda _: line({"error": {"desc": "no such thing"}})) as agent,
        pytest.raises(GuestRefusedError, match="no such thing"),
    ):
        agent.ping()


BAD: dict[str, Answer] = {
    "no JSON": lambda _: b"hello\n",
    "a list": lambda _: b"[]\n",
    "a depth without end": lambda _: b"[" * 100_000 + b"\n",
    "an end": lambda _: b"",
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
def test_a_guest_that_answers_badly_is_as_good_as_silent(answer: Answer) -> None:
    with guest(answer) as agent, pytest.raises(GuestSilentError):
        agent.do("guest-ping", patience_s=0.2)


@pytest.mark.parametrize("told", [{}, "text", None])
def test_an_answer_without_its_members_is_none(told: object) -> None:
    with guest(lambda _: line({"return": told})) as agent, pytest.raises(GuestSilentError, match="without pid"):
        agent.start("sh", [])


def test_a_guest_that_sends_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest_agent, "LARGEST", 1 << 20)
    with guest(lambda _: b"x" * (2 << 20)) as agent, pytest.raises(GuestSilentError, match="too long"):
        agent.ping()


def test_a_silent_guest_is_waited_for_and_no_longer() -> None:
    with guest(lambda _: b"") as agent, pytest.raises(GuestSilentError, match="does not answer"):
        agent.sync(0.05)


def test_a_question_ends_with_its_connection_and_not_with_its_patience() -> None:
    mine, its = socket.socketpair()
    agent, is_told = GuestAgent(mine), threading.Event()

    def ask() -> None:
        with pytest.raises(GuestSilentError):
            agent.ended(42)
        is_told.set()

    thread = threading.Thread(target=ask)
    with its:
        thread.start()
        assert its.recv(1 << 16), "it has asked, and waits for up to a minute"
        agent.close()
        assert is_told.wait(30.0)
    thread.join()


@pytest.mark.parametrize("pid", ["42", 4.2, True, None, [1], 1 << 70])
def test_a_process_number_that_is_none_is_no_answer(pid: object) -> None:
    with guest(lambda _: line({"return": {"pid": pid}})) as agent, pytest.raises(GuestSilentError):
        agent.start("sh", [])


@pytest.mark.parametrize(
    "told",
    [
        {"exitcode": "0"},
        {"exitcode": 1 << 70},
        {"signal": None},
        {"exitcode": 0, "out-data": "not base64"},
        {"exitcode": 0, "err-data": "é"},
    ],
)
def test_an_end_of_another_form_is_no_answer(told: dict[str, object]) -> None:
    with guest(lambda _: line({"return": {"exited": True, **told}})) as agent, pytest.raises(GuestSilentError):
        agent.ended(42)


def test_a_file_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guest that answers each question with no byte, and never with the end, holds up no line of operations."""
    monkeypatch.setattr(guest_agent, "FILE_S", 0.3)

    def endless(command: dict[str, Any]) -> bytes:
        if command["execute"] == "guest-file-read":
            return line({"return": {"count": 0, "buf-b64": "", "eof": False}})
        return good(command)

    with guest(endless) as agent, pytest.raises(GuestRefusedError, match="did not come"):
        agent.read_file("/x", 10)


def test_an_answer_in_many_parts_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work for an answer grows with its bytes, and not with their square."""
    parts, searched = 4000, 0

    class Counted(bytearray):
        def find(self, mark: Any, start: Any = 0, *more: Any) -> int:
            nonlocal searched
            searched += len(self) - start
            return super().find(mark, start, *more)

    monkeypatch.setattr(guest_agent, "_PART", 16)
    with guest(lambda _: line({"return": "x" * 16 * parts})) as agent:
        agent._unread = Counted()
        assert agent.do("guest-get-osinfo") == "x" * 16 * parts
    assert searched < 16 * parts * 3


def test_a_guest_whose_agent_refuses_the_question_has_answered() -> None:
    def refusing(command: dict[str, Any]) -> bytes:
        return line({"error": {"desc": "disabled"}}) if command["execute"] == "guest-ping" else good(command)

    mine, its = socket.socketpair()

    def run() -> None:
        with suppress(OSError), its, its.makefile("rb") as lines:
            for one in lines:
                its.sendall(refusing(json.loads(one.lstrip(b"\xff"))))

    threading.Thread(target=run, daemon=True).start()

    def opened(channel: OpenChannel) -> socket.socket:
        if channel.channel == "console":
            raise TransientError("no console", code="NoChannel")
        return mine

    found = Guest(ObjectId("g"), opened)
    try:
        assert waited(lambda: found.is_ready, 20.0)
    finally:
        found.forget()


def test_a_flooded_console_keeps_its_last_bytes_and_waits_for_nothing_else() -> None:
    mine, its = socket.socketpair()

    def flood() -> None:
        with suppress(OSError), its:
            while True:
                its.sendall(b"x" * 65536)

    threading.Thread(target=flood, daemon=True).start()

    def opened(channel: OpenChannel) -> socket.socket:
        if channel.channel == "agent":
            raise TransientError("no agent", code="NoChannel")
        return mine

    found = Guest(ObjectId("g"), opened)
    try:
        assert waited(lambda: found.console()[1] > 0, 60.0)
        assert len(found.console()[0]) == RING
    finally:
        found.forget()
        mine.close()


@pytest.mark.parametrize("kind", ["agent", "console"])
def test_a_connection_that_is_made_while_its_machine_is_forgotten_is_closed(kind: str) -> None:
    """An attack ends the machine just then: nobody else knows the connection, so nobody else would close it."""
    mine, its = socket.socketpair()
    asked, forgotten = threading.Event(), threading.Event()

    def opened(channel: OpenChannel) -> socket.socket:
        if channel.channel != kind or asked.is_set():
            raise TransientError("not this one", code="NoChannel")
        asked.set()
        assert forgotten.wait(60.0)
        return mine

    def run() -> None:
        with suppress(OSError), its, its.makefile("rb") as lines:
            for one in lines:
                its.sendall(good(json.loads(one.lstrip(b"\xff"))))

    threading.Thread(target=run, daemon=True).start()
    found = Guest(ObjectId("g"), opened)
    assert asked.wait(60.0)
    found.forget()
    forgotten.set()
    assert waited(lambda: mine.fileno() == -1, 60.0)


def test_a_console_that_says_nothing_is_closed_when_its_machine_is_forgotten() -> None:
    mine, its = socket.socketpair()

    def opened(channel: OpenChannel) -> socket.socket:
        if channel.channel == "agent":
            raise TransientError("no agent", code="NoChannel")
        return mine

    found = Guest(ObjectId("g"), opened)
    with its:
        its.sendall(b"up")
        assert waited(lambda: found.console()[1] + len(found.console()[0]) == 2, 60.0)
        found.forget()
        assert waited(lambda: mine.fileno() == -1, 60.0)
