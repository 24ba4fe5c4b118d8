"""The store in memory: the twin that tests, demos and dry runs use, held to the same contract as the others.

Theory of operation. All tables are dictionaries of frozen values. A commit stages its writes beside them; only when
every change passed are they kept, all at once, under the lock that the readers take too. So all-or-nothing needs no
undo, and a refused commit leaves no trace.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from tenuto.core.entries import is_ready
from tenuto.errors import BugError
from tenuto.kit.canonical import DocumentError
from tenuto.lifecycles.resource import RESOURCE
from tenuto.model.access import PolicyText, RuntimeSetting, UserSecret
from tenuto.model.account import Account
from tenuto.model.composition import Composition
from tenuto.model.event import Event
from tenuto.model.flip import Flip
from tenuto.model.ids import Fid, Instant, JobId, ObjectId, Partition, PhaseName, PlanId, TypeName
from tenuto.model.job import Job
from tenuto.model.lease import Lease
from tenuto.model.notification import Backlog, Delivery, Sink
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan
from tenuto.model.process import Process, ProcessState
from tenuto.model.rate import Api, Bucket
from tenuto.model.resource import ManagedObject
from tenuto.model.rule import StoredRule
from tenuto.ports.store_changes import StoreChange
from tenuto.ports.store_reads import EventQuery, History, Ready
from tenuto.storage.memory_selection import age, due_since, is_final, is_within, matches, newest, recency
from tenuto.storage.memory_tables import THE_LEASE, THE_POLICY, Tables
from tenuto.storage.memory_writes import MemoryWrites

_AT_REST = (ProcessState.SUSPENDED, ProcessState.GONE)
_UNFINISHED = (PhaseStatus.RUNNING, PhaseStatus.CANCELING)


class MemoryStore:
    """Implements `ports.store.Store`. Nothing outlives the object."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables = Tables()
        self._writes = MemoryWrites(self._tables)

    def commit(self, changes: Sequence[StoreChange]) -> None:
        with self._lock:
            try:
                for change in changes:
                    self._writes.apply(change)
            except DocumentError as error:
                self._tables.drop()
                raise BugError(f"a value cannot be stored or read: {error}") from error
            except BaseException:
                self._tables.drop()
                raise
            self._tables.keep()

    def close(self) -> None:
        """Nothing to release."""

    def process(self, reference: str) -> Process | None:
        with self._lock:
            found = self._tables.processes.get(Fid(reference))
            if found is not None:
                return found
            named = [process for process in self._tables.processes.values() if process.alias == reference]
        return max(named, key=recency, default=None)

    def processes(self, *, live: bool = True) -> tuple[Process, ...]:
        with self._lock:
            chosen = [
                process
                for process in self._tables.processes.values()
                if not live or process.state is not ProcessState.GONE
            ]
        return tuple(sorted(chosen, key=lambda process: (process.created_at, process.fid)))

    def composition(self, digest: str) -> Composition | None:
        with self._lock:
            return self._tables.compositions.get(digest)

    def objects(self, fid: Fid) -> tuple[ManagedObject, ...]:
        with self._lock:
            members = [self._tables.objects.get(object_id) for object_id in self._tables.members.get(fid) or ()]
        own = [item for item in members if item is not None]
        own.sort(key=lambda item: (item.logical_id, item.incarnation))
        last = {item.logical_id: item.object_id for item in own if is_final(item)}
        return tuple(item for item in own if not is_final(item) or last[item.logical_id] == item.object_id)

    def object(self, object_id: ObjectId) -> ManagedObject | None:
        with self._lock:
            return self._tables.objects.get(object_id)

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        with self._lock:
            found = [self._tables.objects.get(object_id) for object_id in dict.fromkeys(object_ids)]
        return tuple(item for item in found if item is not None)

    def ready(self, now: Instant) -> tuple[Ready, ...]:
        due: dict[tuple[PhaseName, Partition], int] = {}
        wakes: dict[tuple[PhaseName, Partition], list[Instant]] = {}
        with self._lock:
            for item in self._workable():
                for phase, entry in item.phases.items():
                    key = (phase, item.partition)
                    if is_ready(entry, now):
                        due[key] = due.get(key, 0) + 1
                    elif entry.status is PhaseStatus.SLEEPING and entry.wake_at is not None:
                        wakes.setdefault(key, []).append(entry.wake_at)
        return tuple(
            Ready(
                phase=key[0],
                partition=key[1],
                waiting=due.get(key, 0),
                wake_at=None if key in due else min(wakes[key]),
            )
            for key in sorted(due.keys() | wakes.keys())
        )

    def waiting(self, phase: PhaseName, partition: Partition, now: Instant, limit: int) -> tuple[ManagedObject, ...]:
        with self._lock:
            found = [
                (due_since(item, item.phases[phase]), item.object_id, item)
                for item in self._workable()
                if item.partition == partition and phase in item.phases and is_ready(item.phases[phase], now)
            ]
        found.sort(key=lambda entry: entry[:2])
        return tuple(item for _, _, item in found[:limit])

    def interrupted(self) -> tuple[ManagedObject, ...]:
        with self._lock:
            found = [
                item
                for item in self._tables.objects.values()
                if any(entry.status in _UNFINISHED for entry in item.phases.values())
            ]
        return tuple(sorted(found, key=age))

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        with self._lock:
            found = [
                item
                for item in self._tables.objects.values()
                if item.type == type
                and item.partition == partition
                and item.physical_id is not None
                and not is_final(item)
            ]
        return tuple(sorted(found, key=age))

    def plan(self, plan_id: PlanId) -> Plan | None:
        with self._lock:
            return self._tables.plans.get(plan_id)

    def job(self, job_id: str) -> Job | None:
        with self._lock:
            return self._tables.jobs.get(JobId(job_id))

    def history(
        self, fid: Fid, *, start: Instant | None = None, end: Instant | None = None, limit: int = 1000
    ) -> History:
        with self._lock:
            commands = [c for c in self._tables.commands.kept if c.fid == fid and is_within(c.at, start, end)]
            jobs = [j for j in self._tables.jobs.values() if j.fid == fid and is_within(j.started_at, start, end)]
            ops = [o for o, fids in self._tables.ops.kept if fid in fids and is_within(o.at, start, end)]
        commands.sort(key=lambda command: command.at)
        jobs.sort(key=lambda job: (job.started_at, job.job_id))
        ops.sort(key=lambda op: op.at)
        return History(
            commands=newest(commands, limit),
            jobs=newest(jobs, limit),
            ops=newest(ops, limit),
        )

    def lease(self) -> Lease | None:
        with self._lock:
            return self._tables.leases.get(THE_LEASE)

    def rates(self) -> dict[Api, Bucket]:
        with self._lock:
            return dict(self._tables.rates.items())

    def events(self, query: EventQuery) -> tuple[Event, ...]:
        with self._lock:
            found = [event for event in self._tables.events.kept[query.after :] if matches(event, query)]
        return newest(found, query.limit)

    def policy(self) -> PolicyText | None:
        with self._lock:
            return self._tables.policies.get(THE_POLICY)

    def user_secret(self, key: str) -> UserSecret | None:
        with self._lock:
            return self._tables.secret_of_key(key)

    def user_secrets(self) -> tuple[UserSecret, ...]:
        with self._lock:
            return tuple(sorted(self._tables.secrets.values(), key=lambda secret: secret.user))

    def runtime_settings(self) -> tuple[RuntimeSetting, ...]:
        with self._lock:
            return tuple(sorted(self._tables.settings.values(), key=lambda setting: setting.key))

    def rules(self) -> tuple[StoredRule, ...]:
        with self._lock:
            return tuple(sorted(self._tables.rules.values(), key=lambda stored: stored.rule.name))

    def account(self, name: str) -> Account | None:
        with self._lock:
            return self._tables.accounts.get(name)

    def accounts(self) -> tuple[Account, ...]:
        with self._lock:
            return tuple(sorted(self._tables.accounts.values(), key=lambda account: account.name))

    def resource_states(self) -> Mapping[str, int]:
        with self._lock:
            counted = Counter(
                item.state
                for item in self._tables.objects.values()
                if item.lifecycle == RESOURCE.name and not is_final(item)
            )
        return {state: counted[state] for state in sorted(counted)}

    def flips(self, fid: Fid) -> tuple[Flip, ...]:
        with self._lock:
            return self._tables.flips.get(fid) or ()

    def sinks(self) -> tuple[Sink, ...]:
        with self._lock:
            return tuple(sorted(self._tables.sinks.values(), key=lambda sink: sink.name))

    def backlogs(self) -> Mapping[str, Backlog]:
        with self._lock:
            counted = Counter((item.sink, item.died_at is None) for item in self._tables.deliveries.values())
        names = sorted({name for name, _ in counted})
        return {name: Backlog(waiting=counted[name, True], dead=counted[name, False]) for name in names}

    def deliveries(self, sink: str, *, is_dead: bool, limit: int) -> tuple[Delivery, ...]:
        with self._lock:
            found = [
                item
                for item in self._tables.deliveries.values()
                if item.sink == sink and (item.died_at is not None) == is_dead
            ]
        found.sort(key=lambda item: (0.0 if is_dead else item.next_at, item.number))
        return tuple(found[: max(limit, 0)])

    def events_after(self, number: int, limit: int) -> tuple[Event, ...]:
        with self._lock:
            return tuple(self._tables.events.kept[number : number + max(limit, 0)])

    def last_event(self) -> int:
        with self._lock:
            return len(self._tables.events.kept)

    def _workable(self) -> Iterable[ManagedObject]:
        """Objects that phases may work on now: not those of a suspended process."""
        for item in self._tables.restless.values():
            process = self._tables.processes.get(item.fid) if item.fid else None
            if process is None or process.state not in _AT_REST:
                yield item
