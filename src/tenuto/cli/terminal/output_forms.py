"""`-o FORM`: the result of a command as a wide table, as names alone, as JSON or as YAML.

Every command prints a document (`Session.emit`), and so every command has the forms json and yaml. A list, and a
command that shows one thing, has names as well, and says where they are in its document. Then `wide` is the table
without the cuts that a terminal asks for.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from tenuto.model.ids import JsonMap

Names = Callable[[JsonMap], Sequence[str]]
"""The names of the things in a document, in its order."""


class Form(StrEnum):
    """The forms in which a document is printed."""

    WIDE = "wide"
    NAME = "name"
    JSON = "json"
    YAML = "yaml"


OF_DOCUMENTS = (Form.JSON, Form.YAML)
CI_FORMS = ("markdown", "github", "gitlab", "sarif")
"""The forms that CI systems read (`cli.render.ci_formats`). Named here, because help needs their names alone."""
HELP = {
    False: "json: the same as --json; yaml.",
    True: "wide: every column, and nothing cut; name: names alone, one a line; json; yaml.",
}
"""The help of the option, by whether the command has names."""


def listed(member: str, *fields: str) -> Names:
    """The names of a list: of each row of `member` the first of these fields that has a value."""

    def names(document: JsonMap) -> Sequence[str]:
        return [_name(row, fields) for row in document.get(member, ())]

    return names


def keyed(member: str) -> Names:
    """The names of things that are kept by name: the keys of `member`."""

    def names(document: JsonMap) -> Sequence[str]:
        return list(document[member])

    return names


def shown(*fields: str) -> Names:
    """The name of the one thing that a command shows."""

    def names(document: JsonMap) -> Sequence[str]:
        return [_name(document, fields)]

    return names


def either(member: str, many: Names, one: Names) -> Names:
    """The names of a command that lists all, or shows one: `member` is there in the list only."""

    def names(document: JsonMap) -> Sequence[str]:
        return many(document) if member in document else one(document)

    return names


def joined(*parts: Names) -> Names:
    """The names of several lists of one document, one after the other."""

    def names(document: JsonMap) -> Sequence[str]:
        return [name for part in parts for name in part(document)]

    return names


def _name(row: Any, fields: Sequence[str]) -> str:
    if isinstance(row, str):
        return row
    return next((str(row[name]) for name in fields if row.get(name) not in (None, "")), "")
