"""Every command over a served API: what it prints, where, and its exit code."""

import json
import re
from pathlib import Path

import pytest
from front import SECRET, TEMPLATE, Front, served
from terminal import Shell

from tenuto.errors import StoreUnavailableError, TransientError
from tenuto.lifecycles.resource import ResourceState
from tenuto.service.access.own_secret import ensure_credentials

WRONG = """
Resources:
  Net:
    Type: Simulated::Network
    Properties: {CidrBlock: !Ref Nowhere}
"""
UNMANAGED = "Resources: {Net: {Type: Simulated::Elephant}}"
WARNED = TEMPLATE.replace("Resources:", "Hooks: {}\nResources:")


@pytest.fixture
def web(tmp_path: Path) -> str:
    path = tmp_path / "web.yaml"
    path.write_text(TEMPLATE)
    return str(path)


def test_a_retry_of_a_suspended_process_names_the_command_that_goes_on(tenuto: Shell, front: Front, web: str) -> None:
    assert tenuto("run", web, "-a", "web", "-y", "--parameter", "Password=secret").code == 0
    process = front.store.process("web")
    assert process is not None
    front.add_object(process, "Net")
    assert tenuto("suspend", "web", "-y").code == 0
    stays = "The process is Suspended, and its resources stay as they are until 'tenuto resume web' goes on."
    assert tenuto("retry", "web", "Net", "-y").out == f"Cleared 1 failed phase or hold: Net. {stays}\n"
    front.conductor.has_failed = False
    assert tenuto("retry", "web", "-y").out == f"No failed phase or hold was there to clear. {stays}\n"


def test_a_process_lives_through_the_command_line(tenuto: Shell, front: Front, web: str) -> None:
    assert tenuto("status").out.startswith("There are no processes.")
    ran = tenuto("run", web, "-a", "web", "-y", "--region", "eu-west-1", "--parameter", "Password=secret")
    assert ran.code == 0
    assert "Running" in ran.out
    process = front.store.process("web")
    assert process is not None
    assert process.partition.region == "eu-west-1"
    front.add_object(process, "Net")
    assert "Net" in tenuto("status", "web").out
    planned = tenuto("plan", "web")
    assert planned.out.rstrip().endswith("Plan: 2 create, 0 unchanged.")
    assert re.fullmatch(r"By the sweep of [-: \d]+; what changed later is not in it\.\n", planned.err)
    assert tenuto("--json", "plan", "web").err == ""
    assert "Declared, and not made yet." in tenuto("explain", "web", "Sub").out
    assert tenuto("suspend", "web", "-y").out.splitlines()[2].startswith("Suspended")
    assert tenuto("resume", "web", "-y").code == 0
    assert tenuto("retry", "web", "Net", "-y").out == "Cleared 1 failed phase or hold: Net.\n"
    assert "Parameters:   Password=****" in tenuto("status", "web").out
    assert tenuto("update", "web", web, "-y", "--keep-parameters").code == 0
    assert tenuto("update", "web", web, "-y").code == 0
    assert tenuto("apply", web, "-a", "web", "-y", "--region", "eu-west-1").code == 0
    assert tenuto("property", "web", "enforcement").out == "on\n"
    assert tenuto("property", "web", "enforcement", "--set", "off", "-y").code == 0
    assert tenuto("property", "web", "enforcement").out == "off\n"
    shown = tenuto("property", "web").out
    assert re.findall(r"^(alias|lock|enforcement)  *(\S+)$", shown, re.MULTILINE) == [
        ("alias", "web"),
        ("lock", "off"),
        ("enforcement", "off"),
    ]
    assert tenuto("kill", "web", "-y").out.splitlines()[2].startswith("Killing")
    history = tenuto("history", "web").out
    assert [word for word in history.split() if word in ("run", "suspend", "resume")] == ["run", "suspend", "resume"]
    assert tenuto("ops", "web").out == "No provider operations in that time.\n"
    assert "process.state" in tenuto("events", "web").out
    since = ("--start", "01/31/2020 12:00", "--type", "process.state")
    assert "Killing" in tenuto("events", "web", *since).out
    assert tenuto("events", "web", "--end", "01/31/2020 12:00").out == "No events.\n"
    assert "simulated.create" in tenuto("phases").out
    assert "No Conductor has checked in yet." in tenuto("nodes").out
    assert "Simulated::Network" in tenuto("types").out


def test_a_suspended_process_keeps_an_update_for_later_and_a_wait_says_so_at_once(tenuto: Shell, web: str) -> None:
    """Not that the last job failed: its words would be read as what came of this update."""
    tenuto("run", web, "-a", "web", "-y")
    tenuto("suspend", "web", "-y")
    same = tenuto("apply", web, "-a", "web", "-y").err.splitlines()[-1]
    assert same == "Process web is Suspended and has this composition already, so nothing was stored for later."
    told = "Process web is Suspended and keeps the change for later: 'tenuto resume web' applies it."
    stored = tenuto("update", "web", web, "-y")
    assert (stored.code, stored.err.splitlines()[-1]) == (0, told)
    waited = tenuto("update", "web", web, "-y", "--wait")
    assert (waited.code, waited.out) == (1, f"{told}\n")
    assert tenuto("update", "web", web, "-y", "--wait", "--json").document["state"] == "Suspended"


def test_with_json_stdout_is_one_document(tenuto: Shell, web: str) -> None:
    made = tenuto("run", web, "-a", "web", "-y", "--json").document
    assert made["alias"] == "web"
    for words in (
        ["status"], ["status", "web"], ["plan", "web"], ["explain", "web"], ["history", "web"], ["ops", "web"],
        ["events"], ["events", "web"], ["phases"], ["types"], ["nodes"], ["property", "web", "lock"], ["compile", web],
        ["run", web, "--dry-run"], ["kill", "web", "--dry-run"], ["suspend", "web", "-y"], ["resume", "web", "-y"],
    ):  # fmt: skip
        ended = tenuto("--json", *words)
        assert ended.code == 0
        assert ended.document


def test_a_failure_with_json_is_one_document_too(tenuto: Shell, web: str, tmp_path: Path) -> None:
    missing = tenuto("kill", "nobody", "-y", "--json")
    assert (missing.code, missing.document["error"]["code"]) == (4, "not-found")
    assert "There is no process 'nobody'" in missing.err
    (tmp_path / "wrong.yaml").write_text(WRONG)
    wrong = tenuto("run", str(tmp_path / "wrong.yaml"), "--json")
    assert wrong.code == 3
    assert wrong.document["error"]["diagnostics"][0]["position"]["line"] == 5
    assert tenuto("--json", "status", "--colour").document["error"]["exit_code"] == 2


def test_compile_prints_the_canonical_composition(tenuto: Shell, web: str) -> None:
    ended = tenuto("compile", web, environ={"TENUTO_REGION": "eu-north-1"})
    assert ended.document["region"] == "eu-north-1"
    assert ended.document["resources"].keys() == {"Net", "Sub"}
    assert "hunter2" not in ended.out


@pytest.mark.parametrize("content", [WRONG, "Resources: [", "", UNMANAGED], ids=["name", "yaml", "empty", "type"])
def test_a_wrong_composition_ends_with_3_and_sends_nothing(
    tenuto: Shell, front: Front, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(content)
    ended = tenuto("run", str(path), "-y")
    assert ended.code == 3
    assert "error[T" in ended.err
    assert "nothing was sent" in ended.err
    assert front.store.processes() == ()


def test_errors_of_the_file_are_told_even_without_a_conductor(tenuto: Shell, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG)
    nobody = tenuto.environ(TENUTO_URL="http://127.0.0.1:1")
    assert tenuto("run", str(path), "-y", environ=nobody).code == 3
    path.write_text(TEMPLATE)
    assert tenuto("run", str(path), "-y", environ=nobody).code == 8


def test_warnings_are_told_and_with_werror_they_are_errors(tenuto: Shell, front: Front, tmp_path: Path) -> None:
    path = tmp_path / "warned.yaml"
    path.write_text(WARNED)
    ended = tenuto("run", str(path), "-y", "--werror")
    assert ended.code == 3
    assert "warning[T" in ended.err
    assert tenuto("run", str(path), "--werror", "--dry-run", "--json").code == 3
    assert tenuto("compile", str(path)).code == 0
    assert front.store.processes() == ()
    assert tenuto("run", str(path), "-y").code == 0


def test_without_a_terminal_and_without_yes_nothing_is_done(tenuto: Shell, front: Front, web: str) -> None:
    ended = tenuto("run", web)
    assert ended.code == 2
    assert "Add --yes (-y)" in ended.err
    assert front.store.processes() == ()
    tenuto("run", web, "-a", "web", "-y")
    for words in (["kill", "web"], ["suspend", "web"], ["retry", "web"], ["property", "web", "lock", "--set", "on"]):
        assert tenuto(*words).code == 2


def test_at_a_terminal_a_command_asks_and_the_default_is_no(tenuto: Shell, front: Front, web: str) -> None:
    for typed in ("\n", "n\n", "maybe\n"):
        declined = tenuto.at_a_terminal("run", web, "-a", "web", typed=typed)
        assert (declined.code, declined.out) == (7, "")
        assert "[y/N]: " in declined.err
        assert "Nothing was done." in declined.err
    assert front.store.processes() == ()
    assert tenuto.at_a_terminal("run", web, "-a", "web", typed="y\n").code == 0
    assert front.store.process("web") is not None


def test_a_dry_run_asks_nothing_and_tells_changes_by_its_exit_code(tenuto: Shell, front: Front, web: str) -> None:
    plain = tenuto("run", web, "--dry-run")
    assert plain.code == 0
    assert plain.out.splitlines()[:2] == [
        "Plan for a new process (run, default · us-east-1):",
        f"+ create Net (Simulated::Network): declared, and there is none  {web}:5",
    ]
    assert tenuto("run", web, "--dry-run", "--detailed-exitcode").code == 10
    assert front.store.processes() == ()
    tenuto("run", web, "-a", "web", "-y")
    assert tenuto("kill", "web", "--dry-run", "--detailed-exitcode").code == 0
    assert tenuto("plan", "web", "--detailed-exitcode").code == 10


def test_each_refusal_has_its_exit_code(tenuto: Shell, front: Front, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y")
    assert tenuto("status", "nobody").code == 4
    assert tenuto("resume", "web", "-y").code == 5
    assert tenuto("run", web, "-a", "web", "-y").code == 5
    tenuto("property", "web", "lock", "--set", "on", "-y")
    assert tenuto("kill", "web", "-y").code == 5
    assert tenuto("status", environ=tenuto.environ(TENUTO_SECRET="wrong")).code == 6
    assert tenuto("run", web, "-a", "two words", "-y").code == 2
    assert tenuto("run", "nothing.yaml").code == 2
    assert tenuto("run", web, "--parameter", "Password").code == 2
    assert tenuto("history", "web", "--start", "yesterday").code == 2
    assert tenuto("conductor", "--period", "0").code == 2
    assert tenuto("conductor", "--listen", "nowhere").code == 2
    refused = tenuto("conductor", "--keep", "events=90d", "--keep", "plan=1")
    assert (refused.code, "there is no kind 'plan' (did you mean plans?); there are denied, events" in refused.err) == (
        2,
        True,
    )
    assert tenuto("statsu").code == 2
    assert tenuto("status", environ=tenuto.environ(TENUTO_URL="http://127.0.0.1:1")).code == 8
    front.conductor.failure = TransientError("the endpoint is down")
    assert tenuto("plan", "web").code == 1


def test_a_wrong_secret_is_told_in_the_words_of_the_command_line(tenuto: Shell) -> None:
    told = tenuto("status", environ=tenuto.environ(TENUTO_SECRET="wrong")).err
    assert "does not accept the secret. Set TENUTO_SECRET" in told
    assert "Authorization" not in told


def test_a_composition_that_is_given_as_a_plan_is_refused_with_what_would_do(tenuto: Shell, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y")
    ended = tenuto("update", "web", "--plan", web, "-y")
    assert (ended.code, "is no plan file: it is no JSON. A dry run saves one" in ended.err) == (2, True)
    assert "Expecting" not in ended.err


@pytest.mark.parametrize("document", ["{}", '{"command": null}', '{"command": "enforce", "operations": []}'])
def test_a_document_that_names_no_command_is_given_as_a_plan(
    tenuto: Shell, web: str, tmp_path: Path, document: str
) -> None:
    """`tenuto plan -o json` writes such a document: it shows a plan, and cannot be executed."""
    tenuto("run", web, "-a", "web", "-y")
    shown = tmp_path / "shown.json"
    shown.write_text(document)
    ended = tenuto("update", "web", "--plan", str(shown), "-y")
    assert ended.code == 2
    assert "shown.json is no plan file: it does not say which command it is for. A dry run saves one" in ended.err


def test_a_full_disk_is_told_in_one_line(tenuto: Shell, front: Front, web: str) -> None:
    front.conductor.failure = StoreUnavailableError("The disk is full. Make room, then try again.")  # type: ignore[assignment]
    ended = tenuto("run", web, "--dry-run")
    assert ended.code == 1
    assert re.fullmatch(r"tenuto: The disk is full\. Make room, then try again\. \(request [0-9a-f]{16}\)\n", ended.err)


def test_the_conductor_is_found_in_the_credentials_file(tenuto: Shell, tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    settings = {"TENUTO_CREDENTIALS": str(path)}
    nobody = tenuto("status", environ=settings)
    assert (nobody.code, "tenuto conductor" in nobody.err) == (8, True)
    path.write_text(f"[default]\nurl = {tenuto.url}\nsecret = {SECRET}\n")
    path.chmod(0o600)
    assert tenuto("status", environ=settings).code == 0
    assert tenuto("--url", tenuto.url, "status", environ=settings).code == 0
    foreign = tenuto("--url", "https://tenuto.invalid", "status", environ=settings)
    assert (foreign.code, "belongs to" in foreign.err) == (6, True)
    path.chmod(0o640)
    assert tenuto("status", environ=settings).code == 6


def test_a_url_without_a_secret_is_refused(tenuto: Shell) -> None:
    ended = tenuto("status", environ={"TENUTO_URL": tenuto.url, "TENUTO_CREDENTIALS": "/nowhere/credentials"})
    assert (ended.code, "TENUTO_SECRET" in ended.err) == (6, True)


def test_something_else_at_the_url_is_told(tenuto: Shell) -> None:
    ended = tenuto("--url", f"{tenuto.url}/elsewhere", "status")
    assert ended.code == 1
    assert "/elsewhere/v1/processes" in ended.err


def test_wait_ends_at_once_when_the_process_is_suspended(tenuto: Shell, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y")
    tenuto("suspend", "web", "-y")
    ended = tenuto("update", "web", web, "-y", "--wait=60", "--json")
    assert ended.code == 1
    assert ended.document["state"] == "Suspended"
    assert "is Suspended" in ended.err


def test_wait_with_no_time_left_ends_with_8(tenuto: Shell, web: str) -> None:
    ended = tenuto("run", web, "-a", "web", "-y", "--wait", "0")
    assert ended.code == 8
    assert "Timed out" in ended.err


def test_a_gone_process_keeps_its_history(tenuto: Shell, front: Front, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y")
    process = front.store.process("web")
    assert process is not None
    front.add_object(process, "Net", target=ResourceState.TERMINATED)
    fid = process.fid
    assert tenuto("history", fid).code == 0
    assert tenuto("history", "web", "--json").document["fid"] == fid


def test_an_unexpected_error_is_one_line_and_a_traceback_only_when_asked_for(tenuto: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "credentials"
    folder.mkdir()
    environ = {"TENUTO_CREDENTIALS": str(folder)}
    short = tenuto("status", environ=environ)
    assert short.code == 2
    assert "Traceback" not in short.err
    assert "Traceback" in tenuto("status", environ={**environ, "TENUTO_DEBUG": "1"}).err


def test_a_wrong_setting_is_named(tenuto: Shell) -> None:
    ended = tenuto("status", environ=tenuto.environ(TENUTO_PERIOD="soon"))
    assert (ended.code, "TENUTO_PERIOD='soon'" in ended.err) == (2, True)


def test_credentials_of_a_conductor_open_its_api(
    front: Front, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "made" / "credentials"
    assert ensure_credentials(path, "http://127.0.0.1:1") != SECRET
    with served(front) as url:
        shell = Shell(url, tmp_path, capsys)
        assert shell("--url", url, "status", environ={"TENUTO_CREDENTIALS": str(path)}).code == 6


def test_events_with_json_are_documents(tenuto: Shell, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y")
    events = json.loads(tenuto("events", "web", "--json").out)["events"]
    assert [event["number"] for event in events] == sorted(event["number"] for event in events)


def test_a_dry_run_is_saved_for_its_owner_only_and_executed(
    tenuto: Shell, front: Front, web: str, tmp_path: Path
) -> None:
    tenuto("run", web, "-a", "web", "-y", "--region", "eu-west-1")
    saved = tmp_path / "web.plan"
    told = tenuto("update", "web", web, "--dry-run", "-o", str(saved), "--detailed-exitcode", "--json")
    assert told.code == 10
    assert "plan_file" not in json.loads(told.out)
    assert saved.stat().st_mode & 0o777 == 0o600
    assert json.loads(saved.read_text())["command"] == "update"
    assert tenuto("kill", "web", "--plan", str(saved), "-y").code == 2
    executed = tenuto("update", "web", "--plan", str(saved), "-y")
    assert executed.code == 0
    assert "Net (Simulated::Network)" in executed.err, "nobody was asked, and what is done is shown all the same"
    process = front.store.process("web")
    assert process is not None
    assert process.job_id is not None
    again = tenuto("update", "web", "--plan", str(saved), "-y")
    assert again.code == 1
    assert "nothing was changed" in again.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("update", "web"),
        ("kill", "web", "-o", "some.plan"),
        ("resume", "web", "--detailed-exitcode"),
    ],
)
def test_options_that_would_be_ignored_are_wrong_usage(tenuto: Shell, arguments: tuple[str, ...]) -> None:
    assert tenuto(*arguments, "-y").code == 2


def test_what_is_no_plan_file_is_wrong_usage(tenuto: Shell, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y", "--region", "eu-west-1")
    assert tenuto("update", "web", "--plan", web, "-y").code == 2


def test_enforcement_is_turned_off_for_a_time(tenuto: Shell, web: str) -> None:
    tenuto("run", web, "-a", "web", "-y", "--region", "eu-west-1")
    assert tenuto("property", "web", "enforcement", "--set", "off", "--until", "2h", "-y").code == 0
    assert tenuto("property", "web", "enforcement").out.startswith("off until ")
    assert "not enforced until" in tenuto("status", "web").out
    assert tenuto("property", "web", "lock", "--set", "on", "--until", "2h", "-y").code == 2
    assert tenuto("property", "web", "enforcement", "--set", "off", "--until", "later", "-y").code == 2


def test_the_plan_of_a_run_and_of_an_apply_can_be_saved_too(tenuto: Shell, web: str, tmp_path: Path) -> None:
    for words in (("run", web), ("apply", web, "-a", "web")):
        saved = tmp_path / f"{words[0]}.json"
        assert tenuto(*words, "--dry-run", "-o", str(saved)).code == 0
        assert json.loads(saved.read_text())["command"] == "run"
