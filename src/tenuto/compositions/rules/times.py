"""Moments and durations of an expression."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final
from zoneinfo import ZoneInfo

from tenuto.compositions.rules.kinds import NoAnswerError, mismatch
from tenuto.compositions.rules.meter import Meter

_LONGEST: Final = 64
"""Characters. No moment, duration or zone needs more."""
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_DURATION = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+", re.ASCII)
_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)", re.ASCII)
_SECONDS: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86_400}
_OFFSET = re.compile(r"([+-]?)(\d\d?):(\d\d)", re.ASCII)
_ZONE = re.compile(r"[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+){0,2}")
_STEPS_OF_A_ZONE: Final = 20
"""The steps that a time zone costs: its file may have to be read."""


def timestamp(value: Any, _: Meter) -> datetime:
    """A moment of a text of RFC 3339, or of seconds since 1970. Raises NoAnswerError."""
    try:
        if type(value) is datetime:
            return value
        if type(value) is int:
            return datetime.fromtimestamp(value, UTC)
        if type(value) is str:
            found = _MOMENT.fullmatch(value[: _LONGEST + 1])
            if found:
                return datetime.fromisoformat(f"{found[1]}{(found[2] or '')[:7]}{found[3]}")
            raise NoAnswerError("a text is no moment such as 2026-01-31T12:00:00Z")
    except (ValueError, OverflowError, OSError) as error:
        raise NoAnswerError("a moment is not between the years 1 and 9999") from error
    raise mismatch(value)


def duration(value: Any, _: Meter) -> timedelta:
    """A duration of a text, or of seconds. Raises NoAnswerError."""
    try:
        if type(value) is timedelta:
            return value
        if type(value) is int:
            return timedelta(seconds=value)
        if type(value) is str:
            if len(value) > _LONGEST or not _DURATION.fullmatch(value):
                raise NoAnswerError("a text is no duration such as 1h30m or 2.5s")
            seconds = sum(float(number) * _SECONDS[unit] for number, unit in _PART.findall(value))
            return timedelta(seconds=-seconds if value.startswith("-") else seconds)
    except (ValueError, OverflowError) as error:
        raise NoAnswerError("a duration is too long") from error
    raise mismatch(value)


def text_of_moment(value: datetime) -> str:
    return value.isoformat().removesuffix("+00:00") + ("Z" if value.utcoffset() == timedelta() else "")


def text_of_duration(value: timedelta) -> str:
    return f"{value.total_seconds():.6f}".rstrip("0").rstrip(".") + "s"


def part(of_a_moment: Callable[[datetime], int], of_a_duration: Callable[[timedelta], float] | None) -> Any:
    """The function that gives a part of a moment (in a zone, if one is named) or of a duration."""

    def found(value: Any, *rest: Any) -> int:
        *zones, meter = rest
        if type(value) is datetime:
            return of_a_moment(_in_zone(value, zones[0], meter) if zones else value.astimezone(UTC))
        if type(value) is timedelta and of_a_duration is not None and not zones:
            return int(of_a_duration(value))
        raise mismatch(value, *zones)

    return found


PARTS: Final = {
    "getDate": part(lambda at: at.day, None),
    "getDayOfMonth": part(lambda at: at.day - 1, None),
    "getDayOfWeek": part(lambda at: at.isoweekday() % 7, None),
    "getDayOfYear": part(lambda at: at.timetuple().tm_yday - 1, None),
    "getFullYear": part(lambda at: at.year, None),
    "getMonth": part(lambda at: at.month - 1, None),
    "getHours": part(lambda at: at.hour, lambda span: span.total_seconds() / 3600),
    "getMinutes": part(lambda at: at.minute, lambda span: span.total_seconds() / 60),
    "getSeconds": part(lambda at: at.second, lambda span: span.total_seconds()),
    "getMilliseconds": part(lambda at: at.microsecond // 1000, lambda span: span.total_seconds() * 1000),
}


def _in_zone(value: datetime, name: Any, meter: Meter) -> datetime:
    if type(name) is not str:
        raise mismatch(value, name)
    try:
        return value.astimezone(_zone(name, meter))
    except (ValueError, KeyError, OSError, OverflowError) as error:
        raise NoAnswerError("a text is no time zone such as Europe/Paris or +02:00") from error


def _zone(name: str, meter: Meter) -> tzinfo:
    offset = _OFFSET.fullmatch(name)
    if offset:
        span = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-span if offset[1] == "-" else span)
    if len(name) > _LONGEST or not _ZONE.fullmatch(name):
        raise ValueError(name)
    meter.spend(_STEPS_OF_A_ZONE)
    return ZoneInfo(name)
