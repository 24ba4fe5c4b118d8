"""The groups of commands by type, such as `tenuto artifact …`, made of the table `cli.objects.object_kinds`.

A group is made when it is called, so the start of another command pays nothing for it.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import (
    check_creatable,
    check_deletable,
    declared_object,
    declared_rows,
    events_of_declared,
    is_offered,
    no_such,
    refused_retry,
    refused_wait,
    render_declared,
    render_declared_object,
    telling_declared,
)
from tenuto.cli.objects.object_kinds import VERBS, FieldOption, Given, ObjectKind
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
from tenuto.cli.options.groups import CommandGroup, group
from tenuto.cli.options.option_times import parse_duration
from tenuto.cli.options.options import (
    TenutoCommand,
    event_page_options,
    name_argument,
    pairs,
    pass_session,
    wait_option,
    yes_option,
)
from tenuto.cli.options.options import command as make_command
from tenuto.cli.render.history import render_events
from tenuto.cli.render.objects import render_objects_of
from tenuto.cli.terminal.output_forms import Names, joined, listed, shown
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import Json, JsonMap

_Body = Callable[..., Any]

_NAMES: Mapping[str, Names] = {
    "list": joined(listed("declared", "name", "id"), listed("objects", "name", "id")),
    "show": shown("name", "id"),
    "events": listed("events", "number"),
}
"""The names in the documents that the verbs show."""

_MORE = {
    "show": "Its fields, its tags, its phases, what it needs and what needs it.",
    "delete": (
        "It is refused, with their names, while others do. A deleted object is shown for an hour (list --all), then it "
        "is removed; its events stay. This is also how one in an error state is removed: none of them ages out."
    ),
    "wait": "Exit 1 when it has failed, 8 when the time is over.",
    "retry": "What is in an error state is not tried again: delete it, and make another.",
    "events": "By its id also after it was removed, as long as its events are kept.",
}


def group_of(kind: ObjectKind) -> CommandGroup:
    """Make the group of one type."""
    return group(
        kind.name,
        f"{kind.summary}\n\nThe same as 'tenuto object' for objects of the type {kind.type}. 'tenuto object types' "
        "tells whether this Conductor offers it, and which fields it has there." + _of_compositions(kind),
        _create(kind),
        _list(kind),
        _show(kind),
        _delete(kind),
        _wait(kind),
        _retry(kind),
        _events(kind),
        *_more(kind),
    )


def _of_compositions(kind: ObjectKind) -> str:
    if not kind.declared:
        return ""
    return (
        f"\n\nThose that compositions declare as {kind.declared} are listed and shown too, as PROCESS/RESOURCE or by "
        "their id; their processes make and delete them."
    )


def _more(kind: ObjectKind) -> tuple[click.Command, ...]:
    """The commands that no other type has. Their modules are loaded where they are called."""
    match kind.name:
        case "instance":
            from tenuto.cli.objects.instance_commands import INSTANCE_COMMANDS

            return INSTANCE_COMMANDS
        case "network":
            from tenuto.cli.objects.network_commands import NETWORK_COMMANDS

            return NETWORK_COMMANDS
        case "namespace":
            from tenuto.cli.objects.namespace_keys import key_group
            from tenuto.cli.objects.namespace_settings import limits, trust

            return (trust, limits, key_group())
        case "artifact":
            from tenuto.cli.objects.artifact_commands import ARTIFACT_COMMANDS

            return ARTIFACT_COMMANDS
        case "blob":
            from tenuto.cli.objects.artifact_commands import verify

            return (verify,)
        case _:
            return ()


def _create(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "create", kind.example, f"{kind.example} --tag team=web --wait" if not kind.is_named else "")
    @_named(kind)
    @_field_options(kind)
    @click.option(
        "--field",
        "texts",
        multiple=True,
        callback=pairs,
        metavar="NAME=VALUE",
        help="Another field of the type, as JSON where it is no text and no object; may be repeated.",
    )
    @birth_options
    @wait_option
    @yes_option
    @pass_session
    def create(
        session: Session,
        /,
        texts: dict[str, str],
        tags: dict[str, str],
        account: str | None,
        region: str | None,
        wait: float | None,
        name: str | None = None,
        **given: Any,
    ) -> None:
        check_creatable(find_conductor(session.settings), kind)
        create_object(
            session,
            kind.type,
            name,
            fields=_fields(kind, given),
            texts=texts,
            tags=tags,
            account=account,
            region=region,
            timeout_s=wait,
        )

    return create


def _list(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "list", "", "--state created --all")
    @listing_options
    @pass_session
    def list_(session: Session, states: tuple[str, ...], account: str | None, name: str | None, is_all: bool) -> None:
        client = find_conductor(session.settings)
        declared: list[JsonMap] = []
        found: JsonMap = {"objects": []}
        if kind.declared:
            declared = declared_rows(client, kind, states=states, account=account, name=name)
        if not kind.declared or is_offered(client, kind):
            found = all_objects(session, types=(kind.type,), states=states, account=account, name=name, is_all=is_all)
        if kind.declared:
            found = {**found, "declared": declared}
        columns = [*((one.heading, one.field) for one in kind.options if one.heading), *kind.columns]

        def render(document: JsonMap) -> str:
            way = (
                f"A composition with {kind.declared} makes one."
                if kind.declared
                else f"'tenuto {kind.made_by or f'{kind.name} create'}' makes one."
            )
            none = f"No {kind.plural}. {way}"
            requested = render_objects_of(document, columns, is_named=kind.is_named)
            parts = [part for part in (render_declared(document.get("declared", [])), requested) if part]
            return "\n\n".join(parts) or none

        session.emit(found, render)

    return list_


def _show(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "show", kind.named)
    @_shown_reference(kind)
    @pass_session
    def show(session: Session, reference: str) -> None:
        client = find_conductor(session.settings)
        found = declared_object(client, kind, reference)
        if found is not None:
            session.emit(found, render_declared_object)
        elif kind.declared and ("/" in reference or not is_offered(client, kind)):
            raise no_such(kind, reference)
        else:
            show_object(session, reference, kind.type)

    return show


def _delete(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "delete", f"{kind.named} --wait")
    @_shown_reference(kind)
    @wait_option
    @yes_option
    @pass_session
    def delete(session: Session, reference: str, wait: float | None) -> None:
        check_deletable(find_conductor(session.settings), kind, reference)
        delete_object(session, reference, kind.type, wait)

    return delete


def _wait(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "wait", f"{kind.named} --gone --timeout 10m")
    @_shown_reference(kind)
    @click.option("--gone", is_flag=True, help="Wait for its end, after a deletion.")
    @click.option(
        "--timeout",
        callback=parse_duration,
        metavar="TIME",
        help="At most so long: seconds, or 10m, 1h; else no limit.",
    )
    @pass_session
    def wait(session: Session, reference: str, gone: bool, timeout: float | None) -> None:
        with telling_declared(find_conductor(session.settings), reference, refused_wait, (kind,)):
            wait_for_object(session, reference, kind.type, gone=gone, timeout_s=timeout)

    return wait


def _retry(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "retry", kind.named)
    @_shown_reference(kind)
    @wait_option
    @yes_option
    @pass_session
    def retry(session: Session, reference: str, wait: float | None) -> None:
        with telling_declared(find_conductor(session.settings), reference, refused_retry, (kind,)):
            retry_object(session, reference, kind.type, wait)

    return retry


def _events(kind: ObjectKind) -> TenutoCommand:
    @_verb(kind, "events", f"{kind.named} --start 1h")
    @_shown_reference(kind)
    @event_page_options
    @pass_session
    def events(session: Session, /, reference: str, **page: str | int | None) -> None:
        client = find_conductor(session.settings)
        found = declared_object(client, kind, reference)
        if found is None and (not kind.declared or is_offered(client, kind)):
            show_events(session, reference, kind.type, page)
            return
        document = events_of_declared(client, reference if found is None else found["id"], page)
        if found is None and not document["events"]:
            raise no_such(kind, reference)
        session.emit(document, render_events)

    return events


def _verb(kind: ObjectKind, verb: str, *examples: str) -> Callable[[_Body], TenutoCommand]:
    """Make the command of a verb, with the help of the table. An empty example stands alone, the second one is left
    out.
    """
    told = [one for index, one in enumerate(examples) if one or index == 0]
    lines = [f"tenuto {kind.name} {verb} {one}".rstrip() for one in told]

    def make(body: _Body) -> TenutoCommand:
        first = VERBS[verb].format(a=kind.a, plural=kind.plural)
        body.__doc__ = f"{first}\n\n{_MORE[verb]}" if verb in _MORE else first
        return make_command(verb, *lines, names=_NAMES.get(verb))(body)

    return make


def _named(kind: ObjectKind) -> Callable[[_Body], _Body]:
    """Add the argument NAME to a type whose objects have names."""
    return click.argument("name", metavar="NAME") if kind.is_named else lambda body: body


def _shown_reference(kind: ObjectKind) -> Callable[[_Body], _Body]:
    """Add the argument of the verbs that show declared objects too, or name the way for them."""
    return name_argument("reference", kind.noun, metavar=_metavar(kind), is_in_process=bool(kind.declared))


def _metavar(kind: ObjectKind) -> str:
    if kind.declared:
        return "PROCESS/RESOURCE|NAME|ID" if kind.is_named else "PROCESS/RESOURCE|ID"
    return "NAME|ID" if kind.is_named else "ID"


def _field_options(kind: ObjectKind) -> Callable[[_Body], _Body]:
    def add(body: _Body) -> _Body:
        for one in reversed(kind.options):
            body = click.option(
                one.option,
                one.parameter,
                type=click.IntRange(min=0) if one.given is Given.NUMBER else click.STRING,
                multiple=one.given in (Given.LIST, Given.MAP),
                callback=pairs if one.given is Given.MAP else None,
                metavar=one.metavar,
                help=one.help,
            )(body)
        return body

    return add


def _fields(kind: ObjectKind, given: JsonMap) -> JsonMap:
    """The fields of the options that were given."""
    found = {one.field: _value(one, given[one.parameter]) for one in kind.options}
    return {name: value for name, value in found.items() if value not in (None, [], {})}


def _value(option: FieldOption, value: Any) -> Json:
    match option.given:
        case Given.LIST:
            return list(value)
        case Given.MAP:
            return {name: json.loads(text) if text.isdecimal() else text for name, text in value.items()}
        case Given.TEXT | Given.NUMBER:
            found: Json = value
            return found
