"""Creations of existing things: the provider refuses them, or a plan older than this Conductor begins them again.

*Refusals.* A request can arrive twice: something between repeats a request that it believes to be lost. The first is
carried out, the second is refused because of the first, and that is the answer that comes back. So the existing thing
is looked up before the refusal is believed. A thing that carries our mark is ours. For a thing that cannot carry one (a
route, an attachment) the place is read right before the intent is stored (`Standing`), and a thing that stood there is
another's, also after a crash: a sweep may be older than the thing. It is the process's own where a release of the
process let go of it, and was taken back. A thing that came up after that read is ours when a call was sent that could
have made it. But a thing that another resource has is never ours: two that declare one thing are a mistake of their
author. If both had it, each would correct the changes of the other, and the end of one would be the end of both.

*Older plans.* A plan is stored before it is executed, and its objects one by one as their steps begin. In a database
that was restored to a moment between the two, a step begins that was done before: the real thing stands, with the id of
this very object. A second one would count as the first, and the first as the duplicate that is deleted. So before
anything of such a plan is made its type is swept once, and a thing that carries the mark of the object is taken as its
thing.

*Duplicates.* A creation that was carried out twice has left a thing beside the recorded one
(`conductor.observing.sightings`). It is deleted again before the resource goes on.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from tenuto.conductor.observing.sightings import Thing, are_told, duplicates_of, to_delete
from tenuto.conductor.provider_phases.calls import Call, ProviderCalls
from tenuto.conductor.provider_phases.verdicts import claimed
from tenuto.conductor.providing.providers import ProviderTypes, place_of
from tenuto.conductor.providing.requests import MaskedProvider, Requests
from tenuto.core.pacing.visibility import has_intent
from tenuto.core.phases import attempts
from tenuto.errors import PermanentError, TransientError, UnconfirmedError
from tenuto.lifecycles.roles import has_ended, is_being_released
from tenuto.model.attempt import UNREAD
from tenuto.model.composition import DeletionPolicy
from tenuto.model.ids import Fid, Instant, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.observations import Observations
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.store_reads import HistoryReads, ProcessReads

TAKEN = "ResourceAlreadyExists"
"""The code that every provider gives such a refusal."""
MADE_NOW = "it was made a moment ago; the next sweep shows whether a late request made it twice"
_ONCE = "Declare it once: remove one of the two, or let it differ in what names it"
_OF_ANOTHER = "Give it another name, or adopt the thing once the other process has released it"
_TRIES = 3
"""The number of tries: a request that is sent again can arrive twice again, and leave a thing half made again."""

Holders = Callable[[Iterable[tuple[PhaseResource, PhysicalId]]], Mapping[Thing, ManagedObject]]
"""`ProviderCalls.holders` of a run."""


class Standing:
    """Reads which things stand already in the place of resources that may carry no mark. Keeps nothing."""

    def __init__(self, calls: ProviderCalls, types: ProviderTypes) -> None:
        self._calls = calls
        self._types = types

    def before(self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests) -> dict[ObjectId, str]:
        """Return the id of the thing in the place of each resource that may be made now (`Attempt.stood`).

        A read without an answer lets its resource sleep. One that is refused is no reason not to create: the creation
        is refused with better words, or a thing that it finds in its place counts as another's.
        """
        found = {one.object.object_id: one.act.stood for one in resources if not self._is_read(one)}
        for provider, group in self._calls.by_provider([one for one in resources if self._is_read(one)]):
            for name in sorted({one.object.type for one in group}):
                alike = [one for one in group if one.object.type == name]
                try:
                    items = provider.find(run.partition, [requests.of(one.object) for one in alike])
                except (TransientError, UnconfirmedError) as error:
                    for one in alike:
                        one.act = attempts.throttled(one.act) if error.is_throttled else one.act
                        run.sleep(one, None, str(error), code=error.code, request_id=error.request_id)
                except PermanentError:
                    found |= {one.object.object_id: UNREAD for one in alike}
                else:
                    standing = [(one, _stood(item)) for one, item in zip(alike, items, strict=True)]
                    ended = self._ended([one for one, stood in standing if stood])
                    for one, stood in standing:
                        earlier = ended.get((one.object.fid, name, stood))
                        if earlier is not None and _was_let_go(earlier):
                            found[one.object.object_id] = ""
                        elif earlier is not None and self._may_be_shown(run, earlier):
                            run.sleep(one, None, f"{stood} is still shown, which this process has just deleted")
                        else:
                            found[one.object.object_id] = stood
        return found

    def _ended(
        self, resources: Iterable[PhaseResource]
    ) -> dict[tuple[Fid | None, TypeName, str | None], ManagedObject]:
        """The ended objects of the processes of the resources, by process, type and thing."""
        fids = {one.object.fid for one in resources if one.object.fid is not None}
        ended = (other for fid in fids for other in self._calls.store.objects(fid) if has_ended(other))
        return {(other.fid, other.type, other.physical_id): other for other in ended}

    def _may_be_shown(self, run: PhaseRun, ended: ManagedObject) -> bool:
        """Whether an answer may be older than the end of the object."""
        return ended.moved_at > run.now - self._types.facts(ended).consistency.visible_s

    def _is_read(self, one: PhaseResource) -> bool:
        # An attempt without an answer may have made the thing, which was looked up already.
        return self._types.facts(one.object).is_read_first and not has_intent(one.object)


def _was_let_go(ended: ManagedObject) -> bool:
    """Whether a release of the whole process let go of the thing, and was taken back: no policy asked for that."""
    return is_being_released(ended) and ended.deletion_policy is DeletionPolicy.DELETE


def _stood(item: ObservedItem | None) -> str:
    return "" if item is None or item.owner is not None else str(item.physical_id)


def creating(provider: MaskedProvider, resources: Sequence[PhaseResource], holders: Holders) -> Call:
    """The provider's creation of resources, with such refusals looked into."""

    def create(partition: Partition, requests: Sequence[Request]) -> list[Outcome]:
        outcomes = list(provider.create(partition, requests))
        settled: set[int] = set()
        for _ in range(_TRIES):
            taken = [at for at, one in enumerate(outcomes) if at not in settled and _is_taken(one)]
            if not taken:
                break
            try:
                items = provider.find(partition, [requests[at] for at in taken])
            except TransientError as error:
                doubt = Pending(
                    message=str(error), code=error.code, request_id=error.request_id, is_throttled=error.is_throttled
                )
                return [doubt if at in taken else one for at, one in enumerate(outcomes)]
            except PermanentError:
                break
            found = [(at, item) for at, item in zip(taken, items, strict=True) if item is not None]
            held = {**holders([(resources[at], item.physical_id) for at, item in found]), **_made(resources, outcomes)}
            for at, item in found:
                thing = (requests[at].type, item.physical_id)
                if thing in held and item.owner is None:
                    settled.add(at)
                    outcomes[at] = _held(outcomes[at], requests[at], held[thing])
                elif _is_ours(resources[at], item, outcomes[at]):
                    outcomes[at] = claimed(provider, partition, requests[at], item)
                    held[thing] = resources[at].object
            # A half made thing is gone now that it was looked up, and may be made; another's is refused again.
            missing = [at for at, item in zip(taken, items, strict=True) if item is None]
            if not missing:
                break
            again = provider.create(partition, [requests[at] for at in missing])
            for at, outcome in zip(missing, again, strict=True):
                if outcome == outcomes[at]:
                    settled.add(at)  # The same answer, with the id of its request: nothing was sent again.
                outcomes[at] = outcome
        return outcomes

    return create


def _is_taken(outcome: Outcome) -> bool:
    return isinstance(outcome, Refused) and outcome.code == TAKEN


def _made(resources: Sequence[PhaseResource], outcomes: Sequence[Outcome]) -> dict[Thing, ManagedObject]:
    """The things that a call has just made, with the objects that they will be recorded with."""
    return {
        (one.object.type, outcome.physical_id): one.object
        for one, outcome in zip(resources, outcomes, strict=True)
        if isinstance(outcome, Done) and outcome.physical_id is not None
    }


def _held(outcome: Outcome, request: Request, holder: ManagedObject) -> Outcome:
    """The refusal with whose the thing is, unless it is of the incarnation before. The name of another process may be
    none of the reader's business."""
    if not isinstance(outcome, Refused) or (holder.fid, holder.logical_id) == (request.fid, request.logical_id):
        return outcome
    words = outcome.message.rstrip(".")
    if holder.fid != request.fid:
        return replace(outcome, message=f"{words}. It belongs to another process", hint=_OF_ANOTHER)
    return replace(outcome, message=f"{words}: it is {holder.logical_id}, which declares the same", hint=_ONCE)


def _is_ours(one: PhaseResource, item: ObservedItem, refusal: Outcome) -> bool:
    """Whether a creation of the resource made the existing thing: this one, where a call was sent, or an earlier
    one."""
    if item.owner is not None:
        return item.owner.object_id == one.object.object_id
    is_unsent = isinstance(refusal, Refused) and refusal.is_unsent
    return one.act.may_have_made(item.physical_id) and (has_intent(one.object) or not is_unsent)


class _Reads(ProcessReads, HistoryReads, Protocol):
    """The reads that tell which job a process runs, and since when."""


class Resumed:
    """Knows which jobs are older than this Conductor. Thread-safe; keeps nothing."""

    def __init__(self, *, store: _Reads, observations: Observations, began_at: Instant) -> None:
        self._store = store
        self._observations = observations
        self._began_at = began_at

    def standing(
        self, run: PhaseRun, resources: Sequence[PhaseResource]
    ) -> tuple[list[tuple[PhaseResource, ObservedItem]], list[PhaseResource]]:
        """Return the resources that exist already, each with its thing, and those of which only a sweep can tell."""
        found: list[tuple[PhaseResource, ObservedItem]] = []
        unseen: list[PhaseResource] = []
        older = self._older({one.object.fid for one in resources if one.object.fid is not None})
        for one in resources:
            if one.object.fid not in older:
                continue
            sweep = self._observations.latest(*place_of(one.object))
            if sweep is None:
                unseen.append(one)
                continue
            item = next((item for item in sweep.marked.get(one.object.object_id, ()) if not item.is_ending), None)
            if item is not None:
                found.append((one, item))
        return found, unseen

    def _older(self, fids: Collection[Fid]) -> frozenset[Fid]:
        """The processes whose job is older than this Conductor. No job is older than its process."""
        found = self._store.processes_of(fids) if fids else {}
        return frozenset(
            fid
            for fid, process in found.items()
            if process.created_at < self._began_at
            and process.job_id
            and (job := self._store.job(process.job_id)) is not None
            and job.started_at < self._began_at
        )


class Duplicates:
    """Deletes the duplicates that repeated creations made beside the recorded things. Keeps nothing."""

    def __init__(self, calls: ProviderCalls, types: ProviderTypes) -> None:
        self._calls = calls
        self._types = types

    def delete(self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests) -> list[PhaseResource]:
        """Delete the duplicates of resources again; return the resources that have any.

        They wait for the sweep that shows it gone, and fail when it cannot be deleted for as long as the Conductor is
        patient: with a duplicate, a resource is neither made nor gone. Nothing of ours can hold one: each reference to
        the resource leads to the recorded thing.
        """
        duplicates = duplicates_of(run, resources, self._calls.observations)
        doubled = [one for one in resources if one.object.object_id in duplicates]
        obstacles: dict[ObjectId, Pending | Refused] = {}
        for provider, group in self._calls.by_provider(doubled):
            asked = [one for each in group for one in to_delete(each, duplicates[each.object.object_id], requests)]
            with suppress(TransientError):
                for request, outcome in zip(asked, provider.delete(run.partition, asked), strict=True):
                    if isinstance(outcome, Refused) or (isinstance(outcome, Pending) and outcome.is_held):
                        obstacles[request.object_id] = outcome
        for one in doubled:
            names = [duplicate.physical_id for duplicate in duplicates[one.object.object_id]]
            one.act = attempts.made_twice(one.act, names)
            self._wait(run, one, ", ".join(names), obstacles.get(one.object.object_id))
        return doubled

    def _wait(self, run: PhaseRun, one: PhaseResource, names: str, obstacle: Pending | Refused | None) -> None:
        """Let a resource wait for the end of its duplicates, or fail when something keeps one for too long."""
        if obstacle is None:
            self._calls.wait_for_sweep(run, one, f"it was made twice: {names} is deleted again")
            return
        told = f"it was made twice, and {names} cannot be deleted again: "
        believed = self._calls.patient(run, one, obstacle)
        if isinstance(believed, Refused):
            run.fail(one, told + believed.told, code=believed.code, request_id=believed.request_id)
        else:
            self._calls.wait_for_sweep(run, one, told + obstacle.message)

    def is_alone(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether no duplicate of the resource can be hidden. If one can, a sweep of everything is waited for."""
        if not self._types.facts(one.object).makes_two or are_told(run, one, self._calls.observations):
            return True
        self._calls.wait_for_everything(run, one, MADE_NOW)
        return False
