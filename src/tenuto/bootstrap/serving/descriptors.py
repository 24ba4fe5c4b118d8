"""The Conductor raises its limit of open files, and keeps half of them for all work but the API.

Most systems start a program with a soft limit of 1,024 and a hard limit that is far higher; a program may raise the one
to the other by itself. The soft limit is low for the sake of programs that use `select`, which the Conductor does not.
"""

import resource

import structlog

MOST_DESCRIPTORS = 65_536
"""Bounded, because some programs that a Conductor starts close every descriptor up to the limit, one after another."""
ACCEPTED_AT_ONCE = 64
"""The loop accepts so many connections before it counts any: they come on top of the bound for a moment."""

_log = structlog.get_logger("tenuto.conductor")


def raise_descriptor_limit() -> int:
    """The Conductor raises its soft limit of open files to the hard one, bounded. Returns the limit in effect."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = higher_limit(soft, hard)
    if wanted == soft:
        return _finite(soft)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError) as refused:
        # A sandbox may forbid it; the connections are bounded by the present limit.
        _log.warning("conductor.descriptors_not_raised", limit=soft, wanted=wanted, reason=str(refused))
        return _finite(soft)
    return wanted


def higher_limit(soft: int, hard: int) -> int:
    """The soft limit to ask for; never a lower one. `RLIM_INFINITY` is the system's word for none."""
    if soft == resource.RLIM_INFINITY:
        return soft
    return max(soft, min(_finite(hard), MOST_DESCRIPTORS))


def bounded_connections(asked: int, descriptors: int) -> int:
    """Return how many connections the API may have: at most half of the descriptors; the rest is for providers and
    files.
    """
    allowed = max(1, descriptors // 2)
    if asked <= allowed:
        return asked
    _log.warning(
        "api.connections_reduced",
        asked=asked,
        connections=allowed,
        reason=f"the system allows {descriptors} open files, and half of them are for providers and the database",
        hint="raise the hard limit of open files (ulimit -Hn), or lower 'connections' in the configuration",
    )
    return allowed


def _finite(limit: int) -> int:
    return MOST_DESCRIPTORS if limit == resource.RLIM_INFINITY else limit
