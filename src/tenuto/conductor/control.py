"""The control face of the Conductor: it answers the service, and is told when something is due now.

Every question goes to the part of the Conductor that knows: jobs, phases or providers. Nothing is decided here.
"""

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from tenuto.conductor.jobs.job import Jobs
from tenuto.conductor.jobs.manager import Manager
from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.conductor.phases.engine import PhaseEngine
from tenuto.conductor.phases.reloading import LoadedPlugins
from tenuto.conductor.phases.tally import PhaseTally
from tenuto.conductor.providing.accounts import AccountProviders
from tenuto.conductor.providing.providers import AbsentProvider, ProviderTypes
from tenuto.core.pacing.cadence import Due, Urgency
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.composition import Composition, Declaration
from tenuto.model.drift import DriftNews
from tenuto.model.ids import Fid, Json, LogicalId, Partition, PhaseName, PhysicalId, TypeName
from tenuto.model.objection import Objection
from tenuto.model.outcome import Context
from tenuto.model.plan import Planning
from tenuto.model.process import Process
from tenuto.model.resource import ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import PhaseRecord, PluginReload
from tenuto.ports.judging import JudgesDeclarations
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveFlips


class ControlFace:
    """The part of `ports.conductor.Conductor` that drives nothing. Safe to call from several threads."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        engine: PhaseEngine,
        tally: PhaseTally,
        plugins: LoadedPlugins,
        scheduler: Scheduler,
        jobs: Jobs,
        manager: Manager,
        providers: Mapping[str, Provider],
        types: ProviderTypes,
    ) -> None:
        self._store = store
        self._clock = clock
        self._engine = engine
        self._tally = tally
        self._plugins = plugins
        self._scheduler = scheduler
        self._jobs = jobs
        self._manager = manager
        self._providers = providers
        self._accounts = AccountProviders(providers)
        self._types = types
        self._ended = threading.Condition()
        """Told when a task has ended, or something is due."""

    def wake(self, fid: Fid) -> None:
        self._scheduler.wake(fid, self._clock.now(), Urgency.COMMAND)
        self.notify()

    def hasten(self) -> None:
        """Look at every process soon: the time of its next job may have changed."""
        now = self._clock.now()
        self._scheduler.load(Due(fid=process.fid, at=now) for process in self._store.processes())
        self.notify()

    def preview(self, process: Process, composition: Composition | None) -> Planning:
        return self._manager.preview(process, composition)

    def existing(self, partition: Partition, wanted: Sequence[tuple[TypeName, PhysicalId]]) -> tuple[Candidate, ...]:
        return self._manager.existing(partition, wanted)

    def exports(self, process: Process) -> Mapping[str, Json]:
        return self._manager.exports(process)[0]

    def retry(self, fid: Fid, logical_ids: Sequence[LogicalId], *, actor: str) -> Mapping[LogicalId, int]:
        failed = {
            found.object_id: found.logical_id
            for found in self._store.objects(fid)
            if (found.is_phase_failed or found.failing_upkeep) and (not logical_ids or found.logical_id in logical_ids)
        }
        counts: Counter[LogicalId] = Counter()
        for object_id, count in self._engine.retry(tuple(failed), self._clock.now(), actor=actor).items():
            counts[failed[object_id]] += count
        held = [
            flip
            for flip in self._store.flips(fid)
            if flip.held_at is not None and (not logical_ids or flip.logical_id in logical_ids)
        ]
        if held:
            self._store.commit([SaveFlips(fid=fid, removed=tuple(flip.key for flip in held))])
            counts.update(dict.fromkeys((flip.logical_id for flip in held), 1))
        self.wake(fid)
        return dict(counts)

    def phases(self, is_seen: Callable[[Fid | None], bool] | None = None) -> tuple[PhaseRecord, ...]:
        return self._tally.records(is_seen)

    def reload_plugins(self) -> PluginReload:
        reloaded = self._plugins.reload()
        self.notify()
        return reloaded

    def count_drift(self, news: DriftNews) -> None:
        self._jobs.count_drift(news)

    def is_loaded(self, phase: PhaseName) -> bool:
        return self._engine.is_loaded(phase)

    def types(self, provider: str | None = None) -> Mapping[TypeName, ResourceType]:
        return self._types.by_name() if provider is None else self._types.of(provider)

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        return self._types.bringing(name)

    def context(self, provider: str, partition: Partition) -> Context:
        return self._provider(provider).context(partition)

    def provider_of_accounts(self, name: str | None) -> str:
        return self._accounts.named(name)

    def check_settings(self, provider: str, settings: GivenSettings) -> CheckedSettings:
        return self._accounts.check_settings(provider, settings)

    def identify(self, account: Account) -> Identity:
        return self._accounts.identify(account)

    def credentials(self, account: Account) -> KnownCredentials:
        return self._accounts.credentials(account)

    def lookup(self, provider: str, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return self._provider(provider).lookup(partition, keys)

    def objections(
        self, provider: str, partition: Partition, fid: Fid, declared: Sequence[Declaration]
    ) -> Sequence[Objection]:
        asked = self._provider(provider)
        return asked.objections(partition, fid, declared) if isinstance(asked, JudgesDeclarations) else ()

    def _provider(self, name: str) -> Provider:
        return self._providers.get(name) or AbsentProvider(name, ())

    def notify(self) -> None:
        """Wake the loop: something is due, or it is to stop."""
        with self._ended:
            self._ended.notify_all()
