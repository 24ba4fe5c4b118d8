"""The audit log: a chain on the disk, and what is found when it was touched."""

import errno
import os
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.bootstrap.clock import SystemClock
from tenuto.errors import StoreUnavailableError, UserError
from tenuto.kit.chain import Chain, chained, entry_of, examine, link_of
from tenuto.kit.times import iso_text
from tenuto.model.ids import Instant
from tenuto.storage.audit.audit_file import AuditFile

ENTRY = {"actor": "ann", "operation": "kill", "outcome": "done"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.log"


def written(path: Path, count: int = 9) -> list[str]:
    log = AuditFile(path, clock=SystemClock())
    for number in range(count):
        log.append({"actor": "ann", "operation": f"do-{number}"})
    log.close()
    return path.read_text().splitlines()


def read(lines: list[str]) -> Chain:
    return examine([("audit.log", row, line) for row, line in enumerate(lines, start=1)])


def broken(lines: list[str]) -> tuple[int, str]:
    found = read(lines).broken
    assert found is not None
    return found.line, found.reason


def test_what_was_written_is_whole_and_for_its_owner(path: Path) -> None:
    chain = read(written(path))
    assert (chain.broken, chain.lines, chain.first, chain.last.number) == (None, 9, 1, 9)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_chain_goes_on_after_a_restart(path: Path) -> None:
    written(path)
    assert read(written(path)).last.number == 18


@pytest.mark.parametrize("row", range(9))
def test_a_changed_line_is_named(path: Path, row: int) -> None:
    lines = written(path)
    lines[row] = lines[row].replace("ann", "eve")
    assert broken(lines) == (row + 1, "The line was changed, or is not whole.")


@pytest.mark.parametrize("row", range(1, 8))
def test_a_removed_line_is_named(path: Path, row: int) -> None:
    lines = written(path)
    del lines[row]
    line, reason = broken(lines)
    assert (line, f"line {row + 1} was removed" in reason) == (row + 1, True)


@pytest.mark.parametrize("row", range(8))
def test_a_moved_line_is_named(path: Path, row: int) -> None:
    lines = written(path)
    lines[row], lines[row + 1] = lines[row + 1], lines[row]
    assert broken(lines)[0] == (row + 1 if row else 2)


def test_a_repeated_line_is_named(path: Path) -> None:
    lines = written(path)
    lines.insert(4, lines[2])
    assert broken(lines) == (5, "The line has number 3 and should have 5: it was moved or repeated.")


def test_a_line_with_a_new_hash_is_named_by_the_one_behind_it(path: Path) -> None:
    lines = written(path)
    entry = entry_of(lines[3])
    before = link_of(lines[2])
    assert entry is not None
    assert before is not None
    lines[3] = chained({"actor": "eve", "operation": entry["operation"]}, before)[0]
    assert broken(lines) == (4, "The line was replaced: the next one was written behind another one.")


def test_lines_cut_off_at_the_end_are_found_by_a_hash_that_was_noted(path: Path) -> None:
    lines = written(path)
    noted = read(lines).last.digest
    cut = read(lines[:-2])
    assert cut.broken is None
    assert noted not in cut.digests


@pytest.mark.parametrize("line", ["", "{}", "[]", "null", '{"hash": 7}', "[" * 10_000, '{"number": true}', "\ufffd"])
def test_a_line_that_is_none_breaks_the_chain(path: Path, line: str) -> None:
    lines = written(path)
    lines.insert(4, line)
    assert broken(lines)[0] == 5


def test_a_half_line_of_a_crash_is_cut_off(path: Path) -> None:
    written(path)
    for torn in (b"{", b'{"actor":"ann","before":"12'):
        with path.open("ab") as file:
            file.write(torn)
        lines = written(path, 1)
        assert read(lines).broken is None
    assert len(lines) == 11


def test_a_file_that_is_no_log_is_not_written_to(path: Path) -> None:
    path.write_text("a diary\n")
    with pytest.raises(UserError, match="was changed"):
        AuditFile(path, clock=SystemClock())
    assert path.read_text() == "a diary\n"
    with pytest.raises(UserError, match="cannot be written"):
        AuditFile(path / "below", clock=SystemClock())


def test_a_second_conductor_does_not_write_into_the_same_log(path: Path) -> None:
    first = AuditFile(path, clock=SystemClock())
    with pytest.raises(UserError, match="Another Conductor"):
        AuditFile(path, clock=SystemClock())
    first.close()
    AuditFile(path, clock=SystemClock()).close()


def test_a_file_that_has_grown_is_followed_by_another(path: Path) -> None:
    log = AuditFile(path, clock=SystemClock(), largest=1000)
    for number in range(20):
        log.append({"operation": f"do-{number}"})
    log.close()
    files = [*sorted(path.parent.glob("audit.log.*")), path]
    assert len(files) > 3
    lines = [line for file in files for line in file.read_text().splitlines()]
    assert read(lines).last.number == 20
    assert read(lines).broken is None
    assert all(file.stat().st_size <= 1000 for file in files)
    rest = read([line for file in files[2:] for line in file.read_text().splitlines()])
    assert (rest.broken, rest.first > 1) == (None, True)


def test_the_chain_goes_on_when_the_conductor_died_between_two_files(path: Path) -> None:
    lines = written(path)
    path.rename(path.with_name("audit.log.000000000001"))
    assert read(lines + written(path, 2)).broken is None


def test_a_line_that_cannot_be_written_is_not_left_by_half(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditFile(path, clock=SystemClock())
    log.append({"operation": "one"})
    real: Callable[[int, bytes], int] = os.write

    def full(file: int, content: bytes) -> int:
        real(file, content[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(StoreUnavailableError, match="the command was not given"):
        log.append({"operation": "two"})
    monkeypatch.setattr(os, "write", real)
    log.append({"operation": "three"})
    log.close()
    chain = read(path.read_text().splitlines())
    assert (chain.broken, chain.lines) == (None, 2)


def test_a_log_that_can_begin_no_new_file_goes_on_when_it_can_and_writes_into_no_other(path: Path) -> None:
    log = AuditFile(path, clock=SystemClock(), largest=400)
    log.append(ENTRY)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, most[1]))
    try:
        with pytest.raises(StoreUnavailableError, match="Too many open files"):
            log.append(ENTRY)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
    other = path.with_name("tenuto.db")
    with other.open("wb"):
        log.append(ENTRY)
        log.append(ENTRY)
    log.close()
    assert other.read_bytes() == b""
    assert (examined(path).broken, examined(path).lines) == (None, 3)


def test_a_log_that_was_moved_away_goes_on_in_a_file_of_its_name(path: Path) -> None:
    log = AuditFile(path, clock=SystemClock())
    log.append(ENTRY)
    path.rename(path.with_name("audit.log.000000000001"))
    log.append(ENTRY)
    log.append(ENTRY)
    assert (examined(path).broken, examined(path).lines, len(path.read_text().splitlines())) == (None, 3, 2)


def test_the_lines_after_a_removal_are_there_and_say_that_lines_before_are_missing(path: Path) -> None:
    log = AuditFile(path, clock=SystemClock())
    log.append(ENTRY)
    path.unlink()
    log.append(ENTRY)
    chain = examined(path)
    assert (chain.broken, chain.first, chain.is_told) == (None, 2, False)
    with pytest.raises(UserError, match="Another Conductor"):
        AuditFile(path, clock=SystemClock())


def test_a_log_whose_name_another_conductor_has_taken_writes_nothing(path: Path) -> None:
    log = AuditFile(path, clock=SystemClock())
    log.append(ENTRY)
    path.unlink()
    other = AuditFile(path, clock=SystemClock())
    with pytest.raises(StoreUnavailableError, match="another Conductor writes that file"):
        log.append(ENTRY)
    other.append(ENTRY)
    assert examined(path).lines == 1


class Hands:
    """Implements `ports.clock.Clock`, moved by hand; it begins at the real time, which files have."""

    def __init__(self) -> None:
        self.at = time.time()
        self.ahead_s = 0.0

    def now(self) -> Instant:
        return Instant(self.at)

    def wall(self) -> Instant:
        return Instant(self.at + self.ahead_s)

    def sleep(self, seconds: float) -> None:
        self.at += seconds


DAY = 86_400.0


def days(path: Path, clock: Hands, count: int, keep_s: float | None = 8 * DAY) -> None:
    """A line a day, of Conductors that start anew each day. Files have the time of the clock."""
    for _ in range(count):
        log = AuditFile(path, clock=clock, keep_s=keep_s)
        log.append({**ENTRY, "at": iso_text(clock.wall())})
        log.close()
        os.utime(path, (clock.at, clock.at))
        clock.sleep(DAY + 1)


def examined(path: Path) -> Chain:
    files = [*sorted(path.parent.glob(f"{path.name}.[0-9]*")), path]
    return examine((str(one), row, line) for one in files for row, line in enumerate(one.read_text().splitlines(), 1))


def test_what_is_too_old_is_removed_and_the_rest_is_whole_and_tells_what_is_gone(path: Path) -> None:
    days(path, Hands(), 30)
    chain = examined(path)
    assert chain.broken is None
    assert chain.first > 10
    assert chain.is_told
    oldest = next(path.parent.glob(f"{path.name}.{chain.first:012d}"))
    assert chain.last.number >= 30
    assert 6 <= len(list(path.parent.iterdir())) <= 11
    # Without the file that is the oldest now, no line tells why the rest begins where it does.
    oldest.unlink()
    again = examined(path)
    assert again.broken is None
    assert not again.is_told


@pytest.mark.parametrize("is_running", [True, False])
def test_a_clock_that_went_ahead_removes_nothing_for_a_day(path: Path, is_running: bool) -> None:
    clock = Hands()
    days(path, clock, 12)
    there = set(path.parent.glob(f"{path.name}.[0-9]*"))
    clock.ahead_s = 0.0 if is_running else 400 * DAY
    log = AuditFile(path, clock=clock, keep_s=8 * DAY)
    log.append({**ENTRY, "at": iso_text(clock.wall())})
    there &= set(path.parent.iterdir())
    clock.ahead_s = 400 * DAY
    for _ in range(22):
        clock.sleep(3601)
        log.append({**ENTRY, "at": iso_text(clock.wall())})
    assert len(there) >= 6
    assert there <= set(path.parent.iterdir())
    clock.sleep(3 * 3600)
    log.append({**ENTRY, "at": iso_text(clock.wall())})
    assert not there & set(path.parent.iterdir())
    assert examined(path).broken is None
    log.close()


def test_a_line_that_tells_of_a_removal_and_is_changed_tells_nothing(path: Path) -> None:
    days(path, Hands(), 20)
    chain = examined(path)
    chain.pruned[chain.first - 1] = "0" * 64
    assert not chain.is_told


def test_without_an_age_nothing_is_removed_and_a_file_is_not_turned_by_its_age(path: Path) -> None:
    days(path, Hands(), 30, keep_s=None)
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert (examined(path).first, examined(path).is_told) == (1, True)


def test_files_that_a_crash_has_left_are_removed_the_next_time(path: Path) -> None:
    clock = Hands()
    days(path, clock, 12)
    oldest = sorted(path.parent.iterdir())[1]
    content, at = oldest.read_bytes(), oldest.stat().st_mtime
    days(path, clock, 1)
    assert not oldest.exists()
    oldest.write_bytes(content)
    os.utime(oldest, (at, at))
    days(path, clock, 1)
    assert not oldest.exists()
    assert examined(path).is_told


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_whatever_the_pauses_the_chain_verifies(pauses: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, clock = Path(folder) / "audit.log", Hands()
        for pause in pauses:
            days(path, clock, 3)
            clock.sleep(pause * DAY)
        days(path, clock, 1)
        chain = examined(path)
        assert chain.broken is None
        assert chain.is_told
