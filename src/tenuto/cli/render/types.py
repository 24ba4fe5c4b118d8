"""Resource types as text for people: the list, and one type in detail."""

from collections.abc import Mapping, Sequence
from textwrap import fill

from tenuto.cli.terminal.tables import table
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import JsonMap

_SEEN = {"page": "in bulk", "single": "singly"}
_SEEN_AT_LENGTH = {
    "page": "in bulk at every sweep",
    "single": "by a call for each of them, in turns: the more there are, the later a drift is found",
}
_LABEL = 18
_WIDEST = 100
"""Longer lines of names are hard to read."""


def render_types(document: JsonMap) -> str:
    """One line for each type with a block of its own, a count of the others, and how to see more of one."""
    if not document["types"] and not document.get("more"):
        return "No provider is loaded."
    return "\n".join(
        [*_table(_rows(document)), *(f"{_more(one)} 'tenuto types WORD' lists them." for one in _others(document))]
    )


def render_fitting(document: JsonMap) -> str:
    """One line for each type, also for those that go through a general interface."""
    rows = _rows(document)
    rows += [
        (name, one["provider"], "", "", f"singly, {one['through']}")
        for one in _others(document)
        for name in one["names"]
    ]
    return "\n".join(_table(rows))


def _rows(document: JsonMap) -> list[tuple[str, ...]]:
    return [
        (one["name"], one["provider"], _change(one), "yes" if one["bears_data"] else "", _SEEN[one["watch"]])
        for one in sorted(document["types"], key=lambda one: str(one["name"]))
    ]


def _others(document: JsonMap) -> Sequence[JsonMap]:
    found: Sequence[JsonMap] = document.get("more", ())
    return found


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    if not rows:
        return []
    headings = ("Type", "Provider", "A change", "Bears data", "Seen")
    count = f"{len(rows)} type{'' if len(rows) == 1 else 's'}"
    return [
        table(headings, rows, width=terminal_width(), whole=("Type",)),
        "",
        f"{count}. 'tenuto types {rows[0][0]}' shows one of them.",
    ]


def _more(one: JsonMap) -> str:
    count = len(one["names"])
    return f"{count} more type{'' if count == 1 else 's'} of {one['provider']} go through {one['through']}."


def render_type(one: JsonMap) -> str:
    """Return everything that is known of one type, as text."""
    fixed = {*one["create_only"], *one["refused"]}
    in_place = [name for name in one["properties"] if name not in fixed] if one["mutable"] else []
    lines = [
        ("Ref gives", [_ref(one)]),
        ("Fn::GetAtt gives", one["attributes"]),
        ("Required", one["required"]),
        ("Replaced by", one["create_only"] if one["mutable"] else ["a change of any property"]),
        ("Changed in place", in_place),
        ("May interrupt it", one["interrupting"]),
        ("Given back", _given_back(one, in_place)),
        ("Never read back", one["write_only"]),
        *_refused(one["refused"]),
        ("Goes through", [one["through"]] if one.get("through") else []),
        ("Seen", [_SEEN_AT_LENGTH[one["watch"]]]),
        ("Walks the table", [one["lifecycle"]]),
    ]
    head = f"{one['name']} (provider {one['provider']}{', bears data' if one['bears_data'] else ''})"
    return "\n".join([head, "", *(_line(label, names) for label, names in lines if names)])


def _given_back(one: JsonMap, in_place: Sequence[str]) -> list[str]:
    """The properties that get their default back when they are taken out of a composition."""
    named = [name for name in in_place if name in {*one["given_back"]} - {*one["required"]}]
    return [f"{', '.join(named)}: to its default, when it is taken out; any other stays"] if named else []


def _refused(reasons: Mapping[str, str]) -> list[tuple[str, list[str]]]:
    """Each refused property, with its reason in lines of its own."""
    told = [f"{name}: {reason}" for name, reason in sorted(reasons.items())]
    return [("" if place else "Refused", [one]) for place, one in enumerate(told)]


def _change(one: JsonMap) -> str:
    if not one["mutable"]:
        return "replaces it"
    return "is made in place, or replaces it" if one["create_only"] else "is made in place"


def _ref(one: JsonMap) -> str:
    if one["named_by"]:
        return f"{one['named_by']} (where none is declared, the name that Tenuto makes)"
    if one["ref_attribute"] == "Ref":
        return "a value of its own, as CloudFormation gives it, and not the physical id"
    return str(one["ref_attribute"] or "its physical id, as 'tenuto status' shows it")


def _line(label: str, names: Sequence[str]) -> str:
    width = min(_WIDEST, terminal_width() or _WIDEST)
    text = f"{label:<{_LABEL}}{', '.join(names)}"
    return fill(text, width, subsequent_indent=" " * _LABEL, break_long_words=False, break_on_hyphens=False)
