"""The parts of load balancers and their rules that take a parameter of their own to be taken away."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import Path, at
from tenuto.providers.aws.kind import Work


@dataclass(frozen=True, kw_only=True)
class Withdrawn(Plain):
    """One property that a call sets, and takes away when it gets the parameters `without` in place of a value.

    `shown_at` is its place in the answer of `read_by`, or in the list or the description of the thing. `given_at` is
    the place of the value in the parameters of the call, one name for each level. `is_born` tells that the creation
    takes it in the same parameters. `may_have` tells things that can have it, by the answer of the list: of others
    `read_by` is not called.
    """

    name: str
    write_by: str
    shown_at: Path
    without: JsonMap
    given_at: tuple[str, ...]
    read_by: Call | None = None
    is_born: bool = False
    may_have: Callable[[JsonMap], bool] = lambda _: True

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    @property
    def is_free(self) -> bool:
        return self.read_by is None

    @property
    def defaults(self) -> JsonMap:
        return {self.name: None}

    def read(self, thing: Thing) -> dict[str, Json]:
        if not self.may_have(thing.answer):
            return {}
        value = at(thing.answer_to(self.read_by), self.shown_at)
        return {self.name: value} if value else {}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return self._given(work) if self.is_born and work.want(self.name) else {}

    def _given(self, work: Work) -> dict[str, Json]:
        value = work.want(self.name)
        for word in reversed(self.given_at):
            value = {word: value}
        return dict(value)

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.name):
            given = self._given(work) if work.want(self.name) else self.without
            work.change(service, self.write_by, **Call(self.write_by).about(words, work.id), **given)

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by}"}

    def drops(self, service: str) -> Mapping[str, str]:
        return self.changes(service)


def _reserved(answer: JsonMap) -> Json:
    """The capacity that is reserved for a load balancer; none where there are no units."""
    capacity: JsonMap = answer.get("MinimumLoadBalancerCapacity") or {}
    units = capacity.get("CapacityUnits")
    return {"CapacityUnits": units} if units else None


_RESERVATION = "CapacityReservation"
"""The word in the calls of the service; EC2 has calls of the same names for something else."""
CAPACITY = Withdrawn(
    name="MinimumLoadBalancerCapacity",
    read_by=Call(f"Describe{_RESERVATION}"),
    write_by=f"Modify{_RESERVATION}",
    shown_at=_reserved,
    given_at=("MinimumLoadBalancerCapacity",),
    without={"ResetCapacityReservation": True},
    # Gateway load balancers have no capacity to reserve.
    may_have=lambda balancer: balancer.get("Type") != "gateway",
)
