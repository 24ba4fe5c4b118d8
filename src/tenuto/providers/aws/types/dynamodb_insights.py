"""The contributor insights of a DynamoDB table and of its global indexes: each has a switch and a mode of its own.

DynamoDB turns them on and off in a while, so the next change of them waits for the one before. One that was ordered and
then failed is refused with DynamoDB's reason: the note of the act names the table or index of the order. A description
costs a call for the table and one for each index, which is made only where insights are declared.
"""

from collections.abc import Mapping

from tenuto.core.planning.equality.values import means_same
from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work, flag

NAME = "ContributorInsightsSpecification"
INDEXES = "GlobalSecondaryIndexes"
OF_INDEXES = f"{INDEXES}.{NAME}"
RULES: Mapping[str, Rule] = {
    # Insights that are turned off have no mode.
    f"{NAME}.Mode": Comparison.SHOWN,
    f"{OF_INDEXES}.Mode": Comparison.SHOWN,
}
DEFAULTS: JsonMap = {
    NAME: {"Enabled": False},
    f"{NAME}.Mode": "ACCESSED_AND_THROTTLED_KEYS",
}
_NOTE = "insights"
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
    if "" in _ordered(work):
        _check(_described(work.client, str(work.id)))
    return _order(work.want(NAME))


def change_of_index(work: Work) -> dict[str, Json]:
    """The change of the insights of the first index that needs one."""
    present = {one["IndexName"]: one for one in work.seen(INDEXES) or ()}
    for one in sorted(work.want(INDEXES), key=lambda index: str(index["IndexName"])):
        wanted, shown = one.get(NAME), present.get(one["IndexName"])
        if wanted is None or shown is None or means_same(wanted, shown.get(NAME), RULES, OF_INDEXES):
            continue
        if one["IndexName"] in _ordered(work):
            _check(_of_index(work.client, str(work.id), one["IndexName"]))
        return {"IndexName": one["IndexName"], **_order(wanted)}
    return {}


def noted(work: Work, parameters: JsonMap) -> JsonMap:
    """The note of the act, with the table or the index of which a call with these parameters orders insights."""
    if "ContributorInsightsAction" not in parameters:
        return {}
    return {_NOTE: sorted({*_ordered(work), parameters.get("IndexName", "")})}


def _ordered(work: Work) -> list[str]:
    """The names of the indexes of which insights were ordered by this act, an empty one for the table."""
    return list(work.request.progress.get(_NOTE) or ())


def _check(answer: JsonMap) -> None:
    """Raises PermanentError where the insights have failed."""
    if answer.get("ContributorInsightsStatus") == "FAILED":
        failure = answer.get("FailureException") or {}
        where = answer.get("IndexName") or answer.get("TableName")
        why = failure.get("ExceptionDescription") or failure.get("ExceptionName") or "no reason is told"
        raise PermanentError(
            f"DynamoDB could not change the contributor insights of {where}: {why}", code="InvalidInsightsState"
        )


def _order(wanted: JsonMap) -> dict[str, Json]:
    if not flag(wanted.get("Enabled")):
        return {"ContributorInsightsAction": "DISABLE"}
    mode = wanted.get("Mode")
    return {"ContributorInsightsAction": "ENABLE", **({"ContributorInsightsMode": mode} if mode else {})}
