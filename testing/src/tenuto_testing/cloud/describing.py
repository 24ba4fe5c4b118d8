"""EC2's Describe calls, all alike: ids, filters, pages. A family only gives its own differences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.filters import compile_filters
from tenuto_testing.cloud.paging import cut
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One Describe call. `ids` and `filters_in` name its parameters, `filters` the data that a filter looks at.

    `page` is the size of a page when the caller asks for none, 0 where the API has no pages.
    """

    kind: Kind
    members: str
    ids: str
    filters: Mapping[str, str] = field(default_factory=dict)
    filters_in: str = "Filters"
    page: int = 1000
    largest_page: int = 1000
    ids_exclude_pages: bool = False


def describe(listing: Listing) -> Callable[[Call], Data]:
    """The handler of a Describe call."""

    def handler(call: Call) -> Data:
        views, token = select(call, listing)
        answer: Data = {listing.members: views}
        return {**answer, "NextToken": token} if token else answer

    return handler


def select(call: Call, listing: Listing) -> tuple[list[View], str | None]:
    """The things that were asked for, and the token of the next page. Raises Refusal."""
    ids = call.want(listing.ids) or ()
    if ids and listing.ids_exclude_pages and call.want("MaxResults"):
        raise Refusal(
            "InvalidParameterCombination",
            f"The parameter {listing.ids} cannot be used with the parameter MaxResults",
        )
    tests = compile_filters(call.want(listing.filters_in) or (), listing.filters)
    views = call.sight(listing.kind, ids) if ids else list(call.seen(listing.kind))
    for test in tests:
        views = [view for view in views if test(view.data)]
    return pages(call, listing, views)


def pages(call: Call, listing: Listing, views: list[View]) -> tuple[list[View], str | None]:
    """The page that was asked for."""
    if not listing.page:
        return views, None
    views.sort(key=_serial)
    return cut(call, views, _serial, page_size(call, listing.page, listing.largest_page))


def page_size(call: Call, usual: int, largest: int) -> int:
    """The number of things on a page. Raises Refusal for a number that EC2 calls too small or too large."""
    size = int(call.want("MaxResults", usual))
    if not 5 <= size <= largest:
        raise Refusal(
            "InvalidParameterValue",
            f"Value ( {size} ) for parameter maxResults is invalid. Expecting a value between 5 and {largest}.",
        )
    return size


def _serial(view: View) -> int:
    return view.thing.serial
