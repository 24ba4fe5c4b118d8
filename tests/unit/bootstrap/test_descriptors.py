"""How many open files the Conductor asks for, and how many of them the API may take."""

import resource

import pytest
import structlog

from tenuto.bootstrap.serving.descriptors import (
    MOST_DESCRIPTORS,
    bounded_connections,
    higher_limit,
    raise_descriptor_limit,
)


@pytest.mark.parametrize(
    ("soft", "hard", "wanted"),
    [
        (1024, 4096, 4096),
        (1024, 1_048_576, MOST_DESCRIPTORS),
        (1024, resource.RLIM_INFINITY, MOST_DESCRIPTORS),
        (1024, 1024, 1024),
        (100_000, 1_048_576, 100_000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    ],
)
def test_the_soft_limit_is_raised_to_the_hard_one_within_a_bound_and_never_lowered(
    soft: int, hard: int, wanted: int
) -> None:
    assert higher_limit(soft, hard) == wanted


@pytest.mark.parametrize(("asked", "descriptors", "had"), [(512, 65_536, 512), (512, 1024, 512), (512, 256, 128)])
def test_the_api_has_at_most_half_of_the_descriptors_and_the_log_says_when_that_is_less_than_asked(
    asked: int, descriptors: int, had: int
) -> None:
    with structlog.testing.capture_logs() as events:
        assert bounded_connections(asked, descriptors) == had
    assert [one["event"] for one in events] == (["api.connections_reduced"] if had < asked else [])


def test_a_soft_limit_below_the_hard_one_is_raised_in_this_program() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = before
    lower = min(_finite(soft), _finite(hard), MOST_DESCRIPTORS) - 1
    resource.setrlimit(resource.RLIMIT_NOFILE, (lower, hard))
    try:
        given = raise_descriptor_limit()
        assert given > lower
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (given, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def _finite(limit: int) -> int:
    return MOST_DESCRIPTORS if limit == resource.RLIM_INFINITY else limit
