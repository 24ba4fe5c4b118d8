"""A site over a simulated world, and a browser in front of it."""

from collections.abc import Iterator

import pytest
from browser import Browser, served_site
from desk import Desk, a_desk


@pytest.fixture
def desk(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    with a_desk(tmp_path, capsys) as found:  # type: ignore[arg-type]
        yield found


@pytest.fixture
def url(desk: Desk) -> Iterator[str]:
    with served_site(desk.services) as found:
        yield found


@pytest.fixture
def browser(url: str) -> Browser:
    """A browser that has signed in as the owner."""
    found = Browser(url)
    assert found.sign_in().status == 303
    return found
