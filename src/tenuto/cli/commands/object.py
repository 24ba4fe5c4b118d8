"""`tenuto object …`."""

import json
from typing import Any

import click

from tenuto.cli.asking import ask_about
from tenuto.cli.client import Client
from tenuto.cli.groups import group
from tenuto.cli.object_waiting import waited
from tenuto.cli.options import command as make_command
from tenuto.cli.options import name_argument, parse_duration, pass_session, wait_option, window_options, yes_option
from tenuto.cli.render_history import render_events
from tenuto.cli.render_objects import render_object, render_object_types, render_objects
from tenuto.cli.session import Session
from tenuto.cli.target import find_conductor
from tenuto.core.objects.fields import type_named
from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.object_type import FieldKind, ObjectType

_PATH = "objects"
_reference = name_argument("reference", "object", metavar="NAME|ID")


def _pairs(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Return NAME=VALUE options as a mapping; a click callback."""
    pairs: dict[str, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise click.BadParameter(f"expected NAME=VALUE, not {text!r}", ctx, param)
        if name in pairs:
            raise click.BadParameter(f"{name} is given twice", ctx, param)
        pairs[name] = value
    return pairs


@make_command("types", "tenuto object types")
@pass_session
def types(session: Session) -> None:
    """Show the types of objects that can be made, with their fields.

    A field with a question mark may be left out. With --json, each field with what it means.
    """
    session.emit(find_conductor(session.settings).get("object-types"), render_object_types)


@make_command(
    "create",
    "tenuto object create namespace red",
    "tenuto object create Simulated::Artifact base --field Kind=image --tag team=web --wait",
)
@click.argument("type_name", metavar="TYPE")
@click.argument("name", metavar="[NAME]", required=False)
@click.option(
    "--field",
    "fields",
    multiple=True,
    callback=_pairs,
    metavar="NAME=VALUE",
    help="A field of the type, as JSON where it is no text and no object; may be repeated.",
)
@click.option("--tag", "tags", multiple=True, callback=_pairs, metavar="NAME=VALUE", help="A tag; may be repeated.")
@click.option("--account", help="The account that it belongs to; default: default.")
@click.option("--region", help="Default: that of the account.")
@wait_option
@yes_option
@pass_session
def create(
    session: Session,
    type_name: str,
    name: str | None,
    fields: dict[str, str],
    tags: dict[str, str],
    account: str | None,
    region: str | None,
    wait: float | None,
) -> None:
    """Make an object, of a TYPE such as namespace or Simulated::Blob.

    Some types give their objects names, which are unique; others know them by an id only. A field that names another
    object takes its name or its id, and keeps it from being deleted.
    """
    client = find_conductor(session.settings)
    kind = _type(client, type_name)
    values = _values(kind, fields)
    session.confirm(f"Make {kind['name']}{f' {name}' if name else ''} in the account {account or 'default'}?")
    body: dict[str, Any] = {"type": kind["name"], "name": name, "fields": values, "tags": tags}
    body |= {"account": account, "region": region}
    document = client.post(_PATH, body={key: value for key, value in body.items() if value is not None})
    session.emit(waited(session, client, document, wait), render_object)


@make_command("list", "tenuto object list", "tenuto object list --type namespace --state created")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only of this type; may be repeated.")
@click.option("--state", "states", multiple=True, help="Only in this state; may be repeated.")
@click.option("--account", help="Only in this account.")
@click.option("--name", help="Only of this name.")
@click.option("--all", "is_all", is_flag=True, help="Also those that were deleted and are still kept.")
@pass_session
def list_(
    session: Session,
    types: tuple[str, ...],
    states: tuple[str, ...],
    account: str | None,
    name: str | None,
    is_all: bool,
) -> None:
    """Show the objects that requests made, by type and name."""
    client = find_conductor(session.settings)
    query = {
        "type": ",".join(types) or None,
        "state": ",".join(states) or None,
        "account": account,
        "name": name,
        "live": "false" if is_all or states else "true",
    }
    found: list[JsonMap] = []
    after: str | None = None
    while True:
        page = client.get(_PATH, **query, after=after)
        found += page["objects"]
        after = page["next"]
        if after is None:
            break
    session.emit({"objects": found}, render_objects)


@make_command("show", "tenuto object show red")
@_reference
@pass_session
def show(session: Session, reference: str) -> None:
    """Show an object with its fields, its tags, what it needs and what needs it."""
    session.emit(find_conductor(session.settings).get(_PATH, reference), render_object)


@make_command("delete", "tenuto object delete red --wait")
@_reference
@wait_option
@yes_option
@pass_session
def delete(session: Session, reference: str, wait: float | None) -> None:
    """Delete an object that no other object needs.

    It is refused, with their names, while others do. A deleted object is shown for an hour (list --all), then it is
    removed; its events stay. This is also how an object in an error state is removed: none of them ages out.
    """
    client = find_conductor(session.settings)
    ask_about(session, client, f"Delete the object {reference}?", _PATH, reference)
    document = client.delete(_PATH, reference)
    session.emit(waited(session, client, document, wait, is_for_end=True), render_object)


@make_command("wait", "tenuto object wait base --timeout 10m", "tenuto object wait red --gone")
@_reference
@click.option("--gone", is_flag=True, help="Wait for its end, after a deletion.")
@click.option(
    "--timeout", callback=parse_duration, metavar="TIME", help="At most so long: seconds, or 10m, 1h; else no limit."
)
@pass_session
def wait(session: Session, reference: str, gone: bool, timeout: float | None) -> None:
    """Wait until an object is where it was told to go.

    Exit 1 when it has failed, 8 when the time is over.
    """
    client = find_conductor(session.settings)
    document = client.get(_PATH, reference)
    limit = float("inf") if timeout is None else timeout
    session.emit(waited(session, client, document, limit, is_for_end=gone), render_object)


@make_command("tag", "tenuto object tag base team=web --remove old")
@_reference
@click.argument("tags", metavar="[NAME=VALUE]...", nargs=-1, callback=_pairs)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="Remove this tag; may be repeated.")
@yes_option
@pass_session
def tag(session: Session, reference: str, tags: dict[str, str], removed: tuple[str, ...]) -> None:
    """Set tags of an object, and remove others."""
    if not tags and not removed:
        raise click.UsageError("Give tags as NAME=VALUE, or --remove NAME.")
    client = find_conductor(session.settings)
    ask_about(session, client, f"Change the tags of the object {reference}?", _PATH, reference)
    document = client.post(_PATH, reference, "tags", body={"tags": tags, "removed": list(removed)})
    session.emit(document, render_object)


@make_command("events", "tenuto object events red --start 1h")
@_reference
@window_options
@pass_session
def events(session: Session, reference: str, start: str | None, end: str | None) -> None:
    """Show what happened to an object.

    By its id also after it was removed, as long as its events are kept.
    """
    document = find_conductor(session.settings).get(_PATH, reference, "events", start=start, end=end)
    session.emit(document, render_events)


command = group(
    "object",
    "Make and manage objects that no composition declares.",
    types,
    create,
    list_,
    show,
    delete,
    wait,
    tag,
    events,
)


def _type(client: Client, reference: str) -> JsonMap:
    """The document of a type, by its whole name or its last part. Raises UserError."""
    known = {one["name"]: one for one in client.get("object-types")["types"]}
    kinds = [
        ObjectType(name=TypeName(name), provider=one["provider"], lifecycle=one["lifecycle"], summary=one["summary"])
        for name, one in known.items()
    ]
    return dict(known[type_named(reference, kinds).name])


def _values(kind: JsonMap, given: dict[str, str]) -> dict[str, Json]:
    """The fields as the kinds of the type want them. Raises UserError."""
    fields = {one["name"]: one for one in kind["fields"]}
    values: dict[str, Json] = {}
    for name, text in given.items():
        if name not in fields:
            listed = ", ".join(fields) or "none"
            raise UserError(f"{kind['name']} has no field {name!r}.{meant(name, fields)} There are {listed}.")
        if fields[name]["kind"] in (FieldKind.TEXT, FieldKind.OBJECT):
            values[name] = text
            continue
        try:
            values[name] = json.loads(text)
        except ValueError as broken:
            raise UserError(f"The field {name} is a {fields[name]['kind']}: give it as JSON, not {text!r}.") from broken
    return values
