"""What `--until` understands."""

import pytest

from tenuto.errors import UserError
from tenuto.model.ids import Instant
from tenuto.service.common.moments import moment_of

NOW = Instant(1_000_000.0)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1800), ("2h", 7200), ("1d", 86400), ("1.5h", 5400)])
def test_a_span_is_counted_from_now(text: str, seconds: float) -> None:
    assert moment_of(text, NOW) == NOW + seconds


def test_a_time_with_its_zone_is_that_time() -> None:
    assert moment_of("1970-01-20T00:00:00+01:00", NOW) == 19 * 86400 - 3600


@pytest.mark.parametrize("text", ["", "2", "soon", "-2h", "2 h", "1970-01-20", "1970-01-20T00:00:00"])
def test_what_names_no_moment_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is no time"):
        moment_of(text, NOW)


@pytest.mark.parametrize("text", ["999999999d", "9999-12-31T23:59:59-12:00"])
def test_a_moment_that_no_calendar_names_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="too far"):
        moment_of(text, NOW)


def test_a_moment_that_is_over_is_refused() -> None:
    with pytest.raises(UserError, match="not in the future"):
        moment_of("1970-01-02T00:00:00Z", NOW)
    with pytest.raises(UserError, match="not in the future"):
        moment_of("0s", NOW)
