"""Resource types as text for people: the list, and one type in detail."""

from collections.abc import Sequence
from textwrap import fill

from tenuto.cli.tables import table
from tenuto.cli.terminal import terminal_width
from tenuto.model.ids import JsonMap

_LABEL = 18
_WIDEST = 100
"""Longer lines of names are hard to read."""


def render_types(document: JsonMap) -> str:
    """One line for each type, and how to see more of one."""
    types = document["types"]
    if not types:
        return "No provider is loaded."
    headings = ("Type", "Provider", "A change", "Bears data")
    rows = [
        (one["name"], one["provider"], _change(one), "yes" if one["bears_data"] else "")
        for one in sorted(types, key=lambda one: str(one["name"]))
    ]
    count = f"{len(types)} type{'' if len(types) == 1 else 's'}"
    return f"{table(headings, rows, width=terminal_width())}\n\n{count}. 'tenuto types {rows[0][0]}' shows one of them."


def render_type(one: JsonMap) -> str:
    """Return everything that is known of one type, as text."""
    refused = set(one["refused"])
    fixed = {*one["create_only"], *refused}
    in_place = [name for name in one["properties"] if name not in fixed] if one["mutable"] else []
    lines = [
        ("Ref gives", [_ref(one)]),
        ("Fn::GetAtt gives", one["attributes"]),
        ("Required", one["required"]),
        ("Replaced by", one["create_only"] if one["mutable"] else ["a change of any property"]),
        ("Changed in place", in_place),
        ("Never read back", one["write_only"]),
        ("Refused", sorted(refused)),
        ("Walks the table", [one["lifecycle"]]),
    ]
    head = f"{one['name']} (provider {one['provider']}{', bears data' if one['bears_data'] else ''})"
    return "\n".join([head, "", *(_line(label, names) for label, names in lines if names)])


def _change(one: JsonMap) -> str:
    if not one["mutable"]:
        return "replaces it"
    return "is made in place, or replaces it" if one["create_only"] else "is made in place"


def _ref(one: JsonMap) -> str:
    if one["named_by"]:
        return f"{one['named_by']} (where none is declared, the name that Tenuto makes)"
    return str(one["ref_attribute"] or "its physical id, as 'tenuto status' shows it")


def _line(label: str, names: Sequence[str]) -> str:
    width = min(_WIDEST, terminal_width() or _WIDEST)
    text = f"{label:<{_LABEL}}{', '.join(names)}"
    return fill(text, width, subsequent_indent=" " * _LABEL, break_long_words=False, break_on_hyphens=False)
