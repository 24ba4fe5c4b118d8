"""The command line as a whole: every command is there, lazy, and documented."""

import fnmatch
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest

from tenuto.api.routes.every import ROUTES
from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.cli.entry import run
from tenuto.cli.options.groups import group
from tenuto.cli.options.option_times import parse_end, parse_moment, with_explicit_wait
from tenuto.cli.options.options import TenutoCommand, wait_option
from tenuto.cli.options.options import command as make_command
from tenuto.cli.reference import reference_pages
from tenuto.cli.root import COMMANDS, SECTIONS, root
from tenuto.model.command import Command
from tenuto.service.commands.process_commands import Commands
from tenuto.service.queries.insights import Insights
from tenuto.service.queries.process_queries import Queries
from tenuto_testing.world import World

PAGES = Path(__file__).parents[3] / "docs" / "reference"
CONTEXT = click.Context(root, info_name="tenuto")

# Command of the process model: service function, operation of the API, command of the command line.
OF_THE_MODEL = {command: (command.value, command.value, command.value) for command in Command} | {
    Command.PROPERTY: ("set_property", "set_property", "property"),
}
QUESTIONS = {
    "status": ("processes", "process"),
    "plan": ("plan",),
    "explain": ("explain",),
    "history": ("history", "stored_plan"),
    "ops": ("ops",),
    "events": ("events",),
    "property": ("property",),
    "import": ("existing",),
    "phases": ("phases",),
    "types": ("types", "type"),
    "nodes": ("nodes",),
    "show": ("resources", "properties"),
    "graph": ("graph",),
    "find": ("find",),
    "rates": ("rates", "sweeps"),
}
# What administers a Conductor: command of the command line, with its operations of the API.
ADMINISTRATION: dict[str, tuple[str, ...]] = {
    "policy": ("policy", "set_policy", "remove_policy"),
    "namespace": (
        "namespace_keys",
        "add_namespace_key",
        "delete_namespace_key",
        "namespace_trust",
        "set_namespace_trust",
        "namespace_limits",
        "set_namespace_limits",
    ),
    "artifact": (
        "begin_upload",
        "upload",
        "append_upload",
        "finish_upload",
        "fetch_artifact",
        "label_artifact",
        "versions",
        "delete_version",
        "content",
        "share",
    ),
    "blob": ("verify",),
    "login": ("about_sign_in", "sign_in"),
    "user": (
        "users",
        "generate_secret",
        "revoke_secret",
        "whoami",
        "sessions",
        "end_session",
        "tokens",
        "add_token",
        "revoke_token",
    ),
    "validation": (
        "validations",
        "validation",
        "add_validation",
        "remove_validation",
        "check_validations",
    ),
    "object": (
        "object_types",
        "objects",
        "object",
        "create_object",
        "delete_object",
        "tag_object",
        "retry_object",
        "object_events",
    ),
    "instance": ("declared_objects",),
    "doctor": ("doctor", "unknown_things", "adopt", "delete_unknown"),
    "runtime": ("runtime", "set_runtime", "unset_runtime"),
    "phases": ("reload_phases", "phase_objects"),
    "status": ("summary",),
    "history": ("timeline", "request"),
    "check": ("check",),
    "web": ("web_code",),
    "node": ("enroll_host", "hosts", "host", "cordon_host", "stop_host", "purge_host", "delete_host"),
    "completion": ("names",),
    "proposals": ("propose", "proposals", "proposal"),
    "approve": ("approve",),
    "reject": ("reject",),
    "import": ("stack", "retain_stack", "empty_stack", "delete_stack", "check_things"),
    "account": ("accounts", "account", "add_account", "update_account", "remove_account", "check_account"),
    "notification": (
        "notifications",
        "add_notification",
        "remove_notification",
        "test_notification",
        "dead_notifications",
        "redeliver_notifications",
    ),
}
OPERATIONS = {route.operation for route in ROUTES}


@pytest.mark.parametrize("command", Command)
def test_a_command_has_a_service_function_a_route_and_a_place_on_the_command_line(command: Command) -> None:
    function, operation, name = OF_THE_MODEL[command]
    assert callable(getattr(Commands, function))
    assert operation in OPERATIONS
    assert name in COMMANDS


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_has_a_service_function_a_route_and_a_place_on_the_command_line(name: str) -> None:
    assert name in COMMANDS
    for operation in QUESTIONS[name]:
        assert operation in OPERATIONS
        # Provider operations are part of the history that the service reads.
        name = "history" if operation == "ops" else operation
        assert callable(getattr(Queries, name, getattr(Insights, name, None)))


@pytest.mark.parametrize("name", ADMINISTRATION)
def test_what_administers_a_conductor_has_routes_and_a_place_on_the_command_line(name: str) -> None:
    assert name in COMMANDS
    assert set(ADMINISTRATION[name]) <= OPERATIONS


def test_no_route_is_without_a_command() -> None:
    asked = {operation for table in (QUESTIONS, ADMINISTRATION) for one in table.values() for operation in one}
    given = {operation for _, operation, _ in OF_THE_MODEL.values()}
    # A plan file is executed by the command that it was made by; `resume --cause` is `resume` of many processes.
    # The progress of a process is what every command with `--wait` follows. A client of its own may take bytes back.
    assert asked | given | {"apply", "execute", "resume_cause", "progress", "lookups", "truncate_upload"} >= OPERATIONS


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_the_table_is_the_first_line_of_the_command(name: str) -> None:
    command = root.get_command(CONTEXT, name)
    assert command is not None
    assert command.name == name
    assert (command.help or "").splitlines()[0] == COMMANDS[name]
    members = [member for member, _ in leaves(command, CONTEXT)]
    assert members
    for member in members:
        assert member.help
        assert "--json" in {option for parameter in member.params for option in parameter.opts}


def test_a_group_without_a_command_shows_its_commands_and_refuses_others(capsys: pytest.CaptureFixture[str]) -> None:
    @make_command("known")
    def known() -> None:
        """Do what is known."""

    probe = group("probe", "A group.", known)
    with pytest.raises(click.UsageError, match=r"no command 'unknown'\. Did you mean known\? There are known"):
        probe.main(["unknown"], standalone_mode=False)
    probe.main(["--help"], standalone_mode=False)
    assert "Do what is known." in capsys.readouterr().out


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_of_a_command_in_the_help_of_its_group_is_cut(name: str) -> None:
    found = root.get_command(CONTEXT, name)
    if not isinstance(found, click.Group):
        return
    told = found.get_help(click.Context(found, info_name=name, terminal_width=60))
    words = " ".join(told.split())
    for member in found.commands.values():
        summary = " ".join((member.help or "").split("\n\n")[0].split())
        assert summary.split(". ")[0] in words


def test_the_reference_pages_are_those_of_the_commands() -> None:
    remedy = "python -m tenuto.cli.reference docs/reference"
    written = [PAGES / "cli.md", *(PAGES / "commands").glob("*.md")]
    assert {str(path.relative_to(PAGES)): path.read_text() for path in written} == reference_pages(), remedy


def leaves(command: click.Command, context: click.Context) -> Iterator[tuple[TenutoCommand, click.Context]]:
    if isinstance(command, TenutoCommand):
        yield command, context
    for name, member in getattr(command, "commands", {}).items():
        yield from leaves(member, click.Context(member, info_name=name, parent=context))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_examples_that_its_options_allow(name: str) -> None:
    top = click.Context(root, info_name="tenuto", obj=None)
    command = root.get_command(top, name)
    assert command is not None
    for leaf, context in leaves(command, click.Context(command, info_name=name, parent=top)):
        assert leaf.examples, context.command_path
        for line in leaf.examples:
            words = shlex.split(line)
            path = context.command_path.split()
            assert words[: len(path)] == path
            leaf.make_parser(context).parse_args(with_explicit_wait(words[len(path) :]))


def test_the_settings_in_examples_exist() -> None:
    world = World()
    runtime = make_services(world.system, clock=world.clock, secret="s", levels=LogLevels("INFO")).runtime
    keys = {one.key.name for one in runtime.values()}
    members = getattr(root.get_command(CONTEXT, "runtime"), "commands", {}).values()
    lines = [shlex.split(line)[2:] for member in members for line in member.examples]
    named = [words[1] for words in lines if len(words) > 1]
    assert named
    assert all(fnmatch.filter(keys, name) for name in named), named


def test_help_loads_nothing_that_it_does_not_need() -> None:
    script = (
        "import sys\n"
        "from tenuto.cli.entry import run\n"
        "assert run(['--help'], {}) == 0\n"
        "heavy = {'rich', 'urllib3', 'starlette', 'uvicorn', 'ruamel', 'botocore', 'cryptography', 'cattrs'}\n"
        "loaded = sorted(heavy & sys.modules.keys())\n"
        "loaded += sorted(name for name in sys.modules if name.startswith('tenuto.cli.commands.'))\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Run a composition as a new process." in done.stdout


@pytest.mark.parametrize(
    ("given", "timeout_s", "file"),
    [
        (["--wait", "FILE"], float("inf"), "FILE"),
        (["FILE", "--wait"], float("inf"), "FILE"),
        (["--wait=90", "FILE"], 90.0, "FILE"),
        (["FILE", "--wait", "10m"], 600.0, "FILE"),
        (["--wait", "1.5h", "FILE"], 5400.0, "FILE"),
        (["--", "--wait"], None, "--wait"),
    ],
)
def test_wait_may_stand_alone_or_have_a_time_out(given: list[str], timeout_s: float | None, file: str) -> None:
    found: dict[str, object] = {}

    @click.command("probe", cls=TenutoCommand)
    @click.argument("file")
    @wait_option
    def probe(file: str, wait: float | None) -> None:
        found.update(file=file, wait=wait)

    probe.main(given, standalone_mode=False)
    assert found == {"file": file, "wait": timeout_s}


@pytest.mark.parametrize("parse", [parse_moment, parse_end])
def test_a_time_beyond_the_last_year_is_wrong_usage(
    parse: Callable[[click.Context, click.Parameter, str], object],
) -> None:
    with pytest.raises(click.BadParameter, match="expected"):
        parse(CONTEXT, click.Option(["--end"]), "9999-12-31T23:59:59-12:00")


def test_every_command_stands_under_one_heading_of_the_help() -> None:
    grouped = [name for names in SECTIONS.values() for name in names]
    assert sorted(grouped) == sorted(COMMANDS)


def test_the_bare_word_names_the_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([], {"HOME": "/nonexistent"}) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "tenuto: Name a command."
    assert len(told) < 10
    typed = [line.split("  ")[1].split() for line in told[1:]]
    assert all(words[0] == "tenuto" and words[1].lstrip("-") in (*COMMANDS, "help") for words in typed)
