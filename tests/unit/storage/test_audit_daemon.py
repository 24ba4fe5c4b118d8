"""The audit log in the hands of a daemon: each entry arrives whole, in a chain, or its command is refused."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenuto.bootstrap.auditing import opened_audit
from tenuto.errors import StoreUnavailableError, UserError
from tenuto.kit.chain import examine
from tenuto.kit.config_file import DAEMONS
from tenuto.settings import Settings
from tenuto.storage.audit.audit_daemon import SOCKETS, AuditDaemon

ENTRY = {"at": "2026-01-31T12:00:00.000Z", "actor": "ann", "operation": "kill", "outcome": "begun", "request": "r1"}


@pytest.fixture(autouse=True)
def short_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path of a socket has room for a hundred letters, which the folder of a test may need alone."""
    monkeypatch.chdir(tmp_path)


@contextmanager
def listening() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
        daemon.bind("log")
        daemon.settimeout(60)
        yield daemon
    Path("log").unlink()


def test_syslog_gets_a_line_of_json_with_its_facility_and_name() -> None:
    with listening() as daemon:
        log = AuditDaemon("syslog", path="log")
        log.append(ENTRY)
        log.append({**ENTRY, "outcome": "done"})
        lines = [daemon.recv(65_536).decode() for _ in range(2)]
        log.close()
    assert all(line.startswith("<85>tenuto-audit[") for line in lines)
    told = [line.partition("]: ")[2] for line in lines]
    assert [json.loads(line)["outcome"] for line in told] == ["begun", "done"]
    chain = examine(("log", row, line) for row, line in enumerate(told, 1))
    assert (chain.broken, chain.lines, chain.first) == (None, 2, 1)


def test_the_journal_gets_fields_to_search_by_and_none_that_a_value_makes_up() -> None:
    with listening() as daemon:
        log = AuditDaemon("journald", path="log")
        log.append({**ENTRY, "actor": "ann\nPRIORITY=0\u2028X=1"})
        log.close()
        fields = [line.partition("=") for line in daemon.recv(65_536).decode().split("\n") if line]
    names = [name for name, _, _ in fields]
    assert sorted(names) == sorted(
        ["MESSAGE", "PRIORITY", "SYSLOG_FACILITY", "SYSLOG_IDENTIFIER"]
        + [f"TENUTO_{name}" for name in ("ACTOR", "OPERATION", "OUTCOME", "REQUEST")]
    )
    values = {name: value for name, _, value in fields}
    assert json.loads(values["MESSAGE"])["actor"].startswith("ann\n")
    assert (values["PRIORITY"], values["TENUTO_OPERATION"]) == ("5", "kill")


def test_a_daemon_that_is_gone_refuses_and_one_that_is_back_goes_on_with_the_chain() -> None:
    with listening() as daemon:
        log = AuditDaemon("syslog", path="log")
        log.append(ENTRY)
        daemon.recv(65_536)
    with pytest.raises(StoreUnavailableError, match=r"written to syslog .*not given"):
        log.append(ENTRY)
    with listening() as daemon:
        log.append(ENTRY)
        assert json.loads(daemon.recv(65_536).decode().partition("]: ")[2])["number"] == 2
    log.close()


@pytest.mark.parametrize("daemon", DAEMONS)
def test_a_daemon_that_does_not_listen_is_told_at_the_start(daemon: str) -> None:
    with pytest.raises(UserError, match=f"cannot go to {daemon}: log does not answer"):
        AuditDaemon(daemon, path="log")


def test_an_age_is_refused_beside_a_daemon() -> None:
    assert set(SOCKETS) == set(DAEMONS)
    settings = Settings.from_environment({"TENUTO_AUDIT_LOG": "syslog", "TENUTO_AUDIT_KEEP": "400d"})
    with pytest.raises(UserError, match="syslog keeps its lines"):
        opened_audit(settings)


def test_a_configuration_file_may_name_a_daemon(tmp_path: Path) -> None:
    (tmp_path / "tenuto.toml").write_text('audit_log = "journald"\n')
    assert Settings.load({}, [tmp_path / "tenuto.toml"]).audit_log == Path("journald")


def test_without_a_name_there_is_no_log_and_another_name_is_a_file() -> None:
    assert opened_audit(Settings.from_environment({})) is None
    log = opened_audit(Settings.from_environment({"TENUTO_AUDIT_LOG": "audit.log"}))
    assert log is not None
    log.close()
    assert Path("audit.log").is_file()
