"""Times as people read them: local, short, with the date only when it is not today's."""

from datetime import datetime


def short_time(text: str | None, now: datetime | None = None) -> str:
    """`13:49:07` today, `2026-11-20 13:49` before; empty for no time. `now` is local."""
    if not text:
        return ""
    moment = datetime.fromisoformat(text).astimezone()
    today = (now or datetime.now().astimezone()).date()
    return moment.strftime("%H:%M:%S" if moment.date() == today else "%Y-%m-%d %H:%M")


def time_of_day() -> str:
    """Return the time of day, for a line in a log."""
    return datetime.now().astimezone().strftime("%H:%M:%S")


def duration_text(seconds: float) -> str:
    """`4 s`, `18 min`, `5 h`, `3 days`: a duration of which one number is enough."""
    for unit_s, unit, until in ((1, "s", 120), (60, "min", 120), (3600, "h", 48)):
        if seconds < unit_s * until:
            return f"{seconds / unit_s:.0f} {unit}"
    return f"{seconds / 86400:.0f} days"


def seconds_between(start: str | None, end: str | None) -> str:
    """Return the duration of something, for people; empty when it has not ended."""
    if not start or not end:
        return ""
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
