"""How changes are written in the store in memory. Whatever was raised leaves what was staged to be dropped."""

from dataclasses import replace

from tenuto.errors import BugError
from tenuto.kit.canonical import plain
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid
from tenuto.model.job import Job
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveFlips,
    SaveObject,
    SaveProcess,
    SaveRates,
    StoreChange,
)
from tenuto.storage import rules
from tenuto.storage.changes import events_of
from tenuto.storage.memory_administration import MemoryAdministration
from tenuto.storage.memory_tables import Tables
from tenuto.storage.stored import created, saved
from tenuto.storage.writes import write

_UNDONE = frozenset({PhaseStatus.WAITING, PhaseStatus.SLEEPING})


class MemoryWrites:
    """Stages changes in the tables. Implements `writes.Writes`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.administration = MemoryAdministration(tables)

    def apply(self, change: StoreChange) -> None:
        """Stage one change and its events, or raise."""
        write(change, self)
        for event in events_of(change):
            number = self._tables.events.length + 1
            self._tables.events.append(replace(event, number=number, data=plain(event.data)))

    def save_composition(self, composition: Composition) -> None:
        known = self._tables.compositions.get(composition.digest)
        self._tables.compositions.put(composition.digest, known or composition)

    def save_plan(self, plan: Plan) -> None:
        rules.check_plan(plan, self._tables.plans.get(plan.plan_id))
        self._tables.plans.put(plan.plan_id, plan)

    def save_rates(self, change: SaveRates) -> None:
        self._tables.rates.put_all(change.buckets)

    def create_process(self, change: CreateProcess) -> None:
        stored = self._tables.processes.get(change.process.fid)
        rules.check_create_process(change, rules.standing_of_process(stored) if stored else None)
        self._put_process(change.process)

    def save_process(self, change: SaveProcess) -> None:
        stored = self._tables.processes.get(change.process.fid)
        rules.check_save_process(change, rules.standing_of_process(stored) if stored else None)
        self._put_process(replace(change.process, generation=change.expected_generation + 1))

    def _put_process(self, process: Process) -> None:
        rules.check_alias(process, self._holder(process.alias) if process.alias else None)
        if process.alias and rules.is_live(process):
            self._tables.aliases.put(process.alias, process.fid)
        self._tables.processes.put(process.fid, replace(process, lookups=plain(process.lookups)))

    def _holder(self, alias: str) -> Fid | None:
        """The live process that has the alias now."""
        fid = self._tables.aliases.get(alias)
        holder = self._tables.processes.get(fid) if fid else None
        return holder.fid if holder and rules.is_live(holder) and holder.alias == alias else None

    def create_object(self, change: CreateObject) -> None:
        item, fid = change.object, change.object.fid
        stored = self._tables.objects.get(item.object_id)
        has_process = fid is None or self._tables.processes.get(fid) is not None
        rules.check_create_object(change, rules.standing_of_object(stored) if stored else None, has_process=has_process)
        rules.check_message(item, is_phase_failed=item.is_phase_failed)
        if fid is not None:
            address = (fid, item.logical_id, item.incarnation)
            rules.check_address(item, self._tables.addresses.get(address))
            self._tables.addresses.put(address, item.object_id)
            self._tables.members.put(fid, (*(self._tables.members.get(fid) or ()), item.object_id))
        self._put_object(created(item))

    def save_object(self, change: SaveObject) -> None:
        item = change.object
        stored = self._tables.objects.get(item.object_id)
        rules.check_save_object(change, rules.standing_of_object(stored) if stored else None)
        if stored is None:
            raise BugError("a check let an unknown object pass")
        kept = saved(stored, change)
        rules.check_message(kept, is_phase_failed=kept.is_phase_failed)
        self._put_object(kept)

    def _put_object(self, item: ManagedObject) -> None:
        self._tables.objects.put(item.object_id, item)
        if any(entry.status in _UNDONE for entry in item.phases.values()):
            self._tables.restless.put(item.object_id, item)
        else:
            self._tables.restless.remove(item.object_id)

    def save_job(self, job: Job) -> None:
        busy = self._tables.busy.get(job.fid)
        running = self._tables.jobs.get(busy) if busy else None
        stored = self._tables.jobs.get(job.job_id)
        rules.check_job(
            job,
            owner=stored.fid if stored else None,
            running=running.job_id if running and rules.occupies(running) else None,
        )
        self._tables.jobs.put(job.job_id, job)
        if rules.occupies(job):
            self._tables.busy.put(job.fid, job.job_id)

    def save_flips(self, change: SaveFlips) -> None:
        kept = {flip.key: flip for flip in self._tables.flips.get(change.fid) or ()}
        for key in change.removed:
            kept.pop(key, None)
        kept |= {flip.key: flip for flip in change.saved}
        self._tables.flips.put(change.fid, tuple(kept[key] for key in sorted(kept)))

    def append(self, change: Append) -> None:
        for command in change.commands:
            self._tables.commands.append(command)
        for op in change.ops:
            touched = [self._tables.objects.get(object_id) for object_id in op.object_ids]
            fids = frozenset(item.fid for item in touched if item is not None and item.fid is not None)
            self._tables.ops.append((op, fids))
