"""`tenuto object …`."""

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import refused_deletion, refused_retry, refused_wait, telling_declared
from tenuto.cli.objects.object_options import birth_options, listing_options
from tenuto.cli.objects.object_requests import (
    all_objects,
    create_object,
    delete_object,
    retry_object,
    show_events,
    show_object,
    wait_for_object,
)
from tenuto.cli.options.groups import group
from tenuto.cli.options.option_times import parse_duration
from tenuto.cli.options.options import command as make_command
from tenuto.cli.options.options import event_page_options, name_argument, pairs, pass_session, wait_option, yes_option
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.objects import render_object, render_object_types, render_objects
from tenuto.cli.terminal.output_forms import listed, shown
from tenuto.cli.terminal.session import Session

_reference = name_argument("reference", "object", metavar="NAME|ID")


@make_command("types", "tenuto object types", names=listed("types", "name"))
@pass_session
def types(session: Session) -> None:
    """Show the types of objects that can be made, with their fields.

    A field with a question mark may be left out. With --json, each field with its meaning.
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
    callback=pairs,
    metavar="NAME=VALUE",
    help="A field of the type, as JSON where it is no text and no object; may be repeated.",
)
@birth_options
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
    create_object(
        session,
        type_name,
        name,
        fields={},
        texts=fields,
        tags=tags,
        account=account,
        region=region,
        timeout_s=wait,
    )


@make_command(
    "list",
    "tenuto object list",
    "tenuto object list --type namespace --state created",
    names=listed("objects", "name", "id"),
)
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only of this type; may be repeated.")
@listing_options
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
    found = all_objects(session, types=types, states=states, account=account, name=name, is_all=is_all)
    session.emit(found, render_objects)


@make_command("show", "tenuto object show red", names=shown("name", "id"))
@_reference
@pass_session
def show(session: Session, reference: str) -> None:
    """Show an object with its fields, its tags, the objects that it needs and those that need it."""
    show_object(session, reference, None)


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
    with telling_declared(find_conductor(session.settings), reference, refused_deletion):
        delete_object(session, reference, None, wait)


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
    with telling_declared(find_conductor(session.settings), reference, refused_wait):
        wait_for_object(session, reference, None, gone=gone, timeout_s=timeout)


@make_command("retry", "tenuto object retry base")
@_reference
@wait_option
@yes_option
@pass_session
def retry(session: Session, reference: str, wait: float | None) -> None:
    """Try the failed phases of an object again, and those that sleep at once.

    For a phase that failed in a state without an error state after it, such as the deletion of a namespace; and for a
    phase that waits for a thing that has come meanwhile. An object in an error state is not tried again: delete it.
    """
    with telling_declared(find_conductor(session.settings), reference, refused_retry):
        retry_object(session, reference, None, wait)


@make_command("tag", "tenuto object tag base team=web --remove old")
@_reference
@click.argument("tags", metavar="[NAME=VALUE]...", nargs=-1, callback=pairs)
@click.option("--remove", "removed", multiple=True, metavar="NAME", help="Remove this tag; may be repeated.")
@yes_option
@pass_session
def tag(session: Session, reference: str, tags: dict[str, str], removed: tuple[str, ...]) -> None:
    """Set tags of an object, and remove others."""
    if not tags and not removed:
        raise click.UsageError("Give tags as NAME=VALUE, or --remove NAME.")
    client = find_conductor(session.settings)
    ask_about(session, client, f"Change the tags of the object {reference}?", "objects", reference)
    document = client.post("objects", reference, "tags", body={"tags": tags, "removed": list(removed)})
    session.emit(document, render_object)


@make_command("events", "tenuto object events red --start 1h", names=listed("events", "number"))
@_reference
@event_page_options
@pass_session
def events(session: Session, /, reference: str, **page: str | int | None) -> None:
    """Show the events of an object.

    By its id also after it was removed, as long as its events are kept.
    """
    show_events(session, reference, None, page)


command = group(
    "object",
    "Make and manage objects that no composition declares.",
    types,
    create,
    list_,
    show,
    delete,
    wait,
    retry,
    tag,
    events,
)
