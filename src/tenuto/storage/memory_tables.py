"""The tables of the store in memory, and how one change is applied to them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar, assert_never

from tenuto.errors import BugError
from tenuto.kit.canonical import plain
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.composition import Composition
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, JobId, LogicalId, ObjectId, PlanId
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.notification import Delivery, Sink
from tenuto.model.outcome import Op
from tenuto.model.plan import Plan
from tenuto.model.process import CommandRecord, Process
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject
from tenuto.model.rule import StoredRule
from tenuto.ports.store_administration import (
    AccessChange,
    AccountChange,
    CreateSink,
    ExpectLease,
    ExpectRules,
    LeaseChange,
    NotificationChange,
    ProcessVersion,
    RemoveAccount,
    RemoveDelivery,
    RemoveRule,
    RemoveSink,
    RuleChange,
    SaveAccount,
    SaveDelivery,
    SaveLease,
    SavePolicy,
    SaveRule,
    SaveRuntime,
    SaveSink,
    SaveUserSecrets,
)
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveComposition,
    SaveFlips,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.storage import account_rules, rules
from tenuto.storage.changes import events_of
from tenuto.storage.stored import created, saved

THE_POLICY = "policy"
"""The key of the one there is."""
THE_LEASE = "lease"

_K = TypeVar("_K")
_V = TypeVar("_V")


class Table(Generic[_K, _V]):
    """A dictionary whose writes can be kept or dropped together. Reads see the writes at once."""

    def __init__(self) -> None:
        self._kept: dict[_K, _V] = {}
        self._staged: dict[_K, _V | None] = {}

    def get(self, key: _K) -> _V | None:
        return self._staged[key] if key in self._staged else self._kept.get(key)

    def put(self, key: _K, value: _V) -> None:
        self._staged[key] = value

    def put_all(self, values: Mapping[_K, _V]) -> None:
        self._staged.update(values)

    def remove(self, key: _K) -> None:
        """What is not there may be removed, too."""
        self._staged[key] = None

    def values(self) -> Iterator[_V]:
        """What is kept, in the order of the first writes."""
        return iter(self._kept.values())

    def items(self) -> Iterator[tuple[_K, _V]]:
        """What is kept, with its keys, in the order of the first writes."""
        return iter(self._kept.items())

    def current(self) -> list[_V]:
        """What would be kept now."""
        return [value for value in (self._kept | self._staged).values() if value is not None]

    def keep(self) -> None:
        for key, value in self._staged.items():
            if value is None:
                self._kept.pop(key, None)
            else:
                self._kept[key] = value
        self._staged.clear()

    def drop(self) -> None:
        self._staged.clear()


class Log(Generic[_V]):
    """A list that only grows; what was appended can be kept or dropped together."""

    def __init__(self) -> None:
        self.kept: list[_V] = []
        self._staged: list[_V] = []

    @property
    def length(self) -> int:
        return len(self.kept) + len(self._staged)

    def append(self, value: _V) -> None:
        self._staged.append(value)

    def keep(self) -> None:
        self.kept.extend(self._staged)
        self._staged.clear()

    def drop(self) -> None:
        self._staged.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Everything that is stored, and five indexes: who has an alias, a process's objects, an address, a running job,
    and a secret's key.

    An index names the last holder; whoever asks looks whether it still holds.
    """

    processes: Table[Fid, Process] = field(default_factory=Table)
    objects: Table[ObjectId, ManagedObject] = field(default_factory=Table)
    compositions: Table[str, Composition] = field(default_factory=Table)
    plans: Table[PlanId, Plan] = field(default_factory=Table)
    jobs: Table[JobId, Job] = field(default_factory=Table)
    commands: Log[CommandRecord] = field(default_factory=Log)
    events: Log[Event] = field(default_factory=Log)
    ops: Log[tuple[Op, frozenset[Fid]]] = field(default_factory=Log)
    accounts: Table[str, Account] = field(default_factory=Table)
    aliases: Table[str, Fid] = field(default_factory=Table)
    members: Table[Fid, tuple[ObjectId, ...]] = field(default_factory=Table)
    addresses: Table[tuple[Fid, LogicalId, int], ObjectId] = field(default_factory=Table)
    busy: Table[Fid, JobId] = field(default_factory=Table)
    policies: Table[str, PolicyText] = field(default_factory=Table)
    secrets: Table[str, UserSecret] = field(default_factory=Table)
    keys: Table[str, str] = field(default_factory=Table)
    settings: Table[str, RuntimeSetting] = field(default_factory=Table)
    rates: Table[Api, Bucket] = field(default_factory=Table)
    rules: Table[str, StoredRule] = field(default_factory=Table)
    flips: Table[Fid, tuple[Flip, ...]] = field(default_factory=Table)
    sinks: Table[str, Sink] = field(default_factory=Table)
    deliveries: Table[tuple[str, int], Delivery] = field(default_factory=Table)
    leases: Table[str, Lease] = field(default_factory=Table)

    def keep(self) -> None:
        for table in self._all():
            table.keep()

    def drop(self) -> None:
        for table in self._all():
            table.drop()

    def apply(self, change: StoreChange) -> None:
        """Stage one change and its events, or raise. The caller keeps or drops what was staged."""
        match change:
            case CreateProcess():
                self._create_process(change)
            case SaveProcess():
                self._save_process(change)
            case CreateObject():
                self._create_object(change)
            case SaveObject():
                self._save_object(change)
            case SaveComposition(composition=composition):
                self.compositions.put(composition.digest, self.compositions.get(composition.digest) or composition)
            case SaveJob(job=job):
                self._save_job(job)
            case SavePlan(plan=plan):
                rules.check_plan(plan, self.plans.get(plan.plan_id))
                self.plans.put(plan.plan_id, plan)
            case SaveFlips():
                self._save_flips(change)
            case Append():
                self._append(change)
            case SaveRates(buckets=buckets):
                self.rates.put_all(buckets)
            case _:
                self._administer(change)
        for event in events_of(change):
            self.events.append(replace(event, number=self.events.length + 1, data=plain(event.data)))

    def _create_process(self, change: CreateProcess) -> None:
        stored = self.processes.get(change.process.fid)
        rules.check_create_process(change, rules.standing_of_process(stored) if stored else None)
        self._put_process(change.process)

    def _save_process(self, change: SaveProcess) -> None:
        stored = self.processes.get(change.process.fid)
        rules.check_save_process(change, rules.standing_of_process(stored) if stored else None)
        self._put_process(replace(change.process, generation=change.expected_generation + 1))

    def _put_process(self, process: Process) -> None:
        rules.check_alias(process, self._holder(process.alias) if process.alias else None)
        if process.alias and rules.is_live(process):
            self.aliases.put(process.alias, process.fid)
        self.processes.put(process.fid, replace(process, lookups=plain(process.lookups)))

    def _holder(self, alias: str) -> Fid | None:
        """The live process that has the alias now."""
        fid = self.aliases.get(alias)
        holder = self.processes.get(fid) if fid else None
        return holder.fid if holder and rules.is_live(holder) and holder.alias == alias else None

    def _create_object(self, change: CreateObject) -> None:
        item, fid = change.object, change.object.fid
        stored = self.objects.get(item.object_id)
        has_process = fid is None or self.processes.get(fid) is not None
        rules.check_create_object(change, rules.standing_of_object(stored) if stored else None, has_process=has_process)
        rules.check_message(item, is_phase_failed=item.is_phase_failed)
        if fid is not None:
            address = (fid, item.logical_id, item.incarnation)
            rules.check_address(item, self.addresses.get(address))
            self.addresses.put(address, item.object_id)
            self.members.put(fid, (*(self.members.get(fid) or ()), item.object_id))
        self.objects.put(item.object_id, created(item))

    def _save_object(self, change: SaveObject) -> None:
        item = change.object
        stored = self.objects.get(item.object_id)
        rules.check_save_object(change, rules.standing_of_object(stored) if stored else None)
        if stored is None:
            raise BugError("a check let an unknown object pass")
        kept = saved(stored, change)
        rules.check_message(kept, is_phase_failed=kept.is_phase_failed)
        self.objects.put(item.object_id, kept)

    def _save_job(self, job: Job) -> None:
        busy = self.busy.get(job.fid)
        running = self.jobs.get(busy) if busy else None
        stored = self.jobs.get(job.job_id)
        rules.check_job(
            job,
            owner=stored.fid if stored else None,
            running=running.job_id if running and rules.occupies(running) else None,
        )
        self.jobs.put(job.job_id, job)
        if rules.occupies(job):
            self.busy.put(job.fid, job.job_id)

    def _administer(self, change: AccessChange | RuleChange | AccountChange | NotificationChange | LeaseChange) -> None:
        """What is about no single process."""
        match change:
            case SavePolicy() | SaveUserSecrets() | SaveRuntime():
                self._save_access(change)
            case SaveRule() | RemoveRule() | ExpectRules():
                self._save_rules(change)
            case SaveAccount():
                self._save_account(change)
            case RemoveAccount():
                self._remove_account(change)
            case CreateSink() | SaveSink() | RemoveSink() | SaveDelivery() | RemoveDelivery():
                self._notification(change)
            case SaveLease(lease=lease):
                rules.check_lease(lease, self.leases.get(THE_LEASE))
                self.leases.put(THE_LEASE, lease)
            case ExpectLease():
                rules.check_epoch(change, self.leases.get(THE_LEASE))
            case _:
                assert_never(change)

    def _save_access(self, change: AccessChange) -> None:
        match change:
            case SavePolicy(policy=None):
                self.policies.remove(THE_POLICY)
            case SavePolicy(policy=PolicyText() as policy):
                self.policies.put(THE_POLICY, policy)
            case SaveRuntime(settings=settings, removed=removed):
                for setting in settings:
                    self.settings.put(setting.key, setting)
                for key in removed:
                    self.settings.remove(key)
            case SaveUserSecrets(secrets=secrets, removed=removed):
                for user in removed:
                    self.secrets.remove(user)
                for secret in secrets:
                    rules.check_secret(secret, self.holder_of_key(secret.key))
                    self.secrets.put(secret.user, secret)
                    self.keys.put(secret.key, secret.user)

    def _save_rules(self, change: RuleChange) -> None:
        match change:
            case SaveRule(rule=stored):
                live = [process for process in self.processes.current() if rules.is_live(process)]
                rules.check_held(change, map(ProcessVersion.of, live))
                self.rules.put(stored.rule.name, stored)
            case RemoveRule(name=name):
                rules.check_remove_rule(change, self.rules.current())
                self.rules.remove(name)
            case ExpectRules():
                rules.check_rules(change, self.rules.current())

    def holder_of_key(self, key: str) -> UserSecret | None:
        holder = self.secrets.get(self.keys.get(key) or "")
        return holder if holder is not None and holder.key == key else None

    def _save_flips(self, change: SaveFlips) -> None:
        kept = {flip.key: flip for flip in self.flips.get(change.fid) or ()}
        for key in change.removed:
            kept.pop(key, None)
        kept |= {flip.key: flip for flip in change.saved}
        self.flips.put(change.fid, tuple(kept[key] for key in sorted(kept)))

    def _append(self, change: Append) -> None:
        for command in change.commands:
            self.commands.append(command)
        for op in change.ops:
            touched = [self.objects.get(object_id) for object_id in op.object_ids]
            self.ops.append((op, frozenset(item.fid for item in touched if item is not None and item.fid is not None)))

    def _save_account(self, change: SaveAccount) -> None:
        account = change.account
        holder = next((one.name for one in self.accounts.current() if one.account_id == account.account_id), None)
        account_rules.check_save_account(change, self.accounts.get(account.name), holder)
        self.accounts.put(account.name, replace(account, generation=change.expected_generation + 1))

    def _remove_account(self, change: RemoveAccount) -> None:
        living = [one for one in self.processes.current() if rules.is_live(one)]
        living.sort(key=lambda process: (process.created_at, process.fid))
        account_rules.check_remove_account(
            change,
            self.accounts.get(change.name),
            residents=[one.alias or one.fid for one in living if one.partition.account == change.name],
            others=self.accounts.current(),
        )
        self.accounts.remove(change.name)

    def _notification(self, change: NotificationChange) -> None:
        match change:
            case CreateSink(sink=sink):
                rules.check_new_sink(sink, self.sinks.get(sink.name))
                self.sinks.put(sink.name, sink)
            case SaveSink(sink=sink):
                rules.check_sink(sink.name, self.sinks.get(sink.name), sink.created_at)
                self.sinks.put(sink.name, sink)
            case RemoveSink(name=name):
                rules.check_sink(name, self.sinks.get(name))
                self.sinks.remove(name)
                for one in self.deliveries.current():
                    if one.sink == name:
                        self.deliveries.remove((name, one.number))
            case SaveDelivery(delivery=item):
                rules.check_sink(item.sink, self.sinks.get(item.sink))
                self.deliveries.put((item.sink, item.number), replace(item, document=plain(item.document)))
            case RemoveDelivery(sink=name, number=number):
                self.deliveries.remove((name, number))
            case _:
                assert_never(change)

    def _all(self) -> tuple[Table[Fid, Process] | Table[ObjectId, ManagedObject] | Log[Event], ...]:
        return tuple(getattr(self, name) for name in self.__slots__)
