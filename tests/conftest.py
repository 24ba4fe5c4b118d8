"""What every test may rely on, however the suite was started."""

import logging
import os
import signal
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import HealthCheck, settings

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


@pytest.fixture(scope="session", autouse=True)
def signals_that_are_not_ignored() -> Iterator[None]:
    """A suite started in the background, or under nohup, ignores these; so would every program that a test starts."""
    ignored = [number for number in (signal.SIGINT, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


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
