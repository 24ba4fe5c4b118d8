"""Pages take few threads, and none of them waits for a provider."""

import threading

import anyio

from tenuto.web.pages.table import PAGES
from tenuto.web.threads import MOST, Threads


def test_more_pages_than_threads_wait_their_turn_and_all_are_done() -> None:
    entered: list[int] = []
    release = threading.Event()

    def work() -> None:
        entered.append(threading.get_ident())
        assert release.wait(60)

    async def main() -> int:
        threads = Threads()
        async with anyio.create_task_group() as group:
            for _ in range(3 * MOST):
                group.start_soon(threads.run, work)
            await anyio.wait_all_tasks_blocked()
            while len(entered) < MOST:
                await anyio.sleep(0)
            first = len(entered)
            release.set()
        return first

    assert anyio.run(main) == MOST
    assert len(entered) == 3 * MOST
    assert len(set(entered)) <= MOST


def test_the_pages_that_make_a_plan_are_told_from_the_others() -> None:
    assert {one.name for one in PAGES if one.asks_provider} == {"plan", "kill"}
