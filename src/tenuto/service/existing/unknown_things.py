"""Real things that carry our marks and that the store does not know: listed, adopted, deleted.

Theory of operation. The findings of the last whole sweeps are at hand (`ports.marks`). A command never acts on them
alone: the type is swept again, and the thing must still carry the marks that were shown, and the store must still not
know it. An adoption is an order like an update, with the same composition: the next job plans it, and the plan that it
makes is asked for first, so that the command is refused where the thing would not be adopted. A deletion is carried out
at once and waited for, for a while.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tenuto.core.access.accounts import check_listed
from tenuto.core.access.admission import admit
from tenuto.core.planning.marked import owner_text
from tenuto.core.reports.audit import name_of
from tenuto.core.reports.audit_codes import UNKNOWN_THING
from tenuto.errors import (
    MismatchError,
    NotAdoptableError,
    NotAllowedError,
    NotFoundError,
    NotThereError,
    PermanentError,
    UserError,
)
from tenuto.kit.regions import LISTED, Regions, names_aws
from tenuto.model.access import ROOT
from tenuto.model.command import Command, ProcessState
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, JsonMap, Partition, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing
from tenuto.model.outcome import Done, Pending, Refused
from tenuto.model.process import Process
from tenuto.model.verb import Verb
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.marks import Marks
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append
from tenuto.service.accounts.accounts import known_account
from tenuto.service.commands import orders
from tenuto.service.commands.process_commands import Commands
from tenuto.service.common.finding import live_process
from tenuto.service.common.values import time_text

MOST_THINGS = 500
"""Things in one answer."""
_REGION = re.compile(r"[a-z0-9-]{1,64}")
_TRIES = 10
_LONGEST_PAUSE_S = 6.0
"""A deletion is waited for a minute at most: a person waits, and may give the command again."""

IsSeen = Callable[[Fid | None], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The things, each with its process when that is known; `places` are where to look for more."""

    things: tuple[tuple[MarkedThing, Process | None], ...]
    left_out: int
    unseen: tuple[str, ...]
    """The reasons why some things could not be swept."""
    places: tuple[Partition, ...]


class UnknownThings:
    """Every method may raise UserError, ProviderError and StoreError, and then has changed nothing."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        conductor: Conductor,
        marks: Marks,
        commands: Commands,
        regions: Regions = LISTED,
    ) -> None:
        self._store = store
        self._clock = clock
        self._conductor = conductor
        self._marks = marks
        self._commands = commands
        self._regions = regions

    def listed(
        self, reference: str | None = None, *, place: Partition | None = None, is_seen: IsSeen = lambda _: True
    ) -> Listing:
        """List the things of one process, by its alias or any FID, or of all. `place` sweeps everything of one place
        first.
        """
        fid = None if reference is None else self._fid(reference)
        places = self._places(fid, is_seen)
        if place is not None and place not in places:
            # A database that lost everything has no process: its owner may look anywhere.
            if not is_seen(None) or not _REGION.fullmatch(place.region):
                raise UserError(f"No process that you may see is in account {place.account}, region {place.region}.")
            place = replace(place, account=known_account(self._store, place.account).name)
            if names_aws(self._conductor.types()):
                check_listed(place.region, self._regions)
        unseen = self._marks.sweep(place, also=self._declared_at(place)) if place is not None else ()
        found = [(one, self._store.process(one.owner.fid)) for one in self._marks.things(fid)]
        seen = [(one, process) for one, process in found if is_seen(process.fid if process else None)]
        seen.sort(key=lambda pair: pair[0].owner.fid)
        return Listing(
            things=tuple(seen[:MOST_THINGS]),
            left_out=max(0, len(seen) - MOST_THINGS),
            unseen=unseen,
            places=places,
        )

    def adopt(
        self, reference: str, physical_id: PhysicalId, *, type_name: TypeName | None = None, actor: str = ROOT
    ) -> Process:
        """Give the thing to the resource that its marks name; the next job adopts it. Raises NotAdoptableError."""
        what = f"{physical_id} cannot be adopted"
        thing = self._thing(reference, physical_id, type_name)
        if self._store.process(thing.owner.fid) is None:
            raise NotAdoptableError(
                f"{what}: it {owner_text(thing.owner, None)}, so there is no resource to give it to. Take its tags "
                f"that begin with 'tenuto:' off and import it with 'tenuto import {thing.type} {physical_id}', or "
                f"delete it with 'tenuto doctor {thing.owner.fid} --delete {physical_id}'."
            )
        process = live_process(self._store, thing.owner.fid)
        admit(Command.UPDATE, process)
        self._check_declared(process, thing, what)
        order = orders.adopt_order(
            process, self._store.composition(process.composition_digest), thing, now=self._clock.now()
        )
        planning = self._conductor.preview(order.process, order.composition)
        adopted = {(one.logical_id, one.physical_id) for one in planning.plan.operations if one.verb is Verb.ADOPT}
        if (thing.owner.logical_id, physical_id) not in adopted:
            waits = "; ".join(one.message for one in planning.waits if one.logical_id == thing.owner.logical_id)
            raise NotAdoptableError(
                f"{what} as {thing.owner.logical_id}: {waits or 'another thing stands there'}. 'tenuto status "
                f"{name_of(process)}' shows what stands there; 'tenuto doctor {name_of(process)} --delete "
                f"{physical_id}' deletes the one that is not known."
            )
        return self._commands.adopt(process.fid, thing, actor=actor)

    def delete(
        self,
        reference: str,
        physical_id: PhysicalId,
        *,
        type_name: TypeName | None = None,
        shown: str | None = None,
        account: str | None = None,
        actor: str = ROOT,
    ) -> tuple[MarkedThing, str]:
        """Delete the thing, and wait for that a while; with a message when it is still under way.

        `shown` is the object id that its marks were shown with: others now, and nothing is deleted. `account` is the
        account for which the caller may do this, None for any. Raises NotFoundError, PermanentError.
        """
        thing = self._thing(reference, physical_id, type_name)
        if account is not None and thing.partition.account != account:
            raise NotFoundError(f"{physical_id} is not in the account {account}.")
        if shown is not None and thing.owner.object_id != shown:
            raise UserError(
                f"{physical_id} carries other marks than were shown (object {thing.owner.object_id}, shown was "
                f"{shown}). Nothing was deleted. 'tenuto doctor {reference}' shows it as it is now."
            )
        process = self._store.process(thing.owner.fid)
        if process is not None and process.is_locked and process.state is not ProcessState.GONE:
            name = name_of(process)
            raise NotAllowedError(
                f"Process {name} is locked: nothing that carries its marks is deleted. Unlock it first: "
                f"'tenuto property {name} lock --set off'."
            )
        message = self._delete(thing)
        event = Event(
            at=self._clock.now(),
            type=EventType.UNKNOWN_DELETED,
            fid=thing.owner.fid if process is not None else None,
            subject=thing.owner.logical_id,
            actor=actor,
            reason=message or f"{thing.type} {physical_id} is deleted",
            data={"type": thing.type, "id": physical_id, "object": thing.owner.object_id, "fid": thing.owner.fid},
        )
        self._store.commit((Append(events=(event,)),))
        return thing, message

    def _delete(self, thing: MarkedThing) -> str:
        """Have it deleted; empty once it is gone. Raises PermanentError when the provider refuses."""
        message = ""
        for attempt in range(_TRIES):
            match self._marks.delete(thing):
                case Done():
                    return ""
                case Refused() as refused:
                    told = f"{thing.physical_id} is not deleted: {refused.told}."
                    raise PermanentError(told, code=refused.code, request_id=refused.request_id)
                case Pending() as pending:
                    message = f"{thing.physical_id} is not gone yet: {pending.message}"
                    if attempt + 1 < _TRIES:
                        self._clock.sleep(min(_LONGEST_PAUSE_S, pending.delay_s or 2.0))
        return message

    def _thing(self, reference: str, physical_id: PhysicalId, type_name: TypeName | None) -> MarkedThing:
        """The thing as it is now, after a fresh sweep of its type."""
        fid = self._fid(reference)
        types = [] if type_name is None else [type_name]
        remembered = self._matching(fid, physical_id, type_name)
        places = [(one.partition, [one.type]) for one in remembered] or [(one, types) for one in self._places(fid)]
        unseen = [text for place, names in places for text in self._marks.sweep(place, names)]
        found = self._matching(fid, physical_id, type_name)
        if not found:
            raise no_such_thing(reference, physical_id, *unseen)
        if len(found) > 1:
            kinds = ", ".join(str(one.type) for one in found)
            raise UserError(f"{physical_id} names several things: {kinds}. Say which with --type.")
        if unseen:
            raise PermanentError(f"{physical_id} could not be observed again: {unseen[0]}")
        return found[0]

    def _declared_at(self, place: Partition) -> list[TypeName]:
        """The types that the processes of a place declare, also those that are gone: most types are in no list."""
        digests = {one.composition_digest for one in self._store.processes(live=False) if one.partition == place}
        found = (self._store.composition(digest) for digest in sorted(digests))
        return sorted({one.type for composition in found if composition for one in composition.resources})

    def _matching(self, fid: Fid, physical_id: PhysicalId, type_name: TypeName | None) -> Sequence[MarkedThing]:
        return [
            one for one in self._marks.things(fid) if one.physical_id == physical_id and type_name in (None, one.type)
        ]

    def _check_declared(self, process: Process, thing: MarkedThing, what: str) -> None:
        name, logical_id = name_of(process), thing.owner.logical_id
        composition = self._store.composition(process.composition_digest)
        declared = {one.logical_id: one.type for one in composition.resources} if composition else {}
        if logical_id not in declared:
            raise NotAdoptableError(
                f"{what}: the composition of {name} declares no {logical_id}. 'tenuto update {name} FILE' gives it a "
                f"composition that does; 'tenuto doctor {name} --delete {thing.physical_id}' deletes it."
            )
        if declared[logical_id] != thing.type:
            raise MismatchError(f"{what}: it is {thing.type}, and {logical_id} is declared as {declared[logical_id]}.")

    def _places(self, fid: Fid | None, is_seen: IsSeen = lambda _: True) -> tuple[Partition, ...]:
        """Return the places where things of a process can be: its own, or each that a live process is in."""
        process = self._store.process(fid) if fid is not None else None
        if process is not None:
            return (process.partition,)
        return tuple(sorted({one.partition for one in self._store.processes() if is_seen(one.fid)}))

    def _fid(self, reference: str) -> Fid:
        process = self._store.process(reference)
        return process.fid if process is not None else Fid(reference)


def listing_document(found: Listing) -> JsonMap:
    """The things as JSON."""
    return {
        "things": [thing_document(one, process) for one, process in found.things],
        "things_left_out": found.left_out,
        "unseen": list(found.unseen),
        "places": [{"account": one.account, "region": one.region} for one in found.places],
    }


def thing_document(one: MarkedThing, process: Process | None) -> JsonMap:
    """One thing as JSON."""
    name = name_of(process) if process is not None else one.owner.fid
    advice = UNKNOWN_THING.advice.format(process=name).replace("ID'", f"{one.physical_id}'")
    if process is None:
        advice = (
            f"Another Tenuto may manage it: make sure first. 'tenuto doctor {name} --delete {one.physical_id}' "
            "deletes it."
        )
    return {
        "code": UNKNOWN_THING.code,
        "type": one.type,
        "id": one.physical_id,
        "fid": one.owner.fid,
        "process": process.alias if process is not None else None,
        "is_known_process": process is not None,
        "logical_id": one.owner.logical_id,
        "object_id": one.owner.object_id,
        "account": one.partition.account,
        "region": one.partition.region,
        "first_seen": time_text(one.first_seen),
        "why": one.why.value,
        "detail": owner_text(one.owner, process),
        "advice": advice,
    }


def no_such_thing(reference: str, physical_id: str, *unseen: str) -> NotThereError:
    """The error for a thing that carries no marks of a process, or is known. `unseen` are the failures of sweeps."""
    why = f" Some of it could not be observed: {unseen[0]}." if unseen else ""
    return NotThereError(
        f"No thing {physical_id} carries the marks of {reference} and is unknown to the database.{why} "
        f"'tenuto doctor {reference}' lists those that do."
    )
