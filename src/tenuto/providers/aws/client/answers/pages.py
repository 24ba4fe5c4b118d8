"""The paging of each list of AWS."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """A list operation. `members` is where its answer holds the list, perhaps with a point in it.

    `page_size` is the largest that the API allows (0 where it has none): fewer calls, and never a page that an API
    without paging would silently cut off.
    """

    service: str
    operation: str
    members: str
    token_in: str
    token_out: str
    size_name: str
    page_size: int
    leaves_out_empty: bool = False
    """True when an empty list is left out of the answer."""

    def size(self) -> JsonMap:
        return {self.size_name: self.page_size} if self.page_size else {}


def inside(answer: JsonMap, path: str) -> Json:
    """The value at a path with points; None where there is none. CloudFront puts lists into an envelope."""
    found: Json = answer
    for name in path.split("."):
        found = (found or {}).get(name)
    return found


VALUES_PER_FILTER = 199
"""EC2 takes 200 values in all filters of a call together, and some of our calls have a second filter of one value."""


def any_of(name: str, values: Sequence[Json]) -> Iterator[list[JsonMap]]:
    """The filters of the calls that show together all things that have any of the values."""
    for start in range(0, len(values), VALUES_PER_FILTER):
        yield [{"Name": name, "Values": list(values[start : start + VALUES_PER_FILTER])}]


def ec2(operation: str, members: str, page_size: int = 1000) -> Paging:
    """A Describe call of EC2. DescribeAddresses and DescribeKeyPairs have no pages: 0."""
    return Paging(
        service="ec2",
        operation=operation,
        members=members,
        token_in="NextToken",
        token_out="NextToken",
        size_name="MaxResults",
        page_size=page_size,
    )


def iam(operation: str, members: str) -> Paging:
    return Paging(
        service="iam",
        operation=operation,
        members=members,
        token_in="Marker",
        token_out="Marker",
        size_name="MaxItems",
        page_size=1000,
    )


LIST_BUCKETS = Paging(
    service="s3",
    operation="ListBuckets",
    members="Buckets",
    token_in="ContinuationToken",
    token_out="ContinuationToken",
    size_name="MaxBuckets",
    page_size=1000,
)
