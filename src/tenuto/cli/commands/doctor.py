"""`tenuto doctor [PROCESS]`."""

import click

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import names_of, optional_process_argument, pass_session, yes_option
from tenuto.cli.render.doctor import render_examination, render_thing
from tenuto.cli.render.process import render_process_row
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import CommandEnd, Exit
from tenuto.cli.terminal.session import Session
from tenuto.errors import NotFoundError
from tenuto.kit.visible import visible_document
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.ids import JsonMap

_MOST = 500
"""The most problems that are printed. Where there are more, the first ones tell the cause."""


@make_command(
    "doctor",
    "tenuto doctor",
    "tenuto doctor vpc --no-sweep --json",
    "tenuto doctor vpc --adopt subnet-0123456789abcdef0",
    "tenuto doctor vpc --delete subnet-0123456789abcdef0",
)
@optional_process_argument
@click.option("--no-sweep", is_flag=True, help="Ask the provider nothing: tell what the last sweeps showed.")
@click.option(
    "--account",
    shell_complete=names_of("accounts"),
    help="Sweep this account instead, where no process is: with --region.",
)
@click.option("--region", help="Sweep this region instead, as after a database was lost.")
@click.option("--adopt", metavar="ID", help="Give this unknown thing to the resource that its marks name.")
@click.option("--delete", metavar="ID", help="Delete this unknown thing, after it is shown.")
@click.option(
    "--type", "type_name", metavar="TYPE", help="With --adopt or --delete: its type, where the id is not enough."
)
@yes_option
@pass_session
def command(
    session: Session,
    process: str | None,
    no_sweep: bool,
    account: str | None,
    region: str | None,
    adopt: str | None,
    delete: str | None,
    type_name: str | None,
) -> int:
    """Find problems of the database, and say what to do.

    Processes are read in pages while the Conductor works; nothing is changed. Each problem has a code that never
    changes its meaning, the resource that it is about, and advice with the exact command. Exit code 11 when anything
    is wrong.

    It also lists real things that carry the marks of a process and that the database does not know, as after a backup
    was restored: --adopt manages such a thing again, --delete removes it. Both sweep again before they act. A process
    that the database does not know is named by the FID in the marks.
    """
    if account is not None and region is None:
        raise click.UsageError("--account goes with --region.")
    if region is not None and no_sweep:
        raise click.UsageError("--region names a place to sweep, and --no-sweep forbids sweeps: use one of them.")
    client = find_conductor(session.settings)
    place = {"account": account or DEFAULT_ACCOUNT, "region": region} if region is not None else None
    if adopt is None and delete is None:
        if type_name is not None:
            raise click.UsageError("--type goes with --adopt or --delete.")
        document = _examined(session, client, process, sweeps=not no_sweep, place=place)
        session.emit(document, render_examination)
        return Exit.DONE if document["sound"] else Exit.UNSOUND
    if adopt is not None and delete is not None:
        raise click.UsageError("--adopt keeps a thing and --delete removes it: use one of them.")
    if no_sweep:
        raise click.UsageError("--adopt and --delete always sweep first: leave --no-sweep out.")
    if process is None:
        raise click.UsageError("Name the process: the alias, or the FID in the marks, as 'tenuto doctor' shows them.")
    return _act(session, client, process, adopt=adopt, delete=delete, type_name=type_name, place=place)


def _act(
    session: Session,
    client: Client,
    process: str,
    *,
    adopt: str | None,
    delete: str | None,
    type_name: str | None,
    place: JsonMap | None,
) -> int:
    """Show the thing, ask, and have it adopted or deleted."""
    identifier = adopt or delete or ""
    thing = _thing(
        _things(session, client, process, sweeps=True, place=place)["things"], process, identifier, type_name
    )
    session.say(render_thing(visible_document(thing)))
    named = {"id": identifier, "type": thing["type"]}
    if adopt is not None:
        session.confirm(f"Adopt it as {thing['logical_id']} of process {process}?")
        session.emit(client.post("processes", process, "adopt", body=named), render_process_row)
        return Exit.DONE
    session.confirm("Delete it, with everything that it holds? This cannot be undone.")
    body = {**named, "process": process, "object": thing["object_id"], "account": thing["account"]}
    answer = client.post("doctor", "things", "delete", body=body)
    if not answer["is_gone"]:
        text = f"{answer['message']}. 'tenuto doctor {process}' lists it until it is gone; the same command goes on."
        raise CommandEnd(Exit.UNREACHABLE, text, dict(answer))
    session.emit(answer, lambda _: f"{thing['type']} {identifier} is deleted.")
    return Exit.DONE


def _thing(things: list[JsonMap], process: str, identifier: str, type_name: str | None) -> JsonMap:
    found = [one for one in things if one["id"] == identifier and type_name in (None, one["type"])]
    if not found:
        raise NotFoundError(
            f"No thing {identifier} carries the marks of {process} and is unknown to the database. "
            f"'tenuto doctor {process}' lists those that do."
        )
    if len(found) > 1:
        kinds = ", ".join(one["type"] for one in found)
        raise click.UsageError(f"{identifier} names several things: {kinds}. Say which with --type.")
    return found[0]


def _examined(session: Session, client: Client, process: str | None, *, sweeps: bool, place: JsonMap | None) -> JsonMap:
    """Return all pages as one document, with the things that are not known."""
    things = _things(session, client, process, sweeps=sweeps, place=place)
    is_known = process is None or not things["things"] or any(one["is_known_process"] for one in things["things"])
    problems: list[JsonMap] = []
    examined = left_out = 0
    after: str | None = None
    while is_known:
        page = client.examine("doctor", process=process, after=after)
        problems += page["problems"]
        examined += page["examined"]
        left_out += page["problems_left_out"] + max(0, len(problems) - _MOST)
        del problems[_MOST:]
        after = page["next"]
        if after is None:
            break
        _show(session, f"{examined} processes examined …")
    _show(session, "")
    return {
        "sound": not problems and not left_out and not things["things"] and not things["things_left_out"],
        "examined": examined,
        "problems": problems,
        "problems_left_out": left_out,
        "things": things["things"],
        "things_left_out": things["things_left_out"],
        "unseen": things["unseen"],
    }


def _things(session: Session, client: Client, process: str | None, *, sweeps: bool, place: JsonMap | None) -> JsonMap:
    """The things that are not known, after a sweep of each place, or at the one that was named, when that is wanted."""
    found = client.get("doctor", "things", process=process)
    unseen: list[str] = []
    places = found["places"] if place is None else [place]
    for one in places if sweeps else ():
        _show(session, f"sweeping account {one['account']}, region {one['region']} …")
        found = client.examine("doctor", "things", process=process, **one)
        unseen += found["unseen"]
    return {**found, "unseen": unseen}


def _show(session: Session, text: str) -> None:
    """Show the progress, on a terminal only; the next one takes its place."""
    if session.is_live:
        terminal.tell_over(text)
