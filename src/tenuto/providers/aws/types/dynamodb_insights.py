"""The contributor insights of a DynamoDB table and of its global indexes: each has a switch and a mode of its own.

DynamoDB turns them on and off in a while, so the next change of them waits for the one before. A description costs a
call for the table and one for each index, which is made only where insights are declared.
"""

from collections.abc import Mapping

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work, flag

NAME = "ContributorInsightsSpecification"
INDEXES = "GlobalSecondaryIndexes"
OF_INDEXES = f"{INDEXES}.{NAME}"
RULES: Mapping[str, Rule] = {
    # What is turned off has no mode.
    f"{NAME}.Mode": Comparison.SHOWN,
    f"{OF_INDEXES}.Mode": Comparison.SHOWN,
}
DEFAULTS: JsonMap = {
    NAME: {"Enabled": False},
    f"{NAME}.Mode": "ACCESSED_AND_THROTTLED_KEYS",
}
_UNDER_WAY = ("ENABLING", "DISABLING")


def of_table(client: AccountClient, table: JsonMap) -> Json:
    return _specification(_described(client, table["TableName"]))


def of_indexes(client: AccountClient, table: JsonMap) -> Json:
    """The insights of each global index, by its name. An index that has gone in between has none."""
    names = [one["IndexName"] for one in table.get(INDEXES) or ()]
    return {name: _specification(_of_index(client, table["TableName"], name)) for name in names}


def _of_index(client: AccountClient, table: str, index: str) -> JsonMap:
    return faults.unless_gone(lambda: _described(client, table, IndexName=index)) or {}


def _described(client: AccountClient, table: str, **index: str) -> JsonMap:
    answer: JsonMap = client.read("dynamodb", "DescribeContributorInsights", TableName=table, **index)
    return answer


def _specification(answer: JsonMap) -> dict[str, Json]:
    is_on = answer.get("ContributorInsightsStatus") in ("ENABLED", "ENABLING")
    mode = answer.get("ContributorInsightsMode")
    return {"Enabled": is_on, **({"Mode": mode} if is_on and mode else {})}


def is_under_way(work: Work) -> bool:
    """Whether the insights of the table are being turned on or off."""
    return _described(work.client, str(work.id)).get("ContributorInsightsStatus") in _UNDER_WAY


def is_index_under_way(work: Work) -> bool:
    """Whether the insights of an index that declares some are being turned on or off."""
    present = {one["IndexName"] for one in work.seen(INDEXES) or ()}
    names = sorted(present & {one["IndexName"] for one in work.want(INDEXES) if one.get(NAME) is not None})
    shown = (_of_index(work.client, str(work.id), name) for name in names)
    return any(one.get("ContributorInsightsStatus") in _UNDER_WAY for one in shown)


def change(work: Work) -> dict[str, Json]:
    return _order(work.want(NAME))


def change_of_index(work: Work) -> dict[str, Json]:
    """The change of the insights of the first index that needs one."""
    present = {one["IndexName"]: one for one in work.seen(INDEXES) or ()}
    for one in sorted(work.want(INDEXES), key=lambda index: str(index["IndexName"])):
        wanted, shown = one.get(NAME), present.get(one["IndexName"])
        if wanted is None or shown is None or means_same(wanted, shown.get(NAME), RULES, OF_INDEXES):
            continue
        return {"IndexName": one["IndexName"], **_order(wanted)}
    return {}


def _order(wanted: JsonMap) -> dict[str, Json]:
    if not flag(wanted.get("Enabled")):
        return {"ContributorInsightsAction": "DISABLE"}
    mode = wanted.get("Mode")
    return {"ContributorInsightsAction": "ENABLE", **({"ContributorInsightsMode": mode} if mode else {})}
