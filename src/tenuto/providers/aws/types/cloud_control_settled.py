"""Facts about values that no call changes, where the published schema only says that it depends.

DynamoDB keeps the type of an attribute that a key of the table or of a local index uses. Where only global indexes use
it, the block of a table makes these anew. Cloud Control takes one wish for a thing, and no steps: through it, no key of
a table changes, nor the type of an attribute that an index uses.
"""

from collections.abc import Mapping

from tenuto.model.resource import SettledMembers

_ATTRIBUTES = "AttributeDefinitions"
_KEY = "KeySchema.AttributeName"
_OF_TABLE = (_KEY, f"LocalSecondaryIndexes.{_KEY}")


def _named_in(*paths: str) -> Mapping[str, SettledMembers]:
    return {_ATTRIBUTES: SettledMembers(key="AttributeName", named_in=paths)}


ATTRIBUTES_OF_KEYS = _named_in(*_OF_TABLE)
"""The types of the attributes of a table."""

SETTLED_OF: Mapping[str, frozenset[str]] = {
    "AWS::DynamoDB::GlobalTable": frozenset({"KeySchema", "LocalSecondaryIndexes"}),
}
"""The properties of types without a block whose change forces a replacement, by type."""
SETTLED_MEMBERS_OF: Mapping[str, Mapping[str, SettledMembers]] = {
    "AWS::DynamoDB::GlobalTable": _named_in(*_OF_TABLE, f"GlobalSecondaryIndexes.{_KEY}"),
}
"""The settled members of types without a block, by type."""
