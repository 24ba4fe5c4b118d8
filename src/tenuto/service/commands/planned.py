"""Orders from plan files: the same commands, with the plan that they are executed by."""

from tenuto.core.reports.audit import refusals, refused_message
from tenuto.errors import BugError, NotAllowedError, PlanBusyError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import IdSource, Instant, JobId
from tenuto.model.process import Process
from tenuto.ports.clock import Clock
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.service.commands import orders
from tenuto.service.commands.exports_in_use import ExportsInUse
from tenuto.service.commands.lawful_ends import check_end
from tenuto.service.commands.orders import Order
from tenuto.service.commands.plan_files import PlanFile, check_unmoved
from tenuto.service.intake.composition import Intake


class PlannedOrders:
    """Turns a plan file into an order, or refuses it."""

    def __init__(self, *, store: Store, clock: Clock, ids: IdSource, conductor: Conductor, intake: Intake) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids
        self._conductor = conductor
        self._intake = intake
        self._exports = ExportsInUse(store=store, conductor=conductor)

    def order(self, process: Process, file: PlanFile, *, may_store: bool = False) -> Order:
        """The order that executes exactly the operations of the file. Raises PlanMovedError when a plan made now is
        another one, BugError when the audit finds an error in it, and the errors of the command and of
        `Conductor.preview`.

        An update of a Suspended process is stored and not executed. A saved plan promises to be executed, so it is
        refused there; the plan of a proposal, or one that a rule has judged in place of the command, may be stored
        (`may_store`).
        """
        _check_process(process, file, may_store=may_store)
        now = self._clock.now()
        order = self._same_order(process, file, now)
        self._exports.check(order)
        check_end(order, self._store, self._conductor)
        objects = self._store.objects(process.fid)
        planning = self._conductor.preview(order.process, order.composition)
        check_unmoved(file, order, planning, objects)
        if wrong := refusals(order.process, planning.plan, objects, CATALOGUE):
            raise BugError(refused_message(wrong))
        if process.state is ProcessState.SUSPENDED and file.command is Command.UPDATE:
            return order
        return orders.planned_order(order, planning, objects, JobId(self._ids.new("job")), now=now)

    def _same_order(self, process: Process, file: PlanFile, now: Instant) -> Order:
        composition = self._store.composition(process.composition_digest)
        match file.command:
            case Command.RESUME:
                return orders.resume_order(process, composition, now=now)
            case Command.RELEASE:
                return orders.release_order(process, file.mode, now=now)
            case Command.UPDATE if file.submission is not None:
                accepted = self._intake.accept_for(process, file.submission, known=composition)
                return orders.update_order(process, accepted, now=now)
            case Command.KILL:
                return orders.kill_order(process, now=now)
            case _:
                raise BugError(f"a plan of '{file.command}' was read, and cannot be executed")


def _check_process(process: Process, file: PlanFile, *, may_store: bool) -> None:
    name = process.alias or process.fid
    if process.fid != file.fid:
        raise UserError(f"The plan was made for process {file.fid}, and {name} is {process.fid}.")
    if file.command is Command.UPDATE and process.state is ProcessState.SUSPENDED and not may_store:
        raise NotAllowedError(
            f"Process {name} is Suspended: an update of it is stored and not executed, so its plan cannot be either. "
            f"'update {name} FILE' stores it; then 'resume {name} --dry-run -o FILE' makes a plan that can be executed."
        )
    if process.job_id is not None:
        message = "a job is executing, so the resources are not as they were when the plan was made"
        raise PlanBusyError(
            f"The plan is not executed, and nothing was changed: {message}. "
            f"Wait until it is done ('tenuto status {name}'), and make the plan again.",
            [message],
        )
