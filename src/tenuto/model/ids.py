"""Names and units with types of their own, so that a job id is never taken for a process id."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NewType, Protocol

Fid = NewType("Fid", str)
"""The id of a process (a UUID)."""
LogicalId = NewType("LogicalId", str)
"""The name of a resource in its composition."""
ObjectId = NewType("ObjectId", str)
"""The id of one incarnation of a resource, or of any other object. Ours; also the token of its creation."""
PhysicalId = NewType("PhysicalId", str)
"""The provider's id of a resource, as `Ref` or the primary identifier gives it."""
TypeName = NewType("TypeName", str)
"""A resource type such as `AWS::EC2::VPC` or `Cloud.Node`."""
PhaseName = NewType("PhaseName", str)
JobId = NewType("JobId", str)
PlanId = NewType("PlanId", str)
Instant = NewType("Instant", float)
"""Seconds since 1970 UTC. Arrives as an argument; only a clock makes one."""

Json = Any
"""A value that JSON can hold: None, bool, int, float, str, sequences and string-keyed mappings of Json."""
JsonMap = Mapping[str, Json]


class IdSource(Protocol):
    """A source of new ids. `kind` names the stream, so that a new object never renumbers other kinds."""

    def new(self, kind: str) -> str:
        """An id that was never given before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Partition:
    """An account and region: the unit in which the cloud is observed and calls are limited.

    Local phases use a host as the region.
    """

    account: str
    region: str

    def __str__(self) -> str:
        return f"{self.account}/{self.region}"
