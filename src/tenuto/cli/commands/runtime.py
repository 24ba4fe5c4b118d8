"""`tenuto runtime …`: settings that change while the Conductor runs."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.groups import group
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import name_argument, pass_session, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.access import render_runtime, render_runtime_values
from tenuto.cli.terminal.output_forms import listed
from tenuto.cli.terminal.session import Session

_key = name_argument("key", "setting", metavar="KEY|PATTERN")


@make_command("list", "tenuto runtime list", names=listed("settings", "key"))
@pass_session
def list_settings(session: Session) -> None:
    """Show all settings, their values and defaults."""
    session.emit(find_conductor(session.settings).get("runtime"), render_runtime)


@make_command("get", "tenuto runtime get jobs.period", names=listed("settings", "key"))
@_key
@pass_session
def get(session: Session, key: str) -> None:
    """Print the value of a setting, or of all that match a pattern."""
    session.emit(find_conductor(session.settings).get("runtime", key=key), render_runtime_values)


@make_command("set", "tenuto runtime set '**log-level' DEBUG")
@_key
@click.argument("value")
@yes_option
@pass_session
def set_settings(session: Session, key: str, value: str) -> None:
    """Change a setting, or all that match a pattern.

    At once, and after a restart too, until 'unset'. In a pattern, * is any text: 'runtime set "**log-level" DEBUG'.
    """
    client = find_conductor(session.settings)
    ask_about(session, client, f"Set {key} to {value}?", "runtime", key=key)
    session.emit(client.put("runtime", key, body={"value": value}), render_runtime_values)


@make_command("unset", "tenuto runtime unset '**log-level'")
@_key
@yes_option
@pass_session
def unset(session: Session, key: str) -> None:
    """Give a setting, or all that match a pattern, its default again."""
    client = find_conductor(session.settings)
    ask_about(session, client, f"Set {key} to the default?", "runtime", key=key)
    session.emit(client.delete("runtime", key), render_runtime_values)


command = group(
    "runtime", "Change log levels and delays of a running Conductor.", list_settings, get, set_settings, unset
)
