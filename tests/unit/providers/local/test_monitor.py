"""The client of QEMU's monitor against a QEMU that a guest may have taken over."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.executor.kernel.sockets import listening
from tenuto.providers.local.executor.virtual import qmp
from tenuto.providers.local.executor.virtual.qmp import LEAST_S, PATIENCE_S, Patience, monitor

GREETING = b'{"QMP": {"version": {}}}\n'
Answer = dict[str, Any]


@contextmanager
def qemu(path: Path, answer: Callable[[str], list[Answer]], greeting: bytes = GREETING) -> Iterator[None]:
    """A QEMU with its answers to each command, which have the name of the command unless they have another one."""
    with listening(path) as server:

        def run() -> None:
            connection, _ = server.accept()
            with suppress(OSError), connection, connection.makefile("rb") as lines:
                connection.sendall(greeting)
                for one in lines:
                    asked = json.loads(one)
                    for told in answer(asked["execute"]):
                        connection.sendall(json.dumps({"id": asked["id"], **told}).encode() + b"\n")

        thread = threading.Thread(target=run)
        thread.start()
        yield
        thread.join()


def test_events_between_the_answers_are_passed_over(tmp_path: Path) -> None:
    answers: list[Answer] = [{"event": "RESUME", "data": {}}, {"return": {"status": "running"}}]
    with qemu(tmp_path / "s", lambda _: answers), monitor(tmp_path / "s") as it:
        assert it.do("query-status") == {"status": "running"}


def test_the_late_answer_to_a_command_of_another_connection_is_not_taken_for_this_one(tmp_path: Path) -> None:
    late: list[Answer] = [
        {"return": {}, "id": "of another"},
        {"error": {"desc": "of another"}, "id": "of another"},
        {"return": {"status": "running"}},
    ]
    with qemu(tmp_path / "s", lambda _: late), monitor(tmp_path / "s") as it:
        assert it.do("query-status") == {"status": "running"}


def test_a_refusal_is_told(tmp_path: Path) -> None:
    def answer(command: str) -> list[Answer]:
        return [{"return": {}} if command == "qmp_capabilities" else {"error": {"desc": "no space"}}]

    with (
        qemu(tmp_path / "s", answer),
        pytest.raises(ProgramError, match="refused block_resize: no space"),
        monitor(tmp_path / "s") as it,
    ):
        it.do("block_resize")


@pytest.mark.parametrize(
    "greeting",
    [b"nothing\n", b"[]\n", b"[" * 100_000 + b"\n", b"x" * (2 << 20), b"\xff\xfe\n", b""],
    ids=["no JSON", "a list", "deep", "long", "no text", "silence"],
)
def test_a_qemu_that_answers_badly_is_an_error_in_time(tmp_path: Path, greeting: bytes) -> None:
    with (
        qemu(tmp_path / "s", lambda _: [], greeting),
        pytest.raises(ProgramError, match="QEMU"),
        monitor(tmp_path / "s", 0.3),
    ):
        pass


def test_a_socket_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="cannot be reached"), monitor(tmp_path / "s"):
        pass


def test_a_socket_may_be_in_a_folder_with_a_long_name(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 30)
    folder.mkdir()
    with qemu(folder / "s", lambda _: [{"return": {}}]), monitor(folder / "s") as it:
        assert it.do("query-status") == {}


def test_a_folder_that_is_a_link_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OSError, match=r"Not a directory|symbolic"):
        listening(tmp_path / "link" / "s")
    assert not (tmp_path / "real/s").exists()


@pytest.mark.parametrize(
    ("silent", "given"),
    [
        ("s s s", [PATIENCE_S, LEAST_S, LEAST_S]),
        ("a s a s", [PATIENCE_S, PATIENCE_S, LEAST_S, LEAST_S]),
        ("a a a", [PATIENCE_S, PATIENCE_S, PATIENCE_S]),
    ],
)
def test_the_silent_ones_of_one_request_share_its_patience(
    monkeypatch: pytest.MonkeyPatch, silent: str, given: list[float]
) -> None:
    moment, found = [0.0], []

    @contextmanager
    def asked(path: Path, patience_s: float) -> Iterator[None]:
        found.append(patience_s)
        if path.name == "s":
            moment[0] += patience_s
            raise ProgramError("QEMU does not answer")
        yield

    monkeypatch.setattr(qmp, "monitor", asked)
    patience = Patience(steady=lambda: moment[0])
    for name in silent.split():
        with suppress(ProgramError), patience.monitor(Path(name)):
            pass
    assert found == given
