"""Objects that requests make, as text for people."""

import json
from collections.abc import Mapping, Sequence

from tenuto.cli.terminal.tables import shortened, table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.cli.terminal.times import short_time
from tenuto.model.ids import Json, JsonMap

_DIGEST_LENGTH = 128
"""The length of a SHA-512. Its beginning is enough to tell two of them apart in a table."""
_OWN = frozenset({"Versions", "LastIndex", "Stamp", "Etag", "LastModified"})
"""The attributes that are for programs. `artifact versions` shows the versions."""


def render_objects(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            one["type"],
            _state(one),
            one["account"],
            one["region"],
            short_time(one["moved"]),
            one["id"] if one["id"] != one["name"] else "",
            shortened(one["message"] or ""),
        )
        for one in sorted(document["objects"], key=lambda one: (one["type"], one["name"], one["id"]))
    ]
    headings = ("Name", "Type", "State", "Account", "Region", "Since", "Id", "Message")
    return table(headings, rows, width=terminal_width()) or "No objects. 'tenuto object types' lists what can be made."


def render_objects_of(document: JsonMap, columns: Sequence[tuple[str, str]], *, is_named: bool) -> str:
    """The objects of one type, with these headings and fields; empty when there are none."""
    rows = [
        (
            one["name"],
            _state(one),
            *(shortened(_cell(one["fields"].get(field, one["attributes"].get(field)))) for _, field in columns),
            one["account"],
            one["region"],
            short_time(one["moved"]),
            shortened(one["message"] or ""),
        )
        for one in sorted(document["objects"], key=lambda one: (one["name"], one["id"]))
    ]
    first = "Name" if is_named else "Id"
    headings = (first, "State", *(heading for heading, _ in columns), "Account", "Region", "Since", "Message")
    return table(headings, rows, width=terminal_width(), whole=("Type",))


def render_object(document: JsonMap) -> str:
    """One object, a line for each thing to be known of it."""
    lines = [
        ("Id", document["id"]),
        ("Type", document["type"]),
        ("Name", document["name"]),
        ("State", _state(document)),
        ("Message", document["message"] or ""),
        ("Account", f"{document['account']}, {document['region']}"),
        ("Created", short_time(document["created"])),
        ("Since", short_time(document["moved"])),
        *((f"Field {name}", _text(value)) for name, value in document["fields"].items()),
        *((f"Tag {name}", value) for name, value in sorted(document["tags"].items())),
        *((f"Attribute {name}", _text(value)) for name, value in document["attributes"].items() if name not in _OWN),
        *(
            ("Reserved" if one["free_at"] else "Claim", f"{one['space']} {one['key']}" + _until(one["free_at"]))
            for one in document["claims"]
        ),
        *((one["role"].capitalize(), _named(one)) for one in document["needs"]),
        *(("Needed by", _named(one)) for one in document["needed_by"]),
        *(
            (f"Phase {name}", f"{one['status']} in {one['state']}" + (f": {one['message']}" if one["message"] else ""))
            for name, one in document["phases"].items()
        ),
    ]
    width = max(len(name) for name, _ in lines)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in lines if value)


def render_object_types(document: JsonMap) -> str:
    rows = [
        (
            one["name"],
            "yes" if one["named"] else "",
            ", ".join(f"{field['name']}{'' if field['required'] else '?'}: {field['kind']}" for field in one["fields"]),
            one["right"],
            one["summary"],
        )
        for one in document["types"]
    ]
    headings = ("Type", "Named", "Fields", "Takes", "Summary")
    none = "No provider of this Conductor offers types of objects. The provider simulated does, to try them."
    return table(headings, rows, width=terminal_width()) or none


def _state(one: JsonMap) -> str:
    return str(one["state"] if one["settled"] else f"{one['state']} → {one['target']}")


def _until(free_at: str | None) -> str:
    return f" until {short_time(free_at)}" if free_at else ""


def _named(one: JsonMap) -> str:
    named = "" if one["name"] == one["id"] else f" {one['name']}"
    return f"{one['type']}{named} ({one['id']})" if one["type"] else f"{one['id']}, which is not there any more"


def _cell(value: Json) -> str:
    """A value in a column: lists and maps as people write them."""
    match value:
        case None:
            return ""
        case Mapping():
            return ", ".join(f"{name}={_text(one)}" for name, one in sorted(value.items()))
        case list() | tuple():
            return ", ".join(_text(one) for one in value)
        case str() if len(value) == _DIGEST_LENGTH:
            return f"{value[:16]}…"
        case _:
            return _text(value)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)
