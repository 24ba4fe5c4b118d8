"""Moments as people name them: how long from now, or a date and time."""

import re
from datetime import UTC, datetime

from tenuto.errors import UserError
from tenuto.model.ids import Instant

_SPAN = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)([smhd])")
_LAST = Instant(datetime(9999, 12, 31, tzinfo=UTC).timestamp())
"""The last moment that is written with four figures of a year, as every time is that people see."""
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def moment_of(text: str, now: Instant) -> Instant:
    """The moment that `2h`, `30m`, `1d` (from now) or an ISO 8601 time with its zone names.

    Raises UserError when it names none, one that is over, or one that no calendar has.
    """
    span = _SPAN.fullmatch(text)
    moment = Instant(now + float(span[1]) * _SECONDS[span[2]]) if span else _absolute(text)
    if moment <= now:
        raise UserError(f"{text} is not in the future. Give a time that is still to come, such as 2h.")
    if moment > _LAST:
        raise UserError(f"{text} is too far in the future. Leave the time out if there is to be no end.")
    return moment


def _absolute(text: str) -> Instant:
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        raise UserError(f"{text!r} is no time. Give 30m, 2h or 1d (from now), or a time such as 2026-01-31T18:00:00Z.")
    return Instant(parsed.timestamp())
