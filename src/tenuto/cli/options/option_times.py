"""Times as they are typed in options: durations, moments of the past, and ends to come."""

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import click

WAIT_WITHOUT_LIMIT = "unlimited"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def with_explicit_wait(args: list[str]) -> list[str]:
    """The arguments with the time-out of `--wait` joined to it, or that of no limit."""
    explicit: list[str] = []
    rest = list(args)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            return [*explicit, argument, *rest]
        if argument == "--wait":
            takes_next = bool(rest) and _DURATION.fullmatch(rest[0]) is not None
            argument = f"--wait={rest.pop(0) if takes_next else WAIT_WITHOUT_LIMIT}"
        explicit.append(argument)
    return explicit


def parse_duration(ctx: click.Context, param: click.Parameter, text: str | None) -> float | None:
    """Return the seconds that a text means: seconds, or a number with s, m, h or d; a click callback."""
    if text is None:
        return None
    if text == WAIT_WITHOUT_LIMIT:
        return float("inf")
    match = _DURATION.fullmatch(text)
    if match is None:
        raise click.BadParameter("expected seconds, or a number with s, m, h or d, such as 10m", ctx, param)
    return float(match[1]) * _UNITS[match[2]]


def parse_moment(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return ISO 8601 in UTC, from ISO 8601, `mm/dd/YYYY HH:MM`, or how long ago (`2h`); a click callback.

    Local time unless the text says otherwise.
    """
    if text is None:
        return None
    ago = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if ago:
        units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
        moment = datetime.now(UTC) - timedelta(**{units[ago[2]]: int(ago[1])})
        return moment.isoformat()
    for parse in (datetime.fromisoformat, _american):
        with suppress(ValueError, OverflowError):
            return parse(text).astimezone(UTC).isoformat()
    raise click.BadParameter("expected a time such as 2026-01-31T12:00, '01/31/2026 12:00' or 2h (ago)", ctx, param)


def parse_end(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """Return how long from now (`2h`), which the Conductor's clock decides, or ISO 8601 in UTC; a click callback.

    Local time unless the text says otherwise.
    """
    if text is None or re.fullmatch(r"\d{1,9}[smhd]", text):
        return text
    with suppress(ValueError, OverflowError):
        return datetime.fromisoformat(text).astimezone(UTC).isoformat()
    raise click.BadParameter("expected 30m, 2h or 1d (from now), or a time such as 2026-01-31T18:00", ctx, param)


def _american(text: str) -> datetime:
    return datetime.strptime(text, "%m/%d/%Y %H:%M").astimezone()
