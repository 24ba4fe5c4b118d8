"""Parts that several readers share: made once, never older than the last mark, with the token of their reader."""

import asyncio

import pytest
from browser import Browser
from desk import Desk
from test_hub import stream, words

from tenuto.web.fragments import MOST, Fragments


class _Work:
    """Counts what is made, and may be held up."""

    def __init__(self) -> None:
        self.made = 0
        self.may_end = asyncio.Event()
        self.may_end.set()
        self.failure: Exception | None = None

    async def __call__(self) -> int:
        self.made += 1
        mine = self.made
        await self.may_end.wait()
        if self.failure is not None:
            raise self.failure
        return mine


def test_what_is_under_way_is_waited_for_by_all_who_ask() -> None:
    async def asked() -> tuple[list[int], int]:
        work, fragments = _Work(), Fragments[int](lambda: 1)
        work.may_end.clear()
        readers = [asyncio.ensure_future(fragments.get("rows", work)) for _ in range(20)]
        await asyncio.sleep(0)
        work.may_end.set()
        return await asyncio.gather(*readers), work.made

    assert asyncio.run(asked()) == ([1] * 20, 1)


def test_a_mark_ends_what_was_begun_before_it() -> None:
    async def asked() -> list[int]:
        turn = 1
        work, fragments = _Work(), Fragments[int](lambda: turn)
        work.may_end.clear()
        early = asyncio.ensure_future(fragments.get("rows", work))
        await asyncio.sleep(0)
        turn = 2
        late = asyncio.ensure_future(fragments.get("rows", work))
        await asyncio.sleep(0)
        work.may_end.set()
        return [await early, await late, await fragments.get("rows", work)]

    assert asyncio.run(asked()) == [1, 2, 2]


def test_nothing_is_kept_while_nobody_hears_marks() -> None:
    async def asked() -> list[int]:
        work, fragments = _Work(), Fragments[int](lambda: None)
        return [await fragments.get("rows", work), await fragments.get("rows", work)]

    assert asyncio.run(asked()) == [1, 2]


def test_other_keys_have_parts_of_their_own() -> None:
    async def asked() -> list[int]:
        work, fragments = _Work(), Fragments[int](lambda: 1)
        return [await fragments.get(key, work) for key in ("ann", "bob", "ann")]

    assert asyncio.run(asked()) == [1, 2, 1]


def test_a_failure_is_told_to_those_who_waited_and_not_kept() -> None:
    async def asked() -> int:
        work, fragments = _Work(), Fragments[int](lambda: 1)
        work.may_end.clear()
        readers = [asyncio.ensure_future(fragments.get("rows", work)) for _ in range(2)]
        await asyncio.sleep(0)
        work.failure = ValueError("no store")
        work.may_end.set()
        for found in await asyncio.gather(*readers, return_exceptions=True):
            assert str(found) == "no store"
        await asyncio.sleep(0)
        work.failure = None
        return await fragments.get("rows", work)

    assert asyncio.run(asked()) == 2


def test_a_reader_who_goes_away_leaves_the_work_to_the_others() -> None:
    async def asked() -> int:
        work, fragments = _Work(), Fragments[int](lambda: 1)
        work.may_end.clear()
        first, second = (asyncio.ensure_future(fragments.get("rows", work)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        work.may_end.set()
        return await second

    assert asyncio.run(asked()) == 1


def test_only_so_much_is_kept() -> None:
    async def asked() -> int:
        work, fragments = _Work(), Fragments[int](lambda: 1)
        for key in range(3 * MOST):
            await fragments.get(key, work)
        return len(fragments._kept)

    assert asyncio.run(asked()) <= MOST


def test_two_sessions_of_a_user_share_a_part_and_no_token(desk: Desk, url: str, browser: Browser) -> None:
    desk.does("run", desk.template(), "-a", "web")
    other = Browser(url)
    other.sign_in()
    with stream(browser) as response:
        words(response, "event: hello")
        mine, theirs = (one.get("/processes/web?part=head") for one in (browser, other))
    assert mine.headers["etag"] == theirs.headers["etag"]
    tokens = [one.field("token", "/processes/web/check") for one in (mine, theirs)]
    assert tokens[0] != tokens[1]
    refused = other.post("/processes/web/check", {"token": tokens[0]})
    assert (refused.status, "does not belong to this session" in refused.text) == (403, True)
    assert other.post("/processes/web/check", {"token": tokens[1]}).status == 303


def test_a_part_with_buttons_is_the_same_until_something_happens(desk: Desk, browser: Browser) -> None:
    desk.does("run", desk.template(), "-a", "web")
    first = browser.get("/processes/web?part=head")
    assert "Check now" in first.text
    assert browser.get("/processes/web?part=head", **{"If-None-Match": first.headers["etag"]}).status == 304


def test_two_users_never_share_a_part(desk: Desk, url: str, browser: Browser) -> None:
    policy = (
        "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: [status], Accounts: ['*'], Aliases: [mine]}]\n"
    )
    desk.does("policy", "set", desk.file("p.yaml", policy))
    desk.does("run", desk.template(name="a"), "-a", "other")
    ann = Browser(url)
    ann.sign_in(desk.user("ann").secret)
    with stream(browser) as response:
        words(response, "event: hello")
        assert "other" in browser.get("/processes?part=rows").text
        assert "other" not in ann.get("/processes?part=rows").text
