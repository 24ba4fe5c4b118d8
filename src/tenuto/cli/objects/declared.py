"""The declared objects in the groups of commands by type, such as `tenuto instance list`.

A declared object is shown here and changed by its process alone, so `create` and `delete` refuse it with the way to do
it. The objects of the same type that requests make, where the Conductor offers them, stand beside it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from ipaddress import IPv4Address

from tenuto.cli.client.client import Client
from tenuto.cli.objects.object_kinds import OBJECT_KINDS, ObjectKind
from tenuto.cli.terminal.exits import ApiProblem
from tenuto.cli.terminal.tables import shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.model.ids import Json, JsonMap

_PATH = "declared-objects"
_INTERFACE = "Tenuto::Compute::NetworkInterface"


def declared_rows(
    client: Client, kind: ObjectKind, *, states: tuple[str, ...], account: str | None, name: str | None
) -> list[JsonMap]:
    """The live objects of a kind that processes declare."""
    found = client.get(_PATH, type=kind.declared_types, account=account)["objects"]
    return [
        one
        for one in found
        if _is_of(kind, one) and (not states or one["state"] in states) and name in (None, one["resource"], one["name"])
    ]


def _is_of(kind: ObjectKind, one: JsonMap) -> bool:
    """Whether a declared object is of a kind: a node of another cloud has no driver."""
    return one["type"] != kind.declared_too or one["driver"] is not None


def declared_object(client: Client, kind: ObjectKind, reference: str) -> JsonMap | None:
    """The object that a reference means; None where no process declares it. Raises ApiProblem for several."""
    if not kind.declared:
        return None
    try:
        [found] = client.get(_PATH, type=kind.declared_types, reference=reference)["objects"]
    except ApiProblem as problem:
        if problem.document.get("status") == HTTPStatus.NOT_FOUND:
            return None
        raise
    return dict(found) if _is_of(kind, found) else None


def events_of_declared(client: Client, object_id: str, page: Mapping[str, str | int | None]) -> JsonMap:
    """The events of an object that a process declares or declared, by its whole id. Empty where there is none."""
    found = client.get("events", object=object_id, **page)
    return {**found, "events": [one for one in found["events"] if one["fid"]]}


def no_such(kind: ObjectKind, reference: str) -> NotFoundError:
    """A reference that means no object of a kind."""
    return NotFoundError(
        f"There is no {kind.noun} {reference!r} that you may see. 'tenuto {kind.name} list' shows them."
    )


def is_offered(client: Client, kind: ObjectKind) -> bool:
    """Whether requests can make objects of this kind at this Conductor."""
    folded = kind.type.casefold()
    return any(one["name"].rpartition("::")[2].casefold() == folded for one in client.get("object-types")["types"])


def check_creatable(client: Client, kind: ObjectKind) -> None:
    """Raise UserError for a kind that only compositions make here."""
    if kind.declared and not is_offered(client, kind):
        raise UserError(
            f"A request cannot make {kind.a} here: a composition does. Declare a resource of the type {kind.declared} "
            "in a file and give it to 'tenuto run FILE', or to 'tenuto update PROCESS FILE'. Nothing was changed."
        )


def check_deletable(client: Client, kind: ObjectKind, reference: str) -> None:
    """Raise NotAllowedError for an object that a process declares, and NotFoundError for one that none declares."""
    found = declared_object(client, kind, reference)
    if found is None and "/" in reference:
        raise no_such(kind, reference)
    if found is not None:
        raise refused_deletion(found)


def refused_deletion(found: JsonMap) -> NotAllowedError:
    """The refusal to delete an object that a process declares."""
    process = found["alias"] or found["process"]
    return NotAllowedError(
        f"{found['name']} is declared by the process {process}, which would make it anew. Remove {found['resource']} "
        f"from the composition and give that to 'tenuto update {process} FILE', or end the whole process with 'tenuto "
        f"kill {process}'. Nothing was changed."
    )


def refused_retry(found: JsonMap) -> NotAllowedError:
    """The refusal to try an object again that a process declares."""
    return _for_requested(
        found,
        "'tenuto retry {process}' runs the failed phases of its objects again, and 'tenuto resume {process}' "
        "acknowledges an error.",
    )


def refused_wait(found: JsonMap) -> NotAllowedError:
    """The refusal to wait for an object that a process declares."""
    return _for_requested(
        found,
        "'tenuto explain {process}' tells how it is, and 'tenuto events {process} --follow' shows all that comes.",
    )


def _for_requested(found: JsonMap, way: str) -> NotAllowedError:
    process = found["alias"] or found["process"]
    return NotAllowedError(
        f"{found['name']} is declared by the process {process}, and this command is for objects that requests make. "
        f"{way.format(process=process)} Nothing was changed."
    )


@contextmanager
def telling_declared(
    client: Client,
    reference: str,
    refusal: Callable[[JsonMap], NotAllowedError],
    kinds: Sequence[ObjectKind] = OBJECT_KINDS,
) -> Iterator[None]:
    """Have `refusal` tell the way for an object that a process declares, where a command finds none that a request
    made."""
    try:
        yield
    except ApiProblem as missing:
        if missing.document.get("status") == HTTPStatus.NOT_FOUND:
            for kind in kinds:
                if (found := declared_object(client, kind, reference)) is not None:
                    raise refusal(found) from missing
        raise


def addresses_of(client: Client, network: JsonMap) -> list[JsonMap]:
    """The addresses of a declared network in their order, with who has each. Only its router's before it is made."""
    router = network["attributes"].get("Router")
    rows: list[JsonMap] = [{"address": router, "interface": None, "instances": [], "state": network["state"]}]
    found = client.get(_PATH, type=_INTERFACE, needs=network["id"])["objects"]
    rows += (
        {
            "address": one["attributes"].get("Address"),
            "mac": one["attributes"].get("MacAddress"),
            "floating": one["attributes"].get("FloatingAddress") or None,
            "interface": one["name"],
            "id": one["id"],
            "instances": one["needed_by"],
            "state": one["state"],
        }
        for one in found
    )
    return sorted((one for one in rows if one["address"]), key=lambda one: IPv4Address(one["address"]))


def render_addresses(document: JsonMap) -> str:
    """A table of the addresses of a network."""
    network, rows = document["network"], document["addresses"]
    if not rows:
        return f"{network['name']} is {network['state']}: it has no address yet."
    lines = [
        (
            one["address"],
            ", ".join(one["instances"]) or ("no instance" if one["interface"] else "router"),
            one["interface"] or network["name"],
            one["state"],
            one.get("mac") or "",
            one.get("floating") or "",
        )
        for one in rows
    ]
    return table(("Address", "Of", "Declared", "State", "Mac", "Floating"), lines, width=terminal_width())


def render_declared(rows: list[JsonMap]) -> str:
    """A table; empty when there are none."""
    lines = [
        (
            one["name"],
            ("! " if one["failed"] else "") + one["state"],
            one["host"] or "",
            ", ".join(one["addresses"]),
            one["driver"] or "",
            one["account"],
            one["region"],
            short_time(one["moved"]),
            one["id"][:8],
            shortened(one["message"] or ""),
        )
        for one in rows
    ]
    headings = ("Name", "State", "Host", "Address", "Driver", "Account", "Region", "Since", "Id", "Message")
    return table(headings, lines, width=terminal_width())


def render_declared_object(one: JsonMap) -> str:
    """One declared object, a line for each thing to be known of it."""
    process = one["alias"] or one["process"]
    lines = [
        ("Name", one["name"]),
        ("Id", one["id"]),
        ("Type", one["type"]),
        ("State", ("! " if one["failed"] else "") + one["state"]),
        ("Message", one["message"] or ""),
        ("Account", f"{one['account']}, {one['region']}"),
        ("Created", short_time(one["created"])),
        ("Since", short_time(one["moved"])),
        *((name, _text(value)) for name, value in one["attributes"].items()),
        ("More", f"tenuto explain {process} {one['resource']}"),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in lines if text)


def _text(value: Json) -> str:
    """An attribute in words: a list with commas between its members, and with spaces inside of those that are lists."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list():
            parts = (" ".join(map(_text, part)) if isinstance(part, list) else _text(part) for part in value)
            return ", ".join(parts)
        case _:
            return json.dumps(value)
