"""Prompts, configuration files and the log of calls: behaviours 75 to 78 of the process model."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from front import Front, submission
from hypothesis import given
from hypothesis import strategies as st
from terminal import Shell

from tenuto.cli.client.target import find_conductor
from tenuto.cli.terminal import call_log
from tenuto.cli.terminal.session import Session
from tenuto.core.pacing.quotas import quotas_text
from tenuto.core.pacing.retention import rules_text
from tenuto.errors import ForbiddenError, UserError
from tenuto.kit.shown_urls import without_passwords
from tenuto.model.quotas import Quota
from tenuto.settings import OPTIONS, Settings, config_places


@pytest.fixture
def front() -> Front:
    made = Front()
    made.commands.run(submission(), alias="web")
    return made


MUTATING = (
    ("suspend", "web"),
    ("resume", "web"),
    ("kill", "web"),
    ("release", "web"),
    ("retry", "web"),
    ("property", "web", "lock", "--set", "on"),
    ("policy", "remove"),
    ("user", "generate-secret", "ann"),
    ("user", "revoke", "ann"),
    ("runtime", "set", "jobs.period", "60"),
    ("runtime", "unset", "*"),
)


@pytest.mark.parametrize("typed", ["\n", "n\n", "N\n", "nonsense\n"])
def test_behaviour_75_enter_or_no_at_the_prompt_leaves_everything_unchanged(
    tenuto: Shell, front: Front, typed: str
) -> None:
    ended = tenuto.at_a_terminal("kill", "web", typed=typed)
    assert (ended.code, "[y/N]" in ended.err) == (7, True)
    [process] = front.store.processes()
    assert (process.state, process.generation) == ("Running", 1)
    assert len(front.store.history(process.fid).commands) == 1


def test_behaviour_75_yes_at_the_prompt_does_it(tenuto: Shell, front: Front) -> None:
    assert tenuto.at_a_terminal("suspend", "web", typed="y\n").code == 0
    assert front.store.processes()[0].state == "Suspended"


@pytest.mark.parametrize("words", MUTATING, ids=" ".join)
def test_behaviour_76_without_a_terminal_and_without_yes_it_fails_and_does_nothing(
    tenuto: Shell, front: Front, words: tuple[str, ...]
) -> None:
    policy = tenuto.folder / "policy.yaml"
    policy.write_text("TenutoPolicy: 1\nUsers: [ann]\n")
    assert tenuto("policy", "set", str(policy), "-y").code == 0
    ended = tenuto(*words)
    assert (ended.code, "-y" in ended.err) == (2, True)
    assert front.store.processes()[0].generation == 1


def config(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tenuto.toml").write_text(text)
    return folder / "tenuto.toml"


def test_behaviour_77_the_first_file_of_current_user_and_system_folder_holds_alone(tmp_path: Path) -> None:
    places = [tmp_path / name / "tenuto.toml" for name in ("here", "user", "system")]
    assert Settings.load({}, places).config is None
    config(tmp_path / "system", 'period = 7\nregion = "eu-west-1"')
    assert Settings.load({}, places).period_s == 7.0
    config(tmp_path / "user", "period = 8")
    found = Settings.load({}, places)
    assert (found.period_s, found.region, found.config) == (8.0, "us-east-1", places[1])
    config(tmp_path / "here", "")
    assert (Settings.load({}, places).period_s, Settings.load({}, places).config) == (30.0, places[0])


def test_behaviour_77_the_places_are_the_current_the_users_and_the_systems_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "all"))
    assert config_places() == (
        tmp_path / "tenuto.toml",
        tmp_path / "mine/tenuto/tenuto.toml",
        tmp_path / "all/tenuto/tenuto.toml",
    )


def test_behaviour_77_the_environment_overrides_the_file_and_an_option_both(tmp_path: Path) -> None:
    place = config(tmp_path, 'period = 7\nurl = "http://file:1"\nregion = "eu-west-1"\ndebug = true')
    environ = {"TENUTO_URL": "http://variable:1", "AWS_REGION": "us-west-2", "TENUTO_DEBUG": "0", "TENUTO_PERIOD": ""}
    found = Settings.load(environ, [place])
    assert (found.url, found.region, found.debug, found.period_s) == ("http://variable:1", "us-west-2", False, 7.0)
    assert found.origins["url"] == "TENUTO_URL"
    assert found.origins["period"] == f"{place}, line 1"
    session = Session(found)
    session.use(url="http://option:1")
    assert (session.settings.url, session.settings.origins["url"]) == ("http://option:1", "--url")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://u:P%40W@h/x", "postgresql://u:****@h/x"),
        ("no Conductor at https://u:PW@h:1, and :x@y", "no Conductor at https://u:****@h:1, and :x@y"),
        ("http://host:7310/a:b@c", "http://host:7310/a:b@c"),
        ("postgresql://u:P@W@h/x", "postgresql://u:****@h/x"),
    ],
)
def test_the_password_of_a_url_is_not_shown(text: str, shown: str) -> None:
    assert without_passwords(text) == shown


@pytest.mark.parametrize("word", ["0", "false", "No", "OFF", ""])
def test_a_switch_of_the_environment_is_off_in_each_spelling(word: str) -> None:
    assert not Settings.from_environment({"TENUTO_INSECURE": word}).insecure


@pytest.mark.parametrize("word", ["1", "true", "Yes", "on"])
def test_a_switch_of_the_environment_is_on_in_each_spelling(word: str) -> None:
    assert Settings.from_environment({"TENUTO_INSECURE": word}).insecure


def test_a_word_that_may_mean_either_switches_nothing() -> None:
    with pytest.raises(UserError, match="TENUTO_INSECURE='flase' cannot be used: expected true or false"):
        Settings.from_environment({"TENUTO_INSECURE": "flase"})


def test_behaviour_77_a_named_file_is_the_only_one(tmp_path: Path) -> None:
    named = config(tmp_path / "named", "period = 3")
    other = config(tmp_path / "other", "period = 4")
    assert Settings.load({"TENUTO_CONFIG": str(named)}, [other]).period_s == 3.0
    with pytest.raises(UserError, match=r"TENUTO_CONFIG names .*no such file"):
        Settings.load({"TENUTO_CONFIG": str(tmp_path / "none.toml")}, [other])


def test_every_option_can_stand_in_a_file_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    text = """
database = "data/tenuto.db"
listen = "127.0.0.1:9"
listen_nodes = "127.0.0.1:10"
node_deadline = 5
public_url = "https://tenuto.example.org"
period = 2.5
patience = 60
providers = ["simulated", "aws"]
plugins = ["one", "/two"]
validations = ["rules.py"]
notify_commands = ["pager=/bin/page", "log:job.finished=/bin/log"]
trusted_proxies = ["127.0.0.1", "10.1.0.0/16"]
webhook_allow = ["10.0.0.0/8", "hooks.internal"]
image_allow = ["127.0.0.0/8"]
floating_pool = ["192.0.2.0/28", "eu=198.51.100.0/28"]
fight_limit = 3
identity_interval = 60
connections = 100
limits = ["requests=50.5", "plans=none"]
keep = ["events=7d", "plans=20"]
tls_cert = "tls/cert.pem"
tls_key = "/tls/key.pem"
insecure = true
audit_log = "audit.log"
audit_keep = "400d"
oidc_issuers = ["https://login.example.org=tenuto", "https://ci.example.org"]
oidc_client_secret = "client"
ca_cert = "ca.pem"
url = "http://127.0.0.1:9"
credentials = "creds"
region = "eu-west-1"
more_regions = ["eu-west-9", "sa-north-1"]
api_share = 0.5
ignored_tags = ["map migrated", "cost-*"]
no_color = true
debug = true
cli_log = "calls.log"
"""
    found = Settings.load({}, [config(tmp_path, text)])
    assert found.origins.keys() == OPTIONS.keys()
    assert found.database == str(tmp_path / "data/tenuto.db")
    assert [one.name for one in found.notify_commands] == ["pager", "log"]
    assert found.providers == ("simulated", "aws")
    assert quotas_text(found.limits)[0] == "requests=50.5"
    assert found.limits[Quota.PLANS] is None
    assert found.plugins == (tmp_path / "one", Path("/two"))
    assert found.validations == (tmp_path / "rules.py",)
    assert (found.credentials, found.cli_log) == (tmp_path / "creds", tmp_path / "calls.log")
    assert (found.period_s, found.patience_s, found.api_share) == (2.5, 60.0, 0.5)
    assert found.ignored_tags == ("map migrated", "cost-*")
    assert (found.tls_cert, found.tls_key) == (tmp_path / "tls/cert.pem", Path("/tls/key.pem"))
    assert (found.ca_cert, found.insecure) == (tmp_path / "ca.pem", True)
    assert (found.audit_log, found.oidc_client_secret) == (tmp_path / "audit.log", tmp_path / "client")
    assert [(one.url, one.client) for one in found.oidc_issuers] == [
        ("https://login.example.org", "tenuto"),
        ("https://ci.example.org", ""),
    ]
    assert [str(one) for one in found.trusted_proxies] == ["127.0.0.1/32", "10.1.0.0/16"]
    assert str(found.webhook_allow) == "10.0.0.0/8, hooks.internal"
    assert str(found.image_allow) == "127.0.0.0/8"
    assert str(found.floating_pool) == "192.0.2.0/28, eu=198.51.100.0/28"
    assert str(found.more_regions) == "eu-west-9, sa-north-1"
    assert (found.identity_interval_s, found.connections) == (60.0, 100)
    assert {"events=7d,1000000", "plans=30d,20"} <= set(rules_text(found.keep))
    assert (found.listen.port, found.no_color, found.debug) == (9, True, True)
    assert Settings.load({}, [config(tmp_path, 'database = "memory:"')]).database == "memory:"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("period = 5\nperoid = 6", 2, "no option 'peroid'. Did you mean period? There are"),
        ('# a note\n\n"secret" = "x"', 3, "no option 'secret'"),
        ("period = 5\n[sinks]\na = 1", 2, "no option 'sinks'"),
        ("debug = 1", 1, "must be true or false"),
        ("period = true", 1, "must be a number"),
        ('plugins = "one"', 1, "must be a list of paths"),
        ("plugins = [1]", 1, "must be a list of paths"),
        ("url = 5", 1, "must be text"),
        ("region = 'x'\nperiod = 0", 2, "expected seconds"),
        ("listen = 'x'", 1, "expected HOST:PORT"),
        ("period = 5\nperiod 6", 2, "is not TOML"),
    ],
)
def test_behaviour_77_a_mistake_in_a_file_is_told_with_file_and_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    place = config(tmp_path, text)
    with pytest.raises(UserError) as wrong:
        Settings.load({}, [place])
    assert str(place) in str(wrong.value)
    assert f"line {line}" in str(wrong.value)
    assert said in str(wrong.value)


def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "tenuto.toml"
    for content, said in ((b"\xff", "not UTF-8"), (b"#" * 70_000, "larger than")):
        place.write_bytes(content)
        with pytest.raises(UserError, match=said):
            Settings.load({}, [place])


def test_a_file_of_the_current_folder_that_others_can_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = config(tmp_path, "period = 5")
    place.chmod(0o666)
    with pytest.raises(UserError, match="can be written by others"):
        Settings.load({}, [place])
    place.chmod(0o600)
    assert Settings.load({}, [place]).is_config_local


def test_the_secret_of_the_environment_is_not_sent_where_a_folder_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = config(tmp_path, 'url = "https://example.org:1"')
    environ = {"TENUTO_SECRET": "s", "TENUTO_CREDENTIALS": str(tmp_path / "none")}
    settings = Settings.load(environ, [place])
    with pytest.raises(ForbiddenError, match="not sent to a place that a folder names"):
        find_conductor(settings)
    assert find_conductor(replace(settings, is_config_local=False)).url == "https://example.org:1"
    settings = Settings.load({**environ, "TENUTO_URL": "https://example.org:1"}, [place])
    assert find_conductor(settings).url == "https://example.org:1"


def test_config_says_which_file_is_used_and_where_each_setting_comes_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = config(tmp_path, "period = 5")
    shell = Shell("http://127.0.0.1:9", tmp_path, capsys)
    environ = shell.environ(TENUTO_CONFIG=str(place))
    document = shell("config", "--json", environ=environ).document
    assert document["file"] == str(place)
    told = {one["name"]: (one["value"], one["origin"]) for one in document["settings"]}
    assert told["period"] == ("5", f"{place}, line 1")
    assert told["url"] == ("http://127.0.0.1:9", "TENUTO_URL")
    assert told["region"][1] is None
    shown = shell("config", environ=environ).out
    assert str(place) in shown
    assert environ["TENUTO_SECRET"] not in shown


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "TENUTO_URL",
            "ftp://tenuto.example",
            "url: The URL 'ftp://tenuto.example' must begin with http:// or https://.",
        ),
        ("TENUTO_URL", "http://", "url: The URL 'http://' names no host."),
        ("TENUTO_PROVIDERS", "simulatd", "no provider simulatd among those installed. Did you mean simulated?"),
        ("TENUTO_REGION", "eu-wset-1", "region: There is no region eu-wset-1. Did you mean eu-west-1?"),
    ],
)
def test_config_tells_of_a_value_that_names_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], variable: str, value: str, words: str
) -> None:
    shell = Shell("http://127.0.0.1:9", tmp_path, capsys)
    environ = shell.environ(**{variable: value})
    assert words in " ".join(shell("config", environ=environ).out.split())
    assert [one["setting"] for one in shell("config", "--json", environ=environ).document["faults"]] == [
        variable.removeprefix("TENUTO_").lower()
    ]
    assert shell("config", "--json").document["faults"] == []


def test_config_says_which_conductor_is_used_when_no_url_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The credentials file decides then, and that is what people look for when they ask."""
    credentials = tmp_path / "credentials"
    shell = Shell("", tmp_path, capsys)
    environ = shell.environ(TENUTO_CREDENTIALS=str(credentials))

    def url() -> tuple[str | None, str]:
        settings = {one["name"]: one for one in shell("config", "--json", environ=environ).document["settings"]}
        return settings["url"]["value"], settings["url"]["origin"]

    assert url() == (None, f"none: there is no credentials file at {credentials}")
    credentials.write_text("[default]\nurl = http://127.0.0.1:7\nsecret = x\n")
    credentials.chmod(0o600)
    assert url() == ("http://127.0.0.1:7", f"the credentials file {credentials}")
    credentials.chmod(0o644)
    assert url()[0] is None


def test_a_wrong_file_ends_every_command_with_the_code_of_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = config(tmp_path, "peroid = 5")
    shell = Shell("http://127.0.0.1:9", tmp_path, capsys)
    ended = shell("status", environ=shell.environ(TENUTO_CONFIG=str(place)))
    assert (ended.code, "line 1" in ended.err) == (2, True)


def logged(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_behaviour_78_every_call_is_appended_with_its_exit_code_for_its_owner_only(
    tenuto: Shell, tmp_path: Path
) -> None:
    path = tmp_path / "state" / "cli.log"
    environ = tenuto.environ(TENUTO_CLI_LOG=str(path))
    for words in (["status"], ["kill", "nobody", "-y"], ["no-such-command"], ["--help"]):
        tenuto(*words, environ=environ)
    calls = logged(path)
    assert [(one["arguments"], one["exit_code"]) for one in calls] == [
        (["status"], 0),
        (["kill", "nobody", "-y"], 4),
        (["no-such-command"], 2),
        (["--help"], 0),
    ]
    assert all(one["at"].endswith("Z") and one["took_s"] >= 0 and one["folder"] for one in calls)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_behaviour_78_the_log_is_among_the_users_state_unless_it_is_turned_off(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    for more in ({}, {"TENUTO_CLI_LOG": ""}):
        subprocess.run([sys.executable, "-m", "tenuto", "--version"], env={**environ, **more}, check=True, timeout=60)
    assert len(logged(tmp_path / "state" / "tenuto" / "cli.log")) == 1


def test_behaviour_78_a_call_with_a_wrong_configuration_is_logged_too(tenuto: Shell, tmp_path: Path) -> None:
    path = tmp_path / "cli.log"
    tenuto("status", environ=tenuto.environ(TENUTO_CLI_LOG=str(path), TENUTO_PERIOD="soon"))
    assert [one["exit_code"] for one in logged(path)] == [2]


SECRET = "hunter2"


@pytest.mark.parametrize(
    "words",
    [
        ["run", "f.yaml", "--parameter", f"Password={SECRET}"],
        ["run", "f.yaml", f"--parameter=Password={SECRET}"],
        ["run", "f.yaml", "-p", f"Password={SECRET}"],
        ["run", "f.yaml", f"-pPassword={SECRET}"],
        ["run", "f.yaml", "-yp", f"Password={SECRET}"],
        ["run", "f.yaml", f"-ypPassword={SECRET}"],
        ["run", "f.yaml", "-p", f"Password={SECRET}=x={SECRET}"],
        ["run", "f.yaml", f"Password={SECRET}"],
        ["run", "f.yaml", "-p", SECRET],
        ["account", "add", "a", "--external-id", SECRET],
        ["notification", "add", "--secret", SECRET],
        ["conductor", "--notify-command", f"pager=/bin/page --token {SECRET}"],
        ["conductor", f"--notify-command=pager=/bin/page --token {SECRET}"],
        ["notification", "add", f"--auth-token={SECRET}"],
        ["notification", "add", "hook", f"https://hooks.example.org/services/{SECRET}"],
        ["conductor", "--database", f"postgresql://joe:s3-{SECRET}@db.example.org/x"],
        ["conductor", f"--database=postgresql://joe:s@{SECRET}@db.example.org/x?sslmode=require"],
        ["conductor", "--database", f"postgresql://joe:s/{SECRET}@db.example.org/x"],
        ["status", "--url", f"http://joe:s3-{SECRET}@127.0.0.1:1"],
        ["status", "--url", f"http://s{SECRET}@127.0.0.1:1"],
        ["status", "--url", f" http://joe:s3-{SECRET}@127.0.0.1:1"],
        ["notification", "add", "hook", f"https://example.org?token={SECRET}"],
        ["--url", f"http://me:{SECRET}@example.org", "status"],
        [f"--url=http://me:{SECRET}@example.org", "status"],
        ["user", "revoke", f"tenuto.abc.{SECRET}"],
    ],
)
def test_behaviour_78_no_secret_is_in_the_log(words: list[str]) -> None:
    told = " ".join(call_log.masked(words))
    assert SECRET not in told
    assert "****" in told or "example.org" in told or "127.0.0.1" in told


@pytest.mark.parametrize(
    ("url", "logged_as"),
    [
        ("http://joe:s3cretpw@127.0.0.1:1", "http://127.0.0.1:1"),
        ("http://joe:s3cretpw@[::1]:8686/", "http://[::1]:8686/"),
        ("postgresql://joe:s3cretpw@db.example.org/x", "postgresql://db.example.org/****"),
        ("https://conductor.example.org", "https://conductor.example.org"),
    ],
)
def test_behaviour_78_the_host_of_a_url_stays_in_the_log(url: str, logged_as: str) -> None:
    assert list(call_log.masked(["status", "--url", url])) == ["status", "--url", logged_as]


def test_the_log_keeps_the_names_of_what_it_masks() -> None:
    words = ["run", "-p", "Password=x", "--parameter=Size=3", "--url", "http://127.0.0.1:8686", "-a", "web"]
    told = list(call_log.masked(words))
    assert told == ["run", "-p", "Password=****", "--parameter=****", "--url", "http://127.0.0.1:8686", "-a", "web"]


@given(st.lists(st.text(max_size=300), max_size=80))
def test_whatever_is_typed_a_line_of_the_log_is_bounded(words: list[str]) -> None:
    told = list(call_log.masked(words))
    assert len(told) <= 61
    assert all(len(word) <= 420 for word in told)


def test_a_full_log_is_replaced_and_the_one_before_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "cli.log"
    path.write_text("x" * call_log.LARGEST_BYTES)
    path.chmod(0o644)
    for _ in range(2):
        call_log.append(path, ["status"], exit_code=0, began=1.0, took_s=0.1)
    assert len(logged(path)) == 2
    assert (tmp_path / "cli.log.1").stat().st_size == call_log.LARGEST_BYTES
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_fails_no_command(tenuto: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert tenuto("status", environ=tenuto.environ(TENUTO_CLI_LOG=str(tmp_path / "file" / "cli.log"))).code == 0


def test_a_wrong_rule_of_what_is_kept_is_named_with_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"TENUTO_KEEP='events=soon' cannot be used: expected KIND=LIMITS"):
        Settings.from_environment({"TENUTO_KEEP": "events=soon"})
    with pytest.raises(UserError, match=r"no kind 'evnts'"):
        Settings.load({}, [config(tmp_path, 'keep = ["evnts=1d"]')])
