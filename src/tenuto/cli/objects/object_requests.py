"""The requests about objects without a process, for `tenuto object` and the groups of one type.

`type_name` is None in `tenuto object`. Else only an object of that type is meant, so `tenuto blob delete red` never
deletes the namespace of that name.
"""

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from tenuto.cli.client.client import Client
from tenuto.cli.client.target import find_conductor
from tenuto.cli.objects.declared import events_of_declared
from tenuto.cli.objects.object_waiting import waited
from tenuto.cli.processes.asking import ask_about
from tenuto.cli.render.history import render_events
from tenuto.cli.render.objects import render_object
from tenuto.cli.terminal.exits import ApiProblem
from tenuto.cli.terminal.session import Session
from tenuto.core.objects.fields import type_named
from tenuto.errors import UserError
from tenuto.kit.nearest import meant
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.object_type import FieldKind, ObjectType

_PATH = "objects"


def create_object(
    session: Session,
    type_name: str,
    name: str | None,
    *,
    fields: JsonMap,
    texts: dict[str, str],
    tags: dict[str, str],
    account: str | None,
    region: str | None,
    timeout_s: float | None,
) -> None:
    """Make an object of `fields`, which are values, and of `texts`, which are read as the type wants them."""
    client = find_conductor(session.settings)
    kind = _type(client, type_name)
    values = {**fields, **_values(kind, texts)}
    place = f" in the account {account}" if account else ""
    session.confirm(f"Make the {_noun(kind['name'])}{f' {name}' if name else ''}{place}?")
    body: dict[str, Any] = {"type": kind["name"], "name": name, "fields": values, "tags": tags}
    body |= {"account": account, "region": region}
    document = client.post(_PATH, body={key: value for key, value in body.items() if value is not None})
    session.emit(waited(session, client, document, timeout_s), render_object)


def all_objects(
    session: Session,
    *,
    types: tuple[str, ...],
    states: tuple[str, ...],
    account: str | None,
    name: str | None,
    is_all: bool,
) -> JsonMap:
    """Every page of the objects that are asked for, as one document."""
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
            return {"objects": found}


def show_object(session: Session, reference: str, type_name: str | None) -> None:
    session.emit(find_conductor(session.settings).get(_PATH, reference, type=type_name), render_object)


def delete_object(session: Session, reference: str, type_name: str | None, timeout_s: float | None) -> None:
    client = find_conductor(session.settings)
    ask_about(session, client, f"Delete the {type_name or 'object'} {reference}?", _PATH, reference, **_of(type_name))
    document = client.delete(_PATH, reference, type=type_name)
    session.emit(waited(session, client, document, timeout_s, is_for_end=True), render_object)


def wait_for_object(
    session: Session, reference: str, type_name: str | None, *, gone: bool, timeout_s: float | None
) -> None:
    client = find_conductor(session.settings)
    document = client.get(_PATH, reference, type=type_name)
    limit = float("inf") if timeout_s is None else timeout_s
    session.emit(waited(session, client, document, limit, is_for_end=gone), render_object)


def retry_object(session: Session, reference: str, type_name: str | None, timeout_s: float | None) -> None:
    client = find_conductor(session.settings)
    ask_about(
        session,
        client,
        f"Try the phases of the {type_name or 'object'} {reference} again?",
        _PATH,
        reference,
        **_of(type_name),
    )
    document = client.post(_PATH, reference, "retry", type=type_name)
    is_leaving = bool(document["leaving"])
    session.emit(waited(session, client, document, timeout_s, is_for_end=is_leaving), render_object)


def show_events(session: Session, reference: str, type_name: str | None, page: Mapping[str, str | int | None]) -> None:
    """Show the events of an object that requests make, or, by its id, of one that a process declares or declared."""
    client = find_conductor(session.settings)
    try:
        document = client.get(_PATH, reference, "events", type=type_name, **page)
    except ApiProblem as problem:
        if problem.document.get("status") != HTTPStatus.NOT_FOUND:
            raise
        document = events_of_declared(client, reference, page)
        if not document["events"]:
            raise
    session.emit(document, render_events)


def _noun(type_name: str) -> str:
    """The last part of the name of a type as people say it: `agent operation` of `Tenuto::AgentOperation`."""
    return " ".join(re.findall(r"[A-Z]+\d*(?![a-z])|[A-Z]?[a-z0-9]+", type_name.rpartition("::")[2])).lower()


def _of(type_name: str | None) -> dict[str, str]:
    return {} if type_name is None else {"type": type_name}


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
