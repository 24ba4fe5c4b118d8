"""The quotas of callers: how much one of them may ask of the Conductor, so that others get their answers too."""

from collections.abc import Mapping
from enum import StrEnum


class Quota(StrEnum):
    """The things of which a caller may have so many."""

    REQUESTS = "requests"
    """Requests a second in the long run, of a user of the API or of one session of the dashboard."""
    ADDRESS = "address"
    """Requests a second without a valid secret or session, of one network address."""
    CONCURRENT = "concurrent"
    """Requests that are being answered at one time."""
    PLANS = "plans"
    """Plans that are being made for questions at one time: dry runs, and the pages of plans."""
    STREAMS = "streams"
    """Streams of events that are open at one time."""
    SIGN_INS = "sign-ins"
    """Wrong secrets a minute, of one network address. It is not to be set."""


Quotas = Mapping[Quota, float | None]
"""The most of each; None is no bound. A quota that is not there has no bound."""
