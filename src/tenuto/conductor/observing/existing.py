"""Existing things that no process manages: observed when they are to be adopted or described.

The sweeps are the reflector's, like all others; things that are asked for are shown by them in detail for a while. Only
where an identifier is not found under its type are all other types swept too, to tell a wrong type from a wrong id.

The managers of a real thing: adoption asks whether another process manages it already.

Two witnesses are heard. The store knows the things that the live processes of this Conductor manage, with or without
tags. The ownership tags know of other Conductors. Tags that a process left behind when it was released or killed say
nothing any more: its things may be adopted again.

A thing of ours may also go, and another process may make one of the same name. It has the id of ours, and is not ours:
the younger of the two incarnations made it. A sweep tells so by the marks; where a process ends, the store is asked
about all that it has, since some things carry no marks.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.providing.providers import Place, ProviderTypes
from tenuto.core.planning.comparing.adoption import adoptable
from tenuto.errors import ProviderError
from tenuto.lifecycles.roles import has_ended
from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Observation, ObservedItem
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, Watch, is_told_by_service
from tenuto.model.snapshot import Candidate
from tenuto.ports.store import Store

Address = tuple[Fid, LogicalId]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The manager of a thing: its process and its resource there, and both in words that follow "managed by"."""

    words: str
    fid: Fid | None = None
    logical_id: LogicalId | None = None

    def is_another_of(self, address: Address) -> bool:
        """Whether it is another resource of the same process."""
        fid, logical_id = address
        return self.fid == fid and self.logical_id != logical_id


def holder_of(store: Store, place: Place, item: ObservedItem, mine: ManagedObject | None = None) -> Holder | None:
    """The manager of the thing; None when there is none.

    `mine` is the incarnation that wants it: of two that do, the older one is in the right.
    """
    provider, partition, type_name = place
    for other in store.tracked(partition, type_name):
        is_it = other.physical_id == item.physical_id and other.provider == provider
        if is_it and (mine is None or _rank(other) < _rank(mine)):
            process = store.process(other.fid) if other.fid else None
            return _holder(process, other.logical_id)
    owner = item.owner
    if owner is None or (mine is not None and owner.object_id == mine.object_id):
        return None
    process = store.process(owner.fid)
    if process is None:
        return Holder(
            words=f"another Conductor, by its tags (process {owner.fid}). If no process manages it any more, remove "
            "its tags that begin with 'tenuto:'"
        )
    if process.state is ProcessState.GONE or not _is_live(store, owner.object_id):
        return None
    return _holder(process, owner.logical_id)


def _holder(process: Process | None, logical_id: LogicalId) -> Holder:
    words = f"{_name(process)} as {logical_id}"
    return Holder(words=words, fid=process.fid if process else None, logical_id=logical_id)


def _is_live(store: Store, object_id: ObjectId) -> bool:
    found = store.object(object_id)
    return found is not None and not has_ended(found)


def _is_doubted(found: ManagedObject, item: ObservedItem | None, process: Process) -> bool:
    """Whether the thing with the id of an object may be of another process: its marks say so, or the process ends.
    Marks that say otherwise may be those that were read before."""
    if found.physical_id is None or has_ended(found) or is_told_by_service(found):
        return False
    return process.is_leaving or (item is not None and item.owner is not None and item.owner.fid != process.fid)


def _thing(found: ManagedObject) -> tuple[str | None, TypeName, PhysicalId | None]:
    return found.provider, found.type, found.physical_id


def _rank(found: ManagedObject) -> tuple[float, str]:
    return found.created_at, found.object_id


def _name(process: Process | None) -> str:
    if process is None:
        return "an unknown process"
    return f"process {process.alias} ({process.fid})" if process.alias else f"process {process.fid}"


Wanted = tuple[TypeName, PhysicalId]


class Existing:
    """A reader of things that exist and that a process may adopt. Thread-safe; keeps nothing."""

    def __init__(self, *, store: Store, reflector: Reflector, types: ProviderTypes) -> None:
        self._store = store
        self._reflector = reflector
        self._types = types

    def wanted(
        self, process: Process, composition: Composition | None, objects: Sequence[ManagedObject]
    ) -> dict[TypeName, frozenset[PhysicalId]]:
        """The things that a plan made now would adopt, by type."""
        found: dict[TypeName, frozenset[PhysicalId]] = {}
        for declaration, identifier in adoptable(composition, objects, process.adopting):
            if declaration.type in self._types.of(process.provider):
                found[declaration.type] = found.get(declaration.type, frozenset()) | {identifier}
        return {name: found[name] for name in sorted(found)}

    def candidates(
        self, process: Process, composition: Composition | None, objects: Sequence[ManagedObject]
    ) -> dict[LogicalId, Candidate]:
        """The candidates for adoption, as the last sweeps showed them."""
        return {
            declaration.logical_id: self._candidate(
                process.provider,
                process.partition,
                declaration.type,
                identifier,
                asking=(process.fid, declaration.logical_id),
            )
            for declaration, identifier in adoptable(composition, objects, process.adopting)
        }

    def taken(
        self, process: Process, objects: Sequence[ManagedObject], observations: Mapping[ObjectId, Observation]
    ) -> dict[ObjectId, str]:
        """The objects of a process under whose ids another live process made things since, each with that process in
        words."""
        doubted = [one for one in objects if _is_doubted(one, observations[one.object_id].item, process)]
        if not doubted:
            return {}
        ids = {one.physical_id for one in doubted if one.physical_id is not None}
        others = [one for one in self._store.standing_for(process.partition, ids) if one.fid not in (None, process.fid)]
        makers = {_thing(one): one for one in sorted(others, key=_rank)}
        pairs = [(one, makers[_thing(one)]) for one in doubted if _thing(one) in makers]
        return {
            one.object_id: _name(self._store.process(maker.fid) if maker.fid else None)
            for one, maker in pairs
            if _rank(one) < _rank(maker)
        }

    def read(
        self, provider: str, partition: Partition, wanted: Sequence[Wanted], now: Instant
    ) -> tuple[Candidate, ...]:
        """Look at them now, on this thread. Raises ProviderError when a sweep of their types fails."""
        names = sorted({name for name, _ in wanted})
        for name in names:
            identifiers = sorted({identifier for other, identifier in wanted if other == name})
            self._reflector.refresh(provider, partition, [name], now, identifiers)
        found = tuple(self._candidate(provider, partition, name, identifier) for name, identifier in wanted)
        if all(one.item is not None or one.unread for one in found):
            return found
        types = self._types.of(provider)
        others = [name for name in types if name not in names and types[name].watch is Watch.PAGE]
        # Only for a better answer: a fault of another type must not take the place of this one's.
        with suppress(ProviderError):
            self._reflector.refresh(provider, partition, others, now, sorted({one for _, one in wanted}))
        return tuple(self._candidate(provider, partition, name, identifier) for name, identifier in wanted)

    def _candidate(
        self,
        provider: str,
        partition: Partition,
        name: TypeName,
        identifier: PhysicalId,
        asking: Address | None = None,
    ) -> Candidate:
        """The candidate as the last sweeps show it. `asking` is the resource that would adopt it, if any."""
        item = self._item(provider, partition, name, identifier)
        if item is not None:
            holder = holder_of(self._store, (provider, partition, name), item)
            if holder is None:
                return Candidate(physical_id=identifier, item=item)
            own_as = holder.logical_id if asking and holder.is_another_of(asking) else None
            return Candidate(physical_id=identifier, item=item, holder=holder.words, own_as=own_as)
        sweep = self._reflector.latest(provider, partition, name)
        if sweep is not None and identifier in sweep.unsure:
            return Candidate(
                physical_id=identifier,
                item=None,
                unread=sweep.unsure[identifier],
                is_denied=identifier in sweep.denied,
            )
        seen_as = next(
            (one for one in sorted(self._types.of(provider)) if self._item(provider, partition, one, identifier)), None
        )
        return Candidate(physical_id=identifier, item=None, seen_as=seen_as)

    def _item(self, provider: str, partition: Partition, name: TypeName, identifier: PhysicalId) -> ObservedItem | None:
        sweep = self._reflector.latest(provider, partition, name)
        item = sweep.items.get(identifier) if sweep else None
        return None if item is None or item.is_ending else item
