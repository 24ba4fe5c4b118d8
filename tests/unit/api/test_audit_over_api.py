"""What the audit log says of requests, and what is not done when it cannot be written."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from browser import Browser, served_site
from front import Front, Http, submission

from tenuto.bootstrap.clock import SystemClock
from tenuto.cli.entry import run
from tenuto.errors import StoreUnavailableError
from tenuto.model.ids import JobId, JsonMap
from tenuto.ports.store_changes import SaveProcess
from tenuto.service.commands.proposals import digest_of
from tenuto.storage.audit.audit_file import AuditFile

POLICY = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: [status, suspend], Accounts: [default]}]"


class Lines:
    """Implements `ports.audit_log.AuditLog`."""

    def __init__(self) -> None:
        self.entries: list[JsonMap] = []
        self.is_full = False

    def append(self, entry: JsonMap) -> None:
        if self.is_full:
            raise StoreUnavailableError("The audit log is full.")
        self.entries.append(entry)

    def told(self) -> list[tuple[str, str, str]]:
        return [(str(one["actor"]), str(one["operation"]), str(one["outcome"])) for one in self.entries]


@pytest.fixture
def lines() -> Lines:
    return Lines()


@pytest.fixture
def front(lines: Lines) -> Front:
    made = Front(audit_log=lines)
    made.commands.run(submission(), alias="web")
    made.services.administration.set_policy(POLICY, file="p.yaml", actor="root")
    return made


@pytest.fixture
def url(front: Front) -> Iterator[str]:
    with served_site(front.services) as found:
        yield found


def ann(front: Front, url: str) -> Http:
    return Http(url, secret=front.services.administration.generate_secret("ann", actor="root"))


def test_a_command_leaves_two_lines_and_a_question_none(front: Front, url: str, lines: Lines) -> None:
    user = ann(front, url)
    assert user("GET", "/v1/processes/web").status == 200
    assert user("POST", "/v1/processes/web/suspend").status == 200
    assert lines.told() == [("ann", "suspend", "begun"), ("ann", "suspend", "done")]
    first = lines.entries[0]
    assert (first["way"], first["address"]) == ("api", "127.0.0.1")
    assert first["path"].startswith("/v1/processes/")
    assert first["key"] == front.store.user_secrets()[0].key


def test_requests_without_a_secret_are_counted_in_one_line_a_minute(front: Front, url: str, lines: Lines) -> None:
    for number in range(7):
        assert Http(url, "wrong")("GET", f"/v1/processes/{number}").status == 401
    [told] = lines.entries
    assert (told["operation"], told["outcome"], told["count"]) == ("no_secret", "denied", 1)
    assert (told["address"], told["path"], told["actor"]) == ("127.0.0.1", "/v1/processes/0", "")
    front.clock.sleep(61.0)
    assert Http(url, None)("GET", "/v1/processes").status == 401
    assert [one["count"] for one in lines.entries] == [1, 7]
    lines.is_full = True
    front.clock.sleep(61.0)
    assert Http(url, None)("GET", "/v1/processes").status == 401


def test_the_reason_of_an_override_stands_in_both_lines(front: Front, url: str, lines: Lines) -> None:
    asked = "TenutoPolicy: 1\nUsers: [ann]\nGrants: []\nApprovals: [{Accounts: '*', Commands: [kill], By: [ann]}]"
    front.services.administration.set_policy(asked, file="p.yaml", actor="root")
    why = "nobody else is there; the token was tenuto.0123456789ab.abcdefghijklmnopqrstuvwxyz"
    assert Http(url)("POST", "/v1/processes/web/kill", {"reason": why}).status == 200
    assert [one["outcome"] for one in lines.entries] == ["begun", "done"]
    assert all(str(one["reason"]).startswith("nobody else is there") for one in lines.entries)


def test_what_is_refused_or_denied_is_told(front: Front, url: str, lines: Lines) -> None:
    user = ann(front, url)
    assert user("POST", "/v1/processes/web/kill").status == 403
    assert user("GET", "/v1/policy").status == 403
    assert Http(url)("POST", "/v1/processes/web/resume").status == 409
    assert lines.told() == [
        ("ann", "kill", "denied"),
        ("ann", "policy", "denied"),
        ("root", "resume", "begun"),
        ("root", "resume", "refused"),
    ]


def test_equal_denials_of_a_minute_leave_one_line_and_the_next_one_has_their_count(
    front: Front, url: str, lines: Lines
) -> None:
    user = ann(front, url)
    for _ in range(30):
        assert user("POST", "/v1/processes/web/kill").status == 403
    assert user("POST", "/v1/processes/web/release").status == 403
    assert [(one["operation"], one["count"]) for one in lines.entries] == [("kill", 1), ("release", 1)]
    front.clock.sleep(61.0)
    assert user("POST", "/v1/processes/web/kill").status == 403
    assert (lines.entries[-1]["outcome"], lines.entries[-1]["count"]) == ("denied", 30)


def test_the_first_denial_of_another_user_is_not_hidden_and_one_that_was_not_written_comes_again(
    front: Front, url: str, lines: Lines
) -> None:
    user = ann(front, url)
    lines.is_full = True
    assert user("POST", "/v1/processes/web/kill").status == 403
    lines.is_full = False
    assert user("POST", "/v1/processes/web/kill").status == 403
    again = Http(url, secret=front.services.administration.generate_secret("ann", actor="root"))
    assert again("POST", "/v1/processes/web/kill").status == 403
    assert [one["count"] for one in lines.entries] == [1, 1], "another secret is another caller"


def test_a_dry_run_is_a_question(url: str, lines: Lines) -> None:
    assert Http(url)("POST", "/v1/processes/web/kill", {"dry_run": True}).status == 200
    assert lines.told() == []


def test_a_command_that_cannot_be_written_down_is_not_given(front: Front, url: str, lines: Lines) -> None:
    lines.is_full = True
    assert Http(url)("POST", "/v1/processes/web/suspend").status == 503
    assert front.services.gatekeeper.process("web").state == "Running"
    assert Http(url)("GET", "/v1/processes/web").status == 200


TWO = """
TenutoPolicy: 1
Users: [ann, ben]
Grants: [{To: [ann, ben], Commands: all, Accounts: '*'}]
"""


def approved(front: Front, url: str, lines: Lines, digest: str) -> list[tuple[str, str, str, str]]:
    ben = Http(url, secret=front.services.administration.generate_secret("ben", actor="root"))
    assert ben("POST", "/v1/proposals/1/approve", {"digest": digest}).status == 200
    return [
        (str(one["operation"]), str(one["outcome"]), str(one.get("proposal", "")), str(one.get("plan", "")))
        for one in lines.entries
    ]


def test_lines_about_a_plan_have_its_digest_and_tell_what_became_of_the_proposal(
    front: Front, url: str, lines: Lines
) -> None:
    front.services.administration.set_policy(TWO, file="p.yaml", actor="root")
    digest = str(ann(front, url)("POST", "/v1/processes/web/proposals", {"command": "kill"}).document["digest"])
    assert approved(front, url, lines, digest) == [
        ("propose", "begun", "", ""),
        ("propose", "done", "Open", digest),
        ("approve", "begun", "", digest),
        ("approve", "done", "Executed", digest),
    ]


def test_an_approval_that_ends_stale_is_told_as_stale_and_one_that_waits_for_a_job_as_waiting(
    front: Front, url: str, lines: Lines
) -> None:
    front.services.administration.set_policy(TWO, file="p.yaml", actor="root")
    digest = str(ann(front, url)("POST", "/v1/processes/web/proposals", {"command": "kill"}).document["digest"])
    process = front.services.gatekeeper.process("web")
    busy = SaveProcess(process=replace(process, job_id=JobId("job")), expected_generation=process.generation)
    front.store.commit((busy,))
    assert approved(front, url, lines, digest)[-1] == ("approve", "waits", "Approved", digest)
    lost = TWO.replace("To: [ann, ben]", "To: [ben]")
    front.services.administration.set_policy(lost, file="p.yaml", actor="root")
    assert approved(front, url, lines, digest)[-1] == ("approve", "stale", "Stale", digest)


def test_the_plan_of_a_saved_file_is_named_by_its_digest(front: Front, url: str, lines: Lines) -> None:
    asked = {"dry_run": True, "plan_file": True}
    plan = Http(url)("POST", "/v1/processes/web/kill", asked).document["plan_file"]
    assert Http(url)("POST", "/v1/processes/web/execute", {"plan": plan}).status == 200
    assert [(one["outcome"], one["plan"]) for one in lines.entries] == [
        ("begun", digest_of(plan)),
        ("done", digest_of(plan)),
    ]


def test_lines_hold_no_values(front: Front, url: str, lines: Lines) -> None:
    Http(url)("PUT", "/v1/policy", {"text": f"{POLICY}\n# hunter2"})
    Http(url, secret=None)("POST", "/v1/sign-in", {"token": "hunter2.x.y"})
    assert len(lines.entries) == 4
    secret = front.services.administration.generate_secret("ann", actor="root")
    token = Http(url)("POST", "/v1/users/ann/tokens", {"name": "ci", "seconds": 60}).document["secret"]
    for mistaken in (secret, token):
        Http(url)("DELETE", f"/v1/users/{mistaken}/secret")
        assert mistaken not in json.dumps(lines.entries)
    assert lines.entries[-1]["path"] == "/v1/users/****/secret"
    assert "hunter2" not in json.dumps(lines.entries)


def test_sign_ins_and_buttons_of_the_dashboard_are_told(front: Front, url: str, lines: Lines) -> None:
    browser = Browser(url)
    browser.sign_in("wrong")
    browser.sign_in()
    browser.press("/processes/web", "/processes/web/suspend")
    assert lines.told()[:2] == [("", "sign_in", "denied"), ("", "sign_in", "done")]
    assert lines.entries[1]["user"] == "root"
    assert lines.told()[2:] == [("root", "suspend", "begun"), ("root", "suspend", "done")]


def test_the_commands_read_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "audit.log"
    log = AuditFile(path, clock=SystemClock())
    for actor in ("ann", "bob", "ann"):
        log.append(
            {"at": "2026-01-31T12:00:00Z", "actor": actor, "operation": "kill", "outcome": "done", "path": "/v1"}
        )
    log.close()

    def tenuto(*words: str) -> tuple[int, JsonMap]:
        code = run([*words, "--json"], {"TENUTO_AUDIT_LOG": str(path), "HOME": str(tmp_path), "TENUTO_CLI_LOG": ""})
        return code, json.loads(capsys.readouterr().out)

    assert [one["number"] for one in tenuto("audit", "list", "--actor", "ann")[1]["entries"]] == [1, 3]
    code, whole = tenuto("audit", "verify")
    assert (code, whole["sound"], whole["last"]) == (0, True, 3)
    assert tenuto("audit", "verify", "--holds", whole["hash"])[0] == 0
    assert tenuto("audit", "verify", "--holds", "f" * 64)[0] == 11
    text = path.read_text().splitlines(keepends=True)
    path.write_text(text[1] + text[2])
    assert run(["audit", "verify"], {"TENUTO_AUDIT_LOG": str(path), "HOME": str(tmp_path), "TENUTO_CLI_LOG": ""}) == 0
    assert "is whole from line 2 on: 2 lines, 2 to 3." in capsys.readouterr().out
    path.write_text(text[0] + text[2])
    assert run(["audit", "verify", str(path)], {"HOME": str(tmp_path), "TENUTO_CLI_LOG": ""}) == 11
    assert "Whole before that: 1 line, 1 to 1." in capsys.readouterr().out
    code, told = tenuto("audit", "verify", str(path))
    assert (code, told["file"], told["line"], "line 2" in told["reason"]) == (11, str(path), 2, True)
    assert tenuto("audit", "verify", str(tmp_path / "none"))[0] == 4
    path.write_text(text[0].replace("ann", "ben"))
    assert run(["audit", "verify", str(path)], {"HOME": str(tmp_path), "TENUTO_CLI_LOG": ""}) == 11
    assert "Whole before that: 0 lines." in capsys.readouterr().out


@pytest.mark.parametrize("daemon", ["syslog", "journald"])
def test_the_commands_say_where_the_lines_are_that_a_daemon_has(
    daemon: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    environ = {"TENUTO_AUDIT_LOG": daemon, "HOME": str(tmp_path), "TENUTO_CLI_LOG": ""}
    assert run(["audit", "verify"], environ) == 2
    assert f"goes to {daemon}" in capsys.readouterr().err
