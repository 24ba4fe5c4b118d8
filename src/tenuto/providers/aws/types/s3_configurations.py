"""The configurations of which a bucket can have many, each with an id: inventories, analyses, metrics and archives of
intelligent tiering.

Theory of operation. S3 lists all of one kind, and puts and deletes each by its id. So the whole list is read and held:
one that is there and not declared is taken away, and one that is there as declared is not put again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison, Rule
from tenuto.model.spelling import Words
from tenuto.providers.aws.client.answers.pages import Paging
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.s3_shapes import condition_declared, condition_to_api, inverse, renamed, shown_of

_BUCKET = {"BucketArn": "Bucket"}
_INVENTORY_BUCKET = {**_BUCKET, "BucketAccountId": "AccountId"}
_INVENTORY = {"Enabled": "IsEnabled"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """One kind of configuration. `word` stands in the names of its calls and of its property."""

    word: str
    declared: Callable[[JsonMap], JsonMap]
    """One configuration that is shown, as it is declared."""
    api: Callable[[JsonMap], JsonMap]
    """One declared configuration, as it is put."""

    @property
    def name(self) -> str:
        """The name of the property."""
        return f"{self.word}Configurations"

    @property
    def put(self) -> str:
        return f"PutBucket{self.word}Configuration"

    @property
    def drop(self) -> str:
        return f"DeleteBucket{self.word}Configuration"

    def read(self, client: AccountClient, bucket: str) -> Json:
        """The configurations; None where there are none."""
        return [self.declared(one) for one in self._there(client, bucket)] or None

    def write(self, work: Work, bucket: str, value: Json) -> None:
        """Put the configurations that are not there as declared, and take away those that are not declared."""
        there = {str(one["Id"]): one for one in self._there(work.client, bucket)}
        wanted = {str(one["Id"]): self.api(one) for one in value or ()}
        for name in there.keys() - wanted.keys():
            work.change("s3", self.drop, Bucket=bucket, Id=name)
        for name, one in wanted.items():
            if one != there.get(name):
                work.change("s3", self.put, Bucket=bucket, Id=name, **{f"{self.word}Configuration": one})

    def _there(self, client: AccountClient, bucket: str) -> list[JsonMap]:
        paging = Paging(
            service="s3",
            operation=f"ListBucket{self.word}Configurations",
            members=f"{self.word}ConfigurationList",
            token_in="ContinuationToken",
            token_out="NextContinuationToken",
            size_name="",
            page_size=0,
            leaves_out_empty=True,
        )
        return list(client.pages(paging, Bucket=bucket))


def _with_condition(value: JsonMap) -> dict[str, Json]:
    """A configuration with the conditions of its filter beside the rest, as they are declared."""
    rest = {name: one for name, one in value.items() if name != "Filter"}
    condition = renamed(condition_declared(value), {"Tags": "TagFilters"})
    return shown_of({**rest, **condition, "TagFilters": condition["TagFilters"] or None})


def _with_filter(value: JsonMap) -> dict[str, Json]:
    """A configuration with its conditions in a filter, which is left out where everything is meant."""
    names = ("AccessPointArn", "Prefix")
    rest = {name: one for name, one in value.items() if name not in (*names, "TagFilters")}
    return shown_of({**rest, "Filter": condition_to_api(value, names) or None})


def _placed(value: JsonMap, place: Callable[[JsonMap], JsonMap]) -> dict[str, Json]:
    """An analysis with the destination of its data, if any, in other words."""
    analysis = value.get("StorageClassAnalysis") or {}
    export = analysis.get("DataExport")
    if export is None:
        return {**value, "StorageClassAnalysis": {**analysis}}
    exported = {**export, "Destination": place(export["Destination"])}
    return {**value, "StorageClassAnalysis": {**analysis, "DataExport": exported}}


def _analytics_declared(found: JsonMap) -> JsonMap:
    return _placed(_with_condition(found), lambda place: renamed(place["S3BucketDestination"], inverse(_BUCKET)))


def _analytics_to_api(value: JsonMap) -> JsonMap:
    return _placed(_with_filter(value), lambda place: {"S3BucketDestination": renamed(place, _BUCKET)})


def _inventory_declared(found: JsonMap) -> JsonMap:
    rest = {name: one for name, one in found.items() if name not in ("Filter", "Schedule", "Destination")}
    place = found["Destination"]["S3BucketDestination"]
    declared = {
        **renamed(rest, inverse(_INVENTORY)),
        "Destination": renamed(place, inverse(_INVENTORY_BUCKET)),
        "Prefix": (found.get("Filter") or {}).get("Prefix") or None,
        "ScheduleFrequency": found["Schedule"]["Frequency"],
    }
    return shown_of(declared)


def _inventory_to_api(value: JsonMap) -> JsonMap:
    rest = {name: one for name, one in value.items() if name not in ("Destination", "Prefix", "ScheduleFrequency")}
    wanted = {
        **renamed(rest, _INVENTORY),
        "Destination": {"S3BucketDestination": renamed(value["Destination"], _INVENTORY_BUCKET)},
        "Filter": {"Prefix": value["Prefix"]} if value.get("Prefix") else None,
        "Schedule": {"Frequency": value["ScheduleFrequency"]},
    }
    return shown_of(wanted)


KINDS = (
    Many(word="Inventory", declared=_inventory_declared, api=_inventory_to_api),
    Many(word="Analytics", declared=_analytics_declared, api=_analytics_to_api),
    Many(word="Metrics", declared=_with_condition, api=_with_filter),
    Many(word="IntelligentTiering", declared=_with_condition, api=_with_filter),
)
COMPARE_AS: Mapping[str, Rule] = {
    **{kind.name: Comparison.SET for kind in KINDS},
    **{f"{kind.name}.Prefix": Words(absent="") for kind in KINDS},
    **{f"{kind.name}.TagFilters": Comparison.SET for kind in KINDS[1:]},
    "InventoryConfigurations.OptionalFields": Comparison.SET,
    "IntelligentTieringConfigurations.Tierings": Comparison.SET,
}
