"""The rate of an API: its bucket of tokens, and the tokens that are left."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.ids import Instant, Json, Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A bucket: so many calls at once after a pause, and so many a second in the long run."""

    burst: float
    per_second: float
    is_guessed: bool = False
    """True where the provider publishes none, so that the true one may be far lower."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Api:
    """The owner of a bucket: one operation of a service in one account and region, or all that share one."""

    partition: Partition
    name: str
    """Such as `ec2:CreateVpc`, or `iam:read` where a service counts all its reads together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """The content of a bucket at a moment. A level below nothing is a debt: a call waits for these tokens already."""

    level: float
    at: Instant
    pace: float = 1.0
    """The speed at which it fills, as a share of its rate: 1, or less since the provider said that we were too fast."""
    slowed_at: Instant | None = None
    """The moment when it last said so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """A call that work on a resource takes, and its limits."""

    api: str
    rate: Rate
    serves: int = 1
    """The number of resources that one call serves, where the provider takes many at once."""
    each: Rate | None = None
    """The second bucket, from which every one of them takes a token, where there is one."""
    joint: str = ""
    """The operation, where it is called once for all properties of a resource that change together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberCalls:
    """The calls that the members of a list take: for each that comes, each that goes, each that stands when all is
    deleted.
    """

    put: tuple[ApiCall, ...] = ()
    drop: tuple[ApiCall, ...] = ()
    clear: tuple[ApiCall, ...] = ()
    retell: tuple[ApiCall, ...] = ()
    """For each that changes in `told` alone."""
    key: str = ""
    """Members with the same value of it are the same one, changed: it is put, and nothing is dropped."""
    told: str = ""
    """A word about a member, such as its description: members that are alike but for it are the same one."""
    is_bulk: bool = False
    """True when one call puts, and one call drops, all of them."""
    comes_with_it: bool = False
    """True when the call that creates the resource takes them along."""
    at_birth: tuple[Json, ...] = ()
    """Members that a new resource has unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls that work on one resource of a type takes at least. Reads are not counted: sweeps are shared."""

    create: tuple[ApiCall, ...] = ()
    delete: tuple[ApiCall, ...] = ()
    modify: tuple[ApiCall, ...] = ()
    """The calls of a change of properties that are not named in `changes`."""
    adopt: tuple[ApiCall, ...] = ()
    release: tuple[ApiCall, ...] = ()
    changes: Mapping[str, tuple[ApiCall, ...]] = field(default_factory=dict)
    """The calls of a change of the property."""
    drops: Mapping[str, tuple[ApiCall, ...]] = field(default_factory=dict)
    """The calls that take the property away, where those are others than the calls of a change."""
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Properties that a creation sets by the calls of their change, unless they are declared as they are born."""
    members: Mapping[str, MemberCalls] = field(default_factory=dict)
    """The calls for the members of the property, which is a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLine:
    """All calls of one API."""

    api: str
    calls: int
    least_s: float
    """The time that they take at least, from a full bucket and with no other call in the queue."""
    or_more: bool = False
    """True where the values that tell the number of calls are only known once other operations are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """The cost of a plan in calls that change something. The API that takes longest comes first."""

    lines: tuple[BillLine, ...] = ()

    @property
    def calls(self) -> int:
        return sum(line.calls for line in self.lines)

    @property
    def or_more(self) -> bool:
        return any(line.or_more for line in self.lines)

    @property
    def least_s(self) -> float:
        """The least duration of all calls. Different APIs are called side by side, so it is that of the slowest one."""
        return max((line.least_s for line in self.lines), default=0.0)
