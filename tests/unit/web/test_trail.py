"""The links between pages: forward, and back over exactly the pages that were read."""

from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from tenuto.web.trail import Pages, pages

KEYS = st.text("abcXYZ019_-=:.+", min_size=1, max_size=30).filter(lambda key: key != "-")


def query(href: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(href).query))


def at(href: str, following: str | None = None) -> Pages:
    return pages("after", following, query(href), "events", type="job.finished", limit="")


@given(st.lists(KEYS, min_size=1, max_size=15, unique=True))
def test_back_leads_over_the_pages_that_were_read(keys: list[str]) -> None:
    read = ["/events?type=job.finished"]
    for key in keys:
        read.append(at(read[-1], key).next)
        assert query(read[-1])["after"] == key
    for place in range(len(read) - 1, 0, -1):
        assert at(read[place]).previous == read[place - 1]
        assert at(read[place]).first == (read[0] if place > 1 else ""), "one link to one page"
    assert at(read[0]) == Pages(next="", previous="", first="")


@given(st.integers(21, 60))
def test_a_trail_has_a_bound_and_then_leads_to_the_first_page(count: int) -> None:
    href = "/events"
    for number in range(count):
        href = at(href, f"k{number}").next
    assert len(query(href)["back"].split("~")) == 20
    for _ in range(20):
        assert at(href).previous
        href = at(href).previous
    assert at(href).previous == ""
    assert at(href).first == "/events?type=job.finished"


@given(st.text(max_size=200), KEYS)
def test_a_trail_that_was_made_up_gives_links_of_this_site_only(back: str, key: str) -> None:
    found = pages("after", "next", {"after": key, "back": back}, "events")
    for href in (found.next, found.previous, found.first):
        assert href == "" or href.split("?")[0] == "/events"
