"""The things that exist in the simulated cloud, and the part of them that can be seen at a moment."""

from collections.abc import Iterable
from dataclasses import dataclass

from tenuto.model.ids import Instant, Json, Partition, PhysicalId
from tenuto.model.observation import Condition, ObservedItem, Owner
from tenuto.providers.simulated.types import SimulatedType

NEVER = Instant(float("inf"))


@dataclass(slots=True, kw_only=True)
class Thing:
    """One thing. Changes only under the cloud's lock.

    It can be seen from `visible_at`, works from `ready_at`, is gone from `gone_at`, and can still be seen as a
    tombstone until `forgotten_at`.
    """

    type: SimulatedType
    partition: Partition
    physical_id: PhysicalId
    number: int
    properties: dict[str, Json]
    owner: Owner | None
    token: str
    visible_at: Instant
    ready_at: Instant
    deleted_at: Instant = NEVER
    gone_at: Instant = NEVER
    forgotten_at: Instant = NEVER
    broken: str = ""
    holds: int = 0
    """The number of objects in a bucket."""

    def exists(self, now: Instant) -> bool:
        """Whether it is there, visible or not, on its way out or not."""
        return now < self.gone_at

    def is_standing(self, now: Instant) -> bool:
        """Whether it is there to stay, as far as the cloud knows."""
        return now < self.deleted_at

    def is_visible(self, now: Instant) -> bool:
        return self.visible_at <= now < self.forgotten_at

    def condition(self, now: Instant) -> tuple[Condition, str]:
        """Return the stage of the thing in its life, and the provider's words for it."""
        if now >= self.gone_at:
            return Condition.GONE, "terminated"
        if now >= self.deleted_at:
            return Condition.GOING, "deleting"
        if self.broken:
            return Condition.BROKEN, self.broken
        if now < self.ready_at:
            return Condition.PENDING, "pending"
        return Condition.READY, ""

    def references(self) -> tuple[str, ...]:
        """The physical ids of the things that it refers to."""
        return tuple(value for path in sorted(self.type.references) for value in as_list(self.properties.get(path)))

    def item(self, now: Instant) -> ObservedItem:
        """The item that a sweep shows of it: everything but the properties that are never shown again."""
        condition, message = self.condition(now)
        hidden = self.type.facts.write_only
        return ObservedItem(
            physical_id=self.physical_id,
            properties={path: value for path, value in sorted(self.properties.items()) if path not in hidden},
            attributes=attributes_of(self),
            owner=None if self.type.natural_key else self.owner,
            condition=condition,
            message=message,
        )


def attributes_of(thing: Thing) -> dict[str, Json]:
    """The attributes that `Fn::GetAtt` reads, and `Ref` where that is not the physical id."""
    short = thing.type.facts.name.rpartition("::")[2]
    found: dict[str, Json] = {"Arn": f"arn:simulated:{thing.partition.region}:{short.lower()}/{thing.physical_id}"}
    if f"{short}Id" in thing.type.facts.attributes:
        found[f"{short}Id"] = thing.physical_id
    found.update(thing.type.shows(thing.number, thing.properties))
    return found


def as_list(value: Json) -> Iterable[Json]:
    """A reference as a list of references; none when it is absent."""
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)
