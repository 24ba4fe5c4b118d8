"""Moments as text."""

import re
from datetime import UTC, datetime


def iso_text(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment_of(text: str) -> float | None:
    """The seconds since 1970 that a text in ISO 8601 names, in UTC where it says nothing else; None for other texts."""
    if not re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text):
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
