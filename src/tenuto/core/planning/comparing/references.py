"""References: the answers of incarnations to `Ref` and `Fn::GetAtt`, and the incarnation that stands at an address.

Theory of operation. `Ref` and `Fn::GetAtt` read the stored answers of an incarnation: those that the provider showed
when it was made or changed. Some of that appears later (the default group of a network), and some changes by itself, or
with the doing of a neighbour (the public address of an instance that was stopped, or was given one that stays). Then
the incarnation has to be read again, and every resource that refers to it is compared with the new answer after that.
Nothing is done about an answer that no declaration asks for.

A reference by a declared name answers the same when the thing of that name is made anew, and the resource that refers
to it is left as it is: an instance needs no successor because its key pair gets one. A resource that is *part of* it,
though, ends with the old one, as the policy of a bucket does; and an instance profile loses its role. So such a
reference waits for the new one like any other.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from tenuto.core.language import resolve
from tenuto.core.language.expressions import call_of, is_list
from tenuto.kit.canonical import to_text
from tenuto.lifecycles import roles
from tenuto.model.composition import Composition
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
        """The incarnation whose values others see: the newest that was ready once, also while it is changed or after a
        change that failed; else the newest."""
        staying = self.staying(logical_id)
        ready = (found for found in staying if found.has_stood and roles.is_to_stand(found))
        return next(ready, staying[0] if staying else None)

    @property
    def all_answering(self) -> tuple[ManagedObject, ...]:
        """The incarnations whose values others see, one at most of each address."""
        found = (self.answering(logical_id) for logical_id in self.by_logical_id)
        return tuple(one for one in found if one is not None)

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
    """The value of `Ref`: the physical id, unless the type says otherwise."""
    return found.attributes.get("Ref", found.physical_id)


class Surroundings:
    """The environment of one comparison, which shrinks while addresses turn out to be made anew."""

    def __init__(self, known: "_Known", base: Snapshot) -> None:
        references, attributes = known.references, known.attributes
        self._references = references
        self._attributes = attributes
        self._declared = known.declared
        self._renewed: set[LogicalId] = set()
        """The addresses that are made anew under the name that they have."""
        self._reduced: resolve.Environment | None = None
        self._names: dict[str, list[str]] = {}
        for logical_id, name in attributes:
            self._names.setdefault(logical_id, []).append(name)
        self.environment = resolve.Environment(
            references=references,
            attributes=attributes,
            declared=known.declared,
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
        return Surroundings(_answers(snapshot.process, standing, snapshot.context), snapshot)

    def stand(self, logical_id: LogicalId, found: ManagedObject | None) -> None:
        """Give references to the address the values of this incarnation, from now on. None changes nothing."""
        if found is None:
            return
        self._forget(logical_id, frozenset())
        if found.physical_id is not None:
            self._references[logical_id] = reference_of(found)
            self._declared[logical_id] = found.desired
            self._names[logical_id] = list(found.attributes)
            for name, value in found.attributes.items():
                self._attributes[logical_id, name] = value

    def resolved(self, properties: JsonMap, resource_type: ResourceType) -> JsonMap:
        """Return declared properties with the answers to their references. The references stay open that end when the
        thing that they name is made anew."""
        found: JsonMap = resolve.resolve(properties, self.environment)
        if not self._renewed:
            return found
        paths = (resource_type.part_of | resource_type.detached) & properties.keys()
        ending = {path: properties[path] for path in paths if not self._renewed.isdisjoint(_named_in(properties[path]))}
        return {**found, **resolve.resolve(ending, self._without_renewed())} if ending else found

    def _without_renewed(self) -> resolve.Environment:
        """The environment in which a resource that is made anew under its name has no value yet. It is kept while
        nothing moves: many may be part of one thing."""
        if self._reduced is None:
            references = {name: value for name, value in self._references.items() if name not in self._renewed}
            attributes = {key: value for key, value in self._attributes.items() if key[0] not in self._renewed}
            self._reduced = replace(self.environment, references=references, attributes=attributes)
        return self._reduced

    def remake(self, logical_id: LogicalId, properties: JsonMap, resource_type: ResourceType) -> None:
        """Take the values of references to the address away, from now on, but for those that its declared name decides.

        Without that exception a deleted key pair would replace every instance that names it.
        """
        name = properties.get(resource_type.named_by)
        is_same = name is not None and self._references.get(logical_id) == name
        is_in_place = is_same and _is_in_place(self._declared.get(logical_id, {}), properties, resource_type)
        self._forget(logical_id, resource_type.named_attributes if is_in_place else frozenset())
        self._declared[logical_id] = properties
        if is_same:
            self._references[logical_id] = name
            self._renewed.add(logical_id)

    def _forget(self, logical_id: LogicalId, kept: frozenset[str]) -> None:
        """Forget the values of the address and of its attributes, but for the attributes that are kept."""
        self._reduced = None
        self._references.pop(logical_id, None)
        self._declared.pop(logical_id, None)
        names = self._names.pop(logical_id, [])
        for name in names:
            if name not in kept:
                del self._attributes[logical_id, name]
        self._names[logical_id] = [name for name in names if name in kept]


def _is_in_place(before: JsonMap, after: JsonMap, resource_type: ResourceType) -> bool:
    """Whether a resource that is made anew under its name has the same attributes of that name."""
    absent = {path: resource_type.defaults.get(path) for path in resource_type.named_with}
    return all(before.get(path, value) == after.get(path, value) for path, value in absent.items())


def _named_in(value: Json) -> Iterator[LogicalId]:
    """The addresses whose name, or an attribute of it, the value is, or a member of the list."""
    for one in value if is_list(value) else (value,):
        match call_of(one):
            case ("Ref", str(name)):
                yield LogicalId(name)
            case ("Fn::GetAtt", [str(name), *_]):
                yield LogicalId(name)


def environment(
    process: Process, objects: Iterable[ManagedObject], context: Context, exports: Mapping[str, Json]
) -> resolve.Environment:
    """The environment that these incarnations make. Those without a physical id answer nothing."""
    known = _answers(process, objects, context)
    return resolve.Environment(
        references=known.references,
        attributes=known.attributes,
        declared=known.declared,
        zones=context.zones,
        exports=exports,
        region=process.partition.region,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """The answers of incarnations, and their declared properties."""

    references: dict[str, Json]
    attributes: dict[tuple[str, str], Json] = field(default_factory=dict)
    declared: dict[str, JsonMap] = field(default_factory=dict)


def _answers(process: Process, objects: Iterable[ManagedObject], context: Context) -> _Known:
    references: dict[str, Json] = {
        "AWS::StackName": process.name,
        "AWS::StackId": process.fid,
        "AWS::AccountId": context.account_id,
        **process.lookups,
    }
    known = _Known(references=references)
    for found in objects:
        if found.physical_id is None:
            continue
        references[found.logical_id] = reference_of(found)
        known.declared[found.logical_id] = found.desired
        for name, value in found.attributes.items():
            known.attributes[found.logical_id, name] = value
    return known


def objects_by_id(objects: Iterable[ManagedObject]) -> dict[ObjectId, ManagedObject]:
    return {found.object_id: found for found in objects}


def told(desired: JsonMap, attributes: JsonMap) -> JsonMap:
    """Return the attributes that may be stored: the provider may show a value in plain text that was declared with a
    secret."""
    return {name: value for name, value in attributes.items() if resolve.is_resolved(desired.get(name))}


class Answers:
    """The attributes that a composition asks of its resources. It finds the references when an answer has changed."""

    def __init__(self, composition: Composition | None) -> None:
        self._composition = composition

    def news(self, found: ManagedObject, item: ObservedItem, passing: frozenset[str] = frozenset()) -> str:
        """The attributes that are asked for and have another answer now, in words; empty when none has. Those that are
        `passing` are not read again."""
        shown = told(found.desired, item.attributes)
        other = {name for name, value in shown.items() if not _is_same(found.attributes.get(name), value)}
        if not other:
            return ""
        asked = sorted((other - passing) & self._asked.get(found.logical_id, set()))
        return ", ".join(f"{name} is {'another one' if name in found.attributes else 'known'} now" for name in asked)

    def asked_of(self, name: LogicalId) -> frozenset[str]:
        """The whole names of the attributes that are asked of a resource, without the value of `Ref`."""
        opened = (one for value in self._askers() for one in resolve.open_expressions(value))
        return frozenset(one.attribute for one in opened if one.name == name and one.attribute)

    @cached_property
    def _asked(self) -> Mapping[str, set[str]]:
        """The names of the attributes that are asked for, by logical id."""
        asked: dict[str, set[str]] = {}
        for value in self._askers():
            for one in resolve.open_expressions(value):
                # An attribute may be stored under its whole name, or as the member of a mapping.
                names = {one.attribute, one.attribute.partition(".")[0]} if one.attribute else {"Ref"}
                asked.setdefault(one.name, set()).update(names)
        return asked

    def _askers(self) -> Iterator[Json]:
        if self._composition is None:
            return
        for declaration in self._composition.resources:
            if declaration.depends_on:
                yield declaration.properties
        for output in self._composition.outputs:
            yield output.value


def _is_same(stored: Json, shown: Json) -> bool:
    """A list in another order is the same answer: providers promise none."""
    if stored == shown:
        return True
    if is_list(stored) and is_list(shown):
        return sorted(map(to_text, stored)) == sorted(map(to_text, shown))
    return False
