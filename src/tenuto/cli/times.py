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


def seconds_between(start: str | None, end: str | None) -> str:
    """Return the duration of something, for people; empty when it has not ended."""
    if not start or not end:
        return ""
    seconds = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"
