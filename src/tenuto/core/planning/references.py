"""References: the answers of incarnations to `Ref` and `Fn::GetAtt`, and the incarnation that stands at an address."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tenuto.core.language import resolve
from tenuto.lifecycles import roles
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Context
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The incarnations of a process by address, newest last."""

    by_logical_id: Mapping[LogicalId, tuple[ManagedObject, ...]]

    @staticmethod
    def of(objects: Iterable[ManagedObject]) -> "Addresses":
        grouped: dict[LogicalId, list[ManagedObject]] = {}
        for found in sorted(objects, key=lambda one: (one.logical_id, one.incarnation)):
            grouped.setdefault(found.logical_id, []).append(found)
        return Addresses(by_logical_id={key: tuple(found) for key, found in grouped.items()})

    def current(self, logical_id: LogicalId) -> ManagedObject | None:
        """The newest incarnation that is to stay."""
        return next(iter(self.staying(logical_id)), None)

    def staying(self, logical_id: LogicalId) -> tuple[ManagedObject, ...]:
        """The incarnations that are to stay, newest first: more than one while a replacement is not complete."""
        found = self.by_logical_id.get(logical_id, ())
        return tuple(one for one in reversed(found) if not roles.is_leaving(one) and not roles.has_ended(one))

    def answering(self, logical_id: LogicalId) -> ManagedObject | None:
        """The incarnation whose values others see: the newest that is where it should be, else the newest."""
        staying = self.staying(logical_id)
        ready = (
            found for found in staying if found.is_settled and roles.is_to_stand(found) and not found.is_phase_failed
        )
        return next(ready, staying[0] if staying else None)

    def shown(self, logical_id: LogicalId) -> ManagedObject | None:
        """The incarnation that an address is told by: the newest that is to stay, else the newest of all."""
        newest = self.by_logical_id.get(logical_id, ())[-1:]
        return self.current(logical_id) or self.leaving(logical_id) or next(iter(newest), None)

    def leaving(self, logical_id: LogicalId) -> ManagedObject | None:
        """The newest incarnation that is on its way out and not gone yet."""
        found = self.leavers(logical_id)
        return found[-1] if found else None

    def leavers(self, logical_id: LogicalId) -> tuple[ManagedObject, ...]:
        return tuple(
            found
            for found in self.by_logical_id.get(logical_id, ())
            if roles.is_leaving(found) and not roles.has_ended(found)
        )

    def next_incarnation(self, logical_id: LogicalId) -> int:
        return max((found.incarnation for found in self.by_logical_id.get(logical_id, ())), default=0) + 1


def reference_of(found: ManagedObject | ObservedItem) -> Json:
    """What `Ref` gives: the physical id, unless the type says otherwise."""
    return found.attributes.get("Ref", found.physical_id)


class Surroundings:
    """The environment of one comparison, which shrinks while addresses turn out to be made anew."""

    def __init__(self, references: dict[str, Json], attributes: dict[tuple[str, str], Json], base: Snapshot) -> None:
        self._references = references
        self._attributes = attributes
        self._names: dict[str, list[str]] = {}
        for logical_id, name in attributes:
            self._names.setdefault(logical_id, []).append(name)
        self.environment = resolve.Environment(
            references=references,
            attributes=attributes,
            zones=base.context.zones,
            exports=base.exports,
            region=base.process.partition.region,
        )

    @staticmethod
    def of(snapshot: Snapshot, addresses: Addresses) -> "Surroundings":
        """Every incarnation that stands at its address now, or is still leaving it."""
        standing = [
            found
            for logical_id in addresses.by_logical_id
            if (found := addresses.current(logical_id) or addresses.leaving(logical_id))
        ]
        references, attributes = _answers(snapshot.process, standing, snapshot.context)
        return Surroundings(references, attributes, snapshot)

    def stand(self, logical_id: LogicalId, found: ManagedObject | None) -> None:
        """From now on, references to the address have the values of this incarnation. None changes nothing."""
        if found is None:
            return
        self._forget(logical_id, frozenset())
        if found.physical_id is not None:
            self._references[logical_id] = reference_of(found)
            self._names[logical_id] = list(found.attributes)
            for name, value in found.attributes.items():
                self._attributes[logical_id, name] = value

    def remake(self, logical_id: LogicalId, properties: JsonMap, resource_type: ResourceType) -> None:
        """From now on, references to the address have no value, but for those that its declared name decides.

        Without that exception a deleted key pair would replace every instance that names it.
        """
        name = properties.get(resource_type.named_by)
        is_same = name is not None and self._references.get(logical_id) == name
        self._forget(logical_id, resource_type.named_attributes if is_same else frozenset())
        if is_same:
            self._references[logical_id] = name

    def _forget(self, logical_id: LogicalId, kept: frozenset[str]) -> None:
        """Neither the address nor its attributes have a value, but for the attributes that are kept."""
        self._references.pop(logical_id, None)
        names = self._names.pop(logical_id, [])
        for name in names:
            if name not in kept:
                del self._attributes[logical_id, name]
        self._names[logical_id] = [name for name in names if name in kept]


def environment(
    process: Process, objects: Iterable[ManagedObject], context: Context, exports: Mapping[str, Json]
) -> resolve.Environment:
    """The environment that these incarnations make. Those without a physical id answer nothing."""
    references, attributes = _answers(process, objects, context)
    return resolve.Environment(
        references=references,
        attributes=attributes,
        zones=context.zones,
        exports=exports,
        region=process.partition.region,
    )


def _answers(
    process: Process, objects: Iterable[ManagedObject], context: Context
) -> tuple[dict[str, Json], dict[tuple[str, str], Json]]:
    references: dict[str, Json] = {
        "AWS::StackName": process.name,
        "AWS::StackId": process.fid,
        "AWS::AccountId": context.account_id,
        **process.lookups,
    }
    attributes: dict[tuple[str, str], Json] = {}
    for found in objects:
        if found.physical_id is None:
            continue
        references[found.logical_id] = reference_of(found)
        for name, value in found.attributes.items():
            attributes[found.logical_id, name] = value
    return references, attributes


def objects_by_id(objects: Iterable[ManagedObject]) -> dict[ObjectId, ManagedObject]:
    return {found.object_id: found for found in objects}
