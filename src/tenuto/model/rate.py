"""How often an API may be called: its bucket of tokens, and what is left in one."""

from dataclasses import dataclass

from tenuto.model.ids import Instant, Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A bucket: so many calls at once after a pause, and so many a second in the long run."""

    burst: float
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Api:
    """What has a bucket of its own: one operation of a service in one account and region, or all that share one."""

    partition: Partition
    name: str
    """Such as `ec2:CreateVpc`, or `iam:read` where a service counts all its reads together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """What was in a bucket at a moment. A level below nothing is a debt: somebody waits for these tokens already."""

    level: float
    at: Instant
    pace: float = 1.0
    """How fast it fills, as a share of its rate: 1, or less since the provider said that we were too fast."""
    slowed_at: Instant | None = None
    """When it last said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """One call of a bill: how often an operation on a resource makes it, and what limits it."""

    api: str
    rate: Rate
    times: int = 1
