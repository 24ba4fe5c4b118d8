"""The global indexes of a DynamoDB table: one comes or goes at a time, the throughput of all others changes together.

Nothing else of an index changes: for another key or projection, or another type of an attribute of its key, it goes,
and another one comes under its name.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types import dynamodb_read, dynamodb_throughput

NAME = dynamodb_throughput.INDEXES
ATTRIBUTES = "AttributeDefinitions"
_THROUGHPUT = dynamodb_throughput.PROVISIONED
_UPDATES = "GlobalSecondaryIndexUpdates"


def at_birth(work: Work) -> dict[str, Json]:
    """The indexes of a new table. Conditions may leave none, and DynamoDB refuses an empty list."""
    wanted = [_born(one) for one in work.want(NAME) or ()]
    return {NAME: wanted} if wanted else {}


def _born(index: JsonMap) -> dict[str, Json]:
    lasting = {name: index[name] for name in dynamodb_read.INDEX_PARTS if name in index}
    return {**lasting, **dynamodb_throughput.at_birth(index)}


def change(work: Work) -> dict[str, Json]:
    """The first change of the indexes: one that is not wanted goes before one that is missing comes.

    An attribute has one type in all indexes. So those that use it with another one are all gone before the first comes.
    """
    wanted = {one["IndexName"]: one for one in work.want(NAME)}
    present = {one["IndexName"]: one for one in work.seen(NAME) or ()}
    retyped = _retyped(work)
    for name in sorted(present):
        is_same = name in wanted and dynamodb_read.is_same_index(wanted[name], present[name])
        if not is_same or not retyped.isdisjoint(_keys(present[name])):
            return {_UPDATES: [{"Delete": {"IndexName": name}}]}
    for name in sorted(wanted.keys() - present.keys()):
        return {_UPDATES: [{"Create": _born(wanted[name])}], **work.given(ATTRIBUTES)}
    changed = {name: dynamodb_throughput.changed(wanted[name], present[name]) for name in sorted(wanted)}
    updates = [{"Update": {"IndexName": name, **more}} for name, more in changed.items() if more]
    return {_UPDATES: updates} if updates else {}


def _retyped(work: Work) -> frozenset[str]:
    """The attributes of which the table has another type than is wanted."""
    present = {one["AttributeName"]: one["AttributeType"] for one in work.seen(ATTRIBUTES) or ()}
    wanted = {one["AttributeName"]: one["AttributeType"] for one in work.want(ATTRIBUTES) or ()}
    return frozenset(name for name, kind in wanted.items() if present.get(name, kind) != kind)


def _keys(index: JsonMap) -> list[str]:
    return [part["AttributeName"] for part in index["KeySchema"]]


def provisioned(work: Work) -> dict[str, Json]:
    """The throughput of the indexes that are there, for a table that is billed for it from now on."""
    present = {one["IndexName"] for one in work.seen(NAME) or ()}
    updates = [
        {"Update": {"IndexName": one["IndexName"], _THROUGHPUT: one[_THROUGHPUT]}}
        for one in work.want(NAME) or ()
        if one["IndexName"] in present and one.get(_THROUGHPUT)
    ]
    return {_UPDATES: updates} if updates else {}


def is_under_way(work: Work) -> bool:
    """Whether an index comes, goes or changes. The table itself is active again while a new index is being filled."""
    indexes = dynamodb_read.described(work).get(NAME) or ()
    return any(one.get("IndexStatus", "ACTIVE") != "ACTIVE" for one in indexes)
