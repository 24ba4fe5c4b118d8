"""The commands of people to processes (docs/guide/process-model.md, DECISIONS 1 to 5).

A command never does the work. It checks that the process takes it, stores the new process together with its own record
in one commit, and wakes the Conductor; the next job does the rest. A commit that lost against a job is decided again
from the store. Facts that are true only when the command was given, such as the end of its proposal, are in the same
commit (`along`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace

from tenuto.core.access.admission import admit
from tenuto.core.planning.comparing.adoption import newly_named
from tenuto.errors import ConflictError, NotAllowedError, UserError
from tenuto.kit.current_request import CurrentRequest
from tenuto.kit.regions import LISTED, Regions
from tenuto.model.access import ROOT
from tenuto.model.account import DEFAULT_ACCOUNT
from tenuto.model.command import Command, ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, IdSource, Instant, JobId, JsonMap, LogicalId
from tenuto.model.marked import MarkedThing
from tenuto.model.plan import Plan
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.secrets import Secrets
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.service.accounts.accounts import Accounts, check_account, known_account, still_there
from tenuto.service.commands import orders
from tenuto.service.commands.causes import Causes
from tenuto.service.commands.direct_commands import LONGEST_REASON
from tenuto.service.commands.dry_runs import DryRuns, release_mode
from tenuto.service.commands.exports_in_use import ExportsInUse
from tenuto.service.commands.lawful_ends import check_end
from tenuto.service.commands.orders import Order
from tenuto.service.commands.plan_files import PlanFiles, check_as_shown
from tenuto.service.commands.planned import PlannedOrders
from tenuto.service.commands.plugin_reload import Plugins
from tenuto.service.common.finding import check_resources, live_process, no_property, switch_of
from tenuto.service.common.moments import moment_of
from tenuto.service.common.until_stored import until_stored
from tenuto.service.common.values import time_text
from tenuto.service.intake.adoption import check_adoption, check_only_adopts
from tenuto.service.intake.aliases import check_free
from tenuto.service.intake.composition import Intake, Submission
from tenuto.service.intake.rule_book import RuleBook
from tenuto.service.objects.limits import Limits


class Commands:
    """Every method raises NotFoundError, NotAllowedError, UserError or StoreError, and then has changed nothing."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        ids: IdSource,
        secrets: Secrets,
        conductor: Conductor,
        limits: Limits | None = None,
        regions: Regions = LISTED,
        current: CurrentRequest | None = None,
    ) -> None:
        """`limits` are those that know the sizes of images, where a provider keeps any."""
        self._store = store
        self._current = current or CurrentRequest()
        self._clock = clock
        self._ids = ids
        self._conductor = conductor
        self._intake = Intake(
            conductor=conductor, secrets=secrets, rules=RuleBook(store), regions=regions, limits=limits or Limits(store)
        )
        self._exports = ExportsInUse(store=store, conductor=conductor)
        self._planned = PlannedOrders(store=store, clock=clock, ids=ids, conductor=conductor, intake=self._intake)
        self.accounts = Accounts(store=store, clock=clock, secrets=secrets, places=conductor, regions=regions)
        self.plugins = Plugins(store=store, clock=clock, conductor=conductor)
        self.plan_files = PlanFiles(secrets)
        self.dry_runs = DryRuns(
            store=store, clock=clock, ids=ids, conductor=conductor, intake=self._intake, files=self.plan_files
        )
        self.causes = Causes(store=store, resume=self._resume_of_cause, plan=self._plan_of_resume)
        self._more: Callable[[Process], Sequence[StoreChange]] = lambda _: ()

    def along(self, more: Callable[[Process], Sequence[StoreChange]]) -> "Commands":
        """Commands that store further changes in the commit of each: both are done, or neither. `more` is asked for
        them with the process as the command leaves it, before each attempt to commit."""
        found = copy(self)
        found._more = more
        return found

    @until_stored
    def run(
        self,
        submission: Submission,
        *,
        alias: str | None = None,
        account: str = DEFAULT_ACCOUNT,
        adopts: bool = False,
        only_adopts: bool = False,
        is_enforced: bool = True,
        is_locked: bool = False,
        actor: str = ROOT,
    ) -> Process:
        """A new process. Not idempotent: twice makes two. Raises CompileError when it cannot be accepted.

        `adopts` takes over the things that the composition names by `ResourceIdentifier`. Raises NotAdoptableError when
        that cannot be, or ProviderError when it cannot be observed. `only_adopts` refuses every plan that does more,
        and executes exactly the plan that it has judged.
        """
        check_free(self._store, alias)
        fid = Fid(self._ids.new("process"))
        home = known_account(self._store, account)
        accepted = self._intake.accept(submission, account=home.name, fid=fid)
        check_adoption(accepted.composition, adopts=adopts)
        order = orders.run_order(
            accepted, fid=fid, alias=alias, is_enforced=is_enforced, is_locked=is_locked, now=self._clock.now()
        )
        self._exports.check(order)
        if adopts:
            planning = self._conductor.preview(order.process, order.composition)
            if only_adopts:
                check_only_adopts(planning)
                order = orders.planned_order(order, planning, (), JobId(self._ids.new("job")), now=self._clock.now())
        return self._carry_out(order, actor, *still_there(home))

    def apply(
        self,
        submission: Submission,
        *,
        alias: str,
        account: str | None = None,
        adopts: bool = False,
        is_locked: bool = False,
        actor: str = ROOT,
        shown: JsonMap | None = None,
    ) -> Process:
        """Run when there is no such process, update when it differs, else nothing. Idempotent: things that the first of
        two adopted are held when the second comes. `is_locked` locks a process that is run; the lock of one that is
        there stays as it is, and refuses a composition that differs."""
        process = self._store.process(alias)
        if process is None or process.state is ProcessState.GONE:
            return self.run(
                submission,
                alias=alias,
                account=account or DEFAULT_ACCOUNT,
                adopts=adopts,
                is_locked=is_locked,
                actor=actor,
            )
        return self._update(alias, submission, actor, account=account, only_if_changed=True, shown=shown)

    def update(
        self,
        reference: str,
        submission: Submission,
        *,
        account: str | None = None,
        actor: str = ROOT,
        shown: JsonMap | None = None,
    ) -> Process:
        """Give the process another composition. The next job applies it; a Suspended process when it is resumed.

        `shown` are the facts of the process in the plan that the caller has seen: PlanMovedError when they are others
        now. Raises UserError when the process belongs to another `account`.
        """
        return self._update(reference, submission, actor, account=account, only_if_changed=False, shown=shown)

    def adopt(self, reference: str, thing: MarkedThing, *, actor: str = ROOT) -> Process:
        """Give a real thing that was made sure of (`unknown_things`) to the resource that its marks name."""

        def order(process: Process) -> Order:
            composition = self._store.composition(process.composition_digest)
            return orders.adopt_order(process, composition, thing, now=self._clock.now())

        return self._command(Command.UPDATE, reference, actor, order)

    def suspend(self, reference: str, *, actor: str = ROOT) -> Process:
        """Suspend a process: it gets no more jobs, and a kill is paused."""
        return self._command(
            Command.SUSPEND, reference, actor, lambda process: orders.suspend_order(process, now=self._clock.now())
        )

    def resume(self, reference: str, *, actor: str = ROOT) -> Process:
        """Resume a process: its first job tries failed phases again. Approves a held plan; cancels a paused kill."""
        return self._command(Command.RESUME, reference, actor, self._resume_order)

    def check(self, reference: str) -> Process:
        """Have the Conductor look at a process now, without waiting for its next job. Changes nothing by itself."""
        process = live_process(self._store, reference)
        self._conductor.wake(process.fid)
        return process

    def kill(self, reference: str, *, actor: str = ROOT) -> Process:
        """Delete its resources, and then the process. State Killing at once, even while a job runs."""
        return self._command(Command.KILL, reference, actor, self._kill_order)

    def release(self, reference: str, *, keep_tags: bool = False, actor: str = ROOT) -> Process:
        """Let go of its resources, which stay as they are, and end. Goes on where a release was interrupted."""
        mode = release_mode(keep_tags=keep_tags)

        def order(process: Process) -> Order:
            return self._ending(orders.release_order(process, mode, now=self._clock.now()))

        return self._command(Command.RELEASE, reference, actor, order)

    def execute(self, reference: str, document: JsonMap, *, actor: str = ROOT, may_store: bool = False) -> Process:
        """Execute a plan file exactly. The update of a Suspended process is stored where the caller takes that for it
        (`may_store`), and refused where not. Raises PlanMovedError when a plan made now is another one."""
        file = self.plan_files.read(document)

        def order(process: Process) -> Order:
            return self._planned.order(process, file, may_store=may_store)

        return self._command(file.command, reference, actor, order)

    def retry(
        self, reference: str, logical_ids: Sequence[LogicalId] = (), *, actor: str = ROOT
    ) -> tuple[Process, Mapping[LogicalId, int]]:
        """Clear the failed phases of the named resources, or of all; with how many each had."""
        cleared: dict[LogicalId, int] = {}

        def order(process: Process) -> Order:
            check_resources(process, self._store.objects(process.fid), logical_ids)
            for logical_id, count in self._conductor.retry(process.fid, tuple(logical_ids), actor=actor).items():
                cleared[logical_id] = cleared.get(logical_id, 0) + count
            return orders.retry_order(process, cleared, now=self._clock.now())

        return self._command(Command.RETRY, reference, actor, order), cleared

    def set_property(
        self, reference: str, key: str, value: str, *, until: str | None = None, reason: str = "", actor: str = ROOT
    ) -> Process:
        """`alias` NAME, `lock` on|off, `enforcement` on|off. Raises UserError for another key or value.

        `until` (`2h`, `30m`, `1d`, or an ISO time) is when enforcement that is off comes back by itself. The history
        keeps the `reason` with the command.
        """
        passes_lock = key == "lock" and not switch_of(key, value)
        if until is not None and (key != "enforcement" or switch_of(key, value)):
            raise UserError("Only 'enforcement off' can have an end: leave 'until' out, or set enforcement to off.")
        end = moment_of(until, self._clock.wall()) if until is not None else None
        detail = f"{key} {value}" if end is None else f"{key} {value} until {time_text(end)}"
        if reason.strip():
            detail += f": {reason.strip()[:LONGEST_REASON]}"

        def order(process: Process) -> Order:
            return orders.property_order(
                process, self._with_property(process, key, value, end), detail, now=self._clock.now()
            )

        return self._command(Command.PROPERTY, reference, actor, order, passes_lock=passes_lock)

    def _update(
        self,
        reference: str,
        submission: Submission,
        actor: str,
        *,
        account: str | None,
        only_if_changed: bool,
        shown: JsonMap | None,
    ) -> Process:
        def order(process: Process) -> Order | None:
            check_account(self._store, process, account)
            if shown:
                check_as_shown(process, shown)
            known = self._store.composition(process.composition_digest)
            accepted = self._intake.accept_for(process, submission, known=known)
            if only_if_changed:
                if orders.is_held(process, accepted):
                    return None
                admit(Command.UPDATE, process)
            order = orders.update_order(process, accepted, now=self._clock.now())
            self._exports.check(order)
            if newly_named(accepted.composition, known):
                self._conductor.preview(order.process, order.composition)
            return order

        return self._command(Command.UPDATE, reference, actor, order, passes_lock=only_if_changed)

    def _resume_order(self, process: Process) -> Order:
        composition = self._store.composition(process.composition_digest)
        order = orders.resume_order(process, composition, now=self._clock.now())
        self._exports.check(order)
        return order

    def _plan_of_resume(self, fid: Fid) -> Plan:
        return self.dry_runs.resume(fid, is_kept=False).planning.plan

    def _resume_of_cause(self, fid: Fid, causes: Collection[str], actor: str) -> Process:
        """Resume a process that one of the causes suspends. Raises ConflictError when none does any more."""

        def order(process: Process) -> Order:
            if process.state is ProcessState.SUSPENDED and set(causes).isdisjoint(process.causes):
                raise ConflictError("It was suspended for another reason meanwhile, and stays so.")
            return self._resume_order(process)

        return self._command(Command.RESUME, fid, actor, order)

    def _kill_order(self, process: Process) -> Order:
        return self._ending(orders.kill_order(process, now=self._clock.now()))

    def _ending(self, order: Order) -> Order:
        self._exports.check(order)
        check_end(order, self._store, self._conductor)
        return order

    def _command(
        self,
        command: Command,
        reference: str,
        actor: str,
        order: Callable[[Process], Order | None],
        *,
        passes_lock: bool = False,
    ) -> Process:
        """Admit, order and commit; again from the start when a job wrote the process in between. An alias is read once:
        another process may have it by then."""
        fid = live_process(self._store, reference).fid

        @until_stored
        def attempt() -> Process:
            process = live_process(self._store, fid)
            ordered = self._admitted(command, process, actor, order, passes_lock=passes_lock)
            return process if ordered is None else self._carry_out(ordered, actor)

        return attempt()

    def _carry_out(self, order: Order, actor: str, *expected: StoreChange) -> Process:
        asked = self._current.request
        given = orders.store_changes(order, at=self._clock.now(), actor=actor, request=asked)
        with self._exports.holding(order):
            self._store.commit((*expected, *given, *self._more(order.process)))
        self._conductor.count_drift(order.news)
        self._conductor.wake(order.process.fid)
        return live_process(self._store, order.process.fid)

    def _admitted(
        self,
        command: Command,
        process: Process,
        actor: str,
        order: Callable[[Process], Order | None],
        *,
        passes_lock: bool,
    ) -> Order | None:
        """The order, if the process and those that import from it allow it. A refusal is remembered."""
        try:
            admit(command, process, passes_lock=passes_lock)
            return order(process)
        except NotAllowedError as refused:
            event = orders.command_event(
                process, command, EventType.COMMAND_REFUSED, str(refused), at=self._clock.now(), actor=actor
            )
            self._store.commit((Append(events=(event,)),))
            raise

    def _with_property(self, process: Process, key: str, value: str, until: Instant | None) -> Process:
        match key:
            case "alias":
                if value != process.alias:
                    check_free(self._store, value)
                return replace(process, alias=value)
            case "lock":
                return replace(process, is_locked=switch_of(key, value))
            case "enforcement":
                return replace(process, is_enforced=switch_of(key, value), enforcement_until=until)
            case _:
                raise no_property(key)
