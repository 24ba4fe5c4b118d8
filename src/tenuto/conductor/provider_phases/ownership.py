"""The two phases of ownership: adopt existing things, and release things that shall stay.

Theory of operation. Neither changes anything but our own marks on the real thing, and both may be repeated.

*Adopt* (Allocation, instead of *create*) is for an incarnation that was born with a physical id. It looks once more
whose the thing is, since the plan was made some time ago, and then has the provider write our ownership on it. Only
when that is done is the thing ours: an incarnation that is taken down before lets go of it, and never deletes it.

*Release* (Release) takes our marks off again, unless the process is released with its tags kept.
"""

from collections.abc import Callable

from tenuto.conductor.observing.existing import holder_of
from tenuto.conductor.provider_phases.calls import Handler, ProviderCalls
from tenuto.conductor.provider_phases.verdicts import take
from tenuto.conductor.providing.providers import ProviderTypes, place_of
from tenuto.core.pacing.visibility import ADOPT, CREATE
from tenuto.lifecycles.roles import states_of
from tenuto.lifecycles.table import Work
from tenuto.model.cloud_node import is_made_by_plugins
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.observation import Presence
from tenuto.model.phase_map import PhaseDefinition, PhaseStatus
from tenuto.model.process import ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase, PhaseResource, PhaseRun
from tenuto.ports.store import Store

RELEASE = PhaseName("resource.release")


class OwnershipPhases:
    """Makes the two definitions and their handlers."""

    def __init__(self, *, calls: ProviderCalls, store: Store, types: ProviderTypes) -> None:
        self._calls = calls
        self._store = store
        self._types = types

    def phases(self) -> tuple[tuple[PhaseDefinition, Phase], ...]:
        """Each definition with its handler."""
        return (
            self._phase(
                ADOPT,
                Work.CREATE,
                "Take over a thing that exists.",
                lambda found: self._is_managed(found) and is_adopted(found),
                self._adopt,
            ),
            self._phase(RELEASE, Work.RELEASE, "Take Tenuto's tags off a thing.", self._is_managed, self._release),
        )

    def _phase(
        self,
        name: PhaseName,
        work: Work,
        description: str,
        applies: Callable[[ManagedObject], bool],
        handle: Callable[[PhaseRun], None],
    ) -> tuple[PhaseDefinition, Phase]:
        definition = PhaseDefinition(
            name=name, states=states_of(work), types=(TypeName("*"),), description=description, applies=applies
        )
        return definition, Handler(handle)

    def _is_managed(self, found: ManagedObject) -> bool:
        return self._types.manages(found) and not is_made_by_plugins(found)

    def _adopt(self, run: PhaseRun) -> None:
        requests = self._calls.requests(run)
        ready: list[PhaseResource] = []
        for one in run.resources:
            observation = self._calls.observations.observe(one.object)
            if observation.presence is Presence.ABSENT:
                run.fail(one, f"{one.physical_id} is not there any more ({observation.message})", code="NotFound")
            elif observation.item is None:
                self._calls.wait_for_sweep(run, one, observation.message)
            elif holder := holder_of(self._store, place_of(one.object), observation.item, one.object):
                run.fail(one, f"{one.physical_id} is managed by {holder.words}", code="ManagedElsewhere")
            else:
                take(one, observation.item)
                ready.append(one)
        for provider, group in self._calls.by_provider(ready):
            self._calls.judge(run, group, requests, provider.claim)

    def _release(self, run: PhaseRun) -> None:
        kept = [one for one in run.resources if self._keeps_tags(one.object)]
        run.complete(kept)
        requests = self._calls.requests(run)
        for provider, group in self._calls.by_provider(
            [one for one in self._calls.lost.existing(run, requests, "release") if one not in kept]
        ):
            self._calls.judge(run, group, requests, provider.disclaim)

    def _keeps_tags(self, found: ManagedObject) -> bool:
        process = self._store.process(found.fid) if found.fid else None
        return process is not None and process.releasing is ReleaseMode.KEEP_TAGS


def is_adopted(found: ManagedObject) -> bool:
    """Whether it was born with a real thing, or let go of it before: then it does not make one."""
    return found.physical_id is not None and (CREATE not in found.phases or RELEASE in found.phases)


def was_never_ours(found: ManagedObject) -> bool:
    """Whether its adoption did not come to its end, so that the real thing is not ours to delete."""
    entry = found.phases.get(ADOPT)
    return entry is not None and entry.status is not PhaseStatus.COMPLETED
