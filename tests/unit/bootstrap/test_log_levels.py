"""The log of the Conductor has a level for each of its components, which holds at once (behaviour 79)."""

import errno
import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, StringIO, TextIOWrapper
from pathlib import Path

import pytest
import structlog

from tenuto.bootstrap.log import COMPONENTS, LogLevels, configure_log
from tenuto.kit.visible import has_hidden, visible

SOURCE = Path(__file__).parents[3] / "src" / "tenuto"


@pytest.fixture
def levels(capsys: pytest.CaptureFixture[str]) -> Iterator[LogLevels]:
    made, before, last = LogLevels("INFO"), structlog.get_config(), logging.lastResort
    configure_log(made)
    yield made
    structlog.configure(**before)
    logging.lastResort = last


def test_behaviour_79_a_level_holds_at_once_also_for_loggers_that_were_made_before(
    levels: LogLevels, capsys: pytest.CaptureFixture[str]
) -> None:
    log = structlog.get_logger("tenuto.jobs")
    bound = log.bind(fid="f")
    bound.debug("before")
    levels.set("jobs", "DEBUG")
    bound.debug("after")
    levels.set("jobs", "ERROR")
    log.warning("too.low")
    log.error("high.enough")
    told = capsys.readouterr().err
    assert "before" not in told
    assert "too.low" not in told
    assert "after" in told
    assert "high.enough" in told
    assert "component=jobs" in told


def test_components_are_heard_apart_and_a_logger_of_none_of_them_is_other(
    levels: LogLevels, capsys: pytest.CaptureFixture[str]
) -> None:
    levels.set("api", "DEBUG")
    for name in ("tenuto.api", "tenuto.phases", "plugin.of.somebody"):
        structlog.get_logger(name).debug("spoke", who=name)
    structlog.get_logger().info("unnamed")
    told = capsys.readouterr().err
    assert "who=tenuto.api" in told
    assert "who=tenuto.phases" not in told
    assert "component=other" in told


def test_no_part_of_tenuto_itself_speaks_as_other() -> None:
    speakers: dict[str, str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for given in re.findall(r"get_logger\((.*?)\)", path.read_text(encoding="utf-8")):
            name = path.stem if given == "__name__" else given.strip('"').rpartition(".")[2]
            speakers[str(path.relative_to(SOURCE))] = name
    assert len(speakers) > 10
    assert {where: name for where, name in speakers.items() if name not in COMPONENTS} == {}


def test_an_exception_is_logged_as_an_error(levels: LogLevels, capsys: pytest.CaptureFixture[str]) -> None:
    for component in COMPONENTS:
        levels.set(component, "ERROR")
    try:
        raise ValueError("boom")
    except ValueError:
        structlog.get_logger("tenuto.api").exception("api.crashed")
    assert "boom" in capsys.readouterr().err


@pytest.mark.parametrize("level", ["debug", "LOUD", ""])
def test_a_level_that_there_is_not_is_refused(levels: LogLevels, level: str) -> None:
    with pytest.raises(ValueError, match="DEBUG, INFO, WARNING, ERROR"):
        levels.set("jobs", level)


def test_a_traceback_in_the_log_holds_no_local_variable(levels: LogLevels, capsys: pytest.CaptureFixture[str]) -> None:
    log = structlog.get_logger("tenuto.phases")
    clear = "-".join(("open", "sesame"))
    try:
        raise ValueError(f"a value of {len(clear)} characters")
    except ValueError:
        log.exception("phase.raised")
    told = capsys.readouterr().err
    assert "ValueError: a value of 11 characters" in told
    assert clear not in told


@pytest.mark.parametrize("raw", ["\x1b]0;title\x07", "\x9b2J", "\u202etxt", "\x7f", "\u200b"])
def test_nothing_that_is_logged_reaches_a_terminal_raw(
    levels: LogLevels, capsys: pytest.CaptureFixture[str], raw: str
) -> None:
    log = structlog.get_logger("tenuto.api")
    log.info(f"event {raw}", alias=raw, several=[raw], reason=f"one\ntwo {raw}")
    try:
        raise ValueError(raw)
    except ValueError:
        log.exception("failed", path=raw)
    logging.getLogger("some.library").warning("said %s", raw)
    told = capsys.readouterr().err
    assert raw not in told
    assert told.count("".join(visible(one) for one in raw)) >= 5
    assert "one\ntwo" not in told
    assert not has_hidden(told)


def test_a_hidden_character_in_the_log_is_another_than_the_text_that_spells_its_escape(
    levels: LogLevels, capsys: pytest.CaptureFixture[str]
) -> None:
    log = structlog.get_logger("tenuto.api")
    log.info("told", hidden="one \x1b two", spelled=r"one \x1b two", short="\u202e")
    told = capsys.readouterr().err
    assert r"hidden='one \x1b two'" in told
    assert r"spelled='one \\x1b two'" in told
    assert r"short='\u202e'" in told


class _Disk(FileIO):
    """A file on a disk that may be full: it takes so many bytes more, any number while `room` is None."""

    room: int | None = None

    def write(self, data: "bytes | bytearray | memoryview") -> int:  # type: ignore[override]
        if self.room is None:
            return super().write(data)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken = super().write(bytes(data)[: self.room])
        self.room -= taken
        return taken


@contextmanager
def _logging_to(raw: FileIO, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with TextIOWrapper(BufferedWriter(raw), line_buffering=True) as stream, monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", stream)
        yield


def _lines(tmp_path: Path) -> list[str]:
    return (tmp_path / "log").read_text(encoding="utf-8").splitlines()


def test_a_line_that_a_full_disk_refuses_is_dropped_and_counted_once_there_is_room(
    levels: LogLevels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, disk = structlog.get_logger("tenuto.jobs"), _Disk(tmp_path / "log", "w")
    with _logging_to(disk, monkeypatch):
        log.info("first")
        disk.room = 0
        for number in range(3):
            log.warning("refused", number=number)
        disk.room = None
        log.info("second")
        log.info("third")
    first, notice, second, third = _lines(tmp_path)
    assert ("first" in first, "second" in second, "third" in third) == (True, True, True)
    assert "log.lines_lost" in notice
    assert "lines=3" in notice
    assert "[warning" in notice


def test_a_line_that_was_written_in_part_is_finished_and_not_counted(
    levels: LogLevels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, disk = structlog.get_logger("tenuto.jobs"), _Disk(tmp_path / "log", "w")
    with _logging_to(disk, monkeypatch):
        disk.room = 20
        log.info("halved")
        log.info("refused")
        assert len((tmp_path / "log").read_bytes()) == 20
        disk.room = None
        log.info("after")
    halved, notice, after = _lines(tmp_path)
    assert "halved" in halved
    assert "lines=1" in notice
    assert "after" in after


def test_a_log_goes_on_when_nothing_reads_its_pipe(levels: LogLevels, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with _logging_to(FileIO(writing, "w"), monkeypatch):
        structlog.get_logger("tenuto.jobs").info("unread")
        structlog.get_logger("tenuto.jobs").info("unread, too")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_log_goes_on_with_a_closed_stream_and_with_none(
    levels: LogLevels, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    closed = StringIO()
    closed.close()
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", closed if is_there else None)
        structlog.get_logger("tenuto.jobs").info("unheard")


def test_a_log_is_configured_without_a_stream(levels: LogLevels, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", None)
        configure_log(levels)
