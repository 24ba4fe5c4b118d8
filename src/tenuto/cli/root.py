"""The root command: global options, and the table of commands with the module of each.

The table carries the one-line help too, so that neither `--help` nor completion imports a command; a test compares
each line with the command's own.
"""

from collections.abc import Mapping
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from typing import Any

import click

import tenuto
from tenuto.cli.objects.object_kinds import OBJECT_KINDS
from tenuto.cli.terminal.session import Session
from tenuto.cli.terminal.unknown_words import unknown_command, unknown_option

COMMANDS: Mapping[str, str] = {
    "conductor": "Run a Conductor with its API in the foreground.",
    "web": "Open the dashboard, signed in.",
    "demo": "Show Tenuto at work on a simulated AWS, or on a local cloud.",
    "init": "Write a composition to begin with.",
    "examples": "List examples of compositions, and copy one.",
    "schema": "Print the JSON Schema of a file, for an editor.",
    "compile": "Print the canonical form of a composition.",
    "run": "Run a composition as a new process.",
    "apply": "Run a composition, or update the process of that alias.",
    "update": "Give a process another composition.",
    "suspend": "Stop the jobs of a process.",
    "resume": "Start the jobs of a process again.",
    "kill": "Delete the resources of a process, and the process.",
    "release": "End a process and leave its resources as they are.",
    "retry": "Clear failed phases and try again.",
    "status": "Show all processes, or one in detail.",
    "show": "Show the resources of a process as a tree, or one property by property.",
    "graph": "Print the graph of what needs what in a process.",
    "find": "Tell what a name or an id means.",
    "check": "Have the Conductor look at a process now.",
    "proposals": "Show the proposals, or one with its plan.",
    "approve": "Agree to a proposal; with the last approval its plan is executed.",
    "reject": "Refuse a proposal, or withdraw one of your own.",
    "plan": "Show what the next job of a process would do.",
    "explain": "Tell why each resource is as it is.",
    "history": "Show the commands and jobs of a process, or all that one request caused.",
    "ops": "Show the provider operations of a process.",
    "events": "Show what happened, or follow what happens.",
    "doctor": "Find problems of the database, and say what to do.",
    "property": "Show or set a property of a process.",
    "import": "Write a composition of resources that exist.",
    "account": "Show and manage the accounts that processes live in.",
    "notification": "Tell webhooks, topics and programs what happens.",
    "metrics": "Print a Grafana board and Prometheus rules.",
    "object": "Make and manage objects that no composition declares.",
    **{one.name: one.summary for one in OBJECT_KINDS},
    "rates": "Show how fast each API may be called, and how old each sweep is.",
    "phases": "Show the loaded phases and their activity.",
    "types": "Show the resource types that can be managed.",
    "validation": "Hold every composition to rules.",
    "node": "Let hosts of your own join, see and command them, and run the agent on one.",
    "nodes": "Show the Conductor nodes and their states.",
    "store": "Back up a database file, and check one.",
    "simulated": "Change the simulated cloud behind the Conductor's back.",
    "image": "Build images for virtual machines.",
    "local": "Act on the simulated hosts of the local cloud behind the Conductor's back.",
    "policy": "Say who may do what.",
    "audit": "Show who did what, and check that the log is whole.",
    "login": "Sign in at the issuer of your organisation.",
    "user": "Give users secrets, and take them back.",
    "config": "Show the settings, and where each comes from.",
    "runtime": "Change log levels and delays of a running Conductor.",
    "completion": "Print the completion of commands, options and names for a shell.",
}
"""The commands by name, in the order of the reference: from a Conductor over the life of a process to the settings."""

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "To begin": ("demo", "conductor", "web", "init", "examples", "login", "config", "completion"),
    "Compositions": ("compile", "types", "schema", "import"),
    "Commands to a process": (
        "run", "apply", "update", "suspend", "resume", "check", "retry", "property", "release", "kill",
    ),
    "What is, and why": (
        "status", "show", "graph", "plan", "explain", "history", "ops", "events", "find", "rates", "phases",
    ),
    "Agreement and rights": (
        "proposals", "approve", "reject", "validation", "policy", "user", "audit", "account", "notification",
    ),
    "Machines of your own": ("node", "image", "local", "object", *(one.name for one in OBJECT_KINDS)),
    "The Conductor": ("nodes", "doctor", "store", "runtime", "metrics", "simulated"),
}  # fmt: skip
"""The commands as `--help` groups them: a list of sixty has no readers."""

_KINDS = {one.name: one for one in OBJECT_KINDS}
"""The groups that are made of the table of `cli.objects.object_kinds` and have no module each."""


def _module_of(name: str) -> str:
    """A module cannot be called like a word of the language."""
    return f"{name}_" if iskeyword(name) else name


class CommandTable(click.Group):
    """A group whose commands are imported when they are called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as unknown:
            raise unknown_option(unknown, ctx) from unknown

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in _KINDS:
            made: click.Command = import_module("tenuto.cli.objects.object_groups").group_of(_KINDS[cmd_name])
            return made
        found: Any = import_module(f"tenuto.cli.commands.{_module_of(cmd_name)}").command
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name]) for name in names])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            ctx.fail(unknown_command(name, COMMANDS, path="tenuto"))
        return super().resolve_command(ctx, args)


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--url", help="The Conductor to talk to, such as http://127.0.0.1:8686 (TENUTO_URL).")
@click.option(
    "--ca-cert",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The authorities that the Conductor's certificate may be of, PEM (TENUTO_CA_CERT; default: the system's).",
)
@click.option("--insecure", is_flag=True, help="Send the secret over plain HTTP beyond this machine (TENUTO_INSECURE).")
@click.option("--json", "is_json", is_flag=True, help="Print one JSON document on stdout and nothing else.")
@click.option("-y", "--yes", "is_yes", is_flag=True, help="Answer every question with yes.")
@click.version_option(tenuto.__version__, prog_name="tenuto", message="%(prog)s %(version)s")
@click.pass_obj
def root(session: Session, url: str | None, ca_cert: Path | None, insecure: bool, is_json: bool, is_yes: bool) -> None:
    """Run infrastructure the way an operating system runs programs.

    A composition is run as a process; the Conductor builds it, holds it against drift, changes it and takes it down.
    """
    session.is_json, session.is_yes = is_json, is_yes
    given = {"url": url, "ca_cert": ca_cert, "insecure": insecure}
    session.use(**{name: value for name, value in given.items() if value})
