"""The header `Retry-After` (RFC 9110, 10.2.3): seconds, or a date of HTTP."""

from email.utils import parsedate_to_datetime

from tenuto.kit.digits import is_digits

_LONGEST_TEXT = 40
"""A date of HTTP has 29 letters."""


def seconds_until_retry(header: str, now: float) -> float:
    """The seconds from `now` (since 1970, by the system clock) that a header asks for: zero for no header, a date that
    has passed, and a text that is neither.
    """
    text = header.strip()
    if len(text) > _LONGEST_TEXT:
        return 0.0
    if is_digits(text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, OverflowError):
        return 0.0
