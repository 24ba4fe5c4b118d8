"""Lost creations: the things that may have been made, though no answer tells of them.

Theory of operation. An object without a physical id is not always one that was never made: while its creation has an
intent and no answer, the provider is asked for things under our token, and only after as long as a new thing may be
invisible is "nothing" believed. A thing that carries no mark is ours only where an attempt of ours may have made it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tenuto.conductor.observing.sightings import Thing
from tenuto.conductor.provider_phases.verdicts import as_sent, claimed, give_verdict, take
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import MaskedProvider, Requests
from tenuto.core.pacing.visibility import CREATE, has_intent, may_have_been_made, next_sweep_s
from tenuto.core.phases import attempts
from tenuto.errors import PermanentError, TransientError, UnconfirmedError
from tenuto.model.attempt import UNTRIED
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import ObservedItem
from tenuto.model.outcome import Done, Request
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.ports.store_reads import ObjectReads

ByProvider = Callable[[Sequence[PhaseResource]], list[tuple[MaskedProvider, list[PhaseResource]]]]
_AGAIN_S = 5.0
"""The seconds between two searches for a thing whose creation tells its end, however long that takes."""


class LostCreations:
    """Searches at one set of providers. Keeps nothing between runs."""

    def __init__(self, *, types: ProviderTypes, store: ObjectReads, by_provider: ByProvider) -> None:
        self._types = types
        self._store = store
        self._by_provider = by_provider

    def find(
        self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests
    ) -> list[tuple[PhaseResource, ObservedItem | None]]:
        """The things that exist already for each that was to be made, for all that could be looked up.

        A refusal of one type's look-up says nothing about other types: only those of the type sleep, or fail.
        """
        found: list[tuple[PhaseResource, ObservedItem | None]] = []
        for provider, group in self._by_provider(resources):
            for name in sorted({one.object.type for one in group}):
                alike = [one for one in group if one.object.type == name]
                try:
                    items = provider.find(run.partition, [_lookup(one, requests) for one in alike])
                except (TransientError, UnconfirmedError) as error:
                    for one in alike:
                        one.act = attempts.throttled(one.act) if error.is_throttled else one.act
                        run.sleep(one, None, str(error), code=error.code, request_id=error.request_id)
                except PermanentError as error:
                    for one in alike:
                        run.fail(one, str(error), code=error.code, request_id=error.request_id)
                else:
                    found += self._ours(run, alike, items)
        return found

    def _ours(
        self, run: PhaseRun, resources: Sequence[PhaseResource], items: Sequence[ObservedItem | None]
    ) -> list[tuple[PhaseResource, ObservedItem | None]]:
        """The finds, without those that are another's: of several resources that mean one thing, one has it."""
        mine = [(one, _perhaps_ours(one, item)) for one, item in zip(resources, items, strict=True)]
        taken = self.holders(run, [(one, item.physical_id) for one, item in mine if item is not None])
        found: list[tuple[PhaseResource, ObservedItem | None]] = []
        for one, item in mine:
            thing = None if item is None or item.owner is not None else (one.object.type, item.physical_id)
            is_taken = thing is not None and taken.setdefault(thing, one.object) is not one.object
            found.append((one, None if is_taken else item))
        return found

    def holders(self, run: PhaseRun, things: Iterable[tuple[PhaseResource, PhysicalId]]) -> dict[Thing, ManagedObject]:
        """The other live objects that real things are recorded with, by thing; those of the run as they are by now.

        `things` are those that resources have, or would have. None of these resources is told, not even for another.
        """
        asked = [(one.object, physical_id) for one, physical_id in things]
        if not asked:
            return {}
        asking = {one.object_id for one, _ in asked}
        wanted = {(one.provider, one.type, physical_id) for one, physical_id in asked}
        stored = self._store.standing_for(run.partition, {physical_id for _, physical_id in asked})
        known = [(one, one.physical_id) for one in stored]
        known += [(one.object, one.physical_id) for one in run.resources]
        return {
            (one.type, physical_id): one
            for one, physical_id in known
            if physical_id is not None
            and (one.provider, one.type, physical_id) in wanted
            and one.object_id not in asking
        }

    def keep(self, run: PhaseRun, one: PhaseResource, request: Request, item: ObservedItem) -> None:
        """Complete a creation with the thing that was found of it, once that carries our mark."""
        [(provider, _)] = self._by_provider([one])
        outcome = claimed(provider, run.partition, request, item)
        if isinstance(outcome, Done):
            take(one, item)
            one.act = attempts.found(one.act, run.now)
        give_verdict(run, one, outcome)

    def existing(self, run: PhaseRun, requests: Requests, purpose: str) -> list[PhaseResource]:
        """Return the resources of the run that have a real thing, looked up where a creation got no answer.

        A resource that certainly was never made is completed; one in doubt sleeps. `purpose` ends "anything to …".
        """
        nameless = [one for one in run.resources if one.physical_id is None]
        doubtful = [one for one in nameless if may_have_been_made(one.object)]
        run.complete([one for one in nameless if one not in doubtful])
        for one, item in self.find(run, doubtful, requests):
            if item is not None:
                take(one, item)
                one.act = attempts.found(one.act, run.now)
            elif has_intent(one.object) and (again_s := self.search_again_s(run, one)):
                run.sleep(one, again_s, self._unanswered(one, purpose))
            else:
                one.act = attempts.absent(attempts.doubted(one.act, run.now))
                run.complete(one)
        return [one for one in run.resources if one.physical_id is not None]

    def _unanswered(self, one: PhaseResource, purpose: str) -> str:
        if self._types.facts(one.object).tells_its_end:
            why = f"its creation got no answer yet: Tenuto waits for it, since there may be a thing to {purpose} then"
            # The provider told the time that is left.
            return ". ".join(part for part in (why, one.object.phases[CREATE].message) if part)
        return f"its creation got no answer: Tenuto checks whether there is a thing to {purpose}"

    def search_again_s(self, run: PhaseRun, one: PhaseResource) -> float:
        """Seconds until the next search for the thing that a creation made; none when the search has lasted long
        enough."""
        again_s = next_sweep_s(sought_for_s(run, one), self._types.facts(one.object).consistency)
        return again_s or (_AGAIN_S if self._types.facts(one.object).tells_its_end else 0.0)


def _perhaps_ours(one: PhaseResource, item: ObservedItem | None) -> ObservedItem | None:
    """Return the found thing, unless it is another user's: it has no mark, and stood before the creation, or every
    creation was refused, and so made nothing. To take it for ours would be to adopt it unasked, and to delete it with
    the process."""
    if item is None or item.owner is not None:
        return item
    is_ours = has_intent(one.object) and one.object.phases[CREATE].act.may_have_made(item.physical_id)
    return item if is_ours else None


def sought_for_s(run: PhaseRun, one: PhaseResource) -> float:
    """Return how long the lookup has gone on for a thing whose creation got no answer, this one included.

    Not since the intent was stored: the call may have lasted, and the provider may have acted at its very end.
    """
    one.act = attempts.doubted(one.act, run.now)
    return float(run.now - (one.act.doubted_at or run.now))


def _lookup(one: PhaseResource, requests: Requests) -> Request:
    """The request to find the thing that the creation of one resource has made, with the provider's note of the
    creation."""
    entry = one.object.phases.get(CREATE)
    act = entry.act if entry is not None else UNTRIED
    request = requests.of(as_sent(one.object, act))
    return replace(request, progress=act.progress, sent_at=act.sent_at, stood=act.stood)
