"""The links of a page among others: the next, the one that was read before, and the first.

A page begins after a place in an order, and the store is asked in one direction only. So the link to the next page
carries the places of the pages that were read before it: back leads to exactly these, and costs the store nothing. A
link that was shared without them still leads to the first page.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.kit.page_url import page_url

_BACK = "back"
_BETWEEN = "~"
_FIRST = "-"
_MOST = 20
"""Places that a link carries: a key of a page has some eighty letters, and the head of a request a bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """The links, each empty where there is nothing. The first page is told by `previous` alone where both are one."""

    next: str
    previous: str
    first: str


def pages(place: str, following: object, query: Mapping[str, str], *parts: str, **kept: object) -> Pages:
    """The links of the page that `query` asked for. `place` is the name of its key there, `following` the key of the
    next page, `kept` the filters that every link keeps."""
    here = query.get(place, "")
    trail = [one for one in query.get(_BACK, "").split(_BETWEEN) if one][-_MOST:] if here else []

    def link(key: object, back: list[str]) -> str:
        return page_url(*parts, **kept, **{place: key, _BACK: _BETWEEN.join(back)})

    if not here:
        first = previous = ""
    elif not trail:
        first, previous = link("", []), ""
    else:
        before = "" if trail[-1] == _FIRST else trail[-1]
        previous = link(before, trail[:-1] if before else [])
        first = link("", []) if before else ""
    after = link(following, [*trail, here or _FIRST][-_MOST:]) if following else ""
    return Pages(next=after, previous=previous, first=first)
