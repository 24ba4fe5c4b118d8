"""The phases of every managed resource of every provider: create, await, configure, delete.

Theory of operation. A provider only knows calls; these four phases turn them into a walk that may be interrupted
anywhere. Each is bulk and asks the provider once per run.

*Create* (Allocation) saves an intent before it calls, and with it the thing that stood in the place before, where no
mark would tell. After a crash, or an answer that never came, the intent is still there: then the provider is asked for
things under our token (or about its own note of the creation, where it left one), and only when nothing has appeared
for as long as a new thing may be invisible is the create tried again; at once where the type takes a token, and the
wish is still the same. *Await* (Initialization) never polls one object: it reads the reflector's bulk sweep, and wishes
for the next one. *Configure* (Configuration) brings properties to their declared values that creation could not set,
that an update changed or that drifted; it is the only place that modifies. *Delete* (Deallocation) asks until the thing
is gone for sure; a thing that was about to be adopted is let go instead.

A fault that may pass puts the object to sleep with back-off; only a fault that does not pass by itself fails a phase
(DECISIONS 4).
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from tenuto.conductor.provider_phases.calls import FIRST_SWEEP_S, Handler, ProviderCalls
from tenuto.conductor.provider_phases.create_conflicts import MADE_NOW, Duplicates, Resumed, Standing, creating
from tenuto.conductor.provider_phases.ownership import is_adopted, was_never_ours
from tenuto.conductor.provider_phases.verdicts import take
from tenuto.conductor.providing.providers import ProviderTypes, place_of
from tenuto.conductor.providing.requests import Requests
from tenuto.core.pacing.visibility import (
    AWAIT,
    CREATE,
    has_intent,
    is_new,
    may_have_been_made,
)
from tenuto.core.phases import attempts
from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import CONFIGURE, Desired, fingerprints
from tenuto.kit.evolve import evolve
from tenuto.lifecycles.roles import states_of
from tenuto.lifecycles.table import Work
from tenuto.model.attempt import Attempt, AttemptState
from tenuto.model.cloud_node import is_made_by_plugins
from tenuto.model.consistency import Consistency
from tenuto.model.ids import Instant, Json, PhaseName, TypeName
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.phase_map import PhaseDefinition, PhaseStatus
from tenuto.model.resource import LOST, ManagedObject
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun

DELETE = PhaseName("resource.delete")
_OLD_PLAN = "its plan is older than this Conductor; the next sweep shows whether it was made already"
_TWO_SWEEPS_S = (1.0, 4.0)
"""The moments at which a sweep shall tell whether a deletion that is tried again is done: after this run is stored,
since a sweep before that says nothing of the effect of the run, and twice far enough apart to count as gone."""


class ResourcePhases:
    """Makes the four definitions and their handlers for one set of providers."""

    def __init__(self, *, calls: ProviderCalls, types: ProviderTypes, resumed: Resumed) -> None:
        self._resumed = resumed
        self._calls = calls
        self._duplicates = Duplicates(calls, types)
        self._standing = Standing(calls, types)
        self._types = types

    def phases(self) -> tuple[tuple[PhaseDefinition, Phase], ...]:
        """Each definition with its handler."""
        described: tuple[tuple[PhaseName, Work, str, Callable[[PhaseRun], None]], ...] = (
            (CREATE, Work.CREATE, "Create a thing at the provider.", self._create),
            (AWAIT, Work.AWAIT, "Wait until a thing is ready.", self._await),
            (CONFIGURE, Work.CONFIGURE, "Bring a thing to its declared properties.", self._configure),
            (DELETE, Work.DELETE, "Delete a thing at the provider.", self._delete),
        )
        return tuple(
            (
                PhaseDefinition(
                    name=name,
                    states=states_of(work),
                    types=(TypeName("*"),),
                    description=description,
                    applies=self._is_made if name == CREATE else self._is_managed,
                    acts=name != AWAIT,
                ),
                Handler(handle),
            )
            for name, work, description, handle in described
        )

    def _is_managed(self, found: ManagedObject) -> bool:
        return self._types.manages(found) and not is_made_by_plugins(found)

    def _is_made(self, found: ManagedObject) -> bool:
        return self._is_managed(found) and not is_adopted(found)

    def _create(self, run: PhaseRun) -> None:
        requests = self._calls.requests(run)
        run.complete([one for one in run.resources if one.physical_id is not None])
        nameless = self._calls.opened(run, [one for one in run.resources if one.physical_id is None], requests)
        noted = [one for one in nameless if one.act.progress]
        unknown = [one for one in nameless if may_have_been_made(one.object) and one not in noted]
        retried = [*noted, *self._look_up(run, unknown, requests)]
        fresh = self._not_standing(run, [one for one in nameless if one not in [*unknown, *noted]], requests)
        stood = self._standing.before(run, [one for one in nameless if one in fresh or one in retried], requests)
        todo = [one for one in nameless if one.object.object_id in stood]
        for one in todo:
            if one not in noted and not self._is_known_again(run, one):
                found = one.object
                sent_as = found.desired if self._types.facts(found).repeats_as_sent else {}
                one.act = attempts.sent(
                    _unfound(one.act), run.now, found.desired_digest, stood[found.object_id], sent_as
                )
        if todo:
            run.checkpoint(todo)
        for provider, resources in self._calls.by_provider(todo):
            create = creating(provider, resources, partial(self._calls.lost.holders, run))
            self._calls.judge(run, resources, requests, create)
            for one in resources:
                if one.physical_id is not None:
                    made = replace(one.object, physical_id=one.physical_id)
                    soon = Instant(run.now + FIRST_SWEEP_S / 2)
                    makes_two = self._types.facts(made).makes_two
                    self._calls.observations.ask(*place_of(made), soon, [made], is_whole=makes_two)

    def _not_standing(
        self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests
    ) -> list[PhaseResource]:
        """Return the resources without a real thing. One that a restored database has forgotten is kept; one that no
        sweep has shown yet waits for a sweep.
        """
        standing, unseen = self._resumed.standing(run, resources)
        for one, item in standing:
            self._calls.lost.keep(run, one, requests.of(one.object), item)
        for one in unseen:
            self._calls.wait_for_sweep(run, one, _OLD_PLAN)
        known = [one for one, _ in standing]
        return [one for one in resources if one not in known and one not in unseen]

    def _look_up(self, run: PhaseRun, resources: Sequence[PhaseResource], requests: Requests) -> list[PhaseResource]:
        """Find the things that an earlier try may have made. Returns the resources that may be made without being made
        twice."""
        unmade: list[PhaseResource] = []
        for one, item in self._calls.lost.find(run, resources, requests):
            if item is not None:
                self._calls.lost.keep(run, one, requests.of(one.object), item)
            elif (
                not has_intent(one.object)
                or self._is_known_again(run, one)
                or not (again_s := self._calls.lost.search_again_s(run, one))
            ):
                unmade.append(one)
            else:
                run.sleep(one, again_s, self._searching(one))
        return unmade

    def _searching(self, one: PhaseResource) -> str:
        """The message of a search for the thing that a creation without an answer has made."""
        if self._types.facts(one.object).tells_its_end:
            return "its creation got no answer yet: Tenuto waits for it, and does not create it twice"
        return (
            f"its creation got no answer, and the new thing may stay invisible for "
            f"{self._consistency(one).visible_s:.0f} s: Tenuto searches for it until then, and does not create it twice"
        )

    def _is_known_again(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether its creation is under way, and is answered with the thing that it made when it is repeated."""
        makes_once = self._types.facts(one.object).makes_once
        return has_intent(one.object) and makes_once and one.act.wish == one.object.desired_digest

    def _consistency(self, one: PhaseResource) -> Consistency:
        return self._types.facts(one.object).consistency

    def _await(self, run: PhaseRun) -> None:
        observations = self._calls.observations.observe_all([one.object for one in run.resources])
        for one in run.resources:
            observation = observations[one.object.object_id]
            item = observation.item
            if item is None or observation.presence is not Presence.PRESENT:
                self._calls.wait_for_sweep(run, one, observation.message)
            elif item.condition is Condition.READY:
                take(one, item)
                run.complete(one)
            elif item.condition is Condition.BROKEN:
                run.fail(one, f"the provider gave up on {one.object.physical_id}: {item.message}")
            else:
                self._calls.wait_for_sweep(run, one, item.message or "pending")

    def _configure(self, run: PhaseRun) -> None:
        requests = self._calls.requests(run)
        seen: dict[str, ObservedItem] = {}
        present: list[PhaseResource] = []
        observations = self._calls.observations.observe_all([one.object for one in run.resources])
        for one in self._calls.opened(run, run.resources, requests):
            observation = observations[one.object.object_id]
            if observation.item is None or observation.presence is not Presence.PRESENT:
                self._calls.wait_for_sweep(run, one, observation.message)
                continue
            take(one, observation.item)
            seen[one.object.object_id] = observation.item
            present.append(one)
        doubled = self._duplicates.delete(run, present, requests)
        ready = [
            one
            for one in present
            if one not in doubled
            and self._duplicates.is_alone(run, one)
            and self._is_configurable(run, one, seen[one.object.object_id], requests)
        ]
        for one in ready:
            keeps_note = self._types.facts(one.object).notes_tell_wish
            one.act = attempts.asked(one.act, run.now, one.object.desired_digest, keeps_note=keeps_note)
        for provider, resources in self._calls.by_provider(ready):
            self._calls.judge(run, resources, requests, provider.modify, seen)

    def _is_configurable(self, run: PhaseRun, one: PhaseResource, item: ObservedItem, requests: Requests) -> bool:
        """Complete a resource that is as declared already; fail one that no call could bring there."""
        found = one.object
        resource_type = self._types.facts(found)
        clear = requests.of(found, item.properties).properties
        if veiled := fingerprints(found, clear, resource_type):
            one.act = replace(one.act, fingerprints=veiled)
        desired = Desired(properties=clear, digest=found.desired_digest)
        changes = changes_of(desired, item.seen_by(clear), found, resource_type, None)
        # Of words that the provider retells in its own way it alone knows whether it was sent these.
        is_seen_whole = resource_type.retelling is None and not resource_type.hides_some_of(clear)
        if not changes and is_seen_whole and not found.attributes.get(LOST):
            run.complete(one)
            return False
        forced = [change for change in changes if change.forces_replacement]
        if forced:
            paths = ", ".join(
                f"{change.path} (declared {_told(change.after)}, the provider shows {_told(change.before)})"
                for change in forced
            )
            text = (
                f"{paths} cannot be changed in place, and it was just made this way: correct the composition, or "
                "'resume' to have another one made"
            )
            # The value that is compared here is the clear one.
            run.fail(one, requests.masker(found, item.properties).mask(text))
            return False
        return True

    def _delete(self, run: PhaseRun) -> None:
        requests = self._calls.requests(run)
        existing = self._calls.lost.existing(run, requests, "delete")
        for provider, group in self._calls.by_provider(self._not_gone(run, existing)):
            adopting = [one for one in group if was_never_ours(one.object)]
            if adopting:
                self._calls.judge(run, adopting, requests, provider.disclaim)
            ours = self._shown(run, [one for one in group if not was_never_ours(one.object)])
            if ours:
                doubled = self._duplicates.delete(run, ours, requests)
                alone = [one for one in ours if one not in doubled]
                if alone:
                    self._calls.judge(run, alone, requests, provider.delete)

    def _shown(self, run: PhaseRun, resources: Sequence[PhaseResource]) -> list[PhaseResource]:
        """The resources that were seen since they were made: all are asked for together, since a kill has thousands."""
        new = [one for one in resources if self._is_unseen(run, one)]
        seen = self._calls.observations.observe_all([one.object for one in new]) if new else {}
        return [
            one
            for one in resources
            if (found := seen.get(one.object.object_id)) is None or self._is_shown(run, one, found)
        ]

    def _is_unseen(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether it was made just now, and no run of this phase has seen it yet."""
        is_old = one.object.physical_id is None or not is_new(one.object, run.now, self._consistency(one))
        return not is_old and not one.act.was_shown

    def _is_shown(self, run: PhaseRun, one: PhaseResource, found: Observation) -> bool:
        """Whether the thing that was made just now was seen since, and with it its duplicates. If not, it is looked
        for."""
        is_awaited = AWAIT in one.object.phases and one.object.phases[AWAIT].status is PhaseStatus.COMPLETED
        if found.presence is Presence.PRESENT:
            is_alone = self._duplicates.is_alone(run, one)
            one.act = evolve(one.act, was_shown=is_alone)
            return is_alone
        if is_awaited:
            return True
        self._calls.wait_for_sweep(run, one, MADE_NOW)
        return False

    def _not_gone(self, run: PhaseRun, resources: Sequence[PhaseResource]) -> list[PhaseResource]:
        """Complete the resources that two sweeps did not show any more; return the others.

        A delete whose answer was lost is repeated, and not every provider answers that well for a thing that is gone.
        """
        remaining: list[PhaseResource] = []
        for one in resources:
            if one.act.tries == 0 or is_new(one.object, run.now, self._consistency(one)):
                remaining.append(one)
                continue
            observation = self._calls.observations.observe(one.object)
            if observation.presence is Presence.ABSENT and observation.item is None:
                run.complete(one)
                continue
            for wait_s in _TWO_SWEEPS_S:
                self._calls.observations.ask(*place_of(one.object), Instant(run.now + wait_s), [one.object])
            remaining.append(one)
        return remaining


def _unfound(act: Attempt) -> Attempt:
    """The attempt of a creation that may be sent anew: the search for the thing of an earlier one is over."""
    return attempts.absent(act) if act.state is AttemptState.IN_DOUBT else act


def _told(value: Json) -> str:
    """A value as people say it."""
    return "nothing" if value is None else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
