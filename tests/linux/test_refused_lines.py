"""A line that `ip` or `bridge` refuses is named with what it said, on the real kernel."""

import os
from collections.abc import Iterator

import pytest

from tenuto.providers.local.executor.kernel.programs import ProgramError, batch, run


@pytest.fixture
def netns() -> Iterator[str]:
    name = f"tenuto-test-{os.getpid()}"
    run("ip", "netns", "add", name)
    yield name
    run("ip", "netns", "delete", name)


def test_the_line_of_a_batch_that_is_refused_is_named_and_those_before_it_are_done(netns: str) -> None:
    with pytest.raises(ProgramError) as refused:
        batch("ip", ["link add one type bridge", "link add one type bridge", "link add two type bridge"], netns)
    assert str(refused.value).endswith("File exists (it was given: link add one type bridge)")
    shown = run("ip", "-n", netns, "-brief", "link", "show")
    assert "one" in shown
    assert "two" not in shown
    with pytest.raises(ProgramError, match=r"Invalid mac address .* \(it was given: fdb add nowhere dev lo\)"):
        batch("bridge", ["fdb add nowhere dev lo"], netns)


def test_a_batch_without_a_namespace_names_no_line() -> None:
    with pytest.raises(ProgramError) as refused:
        batch("ip", ["link add one type bridge"], "tenuto-test-nowhere")
    assert "it was given" not in str(refused.value)
