"""Moments as text."""

from datetime import UTC, datetime


def iso_text(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC with milliseconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
