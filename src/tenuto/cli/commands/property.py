"""`tenuto property PROCESS KEY`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.option_times import parse_end
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import pass_session, process_argument, yes_option
from tenuto.cli.processes.asking import ask_about_process
from tenuto.cli.processes.proposing import in_words
from tenuto.cli.render.catalogue import render_properties, render_property
from tenuto.cli.render.process import render_process_row
from tenuto.cli.terminal.session import Session
from tenuto.service.common.finding import PROPERTIES, no_property, switch_of
from tenuto.service.intake.aliases import check_alias


def _check_key(ctx: click.Context, param: click.Parameter, text: str) -> str:
    if text and text not in PROPERTIES:
        raise no_property(text)
    return text


def _check_rest(ctx: click.Context, param: click.Parameter, rest: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a value that was typed as a word more, and say how it is given."""
    if rest:
        typed = " ".join([ctx.params["process"], ctx.params["key"], "--set", *rest])
        raise click.UsageError(
            f"Got unexpected extra argument ({' '.join(rest)}). Did you mean --set? 'tenuto property {typed}'."
        )
    return rest


def _check_value(key: str, value: str) -> None:
    """Raise UserError for a value that the property cannot have, before any question."""
    if key == "alias":
        check_alias(value)
    else:
        switch_of(key, value)


def _keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [one for one in PROPERTIES if one.startswith(incomplete)]


@make_command(
    "property",
    "tenuto property vpc",
    "tenuto property vpc enforcement",
    "tenuto property vpc lock --set on",
    "tenuto property vpc enforcement --set off --until 2h --reason 'a test of the firewall'",
)
@process_argument
@click.argument("key", default="", metavar=f"[{'|'.join(PROPERTIES)}]", callback=_check_key, shell_complete=_keys)
@click.argument("rest", nargs=-1, metavar="", callback=_check_rest)
@click.option("--set", "value", metavar="VALUE", help="The new value: a name for alias, on or off for the others.")
@click.option(
    "--until",
    callback=parse_end,
    metavar="TIME",
    help="With 'enforcement --set off': on again by itself after 30m, 2h or 1d, or at 2026-01-31T18:00.",
)
@click.option(
    "--reason", metavar="TEXT", callback=in_words, help="With --set: why; the history and the audit log keep it."
)
@yes_option
@pass_session
def command(
    session: Session,
    process: str,
    key: str,
    rest: tuple[str, ...],
    value: str | None,
    until: str | None,
    reason: str | None,
) -> None:
    """Show or set a property of a process.

    Without the name of a property, all are shown. alias renames the process. lock refuses every command but turning
    it off. enforcement off reports drift and leaves it alone, with --until for a time.
    """
    if until is not None and (key, value) != ("enforcement", "off"):
        raise click.UsageError("--until goes with 'enforcement --set off'.")
    if reason is not None and value is None:
        raise click.UsageError("--reason goes with --set.")
    if value is not None and not key:
        raise click.UsageError(f"--set goes with the name of one property: {', '.join(PROPERTIES)}.")
    if value is not None:
        _check_value(key, value)
    client = find_conductor(session.settings)
    if not key:
        found = client.get("processes", process, "progress", most=1)
        session.emit({name: found[name] for name in ("fid", *PROPERTIES, "enforcement_until")}, render_properties)
        return
    if value is None:
        session.emit(client.get("processes", process, "properties", key), render_property)
        return
    question = f"Set {key} of process {process} to {value}{f' until {until}' if until else ''}?"
    ask_about_process(session, client, question, process)
    body = {"value": value} | ({"until": until} if until else {}) | ({"reason": reason} if reason else {})
    document = client.put("processes", process, "properties", key, body=body)
    session.emit(document, render_process_row)
