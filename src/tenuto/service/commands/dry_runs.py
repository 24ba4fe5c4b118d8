"""Dry runs: the plan that a command would give to the next job, planned for real and executed never.

A dry run takes the same order as the command itself and asks the Conductor to plan for it. The dry run of a process
that exists is kept in its history as a job, with its plan; the dry run of `run` has no history to go to. A plan that is
shown before a question leaves no trace (`is_kept`): when the answer is yes, the history has the command itself.
"""

from tenuto.compositions.checks.managed import through_of
from tenuto.core.access.admission import admit
from tenuto.core.planning.bill import bill_of
from tenuto.model.access import ROOT
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.command import Command, ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Fid, IdSource, Instant, JobId
from tenuto.model.job import Job, JobKind, JobStatus
from tenuto.model.plan import Planning
from tenuto.model.process import Process, ReleaseMode
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.ports.store_changes import SaveJob, SavePlan
from tenuto.service.accounts.accounts import check_account, known_account
from tenuto.service.commands import orders
from tenuto.service.commands.exports_in_use import ExportsInUse
from tenuto.service.commands.lawful_ends import check_end
from tenuto.service.commands.orders import Order
from tenuto.service.commands.plan_files import PlanFiles
from tenuto.service.commands.plan_view import PlanView, facts_of
from tenuto.service.commands.taken_values import taken_values
from tenuto.service.common.finding import live_process
from tenuto.service.intake.adoption import check_adoption, check_only_adopts
from tenuto.service.intake.aliases import check_free
from tenuto.service.intake.composition import Intake, Submission


class DryRuns:
    """One method per command that has a dry run. Raises the errors of the command and of `Conductor.preview`."""

    def __init__(
        self, *, store: Store, clock: Clock, ids: IdSource, conductor: Conductor, intake: Intake, files: PlanFiles
    ) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._conductor = conductor
        self._intake = intake
        self._files = files
        self._exports = ExportsInUse(store=store, conductor=conductor)

    def run(
        self,
        submission: Submission,
        *,
        alias: str | None,
        account: str,
        adopts: bool = False,
        only_adopts: bool = False,
        is_enforced: bool = True,
        actor: str = ROOT,
    ) -> PlanView:
        check_free(self._store, alias)
        fid = Fid(self._ids.new("process"))
        accepted = self._intake.accept(submission, account=known_account(self._store, account).name, fid=fid)
        check_adoption(accepted.composition, adopts=adopts)
        order = orders.run_order(accepted, fid=fid, alias=alias, is_enforced=is_enforced, now=self._clock.now())
        self._exports.check(order)
        planning = self._conductor.preview(order.process, order.composition)
        if only_adopts:
            check_only_adopts(planning)
        types = self._conductor.types(order.process.provider)
        return PlanView(
            planning=planning,
            process=order.process,
            composition=order.composition,
            bill=bill_of(planning.plan, types),
            through=through_of(accepted.composition.resources, types),
            facts=facts_of(planning.plan, types),
            taken=taken_values(self._store, planning.plan, types),
            is_new=True,
            file=self._files.make(order, planning, (), actor),
        )

    def apply(
        self,
        submission: Submission,
        *,
        alias: str,
        account: str | None,
        adopts: bool = False,
        actor: str = ROOT,
        is_kept: bool = True,
    ) -> PlanView:
        process = self._store.process(alias)
        if process is None or process.state is ProcessState.GONE:
            return self.run(submission, alias=alias, account=account or DEFAULT_ACCOUNT, adopts=adopts, actor=actor)
        return self._update(alias, submission, account=account, only_if_changed=True, actor=actor, is_kept=is_kept)

    def update(
        self,
        reference: str,
        submission: Submission,
        *,
        account: str | None = None,
        actor: str = ROOT,
        is_kept: bool = True,
    ) -> PlanView:
        return self._update(reference, submission, account=account, only_if_changed=False, actor=actor, is_kept=is_kept)

    def _update(
        self,
        reference: str,
        submission: Submission,
        *,
        account: str | None,
        only_if_changed: bool,
        actor: str,
        is_kept: bool,
    ) -> PlanView:
        process = self._admitted(Command.UPDATE, reference, passes_lock=only_if_changed)
        check_account(self._store, process, account)
        accepted = self._intake.accept_for(process, submission, known=self._composition(process))
        if only_if_changed and not orders.is_held(process, accepted):
            admit(Command.UPDATE, process)
        return self._rehearse(orders.update_order(process, accepted, now=self._clock.now()), actor, is_kept=is_kept)

    def resume(self, reference: str, *, actor: str = ROOT, is_kept: bool = True) -> PlanView:
        process = self._admitted(Command.RESUME, reference)
        order = orders.resume_order(process, self._composition(process), now=self._clock.now())
        return self._rehearse(order, actor, is_kept=is_kept)

    def kill(self, reference: str, *, actor: str = ROOT, is_kept: bool = True) -> PlanView:
        process = self._admitted(Command.KILL, reference)
        return self._rehearse(orders.kill_order(process, now=self._clock.now()), actor, is_kept=is_kept)

    def release(self, reference: str, *, keep_tags: bool = False, actor: str = ROOT, is_kept: bool = True) -> PlanView:
        process = self._admitted(Command.RELEASE, reference)
        mode = release_mode(keep_tags=keep_tags)
        return self._rehearse(orders.release_order(process, mode, now=self._clock.now()), actor, is_kept=is_kept)

    def _admitted(self, command: Command, reference: str, *, passes_lock: bool = False) -> Process:
        process = live_process(self._store, reference)
        admit(command, process, passes_lock=passes_lock)
        return process

    def _composition(self, process: Process) -> Composition | None:
        return self._store.composition(process.composition_digest)

    def _rehearse(self, order: Order, actor: str, *, is_kept: bool) -> PlanView:
        started_at = self._clock.now()
        view = self._rehearsed(order, actor)
        if is_kept:
            self._keep(order, view.planning, started_at, actor)
        return view

    def _rehearsed(self, order: Order, actor: str) -> PlanView:
        self._exports.check(order)
        check_end(order, self._store, self._conductor)
        planning = self._conductor.preview(order.process, order.composition)
        objects = self._store.objects(order.process.fid)
        types = self._conductor.types(order.process.provider)
        return PlanView(
            planning=planning,
            process=order.before or order.process,
            composition=order.composition or self._composition(order.process),
            bill=bill_of(planning.plan, types, objects),
            through=through_of(order.composition.resources, types) if order.composition is not None else (),
            facts=facts_of(planning.plan, types),
            followers=self._exports.moved(order, planning.plan),
            taken=taken_values(self._store, planning.plan, types),
            file=self._files.make(order, planning, objects, actor),
        )

    def _keep(self, order: Order, planning: Planning, started_at: Instant, actor: str) -> None:
        plan = planning.plan
        job = Job(
            job_id=JobId(self._ids.new("job")),
            fid=order.process.fid,
            kind=JobKind.DRY_RUN,
            command=order.command,
            actor=actor,
            status=JobStatus.SUCCEEDED,
            plan_id=plan.plan_id,
            plan_summary=plan.summary,
            message=planning.held,
            started_at=started_at,
            finished_at=self._clock.now(),
        )
        self._store.commit((SavePlan(plan=plan), SaveJob(job=job)))


def release_mode(*, keep_tags: bool) -> ReleaseMode:
    return ReleaseMode.KEEP_TAGS if keep_tags else ReleaseMode.UNTAG
