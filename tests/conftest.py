"""What every test may rely on, however the suite was started."""

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from hypothesis import HealthCheck, settings
from night import IS_NIGHT
from order import ordered

# No deadline on shared machines. CI tries the same examples every time, so that what was green lands; everybody else's
# run looks for new ones.
settings.register_profile(
    "tenuto",
    deadline=None,
    print_blob=True,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tenuto")


TESTS = Path(__file__).parent
ENDS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


def pytest_configure() -> None:
    """Let every signal that ends a run end it as Ctrl-C does: with the fixtures, and all that they have started.

    A run in the background, or under nohup, would ignore some of these, as would every program that a test starts; by
    others Python itself ends at once, and leaves Conductors, agents and virtual machines behind. It is so in the
    process that a person starts, and in each one that runs tests for it.
    """
    for number in ENDS:
        signal.signal(number, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Several processes that run tests do so in an order that keeps all processors busy; one alone, as it was told.

    Tests that are marked `nightly` are skipped by day.
    """
    if not IS_NIGHT:
        for item in items:
            if item.get_closest_marker("nightly") is not None:
                item.add_marker(pytest.mark.skip(reason="it is of the nightly run (TENUTO_NIGHTLY=1)"))
    if workers := int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "0")):
        items[:] = ordered(
            items,
            workers,
            file=lambda item: item.path.relative_to(TESTS).as_posix(),
            is_slow=lambda item: item.get_closest_marker("slow") is not None,
        )


@pytest.fixture(scope="session", autouse=True)
def folders_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads the configuration of whoever runs it, or writes to their log."""
    folder = tmp_path_factory.mktemp("home")
    given = {f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "STATE")}
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="session", autouse=True)
def a_log_without_details() -> None:
    """Debug events stay out of what tests capture; whoever wants to see them configures the log."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
