"""The attributes and the keys of a DynamoDB table: every key is of a defined attribute, and no other is defined.

The schema cannot say it, and AWS says it only when the table is made.
"""

from collections.abc import Iterator

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems

TYPE = "AWS::DynamoDB::Table"
_INDEXES = ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")


def check_table_keys(table: Fields, subject: str, problems: Problems) -> None:
    """Report keys without a definition, and the reverse; nothing while a name is known only when the composition
    runs."""
    defined = _names(table.get("AttributeDefinitions"))
    keys = _keys(table)
    if defined is None or keys is None:
        return
    used, known = {one.text for one in keys}, {one.text for one in defined}
    for one in defined:
        if one.text not in used:
            detail = f"{one.text} is defined, and no key of the table or of an index uses it."
            problems.add(codes.TABLE_KEYS, one, detail, subject=f"{subject}.AttributeDefinitions")
    for one in keys:
        if one.text not in known:
            detail = f"{one.text} is a key, and AttributeDefinitions does not define it."
            hint = "Define it in AttributeDefinitions with its type (S, N or B)."
            problems.add(codes.TABLE_KEYS, one, detail, subject=f"{subject}.KeySchema", hint=hint, once=one.text)


def _keys(table: Fields) -> list[Scalar] | None:
    """The names in all key schemas; None when one is not known."""
    found: list[Scalar] = []
    for schema in _schemas(table):
        names = _names(schema)
        if names is None:
            return None
        found += names
    return found


def _schemas(table: Fields) -> Iterator[Node | None]:
    yield table.get("KeySchema")
    for name in _INDEXES:
        indexes = table.get(name)
        if isinstance(indexes, Items):
            for index in indexes.items:
                yield index.get("KeySchema") if isinstance(index, Fields) else index
        elif indexes is not None:
            yield indexes


def _names(node: Node | None) -> list[Scalar] | None:
    """The attribute names of a list of definitions or of keys; None when one is not known. A missing list has none."""
    if node is None:
        return []
    if not isinstance(node, Items):
        return None
    found: list[Scalar] = []
    for member in node.items:
        name = member.get("AttributeName") if isinstance(member, Fields) else None
        if not isinstance(name, Scalar):
            return None
        found.append(name)
    return found
