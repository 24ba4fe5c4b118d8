"""The arithmetic of quotas: the number of requests that one caller may send.

Theory of operation. Each caller has a bucket of tokens (`core.pacing.rates`), and a request takes one out. Other than a
call to a provider, a request that finds none does not queue: it is refused, with the seconds until there is one, and
takes nothing. So a caller that asks too much costs little, and one that waits as it is told is served at the rate.

A full bucket says no more than none, so it is forgotten. That bounds the table: by the number of those who asked within
the last seconds, and above that by a number, at which the fullest go first. A caller with many addresses makes the
Conductor forget some of them, and gains only the bucket that a new address has anyway.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from math import ceil, isfinite

from tenuto.core.pacing.rates import filled, full, taken, wait_s
from tenuto.kit.nearest import perhaps
from tenuto.model.ids import Instant
from tenuto.model.quotas import Quota, Quotas
from tenuto.model.rate import Bucket, Rate

DEFAULT_QUOTAS: Quotas = {
    # A `--wait` asks twice a second, so fifty at one time; a page asks ten times a second while all of it changes.
    Quota.REQUESTS: 100.0,
    # Signing in takes three requests. All users behind one proxy have the address of the proxy.
    Quota.ADDRESS: 20.0,
    # The Conductor answers on forty threads: the others keep some of them.
    Quota.CONCURRENT: 32.0,
    # Each is arithmetic on one processor, and may be seconds of it.
    Quota.PLANS: 16.0,
    # Each reads the store once a second.
    Quota.STREAMS: 50.0,
}
BURST_S = 4.0
"""The seconds whose tokens a bucket holds: a page that opens, or a job of CI that begins, asks many things at once."""
NO_QUOTA = "none"
_SETTABLE = tuple(DEFAULT_QUOTAS)
_LARGEST = 1_000_000
_PREFIX_BITS = 64
"""The part of an address of IPv6 that names a network: one machine may have all addresses in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The answer to one request: the bucket afterwards, and the seconds until there is a token; 0 is admitted."""

    bucket: Bucket
    wait_s: float = 0.0


def rate_of(per_second: float) -> Rate:
    """The rate of a quota of requests: at least one at a time."""
    return Rate(burst=max(1.0, per_second * BURST_S), per_second=per_second)


def asked(bucket: Bucket | None, rate: Rate, now: Instant) -> Asked:
    """Take a token out of the bucket of a caller; None is one who has not asked for a while."""
    found = filled(bucket or full(rate, now), rate, now)
    wait = wait_s(found, rate)
    return Asked(bucket=found, wait_s=wait) if wait > 0 else Asked(bucket=taken(found))


def forgettable(buckets: Mapping[str, Bucket], rate: Rate, now: Instant, most: int) -> tuple[str, ...]:
    """The buckets that need not be kept: the full ones, and above `most` the fullest."""
    levels = {name: filled(one, rate, now).level for name, one in buckets.items()}
    order = sorted(levels, key=lambda name: (-levels[name], name))
    least = max(0, len(order) - most)
    return tuple(name for number, name in enumerate(order) if number < least or levels[name] >= rate.burst)


def retry_after(seconds: float) -> int:
    """Whole seconds to wait, as HTTP says them."""
    return max(1, ceil(seconds))


def network_of(address: str) -> str:
    """The network that an address counts for: itself, and with IPv6 all that one machine may take."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return f"{IPv6Address(int(found) >> _PREFIX_BITS << _PREFIX_BITS)}/{_PREFIX_BITS}"


def parse_quotas(lines: Iterable[str], before: Quotas = DEFAULT_QUOTAS) -> Quotas:
    """The quotas with those of `NAME=MOST` lines in their place; `none` is no bound. Raises ValueError."""
    quotas = dict(before)
    for line in lines:
        name, separator, most = line.strip().partition("=")
        if not separator:
            raise ValueError(f"expected NAME=MOST, such as {Quota.REQUESTS}=50 or {Quota.PLANS}={NO_QUOTA}")
        if name not in set(_SETTABLE):
            raise ValueError(f"there is no quota {name!r}{perhaps(name, _SETTABLE)}; there are {', '.join(_SETTABLE)}")
        quotas[Quota(name)] = _most(name, most)
    return quotas


def quotas_text(quotas: Quotas) -> tuple[str, ...]:
    """The quotas as a person gives them."""
    return tuple(f"{one}={NO_QUOTA if (most := quotas.get(one)) is None else f'{most:g}'}" for one in _SETTABLE)


def _most(name: str, text: str) -> float | None:
    if text == NO_QUOTA:
        return None
    try:
        most = float(text)
    except ValueError:
        most = 0.0
    is_rate = name in (Quota.REQUESTS, Quota.ADDRESS)
    if not isfinite(most) or not 0 < most <= _LARGEST or not (is_rate or most.is_integer()):
        kind = "a number" if is_rate else "a whole number"
        raise ValueError(f"{name} must be {kind} above 0, or {NO_QUOTA} for no bound")
    return most
